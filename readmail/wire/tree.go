package wire

import "bytes"

type nodeKind byte

const (
	nodeAtom nodeKind = iota
	nodeQuoted
	nodeLiteral
	nodeList
	nodeDeep // list nested deeper than allowed: skipped
)

// node is one value of a response. Nodes live in one slice per response, so depth costs no stack.
type node struct {
	kind     nodeKind
	sloppy   bool // quoted string with unescaped quotes or a raw line break
	from, to int  // octets in the response; without quotes for strings
	child    int  // first child, 0 if none (node 0 is the root)
	next     int  // next sibling, 0 if none
}

// quoteRule says when a '"' ends a quoted string. They are tried in turn until the response is balanced.
type quoteRule byte

const (
	// quoteStrict: inside BODYSTRUCTURE and ENVELOPE a string is followed by a string, number, NIL or list. This copes
	// with unescaped quotes (seen at NetEase).
	quoteStrict quoteRule = iota
	// quoteDelim: a string is followed by SP, a parenthesis or the end.
	quoteDelim
	// quoteRFC: the first unescaped quote ends it.
	quoteRFC
	// quoteRaw: as quoteDelim, backslashes do not escape.
	quoteRaw
	quoteRules
)

// tree holds the tokens of one response.
type tree struct {
	b     []byte // the response, literals included, without the last CR LF
	lits  []litSpan
	nodes []node

	rule     quoteRule
	maxDepth int
	maxItems int
	fetch    bool // strict quoting applies

	fixed     RepairKind // what made the response readable, see Conn.tree
	lit       int        // next literal
	noBracket int        // no ']' before this position
	cutOpen   int        // lists open at the end of a skipped part
	strict    bool       // in an item in which no atom but NIL and numbers may stand

	// After parse:
	inQuote bool // ended inside a quoted string
	open    int  // lists still open at the end
	stray   bool // a ')' too many
	tooMany bool // more than maxItems
	deep    bool // something was cut at maxDepth
}

// litSpan is a literal: announced at [from,data), octets [data,end). cut: the rest was thrown away.
type litSpan struct {
	from, data, end int
	cut             bool
}

func (t *tree) balanced() bool { return !t.inQuote && t.open == 0 && !t.stray && !t.tooMany }

// level is a list being read and the last value in it.
type level struct{ list, last int }

// add appends a value to a list.
func (t *tree) add(l *level, n node) int {
	id := len(t.nodes)
	if l.last == 0 {
		t.nodes[l.list].child = id
	} else {
		t.nodes[l.last].next = id
	}
	l.last = id
	t.nodes = append(t.nodes, n)
	return id
}

// parse reads values from at on. It is linear and uses no recursion.
func (t *tree) parse(at int, rule quoteRule) {
	t.rule = rule
	t.inQuote, t.open, t.stray, t.tooMany, t.deep = false, 0, false, false, false
	t.nodes = append(t.nodes[:0], node{kind: nodeList})
	stack := append(make([]level, 0, 8), level{})
	t.lit, t.noBracket, t.cutOpen = 0, 0, 0
	for t.lit < len(t.lits) && t.lits[t.lit].from < at {
		t.lit++
	}
	for i := at; i < len(t.b); {
		if len(t.nodes) > t.maxItems {
			t.tooMany = true
			return
		}
		n := node{from: i}
		switch c := t.b[i]; {
		case c == ' ' || c == '\r' || c == '\n' || c == '\t':
			i++
			continue
		case c == ')':
			i++
			if len(stack) == 1 {
				t.stray = true
				continue
			}
			t.nodes[stack[len(stack)-1].list].to = i
			stack = stack[:len(stack)-1]
			continue
		case i == t.nextLit():
			n.kind, n.from, n.to = nodeLiteral, t.lits[t.lit].data, t.lits[t.lit].end
			i = n.to
			t.lit++
		case c == '"':
			i = t.quoted(&n, i, len(stack)-1)
		case c == '(' && len(stack) > t.maxDepth:
			n.kind, t.deep = nodeDeep, true
			i = t.skipDeep(i)
			n.to = i
		case c == '(':
			n.kind = nodeList
			i++
		default:
			if i = t.atom(&n, i, len(stack)-1); len(stack) == 2 {
				t.strict = t.fetch && stringsOnly(t.b[n.from:n.to])
			}
		}
		id := t.add(&stack[len(stack)-1], n)
		if n.kind == nodeList {
			stack = append(stack, level{list: id})
		}
	}
	for _, l := range stack[1:] {
		t.nodes[l.list].to = len(t.b)
	}
	t.open = len(stack) - 1 + t.cutOpen
}

// quoted reads the string that starts at i and returns the position after it.
func (t *tree) quoted(n *node, i, depth int) int {
	n.kind, n.from = nodeQuoted, i+1
	end := t.nextLit()
	for i++; i < end; i++ {
		switch t.b[i] {
		case '\\':
			if t.rule != quoteRaw && i+1 < end && (t.b[i+1] == '"' || t.b[i+1] == '\\') {
				i++
			}
		case '\r', '\n':
			n.sloppy = true
		case '"':
			if t.closes(i+1, depth) {
				n.to = i
				return i + 1
			}
			n.sloppy = true
		}
	}
	n.to = end
	t.inQuote = true
	return end
}

// closes reports whether a quote just before i ends its string.
func (t *tree) closes(i, depth int) bool {
	if i >= len(t.b) || t.rule == quoteRFC {
		return true
	}
	switch t.b[i] {
	case ')', '\r', '\n':
		return true
	case '(':
		return depth > 0
	case ' ':
	default:
		return false
	}
	if t.rule != quoteStrict || !t.strict || depth < 2 {
		return true
	}
	for i < len(t.b) && t.b[i] == ' ' {
		i++
	}
	if i == len(t.b) {
		return true
	}
	switch c := t.b[i]; {
	case c >= '0' && c <= '9', c == '"', c == '(', c == ')', c == '{', c == '~', c == '-', c == '\r':
		return true
	}
	return isNilAt(t.b, i)
}

// stringsOnly names the FETCH items that hold nothing but strings, numbers, NIL and lists.
func stringsOnly(name []byte) bool {
	return bytes.EqualFold(name, []byte("BODYSTRUCTURE")) || bytes.EqualFold(name, []byte("BODY")) || bytes.EqualFold(name, []byte("ENVELOPE"))
}

func isNilAt(b []byte, i int) bool {
	if len(b) < i+3 || !bytes.EqualFold(b[i:i+3], []byte("NIL")) {
		return false
	}
	return len(b) == i+3 || b[i+3] == ' ' || b[i+3] == ')' || b[i+3] == '\r'
}

// atom reads to the next SP, parenthesis or line end. At FETCH item level brackets belong to the atom with all that
// is inside: BODY[HEADER.FIELDS (FROM TO)]<0>.
func (t *tree) atom(n *node, i, depth int) int {
	n.kind = nodeAtom
	start, end := i, t.nextLit()
	for ; i < end; i++ {
		switch c := t.b[i]; c {
		case '[':
			if t.fetch && depth == 1 {
				i = t.bracket(i, end)
			}
		case ' ', '(', ')', '\r', '\n', '"':
			n.to = max(i, start+1)
			return n.to
		}
	}
	n.to = i
	return i
}

// bracket returns the position of the ']' that belongs to the '[' at i, or i if the line has none.
func (t *tree) bracket(i, end int) int {
	if i < t.noBracket {
		return i
	}
	for j := i; j < end && t.b[j] != '\r'; j++ {
		if t.b[j] == ']' {
			return j
		}
		t.noBracket = j // no ']' between i and here: do not search again
	}
	return i
}

// nextLit returns where the next literal is announced, or the end.
func (t *tree) nextLit() int {
	if t.lit < len(t.lits) {
		return t.lits[t.lit].from
	}
	return len(t.b)
}

// skipDeep steps over a list and everything in it.
func (t *tree) skipDeep(i int) int {
	depth := 0
	for i < len(t.b) {
		switch {
		case i == t.nextLit():
			i = t.lits[t.lit].end
			t.lit++
			continue
		case t.b[i] == '(':
			depth++
		case t.b[i] == ')':
			if depth--; depth == 0 {
				return i + 1
			}
		case t.b[i] == '"':
			var n node
			i = t.quoted(&n, i, t.maxDepth+depth)
			continue
		}
		i++
	}
	t.cutOpen = depth
	return i
}

// raw returns the octets of a node as they came.
func (t *tree) raw(id int) []byte { return t.b[t.nodes[id].from:t.nodes[id].to] }

// isNil: the atom NIL, or no node at all.
func (t *tree) isNil(id int) bool {
	return id == 0 || t.nodes[id].kind == nodeAtom && bytes.EqualFold(t.raw(id), []byte("NIL"))
}

func (t *tree) isList(id int) bool { return id != 0 && t.nodes[id].kind == nodeList }

// isString: quoted string or literal.
func (t *tree) isString(id int) bool {
	return id != 0 && (t.nodes[id].kind == nodeQuoted || t.nodes[id].kind == nodeLiteral)
}

func (t *tree) isAtom(id int) bool { return id != 0 && t.nodes[id].kind == nodeAtom }

func (t *tree) next(id int) int {
	if id == 0 {
		return 0
	}
	return t.nodes[id].next
}

func (t *tree) child(id int) int { return t.nodes[id].child }

// value returns what a string or atom stands for.
func (t *tree) value(id int) []byte {
	b := t.raw(id)
	n := t.nodes[id]
	if n.kind != nodeQuoted || !n.sloppy && bytes.IndexByte(b, '\\') < 0 {
		return b
	}
	if t.rule != quoteRaw {
		b = []byte(unescape(b))
	}
	if n.sloppy {
		b = bytes.Map(func(r rune) rune {
			if r == '\r' || r == '\n' {
				return ' '
			}
			return r
		}, bytes.ReplaceAll(b, []byte("\r\n"), []byte(" ")))
	}
	return b
}

// unescape removes the backslashes of a quoted string.
func unescape(b []byte) string {
	if bytes.IndexByte(b, '\\') < 0 {
		return string(b)
	}
	out := make([]byte, 0, len(b))
	for i := 0; i < len(b); i++ {
		if b[i] == '\\' && i+1 < len(b) && (b[i+1] == '"' || b[i+1] == '\\') {
			i++
		}
		out = append(out, b[i])
	}
	return string(out)
}

// number reads an unsigned decimal number that is all of the node.
func (t *tree) number(id int) (uint64, bool) {
	if id == 0 || t.nodes[id].kind == nodeList || t.nodes[id].kind == nodeDeep {
		return 0, false
	}
	return parseNumber(t.raw(id))
}

func parseNumber(b []byte) (uint64, bool) {
	if len(b) == 0 || len(b) > 19 {
		return 0, false
	}
	var n uint64
	for _, c := range b {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + uint64(c-'0')
	}
	return n, true
}
