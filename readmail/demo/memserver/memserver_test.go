package memserver

import (
	"context"
	"errors"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/emersion/go-imap/v2"
	"github.com/emersion/go-imap/v2/imapclient"
)

const message = "From: Robin <robin@example.org>\r\nSubject: test\r\n\r\ntext\r\n"

func boxes() []Mailbox {
	return []Mailbox{
		{Name: "Sent", Attrs: []imap.MailboxAttr{imap.MailboxAttrSent}},
		{Name: "INBOX", Messages: []Message{{Raw: []byte(message), InternalDate: time.Unix(1e9, 0)}}},
		{Name: "Projects", Attrs: []imap.MailboxAttr{imap.MailboxAttrNoSelect}},
		{Name: "Projects/Ältere"},
	}
}

// serve starts a server and returns a client that is logged in.
func serve(t *testing.T, p Policy) (*Store, *imapclient.Client) {
	t.Helper()
	store, err := NewStore("user", "password", boxes())
	if err != nil {
		t.Fatal(err)
	}
	ln := NewListener()
	srv := store.NewServer(p, imap.CapListExtended, imap.CapListStatus, imap.CapSpecialUse, imap.CapMove)
	served := make(chan error, 1)
	go func() { served <- srv.Serve(ln) }()
	t.Cleanup(func() {
		srv.Close()
		if err := <-served; err != nil {
			t.Errorf("serve: %v", err)
		}
	})
	conn, err := ln.Dial(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	c := imapclient.New(conn, nil)
	t.Cleanup(func() { c.Close() })
	if err := c.Login("user", "password").Wait(); err != nil {
		t.Fatal(err)
	}
	return store, c
}

func TestList(t *testing.T) {
	cases := []struct {
		name, pattern string
		options       *imap.ListOptions
		want          string
	}{
		{"all, INBOX first", "*", nil, "INBOX Projects Projects/Ältere Sent"},
		{"top level", "%", nil, "INBOX Projects Sent"},
		{"below", "Projects/*", nil, "Projects/Ältere"},
		{"special use only", "*", &imap.ListOptions{SelectSpecialUse: true}, "Sent"},
		{"nothing", "Other*", nil, ""},
	}
	_, c := serve(t, Policy{ReadOnly: true})
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			list, err := c.List("", tc.pattern, tc.options).Collect()
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, b := range list {
				got = append(got, b.Mailbox)
			}
			if strings.Join(got, " ") != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

func TestListAttributes(t *testing.T) {
	_, c := serve(t, Policy{ReadOnly: true})
	list, err := c.List("", "*", &imap.ListOptions{ReturnStatus: &imap.StatusOptions{NumMessages: true}}).Collect()
	if err != nil {
		t.Fatal(err)
	}
	want := map[string][]imap.MailboxAttr{
		"INBOX":           {imap.MailboxAttrHasNoChildren},
		"Projects":        {imap.MailboxAttrNoSelect, imap.MailboxAttrHasChildren},
		"Projects/Ältere": {imap.MailboxAttrHasNoChildren},
		"Sent":            {imap.MailboxAttrSent, imap.MailboxAttrHasNoChildren},
	}
	for _, b := range list {
		if !slices.Equal(b.Attrs, want[b.Mailbox]) {
			t.Errorf("%s: got %v, want %v", b.Mailbox, b.Attrs, want[b.Mailbox])
		}
		if got, want := b.Status != nil, b.Mailbox != "Projects"; got != want {
			t.Errorf("%s: status came: %v, want %v", b.Mailbox, got, want)
		}
	}
}

func TestNoSelect(t *testing.T) {
	_, c := serve(t, Policy{})
	_, err := c.Select("Projects", &imap.SelectOptions{ReadOnly: true}).Wait()
	if e := new(imap.Error); !errors.As(err, &e) || e.Type != imap.StatusResponseTypeNo {
		t.Errorf("got %v, want NO", err)
	}
}

// What the policy refuses it also reports; without the policy the same commands work.
func TestPolicy(t *testing.T) {
	commands := func(c *imapclient.Client) []error {
		create := c.Create("New", nil).Wait()
		rename := c.Rename("New", "Newer", nil).Wait()
		remove := c.Delete("Newer").Wait()
		_, examine := c.Select("INBOX", &imap.SelectOptions{ReadOnly: true}).Wait()
		if examine != nil {
			t.Fatal(examine)
		}
		_, move := c.Move(imap.UIDSetNum(1), "Sent").Wait()
		return []error{create, rename, remove, move}
	}
	var told []string
	_, c := serve(t, Policy{ReadOnly: true, OnWrite: func(what string) { told = append(told, what) }})
	for i, err := range commands(c) {
		if e := new(imap.Error); !errors.As(err, &e) || e.Code != imap.ResponseCodeNoPerm {
			t.Errorf("command %d: got %v, want NOPERM", i, err)
		}
	}
	if got, want := strings.Join(told, " "), "CREATE RENAME DELETE MOVE"; got != want {
		t.Errorf("told %q, want %q", got, want)
	}
	store, c := serve(t, Policy{})
	if err := errors.Join(commands(c)...); err != nil {
		t.Errorf("without policy: %v", err)
	}
	if got, want := strings.Join(store.names(), " "), "INBOX Projects Projects/Ältere Sent"; got != want {
		t.Errorf("got mailboxes %q, want %q", got, want)
	}
}

func TestWrongPassword(t *testing.T) {
	store, _ := serve(t, Policy{})
	session := store.NewSession(Policy{})
	if err := session.Login("user", "passwort"); err == nil {
		t.Error("a wrong password was accepted")
	}
}

func TestNamesAreUnique(t *testing.T) {
	if _, err := NewStore("user", "password", []Mailbox{{Name: "INBOX"}, {Name: "INBOX"}}); err == nil {
		t.Error("a name was accepted twice")
	}
}

func TestListenerEnds(t *testing.T) {
	ln := NewListener()
	ctx, cancel := context.WithCancel(t.Context())
	failed := make(chan error, 1)
	go func() {
		_, err := ln.Dial(ctx)
		failed <- err
	}()
	cancel()
	if err := <-failed; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want context.Canceled", err)
	}
	ln.Close()
	ln.Close()
	if _, err := ln.Accept(); !errors.Is(err, net.ErrClosed) {
		t.Errorf("accept: got %v, want net.ErrClosed", err)
	}
	if _, err := ln.Dial(t.Context()); !errors.Is(err, net.ErrClosed) {
		t.Errorf("dial: got %v, want net.ErrClosed", err)
	}
}
