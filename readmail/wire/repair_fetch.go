package wire

import (
	"bytes"
	"strconv"
	"strings"
	"time"
)

// fetchWriter repairs one FETCH response.
type fetchWriter struct {
	c        *Conn
	t        *tree
	seq, uid uint32
	notes    uint64
	first    bool
	broken   int // node that the response broke off in, 0 if none
}

func (f *fetchWriter) note(k RepairKind) { f.notes |= 1 << k }

// item starts an item.
func (f *fetchWriter) item(name string) {
	if !f.first {
		f.c.stage = append(f.c.stage, ' ')
	}
	f.first = false
	f.c.stage = append(append(f.c.stage, name...), ' ')
}

// fetched handles "* n FETCH (...)". What cannot be understood is dropped item by item; UID comes first, since go-imap
// must know it before a literal.
func (c *Conn) fetched(r response, seq uint32, at int) error {
	t, err := c.tree(&r, at, true)
	if err != nil {
		return err
	}
	f := &fetchWriter{c: c, t: t, seq: seq, first: true}
	list := t.child(0)
	if seq == 0 || !t.isList(list) {
		f.note(RepairMessageDropped)
		f.report()
		return nil
	}
	f.damage(r)
	f.uid = f.findUID(list, r.b[at:])
	if call := c.call(); call != nil && call.takes("FETCH") && f.capture(list, call) {
		f.report()
		return nil
	}
	c.line(strconv.FormatUint(uint64(seq), 10), "FETCH (")
	if f.uid != 0 && !f.unsolicited(list) {
		f.item("UID")
		c.stage = strconv.AppendUint(c.stage, uint64(f.uid), 10)
	}
	f.items(list)
	c.stage = append(c.stage, ')')
	c.crlf()
	f.report()
	return nil
}

// damage notes where a response that is not whole broke off.
func (f *fetchWriter) damage(r response) {
	for _, l := range r.lits {
		if l.cut {
			f.note(RepairLiteralCut)
		}
	}
	if f.t.fixed != RepairNone {
		f.note(f.t.fixed)
	}
	if f.t.balanced() && !r.over {
		if f.t.deep {
			f.note(RepairDepth)
		}
		return
	}
	f.note(RepairQuoting)
	if r.over || f.t.tooMany {
		f.note(RepairOversized)
	}
	for k := f.t.child(f.t.child(0)); k != 0; k = f.t.next(k) {
		if f.t.next(k) == 0 {
			f.broken = k
		}
	}
}

// findUID looks for the UID among the items, or at both ends of a response that broke off.
func (f *fetchWriter) findUID(list int, raw []byte) uint32 {
	for k := f.t.child(list); k != 0; k = f.t.next(f.t.next(k)) {
		if bytes.EqualFold(f.t.raw(k), []byte("UID")) {
			if n, ok := f.t.number(f.t.next(k)); ok && n > 0 && n <= 1<<32-1 {
				return uint32(n)
			}
		}
	}
	if f.broken == 0 {
		return 0
	}
	i := bytes.LastIndex(raw, []byte(" UID "))
	if i < 0 {
		return 0
	}
	if n, ok := parseNumber(bytes.TrimRight(raw[i+len(" UID "):], " )")); ok && n > 0 && n <= 1<<32-1 {
		return uint32(n)
	}
	return 0
}

// unsolicited reports that the response only tells flags while more was asked for: an update by the server, which
// go-imap would take for the answer if it had the UID.
func (f *fetchWriter) unsolicited(list int) bool {
	for k := f.t.child(list); k != 0; k = f.t.next(f.t.next(k)) {
		switch strings.ToUpper(string(f.t.raw(k))) {
		case "UID", "FLAGS", "MODSEQ":
		default:
			return false
		}
	}
	f.c.mu.Lock()
	defer f.c.mu.Unlock()
	more := false
	for _, p := range f.c.pend {
		if p.fetch != nil && !p.fetch.more {
			return false
		}
		more = more || p.fetch != nil && p.fetch.uid
	}
	return more && f.broken == 0
}

func (f *fetchWriter) items(list int) {
	for k := f.t.child(list); k != 0; {
		name, value := k, f.t.next(k)
		if !f.t.isAtom(name) {
			f.note(RepairFetchItem)
			k = value
			continue
		}
		k = f.t.next(value)
		if value == 0 || value == f.broken && !f.t.isString(value) {
			f.lost(strings.ToUpper(string(f.t.raw(name))))
			continue
		}
		f.one(name, value)
	}
}

// lost notes what an item that broke off was.
func (f *fetchWriter) lost(name string) {
	switch name {
	case "BODYSTRUCTURE", "BODY":
		f.note(RepairUnstructured)
	case "ENVELOPE":
		f.note(RepairEnvelopeDropped)
	default:
		f.note(RepairFetchItem)
	}
}

func (f *fetchWriter) one(name, value int) {
	c, raw := f.c, f.t.raw(name)
	switch key := strings.ToUpper(string(raw[:min(len(raw), 32)])); {
	case key == "UID":
	case key == "FLAGS":
		if !f.t.isList(value) {
			f.note(RepairFetchItem)
			return
		}
		f.item(key)
		if !c.flagList(f.t, value) {
			f.note(RepairFlag)
		}
	case key == "RFC822.SIZE":
		n, ok := f.t.number(value)
		if !ok || n >= 1<<63 {
			f.note(RepairFetchItem)
			return
		}
		f.item(key)
		c.stage = strconv.AppendUint(c.stage, n, 10)
	case key == "MODSEQ":
		n, ok := f.t.number(f.t.childOf(value))
		if !ok {
			f.note(RepairFetchItem)
			return
		}
		f.item(key)
		c.stage = append(strconv.AppendUint(append(c.stage, '('), n, 10), ')')
	case key == "INTERNALDATE":
		f.internalDate(value)
	case key == "ENVELOPE", key == "BODYSTRUCTURE", key == "BODY":
		f.structure(key, value)
	case strings.HasPrefix(key, "BODY["), strings.HasPrefix(key, "BINARY["), strings.HasPrefix(key, "BINARY.SIZE["):
		f.section(raw, value)
	default:
		f.note(RepairFetchItem)
	}
}

// internalDate passes a date in the form of RFC 9051; forms that say the same are rewritten, anything else is dropped,
// so that the client has the zero time.
func (f *fetchWriter) internalDate(value int) {
	const strict = "_2-Jan-2006 15:04:05 -0700"
	if f.t.isString(value) {
		s := strings.TrimSpace(string(f.t.value(value)))
		for i, layout := range []string{strict, "2-Jan-2006 15:04:05 -0700", "Mon, 2 Jan 2006 15:04:05 -0700", "2 Jan 2006 15:04:05 -0700"} {
			d, err := time.Parse(layout, s)
			if err != nil || d.Year() < 1 || d.IsZero() {
				continue
			}
			if i > 1 {
				f.note(RepairInternalDate)
			}
			f.item("INTERNALDATE")
			f.c.stage = append(d.AppendFormat(append(f.c.stage, '"'), strict), '"')
			return
		}
	}
	f.note(RepairInternalDate)
}

// structure passes ENVELOPE or BODYSTRUCTURE, or nothing if it is not understood at all.
func (f *fetchWriter) structure(key string, value int) {
	mark, first := len(f.c.stage), f.first
	f.item(key)
	w := &partWriter{t: f.t, out: f.c.stage, kids: f.c.kids[:0]}
	ok := true
	if key == "ENVELOPE" {
		ok = w.envelope(value)
	} else if ok = f.t.isList(value); ok {
		w.body(value)
		ok = w.made <= maxPlaceholderParts
	}
	f.c.stage, f.c.kids = w.out, w.kids[:0]
	f.notes |= w.notes
	if !ok {
		f.c.stage, f.first = f.c.stage[:mark], first
		f.lost(key)
	}
}

// report tells each kind once, with the message.
func (f *fetchWriter) report() {
	for k := RepairKind(1); k < repairKinds; k++ {
		if f.notes&(1<<k) != 0 {
			f.c.report(Repair{Kind: k, Seq: f.seq, UID: f.uid})
		}
	}
}

// section passes BODY[...], BINARY[...] and BINARY.SIZE[...].
func (f *fetchWriter) section(raw []byte, value int) {
	name, rest, _ := bytes.Cut(raw, []byte("["))
	text, origin, _ := cutSection(string(rest))
	sec, ok := parseSection(text)
	key := strings.ToUpper(string(name))
	start, partial, valid := parseOrigin(origin)
	if !ok || !valid || key != "BODY" && sec.spec != "" {
		f.note(RepairFetchItem)
		return
	}
	if key == "BINARY.SIZE" {
		if n, ok := f.t.number(value); ok && n <= 1<<32-1 {
			f.item(key + "[" + sec.key() + "]")
			f.c.stage = strconv.AppendUint(f.c.stage, n, 10)
			return
		}
		f.note(RepairFetchItem)
		return
	}
	if !f.t.isString(value) && !f.t.isNil(value) {
		f.note(RepairFetchItem)
		return
	}
	f.sectionData(key, sec, start, partial, value)
}

// sectionData writes the item under the name that was asked for, cut to the range that was asked for.
func (f *fetchWriter) sectionData(key string, sec section, start uint64, partial bool, value int) {
	var data []byte
	if f.t.isString(value) {
		data = f.t.value(value)
	}
	label := sec.key()
	if a := f.c.asked(key == "BINARY", sec, partial, start); a != nil {
		label = a.section
		if a.partial {
			var ok bool
			if data, ok = f.cut(data, a, partial); !ok {
				f.note(RepairFetchItem)
				return
			}
			partial, start = true, a.offset
		}
	}
	label = key + "[" + label + "]"
	if partial && key == "BODY" {
		label += "<" + strconv.FormatUint(start, 10) + ">"
	}
	f.item(label)
	if f.t.isNil(value) {
		f.c.stage = append(f.c.stage, "NIL"...)
		return
	}
	f.c.stage = appendLiteral(f.c.stage, data)
}

// cut holds data to the range asked for. A server that ignores the range sends all from the beginning and no origin;
// one that only forgets the origin sends no more than was asked for, which for an offset beyond 0 cannot be told from
// a short body, so that is refused.
func (f *fetchWriter) cut(data []byte, a *askedSection, labelled bool) ([]byte, bool) {
	if uint64(len(data)) <= a.size {
		return data, labelled || a.offset == 0
	}
	f.note(RepairPartialIgnored)
	f.notes &^= 1 << RepairLiteralCut
	if !labelled {
		data = data[min(a.offset, uint64(len(data))):]
	}
	return data[:min(a.size, uint64(len(data)))], true
}

// parseOrigin reads "<0>" after a section, also "<0.100>"; "" is valid and no origin.
func parseOrigin(s string) (start uint64, partial, ok bool) {
	if s == "" {
		return 0, false, true
	}
	if len(s) < 3 || s[0] != '<' || s[len(s)-1] != '>' {
		return 0, false, false
	}
	digits, _, _ := strings.Cut(s[1:len(s)-1], ".")
	n, ok := parseNumber([]byte(digits))
	return n, true, ok && n <= 1<<32-1
}

// asked finds the item of a running FETCH that a section answers: same section (header fields in any order), same
// origin if possible.
func (c *Conn) asked(binary bool, sec section, partial bool, start uint64) *askedSection {
	c.mu.Lock()
	defer c.mu.Unlock()
	var close *askedSection
	for _, p := range c.pend {
		if p.fetch == nil {
			continue
		}
		for i := range p.fetch.sections {
			a := &p.fetch.sections[i]
			if a.binary != binary || a.loose != sec.loose() {
				continue
			}
			if a.partial == partial && (!partial || a.offset == start) {
				return a
			}
			if a.partial && !partial && close == nil {
				close = a
			}
		}
	}
	return close
}
