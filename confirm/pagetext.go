package confirm

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// maxEmptyLines is how many empty lines in a row are drawn as such. Limit: more could push what follows out of sight.
const maxEmptyLines = 3

// segment is a piece of a value: text as it is, or a mark of ours for what would not show.
type segment struct {
	Text string
	Mark bool
}

// segments writes one line of a value so that nothing in it acts, as visible does, with the marks told apart.
func segments(s string) []segment {
	var out []segment
	rest := visible(s)
	for rest != "" {
		i := indexMark(rest)
		if i > 0 {
			out = append(out, segment{Text: rest[:i]})
		}
		if i == len(rest) {
			break
		}
		end := i + strings.IndexByte(rest[i:], ']') + 1
		out = append(out, segment{rest[i:end], true})
		rest = rest[end:]
	}
	return out
}

// indexMark is where the first mark of ours begins in what visible wrote; its length if there is none.
func indexMark(s string) int {
	for i := 0; i < len(s); i++ {
		if s[i] == '[' && looksLikeMark(s[i+1:]) {
			return i
		}
	}
	return len(s)
}

// textLines writes a text of several lines. A line of blanks alone and a run of more than maxEmptyLines empty ones become marks.
func textLines(s string) [][]segment {
	var out [][]segment
	empty := 0
	flush := func() {
		if empty > maxEmptyLines {
			out = append(out, []segment{{fmt.Sprintf("[%d empty lines]", empty), true}})
		} else {
			out = append(out, make([][]segment, empty)...)
		}
		empty = 0
	}
	for l := range strings.SplitSeq(strings.TrimSuffix(s, "\n"), "\n") {
		if l == "" {
			empty++
			continue
		}
		flush()
		if strings.Trim(l, " ") == "" {
			out = append(out, []segment{{fmt.Sprintf("[U+0020 x%d]", len(l)), true}})
			continue
		}
		out = append(out, segments(l))
	}
	flush()
	return out
}

// sourceLines writes octets as lines. A line that does not end as RFC 5322 §2.1 wants shows that.
func sourceLines(octets []byte) [][]segment {
	var out [][]segment
	for l := range bytes.Lines(octets) {
		line, ended := bytes.CutSuffix(l, []byte("\r\n"))
		segs := segments(strings.TrimSuffix(string(line), "\n"))
		if !ended && bytes.HasSuffix(l, []byte("\n")) {
			segs = append(segs, segment{"[U+000A]", true})
		}
		out = append(out, segs)
	}
	return out
}

// scripts are the scripts that the letters of a name with letters outside ASCII are written in, sorted; nil for a plain one.
func scripts(s string) []string {
	plain := true
	var names []string
	for _, r := range s {
		if r < 0x80 && !unicode.IsLetter(r) {
			continue
		}
		plain = plain && r < 0x80
		for name, table := range unicode.Scripts {
			if name != "Common" && name != "Inherited" && unicode.Is(table, r) && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	if plain {
		return nil
	}
	slices.Sort(names)
	return names
}

// size writes a number of octets for a person.
func size(octets int64) string {
	switch {
	case octets < 1024:
		return fmt.Sprintf("%d bytes", octets)
	case octets < 1<<20:
		return fmt.Sprintf("%.1f KiB (%d bytes)", float64(octets)/1024, octets)
	}
	return fmt.Sprintf("%.1f MiB (%d bytes)", float64(octets)/(1<<20), octets)
}
