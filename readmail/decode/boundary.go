package decode

import "bytes"

const maxBoundaryOctets = 998 // Limit: RFC 2046 §5.1.1 allows 70, longer ones are seen; a line holds 998

// delimiterScanner walks the parts of a multipart body. After next returned true, body[start:end] is a part.
type delimiterScanner struct {
	body       []byte
	delimiter  []byte // "--" boundary
	start, end int

	opened, closed  bool
	next0           int // where the search goes on
	preamble, after int // end of the preamble, start of the epilogue
}

// next finds the next part.
func (s *delimiterScanner) next() bool {
	if s.closed {
		return false
	}
	if !s.opened {
		at, after, closing := s.find(0)
		if at < 0 {
			return false
		}
		s.opened, s.preamble, s.next0 = true, at, after
		if closing { // a close delimiter without any part before it
			s.closed, s.after = true, after
			return false
		}
	}
	if s.next0 > len(s.body) {
		return false
	}
	s.start = s.next0
	at, after, closing := s.find(s.start)
	if at < 0 {
		s.end, s.next0 = len(s.body), len(s.body)+1
		return s.start < len(s.body) // nothing after the last delimiter is no part
	}
	s.end, s.next0 = trimLineEnd(s.body, s.start, at), after
	if closing {
		s.closed, s.after = true, after
	}
	return true
}

// find returns the place of the next delimiter line at or after from, and what follows that line.
//
// Security: the whole line must be the delimiter. Boundaries that start with another one ("a" and "ab") are common, and taking a
// prefix for a match would divide a message in places its sender's client does not.
func (s *delimiterScanner) find(from int) (at, after int, closing bool) {
	for i := from; i < len(s.body); {
		j := bytes.Index(s.body[i:], s.delimiter)
		if j < 0 {
			return -1, 0, false
		}
		i += j
		if i == 0 || s.body[i-1] == '\n' { // only here the rest of the line is looked at, so each line is once
			line, rest := cutLine(s.body[i:])
			tail := bytes.TrimRight(line[len(s.delimiter):], " \t\r")
			if closing = bytes.Equal(tail, []byte("--")); len(tail) == 0 || closing {
				return i, len(s.body) - len(rest), closing
			}
		}
		i += len(s.delimiter)
	}
	return -1, 0, false
}

// trimLineEnd takes the line end before a delimiter off: it belongs to the delimiter (RFC 2046 §5.1.1).
func trimLineEnd(b []byte, start, end int) int {
	if end > start && b[end-1] == '\n' {
		end--
		if end > start && b[end-1] == '\r' {
			end--
		}
	}
	return end
}

const usualPreamble = 200 // Limit: "This is a multi-part message in MIME format." in some languages

// note records what was missing or stands outside the parts.
func (s *delimiterScanner) note(e *Entity) {
	if !s.closed {
		e.Notes.add(NoteNoClosingBoundary)
	}
	if s.opened && len(bytes.TrimSpace(s.body[:s.preamble])) > usualPreamble {
		e.Notes.add(NoteTextBeforeBoundary)
	}
	if s.closed && len(bytes.TrimSpace(s.body[s.after:])) > 0 {
		e.Notes.add(NoteTextAfterBoundary)
	}
}

// findBoundary returns the boundary that body uses. ok is false if it is not the declared one, or none is found ("").
func findBoundary(body []byte, declared string) (boundary string, ok bool) {
	if len(declared) > maxBoundaryOctets {
		return "", false
	}
	trimmed := string(bytes.Trim([]byte(declared), "\"' \t<>"))
	for i, b := range []string{string(bytes.TrimRight([]byte(declared), " \t")), trimmed} {
		if b == "" {
			continue
		}
		s := delimiterScanner{body: body, delimiter: []byte("--" + b)}
		if at, _, _ := s.find(0); at >= 0 {
			return b, i == 0
		}
	}
	return seenBoundary(body), false
}

// seenBoundary takes the first line that looks like a delimiter, if a part header follows it.
func seenBoundary(body []byte) string {
	for rest := body; len(rest) > 0; {
		var line []byte
		line, rest = cutLine(rest)
		line = bytes.TrimRight(line, " \t")
		if len(line) < 4 || len(line) > maxBoundaryOctets || !bytes.HasPrefix(line, []byte("--")) {
			continue
		}
		after, _ := cutLine(rest)
		if len(after) > 8 && bytes.EqualFold(after[:8], []byte("content-")) {
			return string(line[2:])
		}
	}
	return ""
}
