package imaptest

import (
	"bytes"
	"slices"
	"strings"

	"github.com/emersion/go-imap/v2"
)

// announce edits the capabilities in a response: the untagged CAPABILITY and the response code of the greeting and of
// a login.
func (s *Server) announce(response []byte) []byte {
	if rest, ok := bytes.CutPrefix(response, []byte("* CAPABILITY ")); ok {
		list := strings.TrimSuffix(string(rest), "\r\n")
		return []byte("* CAPABILITY " + s.editCaps(list) + "\r\n")
	}
	const code = "[CAPABILITY "
	head, rest, found := bytes.Cut(response, []byte(code))
	list, tail, closed := strings.Cut(string(rest), "]")
	// "tag OK [CAPABILITY": nothing else begins a code, a literal or a quoted string could contain one.
	if !found || !closed || bytes.Count(head, []byte(" ")) != 2 || !bytes.HasSuffix(head, []byte(" OK ")) {
		return response
	}
	return []byte(string(head) + code + s.editCaps(list) + "]" + tail)
}

func (s *Server) editCaps(list string) string {
	caps := slices.DeleteFunc(strings.Fields(list), func(c string) bool {
		return slices.ContainsFunc(s.options.HideCaps, func(h imap.Cap) bool { return strings.EqualFold(c, string(h)) })
	})
	add := append([]imap.Cap{"ID"}, s.options.AddCaps...)
	if s.options.Compress {
		add = append(add, "COMPRESS=DEFLATE")
	}
	for _, c := range add {
		if !slices.Contains(caps, string(c)) && !slices.Contains(s.options.HideCaps, c) {
			caps = append(caps, string(c))
		}
	}
	return strings.Join(caps, " ")
}
