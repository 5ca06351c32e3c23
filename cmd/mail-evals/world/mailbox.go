package world

import (
	"net"

	"github.com/emersion/go-imap/v2"
	"github.com/emersion/go-imap/v2/imapserver"

	"mailgap/readmail/demo/memserver"
	"mailgap/sendmail/sink"
)

// The account of the mailbox. There is nothing to protect.
const (
	User       = "reader"
	password   = "reader"
	AuthservID = "mx.example.org" // the name under which the mailbox's own server says what it checked
)

// mailbox is the IMAP server on loopback.
type mailbox struct {
	store  *memserver.Store
	server *imapserver.Server
	port   int
}

func startMailbox(boxes []memserver.Mailbox) (*mailbox, error) {
	store, err := memserver.NewStore(User, password, boxes)
	if err != nil {
		return nil, err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	m := &mailbox{store: store, port: l.Addr().(*net.TCPAddr).Port}
	m.server = store.NewServer(memserver.Policy{ReadOnly: true}, imap.CapNamespace, imap.CapESearch, imap.CapSearchRes, imap.CapListExtended,
		imap.CapListStatus, imap.CapStatusSize, imap.CapBinary, imap.CapChildren, imap.CapSpecialUse)
	go m.server.Serve(l) //nolint:errcheck // it ends with Close
	return m, nil
}

// wire is the SMTP server on loopback: the outside world.
type wire struct {
	sink *sink.Sink
	port int
}

func startWire(arrived func(sink.Message)) (*wire, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	w := &wire{sink: sink.New(arrived), port: l.Addr().(*net.TCPAddr).Port}
	go w.sink.Serve(l) //nolint:errcheck // it ends with Close
	return w, nil
}
