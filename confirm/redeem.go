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

// Renew takes the message under handle, as Redeem does, and opens it again under a new handle, without a longer life. It is
// for a state that came back without an answer ([Unanswered]): the person is asked again about the same frozen message.
func (g *Gate[T]) Renew(handle string, b Binding) (string, T, error) {
	var zero T
	e, err := g.take(kindQuestion, handle, b, Unanswered)
	if err != nil {
		return "", zero, err
	}
	g.mu.Lock()
	fresh, ended, err := g.add(e, handleOctets)
	g.mu.Unlock()
	g.report(ended)
	if err != nil {
		return "", zero, err
	}
	return fresh, e.payload, nil
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

// take removes the entry under handle and checks that it is good for b. It reports the entry with r, or with why not.
func (g *Gate[T]) take(k kind, handle string, b Binding, r Reason) (*entry[T], error) {
	if handle == "" || len(handle) > maxHandleOctets {
		return nil, ErrUnknown
	}
	g.mu.Lock()
	id := keyOf(k, handle)
	e := g.entries[id]
	err := g.verify(id, e, b)
	if err != nil {
		r = mismatchReason(err)
	}
	ended := g.drop([]key{id}, r) // Security: spent on first sight, whatever follows
	g.mu.Unlock()
	g.report(ended)
	if err != nil {
		return nil, err
	}
	return e, nil
}

func (g *Gate[T]) verify(id key, e *entry[T], b Binding) error {
	switch {
	case e == nil && slices.Contains(g.spent, id):
		return ErrSpent
	case e == nil:
		return ErrUnknown
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

func mismatchReason(err error) Reason {
	if err == ErrExpired {
		return Expired
	}
	return Mismatched
}
