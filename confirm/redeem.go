package confirm

import (
	"slices"
)

// Redeem takes the message under handle out of the gate, whatever comes next, and returns it if handle verifies under b and a
// is a yes. Of many calls with one handle, at once or later, one gets it at most.
//
// Errors, all matching ErrNotApproved: ErrUnknown, ErrSpent, ErrExpired, ErrOtherMessage, ErrOtherTool and
// ErrOtherPrincipal if handle does not verify, whatever a says; *NotApprovedError if a is a no.
func (g *Gate[T]) Redeem(handle string, b Binding, a Answer) (Approval[T], error) {
	e, err := g.take(kindQuestion, handle, b, a.Reason())
	if err != nil {
		return Approval[T]{}, err
	}
	if !a.Yes() {
		return Approval[T]{}, &NotApprovedError{a.Reason()}
	}
	return Approval[T]{e.payload, a.path, true}, nil
}

// Renew takes the message under handle, as Redeem does, and keeps it under a new handle, without a longer life. It is for a
// state that came back without an answer ([Unanswered]): the person is asked again about the same frozen message. Errors: as
// for a handle in Redeem, and ErrRandom.
func (g *Gate[T]) Renew(handle string, b Binding) (fresh string, payload T, err error) {
	g.mu.Lock()
	e, ended, err := g.remove(kindQuestion, handle, b, Unanswered)
	if err == nil {
		ended, payload = nil, e.payload // it goes on, so it has not ended
		fresh, ended, err = g.add(e, handleOctets)
	}
	g.mu.Unlock()
	g.report(ended)
	if err != nil {
		var zero T
		return "", zero, err
	}
	return fresh, payload, nil
}

// Close drops the message under handle, if it is still there, and reports it with r. For calls that end without asking.
func (g *Gate[T]) Close(handle string, r Reason) {
	if r == Approved {
		r = AskFailed
	}
	g.mu.Lock()
	ended := g.drop([]key{keyOf(kindQuestion, handle)}, r)
	g.mu.Unlock()
	g.report(ended)
}

// Withdraw drops the message under handle without an end being reported: it goes on in another way.
func (g *Gate[T]) Withdraw(handle string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.drop([]key{keyOf(kindQuestion, handle)}, Superseded)
}

// take is remove with its lock and its report.
func (g *Gate[T]) take(k kind, handle string, b Binding, r Reason) (*entry[T], error) {
	g.mu.Lock()
	e, ended, err := g.remove(k, handle, b, r)
	g.mu.Unlock()
	g.report(ended)
	return e, err
}

// remove takes the entry under handle out and checks that it is good for b. The entry ends with r, or with why it is not.
func (g *Gate[T]) remove(k kind, handle string, b Binding, r Reason) (*entry[T], []settled[T], error) {
	id := keyOf(k, handle)
	e := g.entries[id]
	err := g.verify(id, e, b)
	if err != nil {
		r = mismatchReason(err)
	}
	ended := g.drop([]key{id}, r) // Security: spent on first sight, whatever follows
	if err != nil {
		return nil, ended, err
	}
	return e, ended, nil
}

func (g *Gate[T]) verify(id key, e *entry[T], b Binding) error {
	switch {
	case e == nil:
		return g.whyGone(id)
	case !g.o.Now().Before(e.expires):
		return ErrExpired
	case e.binding.Principal != b.Principal:
		return ErrOtherPrincipal
	case e.binding.Tool != b.Tool:
		return ErrOtherTool
	case e.binding.Digest != b.Digest:
		return ErrOtherMessage
	}
	return nil
}

// whyGone tells a handle that was good once from one that never was.
func (g *Gate[T]) whyGone(id key) error {
	i := slices.IndexFunc(g.spent, func(s spentKey) bool { return s.key == id })
	switch {
	case i < 0:
		return ErrUnknown
	case g.spent[i].reason == Expired:
		return ErrExpired
	}
	return ErrSpent
}

func mismatchReason(err error) Reason {
	if err == ErrExpired {
		return Expired
	}
	return Mismatched
}
