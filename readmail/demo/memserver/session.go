package memserver

import (
	"slices"

	"github.com/emersion/go-imap/v2"
	"github.com/emersion/go-imap/v2/imapserver"
	"github.com/emersion/go-imap/v2/imapserver/imapmemserver"
	"github.com/emersion/go-sasl"
)

// Mechanism makes the server side of a SASL exchange. login marks the exchange as successful: call it once the client
// has proved itself.
type Mechanism func(login func() error) sasl.Server

// session is one connection's view of a Store.
type session struct {
	*imapmemserver.UserSession // set from the start: imapserver checks the state, and the login, before it calls
	store                      *Store
	policy                     Policy
	mailbox                    string // open, if any
	uidValidity                uint32
}

var (
	_ imapserver.SessionIMAP4rev2 = (*session)(nil)
	_ imapserver.SessionSASL      = (*session)(nil)
)

// NewSession returns a session for one connection.
func (s *Store) NewSession(p Policy) imapserver.Session {
	return &session{UserSession: imapmemserver.NewUserSession(s.user), store: s, policy: p}
}

// AuthenticateMechanisms implements imapserver.SessionSASL.
func (s *session) AuthenticateMechanisms() []string {
	names := []string{sasl.Plain}
	for name := range s.policy.SASL {
		if name != sasl.Plain {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// Authenticate implements imapserver.SessionSASL.
func (s *session) Authenticate(mech string) (sasl.Server, error) {
	if m, ok := s.policy.SASL[mech]; ok {
		return bare{m(func() error { return nil })}, nil
	}
	if mech != sasl.Plain {
		return nil, &imap.Error{Type: imap.StatusResponseTypeNo, Text: "SASL mechanism not supported"}
	}
	return bare{sasl.NewPlainServer(func(_, user, password string) error { return s.Login(user, password) })}, nil
}

// bare sends an empty challenge as nothing, which RFC 9051 §6.2.2 means by it; go-imap's server would send "=", which
// belongs to initial responses.
type bare struct{ sasl.Server }

// Next implements sasl.Server.
func (b bare) Next(response []byte) (challenge []byte, done bool, err error) {
	challenge, done, err = b.Server.Next(response)
	if len(challenge) == 0 {
		challenge = nil
	}
	return challenge, done, err
}

// refused reports and refuses what, if the policy is to read only.
func (s *session) refused(what string) error {
	if !s.policy.ReadOnly {
		return nil
	}
	if s.policy.OnWrite != nil {
		s.policy.OnWrite(what)
	}
	return &imap.Error{Type: imap.StatusResponseTypeNo, Code: imap.ResponseCodeNoPerm, Text: "This mailbox is read-only"}
}

// Select implements imapserver.Session.
func (s *session) Select(name string, options *imap.SelectOptions) (*imap.SelectData, error) {
	if !options.ReadOnly {
		if err := s.refused("SELECT"); err != nil {
			return nil, err
		}
	}
	if slices.Contains(s.store.attrs(name), imap.MailboxAttrNoSelect) {
		return nil, &imap.Error{Type: imap.StatusResponseTypeNo, Code: imap.ResponseCodeNonExistent, Text: "Not selectable"}
	}
	data, err := s.UserSession.Select(name, options)
	if err != nil {
		return nil, err
	}
	s.mailbox, s.uidValidity = name, data.UIDValidity
	if options.ReadOnly {
		data.PermanentFlags = nil // RFC 9051 §6.3.3: nothing can be changed permanently
	}
	return data, nil
}

// Store implements imapserver.Session.
func (s *session) Store(w *imapserver.FetchWriter, numSet imap.NumSet, flags *imap.StoreFlags, options *imap.StoreOptions) error {
	if err := s.refused("STORE"); err != nil {
		return err
	}
	s.store.addFlags(flags.Flags)
	defer s.store.notify()
	return s.UserSession.Store(w, numSet, flags, options)
}

// Append implements imapserver.Session.
func (s *session) Append(mailbox string, r imap.LiteralReader, options *imap.AppendOptions) (*imap.AppendData, error) {
	if err := s.refused("APPEND"); err != nil {
		return nil, err
	}
	defer s.store.notify()
	return s.UserSession.Append(mailbox, r, options)
}

// Copy implements imapserver.Session.
func (s *session) Copy(numSet imap.NumSet, dest string) (*imap.CopyData, error) {
	if err := s.refused("COPY"); err != nil {
		return nil, err
	}
	defer s.store.notify()
	return s.UserSession.Copy(numSet, dest)
}

// Move implements imapserver.SessionMove.
func (s *session) Move(w *imapserver.MoveWriter, numSet imap.NumSet, dest string) error {
	if err := s.refused("MOVE"); err != nil {
		return err
	}
	defer s.store.notify()
	return s.UserSession.Move(w, numSet, dest)
}

// Expunge implements imapserver.Session; CLOSE comes here too.
func (s *session) Expunge(w *imapserver.ExpungeWriter, uids *imap.UIDSet) error {
	if err := s.refused("EXPUNGE"); err != nil {
		return err
	}
	defer s.store.notify()
	return s.UserSession.Expunge(w, uids)
}

// Create implements imapserver.Session.
func (s *session) Create(name string, options *imap.CreateOptions) error {
	if err := s.refused("CREATE"); err != nil {
		return err
	}
	if err := s.UserSession.Create(name, options); err != nil {
		return err
	}
	s.store.setAttrs(name, nil)
	return nil
}

// Delete implements imapserver.Session.
func (s *session) Delete(name string) error {
	if err := s.refused("DELETE"); err != nil {
		return err
	}
	if err := s.UserSession.Delete(name); err != nil {
		return err
	}
	s.store.forget(name)
	return nil
}

// Rename implements imapserver.Session.
func (s *session) Rename(name, newName string, options *imap.RenameOptions) error {
	if err := s.refused("RENAME"); err != nil {
		return err
	}
	if err := s.UserSession.Rename(name, newName, options); err != nil {
		return err
	}
	s.store.setAttrs(newName, s.store.attrs(name))
	s.store.forget(name)
	return nil
}

// Subscribe implements imapserver.Session.
func (s *session) Subscribe(name string) error {
	if err := s.refused("SUBSCRIBE"); err != nil {
		return err
	}
	return s.UserSession.Subscribe(name)
}

// Unsubscribe implements imapserver.Session.
func (s *session) Unsubscribe(name string) error {
	if err := s.refused("UNSUBSCRIBE"); err != nil {
		return err
	}
	return s.UserSession.Unsubscribe(name)
}

// Idle implements imapserver.Session. go-imap's own misses what happens between its "+" and its first look; this one
// looks first, and again after each change.
func (s *session) Idle(w *imapserver.UpdateWriter, stop <-chan struct{}) error {
	for {
		changed := s.store.next()
		if err := s.Poll(w, true); err != nil {
			return err
		}
		select {
		case <-changed:
		case <-stop:
			return nil
		}
	}
}
