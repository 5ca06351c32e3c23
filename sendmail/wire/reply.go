package wire

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

// Reply is one reply (RFC 5321 §4.2). TextRaw is the server's own words: untrusted, lines joined by LF, at most 2 KiB.
type Reply struct {
	Code     int
	Enhanced string // RFC 3463 code such as "5.7.1", only if its class is that of Code
	TextRaw  string
}

// class is the first digit of the code.
func (r Reply) class() int { return r.Code / 100 }

// reader reads replies within the limits.
type reader struct{ r *bufio.Reader }

func newReader(r io.Reader) *reader { return &reader{bufio.NewReaderSize(r, maxReplyLineOctets+2)} }

// next reads one complete reply. The lines come without code and line end.
func (r *reader) next() (code int, lines []string, err error) {
	total := 0
	for len(lines) < maxReplyLines {
		line, err := r.line()
		if err != nil {
			return 0, nil, err
		}
		if total += len(line); total > maxReplyOctets {
			return 0, nil, ErrLimit
		}
		c, more, text, err := parseLine(line)
		if err != nil {
			return 0, nil, err
		}
		if len(lines) > 0 && c != code {
			return 0, nil, fmt.Errorf("%w: lines of one reply carry different codes", ErrFraming)
		}
		code, lines = c, append(lines, text)
		if !more {
			return code, lines, nil
		}
	}
	return 0, nil, ErrLimit
}

// line reads up to LF and returns the line without its end.
func (r *reader) line() ([]byte, error) {
	line, err := r.r.ReadSlice('\n')
	switch {
	case errors.Is(err, bufio.ErrBufferFull):
		return nil, ErrLimit
	case err != nil:
		return nil, lost(err)
	}
	return bytes.TrimSuffix(line[:len(line)-1], []byte("\r")), nil
}

// lost explains why reading or writing failed.
func lost(err error) error {
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return fmt.Errorf("%w: %w", ErrTimeout, err)
	}
	return fmt.Errorf("%w: %w", ErrLost, err)
}

// parseLine reads
//
//	Reply-line = *( Reply-code "-" [ textstring ] CRLF ) Reply-code [ SP textstring ] CRLF
//	Reply-code = %x32-35 %x30-35 %x30-39
//
// of RFC 5321 §4.2. Quirk: the second digit may be any, as servers invent codes.
func parseLine(line []byte) (code int, more bool, text string, err error) {
	if len(line) < 3 || line[0] < '2' || line[0] > '5' || !digit(line[1]) || !digit(line[2]) {
		return 0, false, "", ErrFraming
	}
	code = int(line[0]-'0')*100 + int(line[1]-'0')*10 + int(line[2]-'0')
	if len(line) == 3 {
		return code, false, "", nil
	}
	if line[3] != ' ' && line[3] != '-' {
		return 0, false, "", ErrFraming
	}
	return code, line[3] == '-', string(line[4:]), nil
}

func digit(c byte) bool { return c >= '0' && c <= '9' }

// newReply takes the enhanced status code out of the text (RFC 2034 §4: it begins each line).
func newReply(code int, lines []string) Reply {
	r := Reply{Code: code}
	var text strings.Builder
	for i, line := range lines {
		if e, rest := cutEnhanced(line); e != "" && e[0] == byte('0'+r.class()) {
			if i == 0 {
				r.Enhanced = e
			}
			if e == r.Enhanced {
				line = rest
			}
		}
		if i > 0 {
			text.WriteByte('\n')
		}
		text.WriteString(line)
	}
	r.TextRaw = text.String()
	if len(r.TextRaw) > maxTextOctets {
		r.TextRaw = r.TextRaw[:maxTextOctets]
	}
	return r
}

// cutEnhanced splits "5.7.1 text" (RFC 3463 §2: class "." subject "." detail, up to three digits each).
func cutEnhanced(s string) (code, rest string) {
	word, rest, _ := strings.Cut(s, " ")
	parts := strings.Split(word, ".")
	if len(parts) != 3 || len(parts[0]) != 1 || !strings.Contains("245", parts[0]) {
		return "", s
	}
	for _, p := range parts[1:] {
		if len(p) < 1 || len(p) > 3 || strings.Trim(p, "0123456789") != "" {
			return "", s
		}
	}
	return word, rest
}

// format writes the reply as the library wants it.
func format(code int, lines []string) []byte {
	var b bytes.Buffer
	for i, line := range lines {
		sep := '-'
		if i == len(lines)-1 {
			sep = ' '
		}
		fmt.Fprintf(&b, "%03d%c%s\r\n", code, sep, line)
	}
	return b.Bytes()
}

// upperExtensions puts the keywords of an EHLO reply in upper case. Quirk: old servers write "AUTH=PLAIN" for "AUTH PLAIN".
func upperExtensions(lines []string) []string {
	out := lines[:1:1]
	oldAuth, haveAuth := "", false
	for _, line := range lines[1:] {
		word, args, _ := strings.Cut(strings.TrimSpace(line), " ")
		word = strings.ToUpper(word)
		if first, ok := strings.CutPrefix(word, "AUTH="); ok {
			oldAuth = strings.TrimSpace("AUTH " + first + " " + strings.ToUpper(args))
			continue
		}
		if word == "AUTH" {
			haveAuth, args = true, strings.ToUpper(args)
		}
		out = append(out, strings.TrimSpace(word+" "+args))
	}
	if oldAuth != "" && !haveAuth {
		out = append(out, oldAuth)
	}
	return out
}
