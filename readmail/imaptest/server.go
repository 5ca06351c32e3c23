package imaptest

import (
	"net"
	"testing"

	"github.com/emersion/go-imap/v2"
	"github.com/emersion/go-imap/v2/imapclient"

	"mailgap/readmail/demo/memserver"
)

// Server is a well-behaved IMAP server in memory that records what it is asked. All methods are safe for concurrent
// use, those that take a testing.TB from the test's goroutine only.
type Server struct {
	*host
	options Options
	store   *memserver.Store
	want    state // flags and messages as the test left them
}

// backendCaps is what the memory server can do beyond IMAP4rev1. MOVE and UIDPLUS are announced because real servers do.
func backendCaps() []imap.Cap {
	return []imap.Cap{imap.CapNamespace, imap.CapUIDPlus, imap.CapESearch, imap.CapSearchRes, imap.CapListExtended,
		imap.CapListStatus, imap.CapMove, imap.CapStatusSize, imap.CapBinary, imap.CapChildren, imap.CapSpecialUse}
}

// New starts a recording server. When the test ends it calls CheckReadOnly, unless o.Unchecked, and stops.
func New(t testing.TB, o Options) *Server {
	t.Helper()
	o = o.withDefaults()
	store, err := memserver.NewStore(o.User, o.Password, o.Mailboxes)
	if err != nil {
		t.Fatalf("imaptest: %v", err)
	}
	s := &Server{host: newHost(t, o.TLS), options: o, store: store}
	policy := memserver.Policy{ReadOnly: !o.AllowWrites, SASL: o.SASL,
		OnWrite: func(what string) { s.violate("the server was told to " + what) }}
	s.handle = func(conn net.Conn, id int) { s.serveClient(conn, id, policy) }
	s.start(t)
	s.want = s.readState(t)
	if !o.Unchecked {
		t.Cleanup(func() { s.CheckReadOnly(t) })
	}
	return s
}

// Deliver adds a message as a delivery agent would and returns its UID. Idling clients are told.
func (s *Server) Deliver(t testing.TB, mailbox string, m Message) imap.UID {
	t.Helper()
	uid, err := s.store.Deliver(mailbox, m)
	if err != nil {
		t.Fatalf("imaptest: %v", err)
	}
	s.want = s.readState(t)
	return uid
}

// Admin lets do act on the mailboxes as another client would: store flags, expunge, delete a mailbox and create it
// anew. It is not recorded, and CheckReadOnly takes the state it leaves as the one that must stay.
func (s *Server) Admin(t testing.TB, do func(c *imapclient.Client) error) {
	t.Helper()
	s.admin(t, memserver.Policy{}, do)
	s.want = s.readState(t)
}

// CheckReadOnly fails t if a command was received that does not belong to reading, if the server was told to change
// something, or if messages or flags differ from what the test put there. New calls it when the test ends.
func (s *Server) CheckReadOnly(t testing.TB) {
	t.Helper()
	for _, v := range s.Violations() {
		t.Errorf("imaptest: %s", v)
	}
	for _, d := range s.want.diff(s.readState(t)) {
		t.Errorf("imaptest: %s", d)
	}
}
