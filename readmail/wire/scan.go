package wire

import (
	"bytes"
	"errors"
	"io"
	"strconv"
)

// response is one response as read: octets b, with its literals, without the last CR LF.
type response struct {
	b    []byte
	lits []litSpan
	over bool // longer than allowed: b is its beginning only
}

// inbound cuts the server's octets into responses. Its buffer never holds more than one response over the limits.
type inbound struct {
	c     *Conn
	src   io.Reader
	buf   []byte // read octets, the first r of them done with
	r     int
	start int // where the current response begins
	lits  []litSpan
	tree  tree
}

// fill reads more octets. Before it may block, everything repaired so far goes to the client.
func (in *inbound) fill() error {
	if err := in.c.publish(); err != nil {
		return err
	}
	if cap(in.buf)-len(in.buf) < readChunkOctets/4 {
		grown := make([]byte, len(in.buf), 2*cap(in.buf)+readChunkOctets)
		copy(grown, in.buf)
		in.buf = grown
	}
	n, err := in.src.Read(in.buf[len(in.buf):cap(in.buf)])
	in.buf = in.buf[:len(in.buf)+n]
	if n > 0 {
		return in.c.countIn(n)
	}
	return err
}

// compact gives back what is done with.
func (in *inbound) compact() {
	left := in.buf[in.r:]
	switch {
	case len(left) == 0 && cap(in.buf) > keepBufferOctets:
		in.buf = nil
	case len(left) == 0:
		in.buf = in.buf[:0]
	case in.r < 32<<10:
		return
	case cap(in.buf) > keepBufferOctets && len(left) < keepBufferOctets:
		in.buf = append(make([]byte, 0, len(left)+readChunkOctets), left...)
	default:
		in.buf = in.buf[:copy(in.buf, left)]
	}
	in.r = 0
}

// findLine returns the end of the line that starts at from: the position of its LF.
// used is how many octets outside literals came before; over means that the limit was passed before the LF.
func (in *inbound) findLine(from, limit int) (lf int, over bool, err error) {
	at := from
	for {
		if i := bytes.IndexByte(in.buf[at:], '\n'); i >= 0 {
			return at + i, at+i-from > limit, nil
		}
		if at = len(in.buf); at-from > limit {
			return 0, true, nil
		}
		if err := in.fill(); err != nil {
			if at > in.r && errors.Is(err, io.EOF) {
				err = badFraming("connection closed within a response")
			}
			return 0, false, err
		}
	}
}

// next reads one response. The result is valid until the next call.
func (in *inbound) next() (response, error) {
	in.compact()
	in.lits = in.lits[:0]
	start := in.r
	in.start = start
	lf, over, err := in.findLine(start, in.c.lim.LineOctets)
	if over && err == nil {
		limit := in.c.lineLimit(in.buf[start:])
		if lf, over, err = in.findLine(start, limit); over && err == nil {
			return in.skipLine(start, start+limit)
		}
	}
	if err != nil {
		return response{}, err
	}
	line := trimCR(in.buf[start:lf])
	if !hasLiterals(line) {
		in.r = lf + 1
		return response{b: line}, nil
	}
	return in.nextData(start, lf)
}

// nextData reads on after the first line of a response that may hold literals.
func (in *inbound) nextData(start, lf int) (response, error) {
	used, lineStart := 0, start
	for {
		line := trimCR(in.buf[lineStart:lf])
		used += lf - lineStart
		size, from, ok := literalAt(line)
		if !ok {
			in.r = lf + 1
			return response{b: in.buf[start : lineStart+len(line)], lits: in.relative(start)}, nil
		}
		end, err := in.literal(litSpan{from: lineStart + from, data: lf + 1}, size, line[:from])
		if err != nil {
			return response{}, err
		}
		lineStart = end
		var over bool
		if lf, over, err = in.findLine(lineStart, in.c.lim.LineOctets-used); err != nil {
			return response{}, err
		}
		if over {
			return in.skipLine(start, max(lineStart, start+1))
		}
	}
}

// literal reads the octets of a literal into the buffer; too large ones are cut.
func (in *inbound) literal(l litSpan, size uint64, before []byte) (end int, err error) {
	limit := uint64(in.c.literalLimit(before))
	keep := min(size, limit)
	if size-keep > uint64(in.c.lim.SkipOctets) {
		return 0, overLimit("literal")
	}
	l.end, l.cut = l.data+int(keep), size > keep
	for len(in.buf) < l.end {
		if err := in.fill(); err != nil {
			return 0, cutLiteral(err)
		}
	}
	if l.cut {
		if err := in.discard(l.end, size-keep); err != nil {
			return 0, cutLiteral(err)
		}
	}
	in.lits = append(in.lits, l)
	return l.end, nil
}

// relative counts the literals' positions from start instead of from the beginning of the buffer.
func (in *inbound) relative(start int) []litSpan {
	for i := range in.lits {
		l := &in.lits[i]
		l.from, l.data, l.end = l.from-start, l.data-start, l.end-start
	}
	return in.lits
}

func cutLiteral(err error) error {
	if errors.Is(err, io.EOF) {
		return badFraming("connection closed within a literal")
	}
	return err
}

// discard throws away n octets that follow position at.
func (in *inbound) discard(at int, n uint64) error {
	for {
		have := uint64(len(in.buf) - at)
		if have >= n {
			in.buf = in.buf[:at+copy(in.buf[at:], in.buf[at+int(n):])]
			return nil
		}
		n -= have
		in.buf = in.buf[:at]
		if err := in.fill(); err != nil {
			return err
		}
	}
}

// skipLine throws away the rest of a response after position keep, its literals too.
func (in *inbound) skipLine(start, keep int) (response, error) {
	skipped := 0
	for {
		i := bytes.IndexByte(in.buf[keep:], '\n')
		if i < 0 {
			// Keep the tail: it may hold the beginning of "{n}".
			drop := max(0, len(in.buf)-keep-literalTailOctets)
			in.buf = in.buf[:keep+copy(in.buf[keep:], in.buf[keep+drop:])]
			if skipped += drop; skipped > in.c.lim.SkipOctets {
				return response{}, overLimit("response line")
			}
			if err := in.fill(); err != nil {
				if errors.Is(err, io.EOF) {
					err = badFraming("connection closed within a response")
				}
				return response{}, err
			}
			continue
		}
		size, _, ok := literalAt(trimCR(in.buf[keep : keep+i]))
		in.buf = in.buf[:keep+copy(in.buf[keep:], in.buf[keep+i+1:])]
		if !ok {
			in.r = keep
			return response{b: in.buf[start:keep], lits: in.relative(start), over: true}, nil
		}
		if skipped += int(min(size, 1<<30)); skipped > in.c.lim.SkipOctets {
			return response{}, overLimit("literal of a long response")
		}
		if err := in.discard(keep, size); err != nil {
			return response{}, cutLiteral(err)
		}
	}
}

const literalTailOctets = 32

// joinLine extends a response whose line ended inside a quoted string by the next line. false: there is none.
func (in *inbound) joinLine(r *response) (bool, error) {
	from, start := in.r, in.start
	if len(in.buf[start:]) > in.c.lim.LineOctets {
		return false, nil
	}
	lf, over, err := in.findLine(from, in.c.lim.LineOctets)
	if err != nil || over {
		return false, err
	}
	line := trimCR(in.buf[from:lf])
	if in.c.isCompletion(line) {
		return false, nil
	}
	if size, _, ok := literalAt(line); ok && size > 0 {
		return false, nil
	}
	in.r = lf + 1
	r.b = in.buf[start : from+len(line)]
	return true, nil
}

func trimCR(b []byte) []byte {
	for len(b) > 0 && b[len(b)-1] == '\r' {
		b = b[:len(b)-1]
	}
	return b
}

// hasLiterals reports whether a response that starts with line may go on in literals: untagged data do,
// status responses, tagged ones and continuations are text to the end of the line.
func hasLiterals(line []byte) bool {
	if len(line) < 2 || line[0] != '*' {
		return false
	}
	word, _ := cutWord(bytes.TrimLeft(line[1:], " "))
	return !isStatus(word)
}

func isStatus(word []byte) bool {
	for _, s := range []string{"OK", "NO", "BAD", "BYE", "PREAUTH"} {
		if bytes.EqualFold(word, []byte(s)) {
			return true
		}
	}
	return false
}

// cutWord splits at the first SP.
func cutWord(b []byte) (word, rest []byte) {
	if i := bytes.IndexByte(b, ' '); i >= 0 {
		return b[:i], bytes.TrimLeft(b[i:], " ")
	}
	return b, nil
}

// literalAt reports a literal announcement at the end of line: "{n}", also "{n+}" and "~{n}".
func literalAt(line []byte) (size uint64, from int, ok bool) {
	if len(line) < 3 || line[len(line)-1] != '}' {
		return 0, 0, false
	}
	i := bytes.LastIndexByte(line[max(0, len(line)-24):], '{')
	if i < 0 {
		return 0, 0, false
	}
	i += max(0, len(line)-24)
	digits := bytes.TrimSuffix(line[i+1:len(line)-1], []byte("+"))
	size, err := strconv.ParseUint(string(digits), 10, 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		return 0, 0, false
	}
	if i > 0 && line[i-1] == '~' {
		i--
	}
	if i > 0 && line[i-1] != ' ' && line[i-1] != '(' {
		return 0, 0, false
	}
	return size, i, true
}
