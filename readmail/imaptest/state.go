package imaptest

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/emersion/go-imap/v2"
	"github.com/emersion/go-imap/v2/imapclient"

	"mailgap/readmail/demo/memserver"
)

// state is every message with its flags: "mailbox uidvalidity/uid" to "size flags".
type state map[string]string

// diff lists what other has differently.
func (s state) diff(other state) []string {
	var out []string
	for _, key := range slices.Sorted(maps.Keys(s)) {
		switch now, ok := other[key]; {
		case !ok:
			out = append(out, fmt.Sprintf("message %s is gone", key))
		case now != s[key]:
			out = append(out, fmt.Sprintf("message %s changed: got %q, want %q", key, now, s[key]))
		}
	}
	for _, key := range slices.Sorted(maps.Keys(other)) {
		if _, ok := s[key]; !ok {
			out = append(out, fmt.Sprintf("message %s was added", key))
		}
	}
	return out
}

// readState reads every mailbox over a connection of its own that is not recorded.
func (s *Server) readState(t testing.TB) state {
	t.Helper()
	st := state{}
	s.admin(t, memserver.Policy{ReadOnly: true}, func(c *imapclient.Client) error { return st.read(c) })
	return st
}

func (s state) read(c *imapclient.Client) error {
	boxes, err := c.List("", "*", nil).Collect()
	if err != nil {
		return err
	}
	for _, box := range boxes {
		s[box.Mailbox] = "mailbox"
		if slices.Contains(box.Attrs, imap.MailboxAttrNoSelect) {
			continue
		}
		if err := s.readMailbox(c, box.Mailbox); err != nil {
			return err
		}
	}
	return nil
}

func (s state) readMailbox(c *imapclient.Client, name string) error {
	data, err := c.Select(name, &imap.SelectOptions{ReadOnly: true}).Wait()
	if err != nil || data.NumMessages == 0 {
		return err
	}
	all := imap.SeqSet{{Start: 1, Stop: 0}}
	messages, err := c.Fetch(all, &imap.FetchOptions{UID: true, Flags: true, RFC822Size: true}).Collect()
	if err != nil {
		return err
	}
	for _, m := range messages {
		var flags []string
		for _, f := range m.Flags {
			flags = append(flags, strings.ToLower(string(f)))
		}
		slices.Sort(flags)
		s[fmt.Sprintf("%s %d/%d", name, data.UIDValidity, m.UID)] = fmt.Sprintf("%d %v", m.RFC822Size, flags)
	}
	return nil
}

// admin runs do over a pipe straight to the memory server.
func (s *Server) admin(t testing.TB, p memserver.Policy, do func(c *imapclient.Client) error) {
	t.Helper()
	ln := memserver.NewListener()
	srv := s.store.NewServer(p, backendCaps()...)
	served := make(chan error, 1)
	go func() { served <- srv.Serve(ln) }()
	defer func() {
		srv.Close()
		<-served
	}()
	// WithoutCancel: the last check runs when the context of the test is already cancelled.
	conn, err := ln.Dial(context.WithoutCancel(t.Context()))
	if err != nil {
		t.Fatalf("imaptest: %v", err)
	}
	c := imapclient.New(conn, nil)
	defer c.Close()
	if err := c.Login(s.options.User, s.options.Password).Wait(); err != nil {
		t.Fatalf("imaptest: login: %v", err)
	}
	if err := do(c); err != nil {
		t.Fatalf("imaptest: %v", err)
	}
}
