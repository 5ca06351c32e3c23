package readmail

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"mailgap/sanitize"
)

const (
	cursorVersion    = 1
	maxCursorOctets  = 32 << 10 // Limit: 50 mailboxes with names of 400 octets
	cursorDigestSize = 9        // octets of SHA-256: a repeated filter is recognised, nothing is authenticated
)

// ErrBadCursor is returned for a cursor that was not made by this version or was damaged; ErrOtherQuery for one that
// belongs to other filters.
var (
	ErrBadCursor  = errors.New("readmail: malformed cursor")
	ErrOtherQuery = errors.New("readmail: cursor of another query")
)

// listCursor says where a page of list_messages ended. It is opaque to callers and holds no secret: everything in it is
// checked against the server again.
type listCursor struct {
	V     int           `json:"v"`
	Query string        `json:"q"` // digest of mailboxes and filters
	Boxes []boxPosition `json:"b"`
}

// boxPosition is the place in one mailbox: messages that sort before (Date, UID) are still to come. A zero UID means that
// nothing of the mailbox was shown yet; Done that nothing is left.
type boxPosition struct {
	Account     string `json:"a,omitempty"` // where several are configured
	Mailbox     string `json:"m"`
	UIDValidity uint32 `json:"u"`
	UID         uint32 `json:"i,omitempty"`
	Date        int64  `json:"d,omitempty"` // INTERNALDATE, seconds since 1970
	Seq         uint32 `json:"s,omitempty"` // where UID was seen; a hint
	ByDate      bool   `json:"o,omitempty"` // the pages so far were in order of dates, not of UIDs; the next ones stay so
	Done        bool   `json:"e,omitempty"`
}

func (p boxPosition) date() time.Time { return time.Unix(p.Date, 0) }

// queryDigest identifies a query: the JSON of v, which must marshal the same way each time.
func queryDigest(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return "" // arguments that were decoded from JSON marshal again
	}
	sum := sha256.Sum256(b)
	return base64.RawURLEncoding.EncodeToString(sum[:cursorDigestSize])
}

// encodeCursor writes c as an opaque token.
func encodeCursor(c any) sanitize.Clean {
	b, err := json.Marshal(c)
	if err != nil {
		return sanitize.Clean{}
	}
	return sanitize.Opaque(base64.RawURLEncoding.EncodeToString(b))
}

// decodeCursor reads a token into c, a pointer.
func decodeCursor(token string, c any) error {
	if len(token) > maxCursorOctets {
		return fmt.Errorf("%w: too long", ErrBadCursor)
	}
	b, err := base64.RawURLEncoding.DecodeString(token)
	if err != nil {
		return fmt.Errorf("%w: not base64url", ErrBadCursor)
	}
	if err := json.Unmarshal(b, c); err != nil {
		return fmt.Errorf("%w: unexpected content", ErrBadCursor)
	}
	return nil
}

// decodeListCursor reads a cursor of list_messages and checks that it belongs to the query with the given digest.
func decodeListCursor(token, digest string) (listCursor, error) {
	var c listCursor
	if err := decodeCursor(token, &c); err != nil {
		return c, err
	}
	if c.V != cursorVersion {
		return c, fmt.Errorf("%w: other version", ErrBadCursor)
	}
	if c.Query != digest {
		return c, ErrOtherQuery
	}
	open, seen := false, map[string]bool{}
	for _, b := range c.Boxes {
		open = open || !b.Done
		if b.UIDValidity == 0 || !cursorName(b.Account, b.Mailbox, seen) {
			return c, fmt.Errorf("%w: unexpected content", ErrBadCursor)
		}
	}
	if !open || len(c.Boxes) > maxMailboxes {
		return c, fmt.Errorf("%w: unexpected content", ErrBadCursor)
	}
	return c, nil
}

// cursorName reports whether a cursor may hold this mailbox name, once for an account.
func cursorName(account, name string, seen map[string]bool) bool {
	key := account + "/" + name // no account name has a slash
	if name == "" || len(name) > maxMailboxOctets || checkName(name) != nil || seen[key] {
		return false
	}
	seen[key] = true
	return true
}
