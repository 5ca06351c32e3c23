package compose

import (
	"bytes"
	"fmt"
	"net/mail"
	"strings"
	"unicode/utf8"
)

const messageType = "message/rfc822"

func planFile(a Attachment, allow8Bit bool) (file, error) {
	if !validFileName(a.Name) || !validMediaType(a.MediaType) || strings.HasPrefix(a.MediaType, "multipart/") {
		return file{}, ErrAttachment
	}
	f := file{name: a.Name, mediaType: a.MediaType, octets: a.Octets}
	if f.mediaType != messageType {
		return f, nil
	}
	octets := toCRLF(a.Octets)
	fits, has8 := fitsUnencoded(octets)
	if _, err := mail.ReadMessage(bytes.NewReader(octets)); err != nil || !fits || has8 && !allow8Bit {
		f.mediaType = "application/octet-stream"
		return f, nil
	}
	f.octets, f.raw = octets, true
	return f, nil
}

// validFileName: one line, no path, nothing that a reader decodes once more.
func validFileName(name string) bool {
	return name != "" && len(name) <= maxNameOctets && oneLine(name) && !strings.ContainsAny(name, `/\`) && !strings.Contains(name, "=?") &&
		strings.TrimSpace(name) == name
}

func validMediaType(s string) bool {
	major, minor, found := strings.Cut(s, "/")
	token := func(t string) bool { return t != "" && strings.Trim(t, tokenOctets) == "" }
	return found && len(s) <= 127 && token(major) && token(minor) // RFC 6838 §4.2
}

const tokenOctets = "abcdefghijklmnopqrstuvwxyz0123456789!#$&-^_.+"

// contentTypeWords: a charset only for text that is UTF-8; otherwise the reader has to find out, as with the file on disk.
func (f file) contentTypeWords() []string {
	if strings.HasPrefix(f.mediaType, "text/") && utf8.Valid(f.octets) {
		return []string{f.mediaType + ";", "charset=utf-8"}
	}
	return []string{f.mediaType}
}

func (f file) encoding() string {
	switch {
	case !f.raw:
		return encBase64
	case has8Bit(f.octets):
		return enc8Bit
	}
	return enc7Bit
}

// dispositionWords: RFC 2183, the name in a plain quoted string if every reader agrees on it, otherwise as RFC 2231 §4 says,
// in pieces (§3) so that no line grows too long.
func (f file) dispositionWords() []string {
	head := "attachment;"
	if f.contentID != "" {
		head = "inline;"
	}
	if len(f.name) <= 50 && strings.Trim(f.name, atomOctets+"._+ ") == "" && !strings.Contains(f.name, "  ") {
		return append([]string{head}, strings.Split(`filename="`+f.name+`"`, " ")...)
	}
	pieces := percentPieces(f.name)
	if len(pieces) == 1 {
		return []string{head, "filename*=utf-8''" + pieces[0]}
	}
	words := []string{head}
	for k, piece := range pieces {
		charset, end := "", ";"
		if k == 0 {
			charset = "utf-8''"
		}
		if k == len(pieces)-1 {
			end = ""
		}
		words = append(words, fmt.Sprintf("filename*%d*=%s%s%s", k, charset, piece, end))
	}
	return words
}

// percentPieces encodes name in pieces of at most 45 octets, cut between characters.
func percentPieces(name string) []string {
	const limit = 45
	var pieces []string
	var b strings.Builder
	for _, r := range name {
		enc := percent(string(r))
		if b.Len()+len(enc) > limit {
			pieces = append(pieces, b.String())
			b.Reset()
		}
		b.WriteString(enc)
	}
	return append(pieces, b.String())
}

func percent(s string) string {
	var b strings.Builder
	for k := range len(s) {
		if c := s[k]; strings.IndexByte(atomOctets+"._", c) >= 0 {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}
