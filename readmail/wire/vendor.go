package wire

import "context"

// Request is a command that the layer sends itself. Only read-only verbs pass, as for the client.
type Request struct {
	Verb string // "UID SEARCH", "UID FETCH", ...
	// Args in order. Raw values are written as they are, strings as quoted strings or literals.
	Args []Arg
}

// Arg is one argument: Raw (atoms, lists, sets) or, if Raw is "", the string Text.
type Arg struct{ Raw, Text string }

// Replies is what the server answered to Do.
type Replies struct {
	Code, Text string    // of the tagged OK; untrusted
	Numbers    []uint32  // SEARCH, ESEARCH ALL, SORT: in the server's order for SORT, ascending otherwise
	Fetched    []Fetched // FETCH responses
}

// Fetched is one FETCH response to Do.
type Fetched struct {
	Seq, UID uint32
	Items    map[string]Value // by item name in upper case
}

// Value is one value of a FETCH response: Text for atoms, numbers, quoted strings and literals; List for lists.
// All of it is untrusted.
type Value struct {
	Nil  bool
	Text string
	List []Value
}

// Do sends one command under the layer's own tag and returns the replies, which the client does not see; unsolicited
// data (EXISTS, EXPUNGE, FLAGS) still go to the client. The connection must be idle (ErrBusy); meanwhile commands of
// the client wait. When ctx ends first the connection is closed. A tagged NO or BAD is a *ServerError.
func (c *Conn) Do(ctx context.Context, r Request) (*Replies, error) { return nil, errTODO }

// GmailSearch runs UID SEARCH X-GM-RAW with query (Gmail's own search language) in the mailbox that is open and
// returns the UIDs in ascending order. ErrUnsupported without X-GM-EXT-1.
func (c *Conn) GmailSearch(ctx context.Context, query string) ([]uint32, error) { return nil, errTODO }

// GmailIDs are Gmail's numbers for a message.
type GmailIDs struct {
	UID                 uint32
	MessageID, ThreadID uint64
	Labels              []string // untrusted
}

// GmailThreadIDs fetches X-GM-MSGID, X-GM-THRID and X-GM-LABELS of the messages in uids (at most 10,000).
// ErrUnsupported without X-GM-EXT-1.
func (c *Conn) GmailThreadIDs(ctx context.Context, uids []uint32) ([]GmailIDs, error) {
	return nil, errTODO
}

// GmailThread returns the UIDs in the open mailbox that belong to the thread, ascending. ErrUnsupported without
// X-GM-EXT-1.
func (c *Conn) GmailThread(ctx context.Context, thread uint64) ([]uint32, error) { return nil, errTODO }

// Preview fetches PREVIEW (RFC 8970) of the messages in uids (at most 10,000), by UID; messages for which the server
// has none are missing. The texts are untrusted. ErrUnsupported without PREVIEW.
func (c *Conn) Preview(ctx context.Context, uids []uint32) (map[uint32]string, error) {
	return nil, errTODO
}
