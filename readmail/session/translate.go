package session

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/emersion/go-imap/v2"
)

// Limits of one search.
const (
	maxCriteria      = 200 // nodes in one tree
	maxCriteriaDepth = 20
	maxSearchText    = 1000 // octets of one search word
)

// translate turns the tree into the library's form.
type translate struct {
	nodes    int
	nonASCII bool
	gmailRaw string // set if GmailRaw was met where it may stand
}

// criteria checks q and translates it.
func (c *Conn) criteria(q Criteria) (*imap.SearchCriteria, *translate, error) {
	t := &translate{}
	out := &imap.SearchCriteria{}
	if err := t.add(out, q, 0, true); err != nil {
		return nil, nil, err
	}
	if t.gmailRaw != "" && !c.HasCap("X-GM-EXT-1") {
		return nil, nil, ErrUnsupported
	}
	return out, t, nil
}

// add puts q into out as one more condition. top is true as long as only And lies above.
func (t *translate) add(out *imap.SearchCriteria, q Criteria, depth int, top bool) error {
	if t.nodes++; t.nodes > maxCriteria || depth > maxCriteriaDepth {
		return fmt.Errorf("%w: too many conditions", ErrBadCriteria)
	}
	switch q.op {
	case opAll:
		return nil
	case opAnd:
		for _, k := range q.kids {
			if err := t.add(out, k, depth+1, top); err != nil {
				return err
			}
		}
		return nil
	case opOr:
		return t.addOr(out, q.kids, depth)
	case opNot:
		var inner imap.SearchCriteria
		err := t.add(&inner, q.kids[0], depth+1, false)
		out.Not = append(out.Not, inner)
		return err
	case opHeader, opText, opBody, opGmailRaw:
		return t.addText(out, q, top)
	case opFlag, opNotFlag:
		return addFlag(out, q)
	case opSet:
		return addSet(out, q.set)
	case opLarger:
		out.Larger = max(out.Larger, int64(min(q.num, 1<<32-1)))
		return nil
	case opSmaller:
		return addSmaller(out, q.num)
	case opModSeq:
		out.ModSeq = &imap.SearchCriteriaModSeq{ModSeq: q.num}
		return nil
	}
	return addDate(out, q)
}

// addOr builds a chain of two-way ORs. Nothing matches an OR of nothing.
func (t *translate) addOr(out *imap.SearchCriteria, kids []Criteria, depth int) error {
	switch len(kids) {
	case 0:
		out.Not = append(out.Not, imap.SearchCriteria{})
		return nil
	case 1:
		return t.add(out, kids[0], depth+1, false)
	}
	var left, right imap.SearchCriteria
	mid := len(kids) / 2 // halves keep the nesting low
	if err := t.add(&left, Or(kids[:mid]...), depth+1, false); err != nil {
		return err
	}
	if err := t.add(&right, Or(kids[mid:]...), depth+1, false); err != nil {
		return err
	}
	out.Or = append(out.Or, [2]imap.SearchCriteria{left, right})
	return nil
}

func (t *translate) addText(out *imap.SearchCriteria, q Criteria, top bool) error {
	// Security: these octets end a command or a string.
	if len(q.value) > maxSearchText || strings.ContainsAny(q.value, "\r\n\x00") {
		return ErrBadString
	}
	t.nonASCII = t.nonASCII || !isASCII(q.value)
	switch q.op {
	case opText:
		out.Text = append(out.Text, q.value)
	case opBody:
		out.Body = append(out.Body, q.value)
	case opHeader:
		if !validFieldName(q.name) {
			return ErrBadString
		}
		out.Header = append(out.Header, imap.SearchCriteriaHeaderField{Key: q.name, Value: q.value})
	case opGmailRaw:
		if !top || t.gmailRaw != "" || strings.TrimSpace(q.value) == "" {
			return fmt.Errorf("%w: a Gmail query may stand only once, beside the others", ErrBadCriteria)
		}
		t.gmailRaw = q.value
	}
	return nil
}

func addFlag(out *imap.SearchCriteria, q Criteria) error {
	if !validFlag(q.value) {
		return ErrBadString
	}
	flag := imap.Flag(q.value)
	for _, known := range []imap.Flag{imap.FlagSeen, imap.FlagAnswered, imap.FlagFlagged, imap.FlagDeleted, imap.FlagDraft} {
		if strings.EqualFold(q.value, string(known)) {
			flag = known
		}
	}
	if q.op == opFlag {
		out.Flag = append(out.Flag, flag)
	} else {
		out.NotFlag = append(out.NotFlag, flag)
	}
	return nil
}

// validFlag accepts keywords (atoms) and the five system flags that can be searched for.
func validFlag(s string) bool {
	name, system := strings.CutPrefix(s, `\`)
	if system {
		return slices.Contains([]string{"seen", "answered", "flagged", "deleted", "draft"}, strings.ToLower(name))
	}
	return name != "" && len(name) <= 100 && strings.IndexFunc(name, func(r rune) bool {
		return r <= ' ' || r >= 0x7f || strings.ContainsRune(`(){}%*"\]`, r)
	}) < 0
}

func addSet(out *imap.SearchCriteria, s Set) error {
	switch {
	case s.seq:
		return fmt.Errorf("%w: sequence numbers", ErrBadCriteria)
	case s.IsEmpty():
		out.Not = append(out.Not, imap.SearchCriteria{})
	default:
		out.UID = append(out.UID, s.uidSet())
	}
	return nil
}

// addSmaller: SMALLER 0 cannot be sent and matches nothing.
func addSmaller(out *imap.SearchCriteria, n uint64) error {
	if n == 0 {
		out.Not = append(out.Not, imap.SearchCriteria{})
		return nil
	}
	v := int64(min(n, 1<<32-1))
	if out.Smaller == 0 || v < out.Smaller {
		out.Smaller = v
	}
	return nil
}

// addDate narrows the day range of out.
func addDate(out *imap.SearchCriteria, q Criteria) error {
	y, m, d := q.date.Date()
	if y < 1 || y > 9999 {
		return fmt.Errorf("%w: date", ErrBadCriteria)
	}
	day := time.Date(y, m, d, 0, 0, 0, 0, time.UTC)
	next := day.AddDate(0, 0, 1)
	switch q.op {
	case opSince:
		out.Since = later(out.Since, day)
	case opBefore:
		out.Before = earlier(out.Before, day)
	case opOn:
		out.Since, out.Before = later(out.Since, day), earlier(out.Before, next)
	case opSentSince:
		out.SentSince = later(out.SentSince, day)
	case opSentBefore:
		out.SentBefore = earlier(out.SentBefore, day)
	case opSentOn:
		out.SentSince, out.SentBefore = later(out.SentSince, day), earlier(out.SentBefore, next)
	}
	return nil
}

func later(a, b time.Time) time.Time {
	if a.IsZero() || b.After(a) {
		return b
	}
	return a
}

func earlier(a, b time.Time) time.Time {
	if a.IsZero() || b.Before(a) {
		return b
	}
	return a
}

// everything reports whether q matches every message.
func (q Criteria) everything() bool {
	return q.op == opAll || q.op == opAnd && !slices.ContainsFunc(q.kids, func(k Criteria) bool { return !k.everything() })
}
