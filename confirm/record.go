package confirm

import (
	"slices"
	"time"
)

// Record is an answer as it can be kept outside of this process, bound to what was shown. What reads it back vouches that it
// was written by [Answer.Record], once, and that it is read for use once.
type Record struct {
	Binding Binding
	Shown   [32]byte // digest over everything that the person was shown
	Reason  Reason
	Path    PathName
	Expires time.Time // the answer is worth nothing from then on
}

// Record binds the answer to what it answers.
func (a Answer) Record(b Binding, shown [32]byte, expires time.Time) Record {
	return Record{b, shown, a.Reason(), a.path, expires}
}

// RedeemRecord returns payload as approved if r is a yes under b about what was shown, in time, and given on a path that asks a
// person outside the client. Errors: as those of [Gate.Redeem]. The caller takes a record for this once.
func (g *Gate[T]) RedeemRecord(r Record, b Binding, shown [32]byte, payload T) (Approval[T], error) {
	err := g.verify(key{}, &entry[T]{binding: r.Binding, expires: r.Expires}, b)
	switch {
	case err != nil:
		return Approval[T]{}, err
	case r.Shown != shown:
		return Approval[T]{}, ErrOtherMessage
	case r.Reason != Approved:
		return Approval[T]{}, &NotApprovedError{No(r.Path, r.Reason).Reason()}
	case !slices.Contains([]PathName{PathPage, PathTerminal}, r.Path):
		return Approval[T]{}, &NotApprovedError{Malformed}
	}
	return Approval[T]{payload, r.Path, true}, nil
}

// Occupy says that a question is open outside of this gate, until free is called or the time has come, and [Gate.Open] refuses
// meanwhile. It refuses as Open does: *QuestionOpenError while another one is open.
func (g *Gate[T]) Occupy(b Binding, until time.Time) (free func(), err error) {
	g.mu.Lock()
	ended := g.sweep()
	wait, superseded := g.openQuestion(b)
	if wait > 0 {
		err = &QuestionOpenError{wait}
	} else {
		ended = append(ended, g.drop(superseded, Superseded)...)
		g.outside = &until
	}
	g.mu.Unlock()
	g.report(ended)
	return func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		if g.outside == &until {
			g.outside = nil
		}
	}, err
}
