package readmail

import (
	"bytes"
	"context"

	"mailgap/readmail/session"
)

const maxFilledHeader = 16 << 10 // octets of a header that is fetched whole for a list

// fillHeaders fetches the whole header of those messages whose answer to a request for single fields has no From, in one
// round trip. Mostly there are none.
//
// Quirk: a server finds no From where a byte order mark or a line that is no field stands before it; read from the header
// itself it is there, and a list must say the same as get_message.
func fillHeaders(ctx context.Context, c *session.Conn, msgs []session.Message) error {
	at := map[session.UID]int{}
	var uids []session.UID
	for i, m := range msgs {
		if !m.Has(session.TroubleUnreadable) && m.Size > 0 && !hasFrom(m.Header) {
			at[m.UID] = i
			uids = append(uids, m.UID)
		}
	}
	if len(uids) == 0 {
		return nil
	}
	whole, err := c.Fetch(ctx, session.UIDs(uids...), session.Items{Header: true, MaxHeader: maxFilledHeader})
	if err != nil {
		return err
	}
	for _, m := range whole {
		if i, ok := at[m.UID]; ok && len(m.Header) > 0 {
			msgs[i].Header = m.Header
		}
	}
	return nil
}

func hasFrom(header []byte) bool {
	lower := bytes.ToLower(header)
	return bytes.HasPrefix(lower, []byte("from:")) || bytes.Contains(lower, []byte("\nfrom:"))
}
