package session

import (
	"context"
	"slices"
)

// maxGmailIDs bounds the messages whose conversation is asked for in one call.
const maxGmailIDs = 10_000

// GmailThreadIDs returns Gmail's conversation number of each message. At most 10,000 at a time, else ErrLimited. Errors:
// ErrUnsupported without X-GM-EXT-1.
func (c *Conn) GmailThreadIDs(ctx context.Context, mailbox string, uids []UID) (map[UID]uint64, error) {
	if len(uids) > maxGmailIDs {
		return nil, ErrLimited
	}
	nums := make([]uint32, 0, len(uids))
	for _, u := range sortedUnique(uids) {
		nums = append(nums, uint32(u))
	}
	out := make(map[UID]uint64, len(nums))
	_, err := c.gmail(ctx, mailbox, func() error {
		ids, err := c.link.GmailThreadIDs(ctx, nums)
		for _, id := range ids {
			if _, asked := slices.BinarySearch(nums, id.UID); asked && id.ThreadID != 0 {
				out[UID(id.UID)] = id.ThreadID
			}
		}
		return err
	})
	return out, err
}

// GmailThread returns the messages of a Gmail conversation in a mailbox. Errors: ErrUnsupported without X-GM-EXT-1.
func (c *Conn) GmailThread(ctx context.Context, mailbox string, threadID uint64) (SearchResult, error) {
	var out SearchResult
	st, err := c.gmail(ctx, mailbox, func() (err error) {
		out.UIDs, err = asUIDs(c.link.GmailThread(ctx, threadID))
		return err
	})
	out.State = st
	return out, err
}

// gmail opens a mailbox and runs one of Gmail's own commands.
func (c *Conn) gmail(ctx context.Context, mailbox string, fn func() error) (State, error) {
	if !c.HasCap("X-GM-EXT-1") {
		return State{}, ErrUnsupported
	}
	if _, err := c.Examine(ctx, mailbox); err != nil {
		return State{}, err
	}
	c.identified(ctx)
	err := c.flight(ctx, "SEARCH", fn)
	return c.current(), err
}

func asUIDs(nums []uint32, err error) ([]UID, error) {
	uids := make([]UID, 0, min(len(nums), maxSearchUIDs))
	for _, n := range nums[:min(len(nums), maxSearchUIDs)] {
		uids = append(uids, UID(n))
	}
	return sortedUnique(uids), err
}

// gmailSearch runs the Gmail query of a search and intersects it with what the other conditions found.
func (c *Conn) gmailSearch(ctx context.Context, j *searchJob, r *MailboxResult) {
	var found []UID
	st, err := c.gmail(ctx, j.mailbox, func() (err error) {
		found, err = asUIDs(c.link.GmailSearch(ctx, j.t.gmailRaw))
		return err
	})
	if err != nil {
		r.Err = err
		return
	}
	r.State = st
	if j.found == nil {
		r.UIDs = found
		return
	}
	r.UIDs = slices.DeleteFunc(r.UIDs, func(u UID) bool {
		_, ok := slices.BinarySearch(found, u)
		return !ok
	})
}
