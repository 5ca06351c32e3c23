package wire

import "strconv"

// outbound cuts the client's octets into whole commands. Nothing is sent before a command is complete and allowed:
// a synchronising literal is asked for by the layer itself, not by the server.
type outbound struct {
	buf   []byte
	pos   int      // scanned up to here
	toks  []token  // of the command being read
	lits  []litRef // of the command being read
	await int      // literal octets still missing, counted from pos
	quote int      // start of the open quoted string + 1, 0 if none
}

type tokenKind byte

const (
	tokAtom tokenKind = iota
	tokQuoted
	tokLiteral
	tokOpen
	tokClose
)

// token is one lexical element of a command; from and to include quotes or the literal's announcement.
type token struct {
	kind     tokenKind
	from, to int
	data     int  // start of the literal's octets
	space    bool // preceded by SP
}

// litRef is a literal: octets [data,end) announced at [from,data).
type litRef struct {
	from, data, end int
	sync            bool
}

type outState byte

const (
	outMore     outState = iota // needs more octets from the client
	outContinue                 // the client waits for a continuation of its literal
	outCommand                  // one command is complete: buf[:pos]
)

// feed appends what the client wrote.
func (o *outbound) feed(p []byte) error {
	if len(o.buf)+len(p) > maxCommandOctets {
		return overLimit("command of the client")
	}
	o.buf = append(o.buf, p...)
	return nil
}

// shift forgets the finished command.
func (o *outbound) shift() {
	n := copy(o.buf, o.buf[o.pos:])
	o.buf = o.buf[:n]
	if cap(o.buf) > keepBufferOctets && n == 0 {
		o.buf = nil
	}
	o.pos, o.toks, o.lits = 0, o.toks[:0], o.lits[:0]
}

// line returns the first line without CR LF, for SASL responses and DONE.
func (o *outbound) line() (string, bool, error) {
	for i := o.pos; i < len(o.buf); i++ {
		switch o.buf[i] {
		case '\n':
			return "", false, forbidden("bare LF")
		case '\r':
			if i+1 == len(o.buf) {
				return "", false, nil
			}
			if o.buf[i+1] != '\n' {
				return "", false, forbidden("bare CR")
			}
			s := string(o.buf[:i])
			o.pos = i + 2
			o.shift()
			return s, true, nil
		}
	}
	return "", false, nil
}

// next scans on. Security: a quoted string may not hold CR, LF or NUL, so nothing that looks like a string to us can
// look like the start of a command to the server.
func (o *outbound) next() (outState, error) {
	for o.pos < len(o.buf) || o.await > 0 {
		if o.await > 0 {
			if len(o.buf)-o.pos < o.await {
				return outMore, nil
			}
			if err := o.endLiteral(); err != nil {
				return outMore, err
			}
			continue
		}
		b := o.buf[o.pos]
		switch {
		case o.quote > 0:
			if more, err := o.scanQuoted(); more || err != nil {
				return outMore, err
			}
		case b == '\r':
			if o.pos+1 == len(o.buf) {
				return outMore, nil
			}
			if o.buf[o.pos+1] != '\n' {
				return outMore, forbidden("bare CR")
			}
			o.pos += 2
			return outCommand, nil
		case b == '{':
			state, done, err := o.scanLiteral()
			if !done || err != nil || state == outContinue {
				return state, err
			}
		default:
			if err := o.scanOther(b); err != nil {
				return outMore, err
			}
		}
	}
	return outMore, nil
}

func (o *outbound) scanOther(b byte) error {
	at := o.pos
	switch {
	case b == '"':
		o.quote = at + 1
	case b == '(':
		o.add(tokOpen, at, at+1)
	case b == ')':
		o.add(tokClose, at, at+1)
	case b == ' ':
	case b < 0x21 || b > 0x7e:
		return forbidden("octet 0x%02x outside a string", b)
	default:
		if n := len(o.toks); n > 0 && o.toks[n-1].kind == tokAtom && o.toks[n-1].to == at {
			o.toks[n-1].to++
		} else {
			o.add(tokAtom, at, at+1)
		}
	}
	o.pos++
	return nil
}

func (o *outbound) add(k tokenKind, from, to int) {
	o.toks = append(o.toks, token{kind: k, from: from, to: to, space: from > 0 && o.buf[from-1] == ' '})
}

// scanQuoted reads on in an open quoted string; more means that the octets end inside it.
func (o *outbound) scanQuoted() (more bool, err error) {
	for o.pos < len(o.buf) {
		switch b := o.buf[o.pos]; b {
		case 0, '\r', '\n':
			return false, forbidden("octet 0x%02x in a quoted string", b)
		case '\\':
			if o.pos+1 == len(o.buf) {
				return true, nil
			}
			if e := o.buf[o.pos+1]; e != '"' && e != '\\' {
				return false, forbidden("octet 0x%02x escaped", e)
			}
			o.pos += 2
		case '"':
			o.pos++
			o.add(tokQuoted, o.quote-1, o.pos)
			o.quote = 0
			return false, nil
		default:
			o.pos++
		}
	}
	return true, nil
}

// scanLiteral reads "{n}" or "{n+}" with its CR LF.
func (o *outbound) scanLiteral() (state outState, done bool, err error) {
	if o.pos == 0 || o.buf[o.pos-1] != ' ' && o.buf[o.pos-1] != '(' {
		return outMore, false, forbidden("brace inside an atom")
	}
	i := o.pos + 1
	for i < len(o.buf) && o.buf[i] >= '0' && o.buf[i] <= '9' {
		i++
	}
	digits := string(o.buf[o.pos+1 : i])
	sync := true
	if i < len(o.buf) && o.buf[i] == '+' {
		sync = false
		i++
	}
	const tail = "}\r\n"
	have := min(len(tail), len(o.buf)-i)
	if string(o.buf[i:i+have]) != tail[:have] {
		return outMore, false, forbidden("brace that is no literal")
	}
	if have < len(tail) {
		return outMore, false, nil
	}
	n, err := strconv.Atoi(digits)
	if err != nil || n > maxCommandOctets {
		return outMore, false, overLimit("literal of the client")
	}
	data := i + len(tail)
	o.lits = append(o.lits, litRef{from: o.pos, data: data, end: data + n, sync: sync})
	o.pos, o.await = data, n
	if n == 0 {
		err = o.endLiteral()
	}
	if sync {
		return outContinue, true, err
	}
	return outMore, true, err
}

func (o *outbound) endLiteral() error {
	l := o.lits[len(o.lits)-1]
	for _, b := range o.buf[l.data:l.end] {
		if b == 0 {
			return forbidden("NUL in a literal")
		}
	}
	o.toks = append(o.toks, token{kind: tokLiteral, from: l.from, data: l.data, to: l.end,
		space: l.from > 0 && o.buf[l.from-1] == ' '})
	o.pos, o.await = l.end, 0
	return nil
}
