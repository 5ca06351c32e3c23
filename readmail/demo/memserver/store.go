package memserver

import (
	"bytes"
	"fmt"
	"io"
	"log"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/emersion/go-imap/v2"
	"github.com/emersion/go-imap/v2/imapserver"
	"github.com/emersion/go-imap/v2/imapserver/imapmemserver"
)

// HierarchyDelimiter separates the levels of mailbox names.
const HierarchyDelimiter = '/'

// Message is one message of a mailbox.
type Message struct {
	Raw          []byte      // the octets of the message, CRLF line ends; kept, not copied
	Flags        []imap.Flag // system flags and keywords
	InternalDate time.Time   // zero means the time of delivery
}

// Mailbox is one mailbox with its first content.
type Mailbox struct {
	Name     string             // decoded UTF-8, levels separated by HierarchyDelimiter
	Attrs    []imap.MailboxAttr // special use; MailboxAttrNoSelect makes it a name without content
	Messages []Message          // get the UIDs 1, 2, 3, ...
}

// Store holds the mailboxes of one user. It is safe for concurrent use.
type Store struct {
	user *imapmemserver.User

	mu      sync.Mutex
	boxes   map[string][]imap.MailboxAttr // name to attributes
	changed chan struct{}                 // closed and replaced after each change

	messages map[key]Message        // as delivered
	flags    map[imap.Flag]struct{} // seen on any message, in lower case
}

// NewStore returns a store for one user with the given mailboxes. UIDVALIDITY counts up from 1 in the order given. It
// fails if a name occurs twice.
func NewStore(user, password string, boxes []Mailbox) (*Store, error) {
	s := &Store{user: imapmemserver.NewUser(user, password), boxes: map[string][]imap.MailboxAttr{},
		changed: make(chan struct{}), messages: map[key]Message{}, flags: systemFlags()}
	for _, b := range boxes {
		if err := s.user.Create(b.Name, nil); err != nil {
			return nil, fmt.Errorf("memserver: create mailbox: %w", err)
		}
		s.boxes[b.Name] = slices.Clone(b.Attrs)
		for _, m := range b.Messages {
			if _, err := s.Deliver(b.Name, m); err != nil {
				return nil, err
			}
		}
	}
	return s, nil
}

// Deliver adds a message as a delivery agent would and returns its UID. Connections that have the mailbox open are told.
func (s *Store) Deliver(mailbox string, m Message) (imap.UID, error) {
	if m.InternalDate.IsZero() {
		m.InternalDate = time.Now()
	}
	data, err := s.user.Append(mailbox, bytes.NewReader(m.Raw), &imap.AppendOptions{Flags: m.Flags, Time: m.InternalDate})
	if err != nil {
		return 0, fmt.Errorf("memserver: deliver: %w", err)
	}
	s.keep(mailbox, data, m)
	s.notify()
	return data.UID, nil
}

func systemFlags() map[imap.Flag]struct{} {
	flags := map[imap.Flag]struct{}{}
	for _, f := range []imap.Flag{imap.FlagSeen, imap.FlagAnswered, imap.FlagFlagged, imap.FlagDeleted, imap.FlagDraft} {
		flags[imap.Flag(strings.ToLower(string(f)))] = struct{}{}
	}
	return flags
}

// notify wakes the sessions that idle.
func (s *Store) notify() {
	s.mu.Lock()
	defer s.mu.Unlock()
	close(s.changed)
	s.changed = make(chan struct{})
}

// next returns a channel that is closed after the next change.
func (s *Store) next() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.changed
}

// Policy says what a session may do. The zero value lets it do everything.
type Policy struct {
	ReadOnly bool              // refuse whatever would change a mailbox, and SELECT
	OnWrite  func(what string) // told of each refusal, in the words of the protocol ("STORE"); may be nil; must not block
	SASL     map[string]Mechanism
}

// NewServer returns a server whose sessions see s under policy p. Capabilities are added to IMAP4rev1. It logs nothing.
// The caller serves listeners with it and closes it.
func (s *Store) NewServer(p Policy, capabilities ...imap.Cap) *imapserver.Server {
	caps := imap.CapSet{imap.CapIMAP4rev1: {}}
	for _, c := range capabilities {
		caps[c] = struct{}{}
	}
	return imapserver.New(&imapserver.Options{
		NewSession: func(*imapserver.Conn) (imapserver.Session, *imapserver.GreetingData, error) {
			return s.NewSession(p), nil, nil
		},
		Caps:         caps,
		InsecureAuth: true, // the pipe does not leave the process
		Logger:       log.New(io.Discard, "", 0),
	})
}
