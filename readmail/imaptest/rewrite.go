package imaptest

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
)

// ReplaceItem returns a function for Options.Rewrite: in the FETCH response of the message uid the value of item
// ("BODYSTRUCTURE", "ENVELOPE", "INTERNALDATE", "FLAGS") becomes value. Other responses pass unchanged.
func ReplaceItem(uid int, item, value string) func(response []byte) []byte {
	isUID := regexp.MustCompile(fmt.Sprintf(`(?s)^\* [0-9]+ FETCH \((?:.*[ (])?UID %d[ )]`, uid))
	return func(response []byte) []byte {
		start := itemStart(response, item)
		if start < 0 || !isUID.Match(response) {
			return response
		}
		end := valueEnd(response, start)
		return bytes.Join([][]byte{response[:start], []byte(value), response[end:]}, nil)
	}
}

// ReplaceLine returns a function for Options.Rewrite: a response that begins with prefix becomes the given lines, each
// without CRLF; no lines at all drop it.
func ReplaceLine(prefix string, lines ...string) func(response []byte) []byte {
	return func(response []byte) []byte {
		if !bytes.HasPrefix(response, []byte(prefix)) {
			return response
		}
		if len(lines) == 0 {
			return nil
		}
		return []byte(strings.Join(lines, "\r\n") + "\r\n")
	}
}

// Rewrites joins several functions for Options.Rewrite: each sees what the one before it left.
func Rewrites(each ...func([]byte) []byte) func(response []byte) []byte {
	return func(response []byte) []byte {
		for _, f := range each {
			response = f(response)
		}
		return response
	}
}

// itemStart finds where the value of a FETCH item begins, skipping quoted strings and literals; -1 if it has none.
func itemStart(b []byte, item string) int {
	if !bytes.Contains(b, []byte(" FETCH (")) {
		return -1
	}
	name := []byte(item + " ")
	for i := bytes.Index(b, []byte(" FETCH (")) + len(" FETCH ("); i < len(b); {
		if bytes.HasPrefix(b[i:], name) && (b[i-1] == '(' || b[i-1] == ' ') {
			return i + len(name)
		}
		i = skip(b, i)
	}
	return -1
}

// valueEnd returns the end of the value that begins at i: a parenthesised list, a string, or an atom.
func valueEnd(b []byte, i int) int {
	depth := 0
	for i < len(b) {
		switch b[i] {
		case '(':
			depth++
		case ')':
			if depth == 0 {
				return i
			}
			depth--
		case ' ':
			if depth == 0 {
				return i
			}
		}
		last := b[i] == '"' || b[i] == '{' || b[i] == ')'
		i = skip(b, i)
		if depth == 0 && last {
			return i
		}
	}
	return i
}

// skip returns the index after the quoted string, literal or single octet at i.
func skip(b []byte, i int) int {
	switch b[i] {
	case '"':
		for j := i + 1; j < len(b); j++ {
			switch b[j] {
			case '\\':
				j++
			case '"':
				return j + 1
			}
		}
		return len(b)
	case '{':
		line, _, found := bytes.Cut(b[i:], []byte("\n"))
		size, _, ok := literalSize(append(line[:len(line):len(line)], '\n'))
		if !found || !ok {
			return i + 1
		}
		return min(i+len(line)+1+size, len(b))
	}
	return i + 1
}
