package wire

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// listed handles "* LIST (attributes) "/" name (extended)".
func (c *Conn) listed(r response, at int) error {
	t, err := c.tree(&r, at, false)
	if err != nil {
		return err
	}
	attrs := t.child(0)
	delim := t.next(attrs)
	name := t.next(delim)
	if !t.isList(attrs) || name == 0 || t.isList(name) {
		c.report(Repair{Kind: RepairBadResponse})
		return nil
	}
	raw, ext := c.nameOf(t, name, len(t.b))
	c.line("LIST ")
	if !c.flagList(t, attrs) {
		c.report(Repair{Kind: RepairFlag})
	}
	c.stage = append(c.stage, ' ')
	c.delimiter(t, delim)
	c.stage = append(c.stage, ' ')
	c.mailbox(raw)
	if t.isList(ext) {
		c.extended(t, ext)
	}
	c.crlf()
	return nil
}

// nameOf returns a mailbox name and the list that follows it, if any. Some servers do not quote names with spaces:
// then all up to the list (or end) is the name.
func (c *Conn) nameOf(t *tree, name, end int) (raw []byte, list int) {
	next := t.next(name)
	if next == 0 || t.isList(next) || !t.isAtom(name) {
		return t.value(name), next
	}
	last := name
	for next != 0 && !t.isList(next) {
		last, next = next, t.next(next)
	}
	c.report(Repair{Kind: RepairBadResponse})
	return t.b[t.nodes[name].from:min(t.nodes[last].to, end)], next
}

// flagList stages a list of flags or attributes; false if some were dropped.
func (c *Conn) flagList(t *tree, id int) (whole bool) {
	whole = true
	c.stage = append(c.stage, '(')
	first := true
	for k := t.child(id); k != 0; k = t.next(k) {
		v := t.value(k)
		if t.isList(k) || t.nodes[k].kind == nodeDeep || !isFlag(v) {
			whole = false
			continue
		}
		if !first {
			c.stage = append(c.stage, ' ')
		}
		first = false
		c.stage = append(c.stage, v...)
	}
	c.stage = append(c.stage, ')')
	return whole
}

// delimiter stages the hierarchy delimiter: one character or NIL.
func (c *Conn) delimiter(t *tree, id int) {
	if !t.isNil(id) && !t.isList(id) {
		if v := t.value(id); utf8.Valid(v) && utf8.RuneCount(v) == 1 && v[0] >= 0x20 {
			c.stage = appendQuoted(c.stage, v)
			return
		}
		c.report(Repair{Kind: RepairBadResponse})
	}
	c.stage = append(c.stage, "NIL"...)
}

// extended stages CHILDINFO of a LIST response (RFC 5258); other items are of no use here.
func (c *Conn) extended(t *tree, id int) {
	for k := t.child(id); k != 0; k = t.next(t.next(k)) {
		v := t.next(k)
		if !strings.EqualFold(string(t.value(k)), "CHILDINFO") || !t.isList(v) {
			continue
		}
		c.stage = append(c.stage, ` ("CHILDINFO" (`...)
		first := true
		for o := t.child(v); o != 0; o = t.next(o) {
			if t.isList(o) || !isAtom(t.value(o)) {
				continue
			}
			if !first {
				c.stage = append(c.stage, ' ')
			}
			first = false
			c.stage = appendQuoted(c.stage, t.value(o))
		}
		c.stage = append(c.stage, "))"...)
		return
	}
}

// mailboxStatus handles "* STATUS name (MESSAGES 3 ...)".
func (c *Conn) mailboxStatus(r response, at int) error {
	t, err := c.tree(&r, at, false)
	if err != nil {
		return err
	}
	name := t.child(0)
	if name == 0 || t.isList(name) {
		c.report(Repair{Kind: RepairBadResponse})
		return nil
	}
	raw, items := c.nameOf(t, name, len(t.b))
	if !t.isList(items) {
		c.report(Repair{Kind: RepairBadResponse})
		return nil
	}
	c.line("STATUS ")
	c.mailbox(raw)
	c.stage = append(c.stage, " ("...)
	first := true
	for k := t.child(items); k != 0; k = t.next(t.next(k)) {
		if key, n, ok := statusItem(t, k); ok {
			if !first {
				c.stage = append(c.stage, ' ')
			}
			first = false
			c.stage = strconv.AppendUint(append(append(c.stage, key...), ' '), n, 10)
		} else {
			c.report(Repair{Kind: RepairBadResponse})
		}
	}
	c.stage = append(c.stage, ')')
	c.crlf()
	return nil
}

func statusItem(t *tree, k int) (key string, n uint64, ok bool) {
	key = strings.ToUpper(string(t.raw(k)))
	n, ok = t.number(t.next(k))
	switch key {
	case "MESSAGES", "UIDNEXT", "UIDVALIDITY", "UNSEEN", "DELETED", "RECENT", "APPENDLIMIT":
		return key, n, ok && n <= 1<<32-1 && key != "RECENT"
	case "SIZE", "DELETED-STORAGE", "HIGHESTMODSEQ":
		return key, n, ok && n < 1<<63
	}
	return key, n, false
}

// namespaces handles "* NAMESPACE (("" "/")) NIL NIL" (RFC 2342).
func (c *Conn) namespaces(r response, at int) error {
	t, err := c.tree(&r, at, false)
	if err != nil {
		return err
	}
	c.line("NAMESPACE")
	id := t.child(0)
	for range 3 {
		c.stage = append(c.stage, ' ')
		c.namespace(t, id)
		id = t.next(id)
	}
	c.crlf()
	return nil
}

func (c *Conn) namespace(t *tree, id int) {
	open := false
	for k := t.childOf(id); k != 0; k = t.next(k) {
		prefix := t.childOf(k)
		if prefix == 0 || !t.isString(prefix) && !t.isNil(prefix) {
			c.report(Repair{Kind: RepairBadResponse})
			continue
		}
		if !open {
			c.stage = append(c.stage, '(')
			open = true
		}
		c.stage = append(c.stage, '(')
		if t.isNil(prefix) {
			c.stage = append(c.stage, `""`...)
		} else {
			c.stage = appendString(c.stage, t.value(prefix))
		}
		c.stage = append(c.stage, ' ')
		c.delimiter(t, t.next(prefix))
		c.stage = append(c.stage, ')')
	}
	if open {
		c.stage = append(c.stage, ')')
	} else {
		c.stage = append(c.stage, "NIL"...)
	}
}

// childOf is the first child of a list, 0 for anything else.
func (t *tree) childOf(id int) int {
	if !t.isList(id) {
		return 0
	}
	return t.child(id)
}

// identity handles "* ID ("name" "x" ...)" (RFC 2971). NIL values become "", which go-imap cannot tell apart.
func (c *Conn) identity(r response, at int) error {
	t, err := c.tree(&r, at, false)
	if err != nil {
		return err
	}
	c.line("ID ")
	id := t.child(0)
	open := false
	for k := t.childOf(id); k != 0; k = t.next(t.next(k)) {
		v := t.next(k)
		if t.isList(k) || t.isList(v) || v == 0 || len(t.value(k)) == 0 {
			c.report(Repair{Kind: RepairBadResponse})
			continue
		}
		if !open {
			c.stage = append(c.stage, '(')
			open = true
		} else {
			c.stage = append(c.stage, ' ')
		}
		c.stage = append(appendString(c.stage, t.value(k)), ' ')
		if t.isNil(v) {
			c.stage = append(c.stage, `""`...)
		} else {
			c.stage = appendString(c.stage, t.value(v))
		}
	}
	if open {
		c.stage = append(c.stage, ')')
	} else {
		c.stage = append(c.stage, "NIL"...)
	}
	c.crlf()
	return nil
}
