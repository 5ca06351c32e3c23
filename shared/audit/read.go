package audit

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// window keeps the newest n entries in bounded memory.
type window struct {
	entries []Entry
	n       int
}

func (w *window) add(e Entry) {
	w.entries = append(w.entries, e)
	if len(w.entries) >= 2*w.n {
		w.entries = append(w.entries[:0], w.entries[len(w.entries)-w.n:]...)
	}
}

func (w *window) newest() []Entry { return w.entries[max(0, len(w.entries)-w.n):] }

const (
	defaultLast = 1000
	maxLast     = 100_000 // Limit: entries held in memory at once
)

// Read returns the entries that f selects, oldest first, the newest f.Last (at most 100,000) of them. It does not check
// the chain; Verify does. If lines that no repair accounts for could not be read, the entries come with ErrDamaged, so
// that a list with gaps does not pass for a whole one. Other errors: ErrUnreadable.
func Read(path string, f Filter) ([]Entry, error) {
	s, err := take(path)
	if err != nil {
		return nil, err
	}
	w := window{n: defaultLast}
	if f.Last > 0 {
		w.n = min(f.Last, maxLast)
	}
	var v verifier
	err = s.each(func(t textLine) {
		v.line(t)
		l, at, err := decode(t.text)
		if err != nil || t.tooLong {
			return
		}
		e := Entry{Record: l.record(), Seq: l.Seq, Time: at, File: t.file, Line: t.number}
		if f.selects(e) {
			w.add(e)
		}
	})
	if err = errors.Join(err, s.close()); err != nil {
		return w.newest(), err
	}
	for _, p := range v.rep.Problems {
		if p.What == whatNotRecord || p.What == whatTooLong {
			return w.newest(), fmt.Errorf("%w: a line cannot be read", ErrDamaged)
		}
	}
	return w.newest(), nil
}

func (f Filter) selects(e Entry) bool {
	switch {
	case !f.Since.IsZero() && e.Time.Before(f.Since), !f.Until.IsZero() && !e.Time.Before(f.Until):
		return false
	case len(f.Outcomes) > 0 && !slices.Contains(f.Outcomes, e.Outcome):
		return false
	case f.MessageID != "" && f.MessageID != e.MessageID:
		return false
	case f.Recipient != "" && !slices.ContainsFunc(e.Recipients, f.isRecipient):
		return false
	}
	return true
}

func (f Filter) isRecipient(r string) bool {
	if strings.HasPrefix(f.Recipient, "@") {
		i := strings.LastIndexByte(r, '@')
		return i >= 0 && strings.EqualFold(r[i:], f.Recipient)
	}
	return strings.EqualFold(r, f.Recipient)
}
