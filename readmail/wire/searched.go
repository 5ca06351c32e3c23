package wire

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
)

// failSearch lets the oldest search end with NO instead of OK: an incomplete answer must not look complete.
func (c *Conn) failSearch(why string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, p := range c.pend {
		if strings.HasSuffix(p.verb, "SEARCH") || strings.HasSuffix(p.verb, "SORT") || strings.HasSuffix(p.verb, "THREAD") {
			p.fail = "[LIMIT] " + why
			return
		}
	}
}

// numbers reads message numbers up to the first word that is none. Only numbers right after SEARCH count: servers
// append sentences with numbers in them.
func (c *Conn) numbers(b []byte) (nums []uint32, rest []byte, ok bool) {
	for {
		b = bytes.TrimLeft(b, " ")
		word, tail := b, []byte(nil)
		if i := bytes.IndexByte(b, ' '); i >= 0 {
			word, tail = b[:i], b[i:]
		}
		if len(word) == 0 || word[0] < '0' || word[0] > '9' {
			return nums, b, true
		}
		n, valid := parseNumber(word)
		switch {
		case valid && n > 0 && n <= 1<<32-1:
			if len(nums) == c.lim.Numbers {
				return nil, nil, false
			}
			nums = append(nums, uint32(n))
		default:
			c.report(Repair{Kind: RepairSearchJunk})
		}
		b = tail
	}
}

// searched handles "* SEARCH 1 2 3 (MODSEQ 9)" and "* SORT 3 1 2". SEARCH results are sorted: go-imap inserts them
// into a set, which is quadratic for numbers in random order.
func (c *Conn) searched(typ string, b []byte) {
	nums, rest, ok := c.numbers(b)
	if !ok {
		c.failSearch("too many numbers")
		c.report(Repair{Kind: RepairOversized})
		return
	}
	if typ == "SEARCH" {
		slices.Sort(nums)
		nums = slices.Compact(nums)
	}
	if call := c.call(); call != nil && call.takes(typ) {
		call.replies.Numbers = append(call.replies.Numbers, nums...)
		return
	}
	c.line(typ)
	for _, n := range nums {
		c.stage = strconv.AppendUint(append(c.stage, ' '), uint64(n), 10)
	}
	if len(rest) > 0 {
		c.searchModSeq(typ, rest)
	}
	c.crlf()
}

func (c *Conn) searchModSeq(typ string, rest []byte) {
	f := bytes.Fields(bytes.Trim(rest, "() "))
	if typ == "SEARCH" && len(f) == 2 && bytes.EqualFold(f[0], []byte("MODSEQ")) {
		if n, ok := parseNumber(f[1]); ok {
			c.stage = strconv.AppendUint(append(c.stage, " (MODSEQ "...), n, 10)
			c.stage = append(c.stage, ')')
			return
		}
	}
	c.report(Repair{Kind: RepairSearchJunk})
}

// numRange is "n" or "n:m" of a sequence set, from <= to.
type numRange struct{ from, to uint32 }

// parseSet reads a sequence set without "*", sorted and merged; total is the count of its numbers.
func parseSet(b []byte) (set []numRange, total uint64, ok bool) {
	for len(b) > 0 {
		var item []byte
		item, b, _ = bytes.Cut(b, []byte(","))
		lo, hi, isRange := bytes.Cut(item, []byte(":"))
		if !isRange {
			hi = lo
		}
		from, ok1 := parseNumber(lo)
		to, ok2 := parseNumber(hi)
		if !ok1 || !ok2 || from == 0 || to == 0 || from > 1<<32-1 || to > 1<<32-1 {
			return nil, 0, false
		}
		set = append(set, numRange{uint32(min(from, to)), uint32(max(from, to))})
	}
	slices.SortFunc(set, func(a, b numRange) int { return int(int64(a.from) - int64(b.from)) })
	merged := set[:0]
	for _, r := range set {
		if n := len(merged); n > 0 && uint64(r.from) <= uint64(merged[n-1].to)+1 {
			merged[n-1].to = max(merged[n-1].to, r.to)
			continue
		}
		merged = append(merged, r)
	}
	for _, r := range merged {
		total += uint64(r.to-r.from) + 1
	}
	return merged, total, len(merged) > 0
}

func appendSet(out []byte, set []numRange) []byte {
	for i, r := range set {
		if i > 0 {
			out = append(out, ',')
		}
		out = strconv.AppendUint(out, uint64(r.from), 10)
		if r.to != r.from {
			out = strconv.AppendUint(append(out, ':'), uint64(r.to), 10)
		}
	}
	return out
}

// esearched handles "* ESEARCH (TAG "x") UID ALL 1:3 COUNT 3", data optional.
func (c *Conn) esearched(r response, at int) error {
	t, err := c.tree(&r, at, false)
	if err != nil {
		return err
	}
	id := t.child(0)
	tag, byUID, call := c.correlate(t, &id)
	if tag == "" {
		c.report(Repair{Kind: RepairBadResponse})
		return nil
	}
	if t.isAtom(id) && bytes.EqualFold(t.raw(id), []byte("UID")) {
		id = t.next(id)
	}
	mark := len(c.stage)
	c.line(`ESEARCH (TAG "` + tag + `")`)
	if byUID {
		c.stage = append(c.stage, " UID"...)
	}
	for id != 0 {
		name, value := id, t.next(id)
		id = t.next(value)
		if !c.esearchItem(t, name, value, call) {
			c.stage = c.stage[:mark]
			return nil
		}
	}
	if c.crlf(); call != nil {
		c.stage = c.stage[:mark]
	}
	return nil
}

// correlate finds the search that an ESEARCH belongs to. The command, not the response, says whether it is about UIDs.
func (c *Conn) correlate(t *tree, id *int) (tag string, byUID bool, vendor *call) {
	if t.isList(*id) {
		if k := t.next(t.child(*id)); k != 0 {
			tag = string(t.value(k))
		}
		*id = t.next(*id)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, p := range c.pend {
		if strings.HasSuffix(p.verb, "SEARCH") && (tag == "" || strings.EqualFold(p.tag, tag)) {
			return p.tag, p.verb == "UID SEARCH", p.vendor
		}
	}
	return "", false, nil
}

// esearchItem stages one result; false when the whole answer is to be refused.
func (c *Conn) esearchItem(t *tree, name, value int, vendor *call) bool {
	key := strings.ToUpper(string(t.raw(name)))
	switch key {
	case "MIN", "MAX", "COUNT", "MODSEQ":
		n, ok := t.number(value)
		if !ok || key != "MODSEQ" && n > 1<<32-1 {
			c.report(Repair{Kind: RepairSearchJunk})
			return true
		}
		c.stage = append(append(append(c.stage, ' '), key...), ' ')
		c.stage = strconv.AppendUint(c.stage, n, 10)
	case "ALL":
		if value == 0 {
			c.report(Repair{Kind: RepairSearchJunk})
			return true
		}
		set, total, ok := parseSet(t.raw(value))
		if !ok {
			c.failSearch("unreadable result")
			c.report(Repair{Kind: RepairSearchJunk})
			return false
		}
		if total > uint64(c.lim.Numbers) {
			c.failSearch("too many numbers")
			c.report(Repair{Kind: RepairOversized})
			return false
		}
		if vendor != nil {
			vendor.replies.addRanges(set)
		}
		c.stage = appendSet(append(c.stage, " ALL "...), set)
	default:
		c.report(Repair{Kind: RepairSearchJunk})
	}
	return true
}

// threaded handles "* THREAD (1 2 (3)(4))". go-imap wants numbers before lists; a number after a list becomes a list
// of its own. Lists deeper than allowed dissolve into their parent.
func (c *Conn) threaded(b []byte) {
	c.line("THREAD ")
	mark, depth, virtual, count := len(c.stage), 0, 0, 0
	var lists [maxThreadDepth + 1]struct{ any, sub bool } // of the list at each depth: holds something; holds a list
	for i := 0; i < len(b); i++ {
		top := &lists[depth]
		switch {
		case b[i] == '(' && depth < maxThreadDepth:
			top.any, top.sub = true, true
			depth++
			lists[depth].any, lists[depth].sub = false, false
			c.stage = append(c.stage, '(')
		case b[i] == '(':
			virtual++
		case b[i] == ')' && virtual > 0:
			virtual--
		case b[i] == ')' && depth > 0:
			depth--
			c.stage = append(c.stage, ')')
		case b[i] >= '0' && b[i] <= '9':
			j := i
			for j < len(b) && b[j] >= '0' && b[j] <= '9' {
				j++
			}
			n, ok := parseNumber(b[i:j])
			if i = j - 1; !ok || n == 0 || n > 1<<32-1 {
				continue
			}
			count++
			c.threadNumber(n, depth == 0 || top.sub, top.any)
			top.any = true
		}
	}
	for ; depth > 0; depth-- {
		c.stage = append(c.stage, ')')
	}
	if c.crlf(); count > c.lim.Numbers {
		c.stage = c.stage[:mark]
		c.crlf()
		c.failSearch("too many numbers")
	}
}

func (c *Conn) threadNumber(n uint64, wrap, space bool) {
	switch {
	case wrap:
		c.stage = append(c.stage, '(')
	case space:
		c.stage = append(c.stage, ' ')
	}
	c.stage = strconv.AppendUint(c.stage, n, 10)
	if wrap {
		c.stage = append(c.stage, ')')
	}
}
