package trail_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"mime"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/emersion/go-imap/v2"

	"mailgap/confirm"
	"mailgap/readmail"
	"mailgap/readmail/demo/memserver"
	"mailgap/readmail/imaptest"
	"mailgap/readmail/session"
	"mailgap/sendmail"
	"mailgap/sendmail/policy"
	"mailgap/sendmail/sink"
	"mailgap/sendmail/submit"
	"mailgap/shared/addr"
	"mailgap/shared/ledger/reader"
	"mailgap/shared/ledger/writer"
	"mailgap/shared/mcpserve"
)

const (
	me         = "sam@home.example"
	authservID = "mx.home.example"
)

func today() time.Time { return time.Date(2026, 5, 4, 9, 0, 0, 0, time.UTC) }

// mailboxes is a mail server from which any number of worlds read, as user sam with password secret.
type mailboxes struct {
	dial     func(context.Context) (net.Conn, error)
	validity int
}

// serveDovecot serves the messages from a real server. The test is skipped where there is none; in CI it fails.
func serveDovecot(t *testing.T, inbox ...[]byte) mailboxes {
	t.Helper()
	box := imaptest.Mailbox{Name: "INBOX"}
	for i, raw := range inbox {
		box.Messages = append(box.Messages, imaptest.Message{Raw: raw, InternalDate: today().Add(-time.Duration(len(inbox)-i) * time.Minute)})
	}
	// Many worlds log in at the same time, from one address.
	d := imaptest.StartDovecot(t, imaptest.DovecotOptions{User: "sam", Password: "secret", Mailboxes: []imaptest.Mailbox{box}, Extra: "mail_max_userip_connections = 100"})
	return mailboxes{func(ctx context.Context) (net.Conn, error) { return new(net.Dialer).DialContext(ctx, "tcp", d.Addr()) }, imaptest.DovecotUIDValidity}
}

func serve(t *testing.T, inbox ...[]byte) mailboxes {
	t.Helper()
	boxes := []memserver.Mailbox{{Name: "INBOX"}, {Name: "Sent", Attrs: []imap.MailboxAttr{imap.MailboxAttrSent}}}
	for i, raw := range inbox {
		boxes[0].Messages = append(boxes[0].Messages, memserver.Message{Raw: raw, InternalDate: today().Add(-time.Duration(len(inbox)-i) * time.Minute)})
	}
	store, err := memserver.NewStore("sam", "secret", boxes)
	if err != nil {
		t.Fatal(err)
	}
	ln := memserver.NewListener()
	server := store.NewServer(memserver.Policy{ReadOnly: true}, imap.CapSpecialUse, imap.CapListStatus, imap.CapListExtended)
	go server.Serve(ln) //nolint:errcheck // it ends with the listener
	t.Cleanup(func() {
		if err := ln.Close(); err != nil {
			t.Error(err)
		}
	})
	return mailboxes{ln.Dial, 1}
}

// world is both programs over one ledger.
type world struct {
	validity int
	t        *testing.T
	dir      string
	reads    *mcpserve.Server
	sends    *mcpserve.Server
	book     *reader.Reader
	mu       sync.Mutex
	asked    []confirm.Question
	closes   []func() error
}

func newWorld(t *testing.T, boxes mailboxes) *world {
	t.Helper()
	w := &world{validity: boxes.validity, t: t, dir: t.TempDir()}
	ledgerDir := filepath.Join(w.dir, "ledger")
	ok := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	book, err := writer.Open(ledgerDir, writer.Options{Clock: today})
	ok(err)
	w.book, err = reader.Open(ledgerDir, reader.Options{Clock: today})
	ok(err)
	reads, err := readmail.New(readmail.Config{
		Account: "sam", Zone: time.UTC, Now: today, TrustedAuthservIDs: []string{authservID}, Ledger: book,
		Session: session.Config{Host: "localhost", User: "sam", TLS: session.TLSNone, Password: func(context.Context) (string, error) { return "secret", nil },
			Dial: func(ctx context.Context, _, _ string) (net.Conn, error) { return boxes.dial(ctx) }},
	})
	ok(err)
	w.reads, err = reads.MCP()
	ok(err)
	allow, err := policy.ParseAllowlist([]string{"*"})
	ok(err)
	from, err := addr.ParseSpec(me)
	ok(err)
	sends, err := sendmail.New(sendmail.Config{
		AllowSend: true, Allowlist: allow, From: from, Limits: policy.Limits{MaxRecipients: 20}, MaxPerHour: 1000, StateDir: filepath.Join(w.dir, "state"),
		AuditLog: filepath.Join(w.dir, "state", "audit.jsonl"), LedgerDir: ledgerDir, Terminal: w, AllowSevere: true, ElevatedByForm: true,
		Submit: submit.Config{Host: sink.Host, TLS: submit.TLSNone, Dial: sink.New(func(sink.Message) {}).Dialer()}, Now: today,
	})
	ok(err)
	w.sends, err = sends.MCP()
	ok(err)
	w.closes = []func() error{reads.Close, sends.Close, book.Close, w.book.Close}
	t.Cleanup(w.close)
	return w
}

func (w *world) close() {
	for _, f := range w.closes {
		if err := f(); err != nil {
			w.t.Error(err)
		}
	}
	w.closes = nil
}

var errLooked = errors.New("looked at the question")

// Name and Ask make a world the terminal: it keeps the question, and answers nothing.
func (w *world) Name() confirm.PathName { return confirm.PathTerminal }

func (w *world) Ask(_ context.Context, p confirm.Pending) (confirm.Answer, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.asked = append(w.asked, p.Question)
	return confirm.No(confirm.PathTerminal, confirm.CannotAsk), errLooked
}

// message is what a test needs of get_message.
type message struct {
	Ref       string
	MessageID string `json:"message_id"`
	Subject   string
	From      []string
	Author    struct{ Status, Reason string }
	Body      struct{ Text string }
}

// read reads the message with a UID as a model would that wants to see all of it.
func (w *world) read(uid int) message {
	w.t.Helper()
	var m message
	ref := fmt.Sprintf("imap://sam/INBOX;UIDVALIDITY=%d/;UID=%d", w.validity, uid)
	w.call(w.reads, "get_message", map[string]any{"ref": ref, "quotes": "show"}, &m)
	return m
}

// call calls a tool that must succeed.
func (w *world) call(s *mcpserve.Server, tool string, args, into any) {
	w.t.Helper()
	out := w.outcome(s, tool, args)
	if out.IsError {
		w.t.Fatalf("%s %v: %s", tool, args, out.Text)
	}
	if err := json.Unmarshal(out.Structured, into); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) outcome(s *mcpserve.Server, tool string, args any) mcpserve.Outcome {
	w.t.Helper()
	octets, err := json.Marshal(args)
	if err != nil {
		w.t.Fatal(err)
	}
	out, err := s.CallTool(w.t.Context(), tool, octets)
	if err != nil {
		w.t.Fatal(err)
	}
	return out
}

// ask proposes a message and returns the question; ok is false if nobody was asked, and then why.
func (w *world) ask(tool string, args map[string]any) (q confirm.Question, why string, ok bool) {
	w.t.Helper()
	before := len(w.asked)
	out := w.outcome(w.sends, tool, args)
	if len(w.asked) == before {
		return q, out.Text, false
	}
	return w.asked[before], "", true
}

// said joins the values of all notes.
func said(q confirm.Question) string {
	text, err := q.Render()
	if err != nil {
		return err.Error()
	}
	return strings.ReplaceAll(text.SafeText(), "\n>> ", "")
}

// mail writes a message; header lines end in CRLF.
func mail(header, text string) []byte {
	return []byte(header + "MIME-Version: 1.0\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: 8bit\r\n\r\n" +
		strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\n", "\r\n") + "\r\n")
}

// subject makes a header value of any text.
func subject(s string) string {
	return mime.QEncoding.Encode("utf-8", strings.Join(strings.Fields(s), " "))
}

// pass is what the account's own server says of an author whose domain it confirmed.
func pass(domain string) string {
	return "Authentication-Results: " + authservID + "; dmarc=pass header.from=" + domain + "; spf=pass smtp.mailfrom=" + domain + "\r\n"
}

// sharedFile reads a file of the shared data into v, or skips the test.
func sharedFile(t *testing.T, v any, name ...string) {
	t.Helper()
	shared := os.Getenv("MAILGAP_SHARED")
	if shared == "" {
		shared = filepath.Join("..", "..", "..", "..", "shared")
	}
	raw, err := os.ReadFile(filepath.Join(append([]string{shared}, name...)...))
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatalf("shared data is missing: %v", err)
		}
		t.Skipf("shared data is not here (MAILGAP_SHARED): %v", err)
	}
	if err := json.Unmarshal(raw, v); err != nil {
		t.Fatal(err)
	}
}
