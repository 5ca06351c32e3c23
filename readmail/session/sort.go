package session

import (
	"context"
	"strings"

	"github.com/emersion/go-imap/v2"
	"github.com/emersion/go-imap/v2/imapclient"
)

// SortNewest is Search with the UIDs in order of falling INTERNALDATE. Errors: those of Search, ErrUnsupported without SORT.
func (c *Conn) SortNewest(ctx context.Context, mailbox string, q Criteria) (SearchResult, error) {
	if !c.HasCap("SORT") {
		return SearchResult{}, ErrUnsupported
	}
	var out SearchResult
	err := c.arranged(ctx, mailbox, q, func(criteria *imap.SearchCriteria) func(State) error {
		cmd := c.client.UIDSort(&imapclient.SortOptions{
			SearchCriteria: criteria, SortCriteria: []imapclient.SortCriterion{{Key: imapclient.SortKeyArrival, Reverse: true}},
		})
		return func(st State) error {
			nums, err := cmd.Wait()
			out = SearchResult{State: st, UIDs: inOrder(nums)}
			return err
		}
	})
	if err != nil {
		return SearchResult{}, err
	}
	if len(out.UIDs) == 0 && out.State.Messages > 0 && q.everything() {
		out.note(NoteServerSearchBroken)
	}
	return out, nil
}

// inOrder returns the UIDs in the server's order, each once.
func inOrder(nums []uint32) []UID {
	out := make([]UID, 0, min(len(nums), maxSearchUIDs))
	seen := make(map[uint32]bool, cap(out))
	for _, n := range nums {
		if n != 0 && !seen[n] && len(out) < maxSearchUIDs {
			seen[n] = true
			out = append(out, UID(n))
		}
	}
	return out
}

// arranged opens a mailbox and runs SORT or THREAD in the same flight. send writes the command and returns what waits.
func (c *Conn) arranged(ctx context.Context, mailbox string, q Criteria, send func(*imap.SearchCriteria) func(State) error) error {
	mailbox = canonicalName(mailbox)
	if err := checkName(mailbox); err != nil {
		return err
	}
	criteria, t, err := c.criteria(q)
	if err != nil {
		return err
	}
	if t.gmailRaw != "" {
		return ErrBadCriteria
	}
	if _, err := c.Examine(ctx, mailbox); err != nil {
		return err
	}
	return c.flight(ctx, "SORT", func() error {
		open := c.sendOpen(mailbox)
		wait := send(criteria)
		st, opened := open()
		if err := wait(st); opened == nil {
			return err
		}
		return opened
	})
}

// Thread arranges the messages that match q into conversations (RFC 5256), by THREAD=REFS or THREAD=REFERENCES. Errors:
// those of Search, ErrUnsupported.
func (c *Conn) Thread(ctx context.Context, mailbox string, q Criteria) ([]ThreadNode, error) {
	algorithm := ""
	for _, a := range []string{"REFERENCES", "REFS"} {
		if c.HasCap("THREAD=" + a) {
			algorithm = a
		}
	}
	if algorithm == "" {
		return nil, ErrUnsupported
	}
	var data []imapclient.ThreadData
	err := c.arranged(ctx, mailbox, q, func(criteria *imap.SearchCriteria) func(State) error {
		cmd := c.client.UIDThread(&imapclient.ThreadOptions{Algorithm: imap.ThreadAlgorithm(strings.ToUpper(algorithm)), SearchCriteria: criteria})
		return func(State) (err error) {
			data, err = cmd.Wait()
			return err
		}
	})
	if err != nil {
		return nil, err
	}
	return threadNodes(data), nil
}

// threadNodes turns chains with branches at their ends into a tree.
func threadNodes(data []imapclient.ThreadData) []ThreadNode {
	var out []ThreadNode
	for _, d := range data {
		below := threadNodes(d.SubThreads)
		if len(d.Chain) == 0 {
			out = append(out, ThreadNode{Children: below}) // the parent is not there (RFC 5256 §4)
			continue
		}
		for i := len(d.Chain) - 1; i >= 0; i-- {
			below = []ThreadNode{{UID: UID(d.Chain[i]), Children: below}}
		}
		out = append(out, below...)
	}
	return out
}
