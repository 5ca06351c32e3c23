package demo

import (
	"context"
	"net"
	"sync"
	"time"

	"github.com/emersion/go-imap/v2"

	"mailgap/readmail/demo/memserver"
)

// What a client needs to know to open the demo mailbox. There is nothing to protect: the password is public.
const (
	Host     = "localhost" // never resolved or dialled by Dialer
	Port     = 143         // likewise; the connection is plain text within the process
	User     = "demo"
	Password = "demo"

	// TrustedAuthservID is the name under which the demo's own mail server adds Authentication-Results (RFC 8601 §2.5)
	// to everything that comes in. Fields with another name, or further down, are not to be trusted.
	TrustedAuthservID = "mx.demo.example"
)

// Now is the moment the demo mailbox was made for: each message is older.
func Now() time.Time { return time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC) }

// Dialer returns a function that connects to one demo mailbox, to be used where a network dialer would be. It ignores
// network and address. The mailbox is built, and its server started, at the first call; it lives as long as the
// process. The function is safe for concurrent use and fails with the error of its context.
func Dialer() func(ctx context.Context, network, addr string) (net.Conn, error) {
	start := sync.OnceValues(start)
	return func(ctx context.Context, _, _ string) (net.Conn, error) {
		ln, err := start()
		if err != nil {
			return nil, err
		}
		return ln.Dial(ctx)
	}
}

// start builds the mailbox and serves it on a listener without a port.
func start() (*memserver.Listener, error) {
	boxes, err := Mailboxes()
	if err != nil {
		return nil, err
	}
	store, err := memserver.NewStore(User, Password, boxes)
	if err != nil {
		return nil, err
	}
	ln := memserver.NewListener()
	srv := store.NewServer(memserver.Policy{ReadOnly: true}, imap.CapNamespace, imap.CapESearch, imap.CapSearchRes,
		imap.CapListExtended, imap.CapListStatus, imap.CapStatusSize, imap.CapBinary, imap.CapChildren, imap.CapSpecialUse)
	go srv.Serve(ln) //nolint:errcheck // it ends with the listener, which is never closed
	return ln, nil
}
