package wire

// envelopeFields is the number of fields of an ENVELOPE: date, subject, six address lists, in-reply-to, message-id
// (RFC 9051 §7.5.2).
const envelopeFields = 10

// Longer fields of an ENVELOPE are of no use to anybody.
const (
	maxDateOctets      = 256
	maxMessageIDOctets = 998     // RFC 5322 §2.1.1: one line
	maxInReplyToOctets = 8 << 10 // some eighty message ids
)

// envelope writes an ENVELOPE; false (and nothing written) if it is no list at all.
func (w *partWriter) envelope(id int) bool {
	if w.t.isNil(id) {
		w.note(RepairEnvelope)
		w.puts(emptyEnvelope)
		return true
	}
	if !w.t.isList(id) {
		return false
	}
	kids, release := w.list(id)
	defer func() { w.kids = w.kids[:release] }()
	if len(kids) != envelopeFields {
		w.note(RepairEnvelope)
	}
	lists := min(8, max(2, len(kids)-2)) // address lists are kids[2:lists]
	if len(kids) >= envelopeFields {
		lists = 8
	}
	w.puts("(")
	w.limited(at(kids, 0), maxDateOctets)
	w.puts(" ")
	w.field(at(kids, 1))
	for i := 2; i < 8; i++ {
		w.puts(" ")
		if i < lists {
			w.addresses(at(kids, i))
		} else {
			w.puts("NIL")
		}
	}
	w.puts(" ")
	w.limited(at(kids, lists), maxInReplyToOctets)
	w.puts(" ")
	w.limited(at(kids, lists+1), maxMessageIDOctets)
	w.puts(")")
	return true
}

// limited writes a field that go-imap's client parses itself, in quadratic time for hostile ones. A longer one is
// NIL: half a message id would be a wrong one.
func (w *partWriter) limited(id, limit int) {
	if w.t.isString(id) && len(w.t.raw(id)) > limit {
		w.note(RepairEnvelope)
		id = 0
	}
	w.field(id)
}

// field writes a string or NIL of an ENVELOPE.
func (w *partWriter) field(id int) {
	if id != 0 && !w.t.isString(id) && !w.t.isNil(id) {
		w.note(RepairEnvelope)
	}
	w.nstr(id)
}

// addresses writes an address list: NIL or a list of (name route mailbox host).
func (w *partWriter) addresses(id int) {
	if id != 0 && !w.t.isList(id) && !w.t.isNil(id) {
		w.note(RepairEnvelope)
	}
	open := false
	for k := w.t.childOf(id); k != 0; k = w.t.next(k) {
		if !w.t.isList(k) || w.t.child(k) == 0 {
			w.note(RepairEnvelope)
			continue
		}
		if !open {
			w.puts("(")
			open = true
		}
		w.address(k)
	}
	if open {
		w.puts(")")
	} else {
		w.puts("NIL")
	}
}

func (w *partWriter) address(id int) {
	w.puts("(")
	k := w.t.child(id)
	for i := range 4 {
		if i > 0 {
			w.puts(" ")
		}
		if k == 0 {
			w.note(RepairEnvelope)
		}
		w.field(k)
		k = w.t.next(k)
	}
	if k != 0 {
		w.note(RepairEnvelope)
	}
	w.puts(")")
}
