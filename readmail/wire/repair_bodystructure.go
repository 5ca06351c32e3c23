package wire

import (
	"bytes"
	"strconv"
)

// partWriter writes one BODYSTRUCTURE or ENVELOPE in strict form. Recursion is bounded by the depth of the tree.
type partWriter struct {
	t     *tree
	out   []byte
	notes uint64 // set of RepairKind
	made  int    // placeholders
	kids  []int
}

func (w *partWriter) note(k RepairKind) { w.notes |= 1 << k }

func (w *partWriter) puts(s string) { w.out = append(w.out, s...) }

// list collects the children of a list. The slice is valid until the matching release.
func (w *partWriter) list(id int) (kids []int, release int) {
	release = len(w.kids)
	for k := w.t.childOf(id); k != 0; k = w.t.next(k) {
		w.kids = append(w.kids, k)
	}
	return w.kids[release:], release
}

// at returns the i-th of kids, 0 if there is none.
func at(kids []int, i int) int {
	if i < 0 || i >= len(kids) {
		return 0
	}
	return kids[i]
}

func (w *partWriter) isDeep(id int) bool { return id != 0 && w.t.nodes[id].kind == nodeDeep }

// body writes a part: a multipart if it begins with a list, else a single part.
func (w *partWriter) body(id int) {
	kids, release := w.list(id)
	defer func() { w.kids = w.kids[:release] }()
	first := at(kids, 0)
	switch {
	case w.isDeep(id):
		w.note(RepairDepth)
		w.placeholder()
	case first == 0:
		w.note(RepairUnknownPart)
		w.placeholder()
	case w.t.isList(first) || w.isDeep(first):
		w.multipart(kids)
	default:
		w.single(kids)
	}
}

// placeholder stands for a part that was not understood. Past maxPlaceholderParts the structure is given up.
func (w *partWriter) placeholder() {
	w.made++
	w.puts(`("APPLICATION" "X-MAILGAP-UNKNOWN" NIL NIL NIL "7BIT" 0)`)
}

func (w *partWriter) multipart(kids []int) {
	w.puts("(")
	n := 0
	for n < len(kids) && (w.t.isList(kids[n]) || w.isDeep(kids[n])) {
		w.body(kids[n])
		n++
	}
	w.puts(" ")
	w.str(at(kids, n), "MIXED")
	if n+1 < len(kids) {
		w.puts(" ")
		w.params(kids[n+1])
		w.tail(kids[n+2:])
	}
	w.puts(")")
}

// single writes a part without children. The first number is its size; around it the other fields are found even if
// one is missing.
func (w *partWriter) single(kids []int) {
	size := w.sizeIndex(kids)
	if second := at(kids, 1); !w.t.isString(second) {
		if size != 6 {
			w.childless(kids)
			return
		}
	}
	w.puts("(")
	kind := w.mediaType(kids)
	if size != 6 {
		w.note(RepairBodyField)
	}
	w.fields(kids, size)
	rest := kids[min(size+1, len(kids)):]
	switch kind {
	case "message":
		rest = w.message(rest)
	case "text":
		w.puts(" ")
		if n, ok := w.t.number(at(rest, 0)); ok && n < 1<<63 {
			w.out = strconv.AppendUint(w.out, n, 10)
			rest = rest[1:]
		} else {
			w.puts("0")
			w.note(RepairBodyField)
			if w.t.isNil(at(rest, 0)) && len(rest) == 5 {
				rest = rest[1:]
			}
		}
	default:
		if _, ok := w.t.number(at(rest, 0)); ok { // lines, as for text
			w.note(RepairBodyField)
			rest = rest[1:]
		}
	}
	w.extension(rest)
	w.puts(")")
}

// sizeIndex finds the size among the fields; len(kids) if there is none.
func (w *partWriter) sizeIndex(kids []int) int {
	for i := 2; i < len(kids); i++ {
		if w.t.isAtom(kids[i]) {
			if _, ok := parseNumber(bytes.TrimPrefix(w.t.raw(kids[i]), []byte("-"))); ok {
				return i
			}
		}
	}
	return len(kids)
}

// mediaType writes type and subtype and tells how the part goes on.
func (w *partWriter) mediaType(kids []int) string {
	major, minor := kids[0], kids[1]
	is := func(id int, word string) bool { return bytes.EqualFold(w.t.value(id), []byte(word)) }
	deftype, defsub := "APPLICATION", "OCTET-STREAM"
	if !w.t.isNil(major) && is(major, "text") {
		defsub = "PLAIN"
	}
	w.str(major, deftype)
	w.puts(" ")
	w.str(minor, defsub)
	switch {
	case w.t.isNil(major):
		return ""
	case is(major, "text"):
		return "text"
	case is(major, "message") && (is(minor, "rfc822") || is(minor, "global")):
		return "message"
	}
	return ""
}

// fields writes parameters, id, description, encoding and size.
func (w *partWriter) fields(kids []int, size int) {
	w.puts(" ")
	id, desc, enc := at(kids, 3), at(kids, 4), at(kids, 5)
	if size != 6 {
		id, desc, enc = 0, 0, 0
		if e := at(kids, size-1); size < len(kids) && size > 2 && w.t.isString(e) {
			enc = e
		}
	}
	if p := at(kids, 2); w.t.isList(p) || size == 6 {
		w.params(p)
	} else {
		w.puts("NIL")
	}
	w.puts(" ")
	w.nstr(id)
	w.puts(" ")
	w.nstr(desc)
	w.puts(" ")
	w.str(enc, "7BIT")
	w.puts(" ")
	n, ok := w.t.number(at(kids, size))
	if !ok || n > 1<<32-1 {
		w.note(RepairBodyField)
		n = min(n, 1<<32-1)
	}
	w.out = strconv.AppendUint(w.out, n, 10)
}

// message writes envelope, structure and lines of an enclosed message, and returns what follows. Without them the
// part is left short if nothing follows, else given an empty envelope and an unknown part.
func (w *partWriter) message(rest []int) []int {
	if len(rest) == 0 {
		w.note(RepairShortMessage)
		return nil
	}
	w.puts(" ")
	if w.t.isList(at(rest, 1)) && (w.longList(rest[0]) || w.t.isNil(rest[0]) && w.longList(rest[1])) {
		w.envelope(rest[0])
		w.puts(" ")
		w.body(rest[1])
		w.puts(" ")
		if n, ok := w.t.number(at(rest, 2)); ok && n < 1<<63 {
			w.out = strconv.AppendUint(w.out, n, 10)
		} else {
			w.puts("0")
			w.note(RepairBodyField)
		}
		return rest[min(3, len(rest)):]
	}
	w.note(RepairShortMessage)
	w.puts(emptyEnvelope)
	w.puts(" ")
	w.placeholder()
	w.puts(" 0")
	if _, ok := w.t.number(rest[0]); ok {
		return rest[1:]
	}
	return rest
}

const emptyEnvelope = "(NIL NIL NIL NIL NIL NIL NIL NIL NIL NIL)"

// longList tells an ENVELOPE or a part from a disposition, which has two elements.
func (w *partWriter) longList(id int) bool {
	n := 0
	for k := w.t.childOf(id); k != 0 && n < 3; k = w.t.next(k) {
		n++
	}
	return n == 3
}

// childless writes a multipart without parts as a single part of type multipart, so that the numbers of the other
// parts stay right. Seen at Gmail and Exchange: ("ALTERNATIVE" ("BOUNDARY" "b") NIL NIL).
func (w *partWriter) childless(kids []int) {
	if w.t.isNil(kids[0]) || len(kids) > 6 {
		w.note(RepairUnknownPart)
		w.placeholder()
		return
	}
	w.note(RepairChildlessMultipart)
	w.puts(`("MULTIPART" `)
	w.str(kids[0], "MIXED")
	w.puts(" ")
	w.params(at(kids, 1))
	w.puts(` NIL NIL "7BIT" 0 NIL`)
	w.tail(kids[min(2, len(kids)):])
	w.puts(")")
}

// extension writes MD5 and what follows it.
func (w *partWriter) extension(rest []int) {
	if len(rest) == 0 {
		return
	}
	w.puts(" ")
	if w.t.isList(rest[0]) { // MD5 left out
		w.note(RepairBodyField)
		w.puts("NIL")
	} else {
		w.nstr(rest[0])
		rest = rest[1:]
	}
	w.tail(rest)
}

// tail writes disposition, language and location; anything beyond is dropped.
func (w *partWriter) tail(rest []int) {
	if len(rest) == 0 {
		return
	}
	w.puts(" ")
	w.disposition(rest[0])
	if len(rest) > 1 {
		w.puts(" ")
		w.language(rest[1])
	}
	if len(rest) > 2 {
		w.puts(" ")
		w.nstr(rest[2])
	}
}

func (w *partWriter) disposition(id int) {
	switch {
	case w.t.isNil(id):
		w.puts("NIL")
		return
	case w.t.isString(id):
		w.note(RepairBodyField)
		w.puts("(")
		w.str(id, "")
		w.puts(" NIL)")
		return
	}
	kind := w.t.childOf(id)
	if kind == 0 || w.t.isList(kind) {
		w.note(RepairBodyField)
		w.puts("NIL")
		return
	}
	w.puts("(")
	w.str(kind, "ATTACHMENT")
	w.puts(" ")
	if w.t.next(kind) == 0 {
		w.note(RepairBodyField)
	}
	w.params(w.t.next(kind))
	w.puts(")")
}

func (w *partWriter) language(id int) {
	if !w.t.isList(id) {
		w.nstr(id)
		return
	}
	open := false
	for k := w.t.child(id); k != 0; k = w.t.next(k) {
		if !w.t.isString(k) {
			w.note(RepairBodyField)
			continue
		}
		if !open {
			w.puts("(")
			open = true
		} else {
			w.puts(" ")
		}
		w.str(k, "")
	}
	if open {
		w.puts(")")
	} else {
		w.puts("NIL")
	}
}
