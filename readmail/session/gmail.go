package session

import "context"

// GmailThreadIDs returns Gmail's conversation number of each message. Errors: ErrUnsupported without X-GM-EXT-1.
func (c *Conn) GmailThreadIDs(ctx context.Context, mailbox string, uids []UID) (map[UID]uint64, error) {
	return nil, ErrUnsupported
}

// GmailThread returns the messages of a Gmail conversation in a mailbox. Errors: ErrUnsupported without X-GM-EXT-1.
func (c *Conn) GmailThread(ctx context.Context, mailbox string, threadID uint64) (SearchResult, error) {
	return SearchResult{}, ErrUnsupported
}

func (c *Conn) gmailSearch(ctx context.Context, j *searchJob, r *MailboxResult) {
	r.Err = ErrUnsupported
}
