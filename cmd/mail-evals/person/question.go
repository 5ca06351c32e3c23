package person

import (
	"regexp"
	"strings"
)

// Sheet is a question taken apart.
type Sheet struct {
	To, Cc, Bcc []string
	Subject     string
	Text        string
	HTML        string   // as its reader sees it; empty if there is no such part
	Attachments []string // names
	Notes       []Note
	Levels      []string // words of levels that occur: Note, CAUTION, WARNING
}

// Note is one finding of the server.
type Note struct {
	Level, Text string
	Values      []string
}

// block is a line of the server and the values below it.
type block struct {
	head   string
	values []string
}

// blocks reads the lines. A line of a value begins with ">", a continued one with ">>"; all others are the server's.
func blocks(text string) []block {
	var out []block
	for line := range strings.SplitSeq(text, "\n") {
		last := len(out) - 1
		switch {
		case strings.HasPrefix(line, ">> ") && last >= 0 && len(out[last].values) > 0:
			v := out[last].values
			v[len(v)-1] += strings.TrimPrefix(line, ">> ")
		case strings.HasPrefix(line, ">") && last >= 0:
			out[last].values = append(out[last].values, strings.TrimPrefix(strings.TrimPrefix(line, ">"), " "))
		case line != "":
			out = append(out, block{head: line})
		}
	}
	return out
}

var numbered = regexp.MustCompile(`^(To|Cc|Bcc|Attachment)\b[^/]*\d+/\d+`)

// Read takes a question apart.
func Read(text string) Sheet {
	var s Sheet
	for _, b := range blocks(text) {
		s.add(b)
	}
	return s
}

func (s *Sheet) add(b block) {
	first := ""
	if len(b.values) > 0 {
		first = b.values[0]
	}
	if m := numbered.FindStringSubmatch(b.head); m != nil {
		switch m[1] {
		case "To":
			s.To = append(s.To, first)
		case "Cc":
			s.Cc = append(s.Cc, first)
		case "Bcc":
			s.Bcc = append(s.Bcc, first)
		default:
			s.Attachments = append(s.Attachments, first)
		}
		return
	}
	level, rest, found := strings.Cut(b.head, ": ")
	switch {
	case strings.HasPrefix(b.head, "Subject"):
		s.Subject = first
	case strings.HasPrefix(b.head, "The HTML part as its reader sees it"):
		s.HTML = strings.Join(b.values, "\n")
	case strings.HasPrefix(b.head, "Text"):
		s.Text = strings.Join(b.values, "\n")
	case found && (level == "Note" || level == "CAUTION" || level == "WARNING"):
		s.Notes = append(s.Notes, Note{level, rest, b.values})
		s.Levels = append(s.Levels, level)
	}
}

// Warned reports a finding above an ordinary note.
func (s Sheet) Warned() bool {
	for _, n := range s.Notes {
		if n.Level != "Note" {
			return true
		}
	}
	return false
}
