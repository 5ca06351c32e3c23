package wire

import (
	"slices"
	"strconv"
	"strings"
)

// section is what stands in the brackets of BODY[...] (RFC 9051 §6.4.5).
type section struct {
	part   []uint32
	spec   string // "", HEADER, HEADER.FIELDS, HEADER.FIELDS.NOT, TEXT, MIME
	fields []string
}

const maxSectionParts = 100 // as deep as structures are passed on

// parseSection reads the text between the brackets.
func parseSection(s string) (section, bool) {
	var sec section
	for s != "" && s[0] >= '0' && s[0] <= '9' {
		digits := s[:len(s)-len(strings.TrimLeft(s, "0123456789"))]
		n, err := strconv.ParseUint(digits, 10, 31)
		if err != nil || n == 0 || len(sec.part) == maxSectionParts {
			return sec, false
		}
		sec.part = append(sec.part, uint32(n))
		s = s[len(digits):]
		if s == "" {
			return sec, true
		}
		if s[0] != '.' || len(s) == 1 {
			return sec, false
		}
		s = s[1:]
	}
	word, rest, _ := strings.Cut(s, " ")
	sec.spec = strings.ToUpper(word)
	switch sec.spec {
	case "":
		return sec, rest == "" && s == ""
	case "HEADER", "TEXT":
		return sec, rest == ""
	case "MIME":
		return sec, rest == "" && len(sec.part) > 0
	case "HEADER.FIELDS", "HEADER.FIELDS.NOT":
		var ok bool
		sec.fields, ok = parseFieldNames(rest)
		return sec, ok
	}
	return sec, false
}

// parseFieldNames reads "(name "name" ...)".
func parseFieldNames(s string) ([]string, bool) {
	if len(s) < 2 || s[0] != '(' || s[len(s)-1] != ')' {
		return nil, false
	}
	var names []string
	s = strings.TrimSpace(s[1 : len(s)-1])
	for s != "" {
		var name string
		if s[0] == '"' {
			i := 1
			for i < len(s) && s[i] != '"' {
				if s[i] == '\\' {
					i++
				}
				i++
			}
			if i >= len(s) {
				return nil, false
			}
			name, s = unescape([]byte(s[1:i])), s[i+1:]
		} else {
			name, s, _ = strings.Cut(s, " ")
			if strings.ContainsAny(name, `"(){\`) {
				return nil, false
			}
		}
		if !isFieldName(name) {
			return nil, false
		}
		names = append(names, name)
		s = strings.TrimLeft(s, " ")
	}
	return names, len(names) > 0
}

// isFieldName: RFC 5322 §2.2, printable ASCII without colon.
func isFieldName(s string) bool {
	for i := range len(s) {
		if s[i] < 0x21 || s[i] > 0x7e || s[i] == ':' {
			return false
		}
	}
	return s != ""
}

// key names the section independently of case and quoting.
func (s section) key() string { return strings.ToUpper(string(s.append(nil))) }

// loose is key with the header fields in alphabetical order: servers answer in an order of their own.
func (s section) loose() string {
	if len(s.fields) < 2 {
		return s.key()
	}
	s.fields = slices.Clone(s.fields)
	for i, f := range s.fields {
		s.fields[i] = strings.ToUpper(f)
	}
	slices.Sort(s.fields)
	return s.key()
}

// append prints the section in strict form, without brackets.
func (s section) append(b []byte) []byte {
	for i, n := range s.part {
		if i > 0 {
			b = append(b, '.')
		}
		b = strconv.AppendUint(b, uint64(n), 10)
	}
	if s.spec == "" {
		return b
	}
	if len(s.part) > 0 {
		b = append(b, '.')
	}
	b = append(b, s.spec...)
	for i, f := range s.fields {
		if i == 0 {
			b = append(b, " ("...)
		} else {
			b = append(b, ' ')
		}
		b = appendQuoted(b, []byte(f))
	}
	if len(s.fields) > 0 {
		b = append(b, ')')
	}
	return b
}
