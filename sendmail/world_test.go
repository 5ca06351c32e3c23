package sendmail

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"mime"
	"net/mail"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"mailgap/confirm"
	"mailgap/sendmail/outbox"
	"mailgap/sendmail/smtptest"
	"mailgap/shared/audit"
	"mailgap/shared/mcpserve"
)

// fakeServer is what both kinds of test servers have in common.
type fakeServer interface {
	Messages() []smtptest.Message
	Counts() smtptest.Counts
	Addr() string
}

// world is a fake mail server, a state directory, and what people approved.
type world struct {
	setup
	t    testing.TB
	fake fakeServer

	mu       sync.Mutex
	approved []string
	secrets  []string // of approval pages; see leaks
}

// newWorld starts a server that takes everything. At the end of the test each message that the server took must be one that
// was approved.
func newWorld(t *testing.T, options ...func(*setup)) *world {
	t.Helper()
	return newWorldAt(t, smtptest.New(t, smtptest.Options{SMTPUTF8: true}), options...)
}

func newWorldAt(t testing.TB, fake fakeServer, options ...func(*setup)) *world {
	t.Helper()
	w := uncheckedWorld(t, fake)
	for _, o := range options {
		o(&w.setup)
	}
	t.Cleanup(w.check)
	return w
}

// uncheckedWorld is for tests that check each message by themselves.
func uncheckedWorld(t testing.TB, fake fakeServer) *world {
	t.Helper()
	return &world{t: t, fake: fake, setup: setup{Dir: filepath.Join(t.TempDir(), "state"), Addr: fake.Addr()}}
}

// scripted starts a server that fails on purpose.
func scripted(t *testing.T, fault smtptest.Fault) *smtptest.Scripted {
	t.Helper()
	s := smtptest.NewScripted(t, smtptest.ScriptOptions{Fault: fault, Extensions: []string{"8BITMIME", "SMTPUTF8"}})
	s.Listen(t)
	return s
}

// server returns a server in this process that asks on terminal.
func (w *world) server(t testing.TB, terminal confirm.Path) (*Server, *mcpserve.Server) {
	t.Helper()
	w.terminal = terminal
	cfg, err := w.config()
	if err != nil {
		t.Fatal(err)
	}
	s, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	m, err := s.MCP()
	if err != nil {
		t.Fatal(err)
	}
	return s, m
}

// person answers questions in place of a terminal.
type person struct {
	w      *world
	answer func(context.Context, confirm.Pending) confirm.Answer // nil: yes
	mu     sync.Mutex
	asked  []string
}

func (p *person) Name() confirm.PathName { return confirm.PathTerminal }

func (p *person) Ask(ctx context.Context, q confirm.Pending) (confirm.Answer, error) {
	text, err := q.Question.Render()
	if err != nil {
		return confirm.No(confirm.PathTerminal, confirm.AskFailed), err
	}
	p.mu.Lock()
	p.asked = append(p.asked, text.SafeText())
	p.mu.Unlock()
	if p.answer != nil {
		return p.answer(ctx, q), nil
	}
	p.w.approve(text.SafeText())
	return yes(ctx, q), nil
}

// yes is what a terminal says of somebody who types the word, and the domains where they are asked for.
func yes(ctx context.Context, q confirm.Pending) confirm.Answer {
	shown, err := q.Question.Shown()
	if err != nil {
		return confirm.No(confirm.PathTerminal, confirm.AskFailed)
	}
	text := confirm.TerminalWord + "\n"
	for _, r := range shown.Typed {
		text += r.Address[strings.LastIndex(r.Address, "@")+1:] + "\n"
	}
	terminal := confirm.Terminal{Open: typed(text)}
	a, err := terminal.Ask(ctx, q)
	if err != nil {
		return confirm.No(confirm.PathTerminal, confirm.AskFailed)
	}
	return a
}

func (p *person) questions() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.asked)
}

// approve notes that somebody said yes to the question.
func (w *world) approve(text string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.approved = append(w.approved, text)
}

// check is the invariant of every test: what the server took is what was approved. For each message there is a record, made
// before it left, with the digest of its octets and its recipients; and a question with a yes that shows each recipient,
// the subject and every line of the text.
func (w *world) check() {
	w.mu.Lock()
	defer w.mu.Unlock()
	records := w.records(audit.OutcomeSending)
	for _, m := range w.fake.Messages() {
		digest := hex.EncodeToString(m.SHA256[:])
		if !slices.ContainsFunc(records, func(e audit.Entry) bool {
			return e.Digest == digest && slices.Equal(e.Recipients, m.ForwardPaths) && e.Approval != ""
		}) {
			w.t.Errorf("the server took a message to %v with digest %s that is not on record as approved", m.ForwardPaths, digest)
		}
		if w.Token {
			continue
		}
		if !slices.ContainsFunc(w.approved, func(q string) bool { return shows(q, m) }) {
			w.t.Errorf("no question with a yes shows this message to %v:\n%s\nquestions:\n%s", m.ForwardPaths, m.Octets, strings.Join(w.approved, "\n"))
		}
	}
	if len(w.fake.Messages()) > len(w.approved) && !w.Token {
		w.t.Errorf("%d messages left, and %d were approved", len(w.fake.Messages()), len(w.approved))
	}
}

// shows reports whether the question shows envelope, subject and text of m.
func shows(question string, m smtptest.Message) bool {
	parsed, err := mail.ReadMessage(strings.NewReader(string(m.Octets)))
	if err != nil {
		return false
	}
	question = strings.ReplaceAll(question, "\n>> ", "") // lines that were wrapped
	subject, err := new(mime.WordDecoder).DecodeHeader(parsed.Header.Get("Subject"))
	if shown := recipientsShown(question); len(shown) != len(m.ForwardPaths) || slices.ContainsFunc(m.ForwardPaths, func(p string) bool {
		return !slices.ContainsFunc(shown, func(value string) bool { return strings.Contains(value, "> "+p+"\n") })
	}) {
		return false
	}
	want := []string{subject}
	if parsed.Header.Get("Content-Transfer-Encoding") == "7bit" {
		_, body, _ := strings.Cut(string(m.Octets), "\r\n\r\n")
		want = append(want, strings.Split(body, "\r\n")...)
	}
	plain := hiddenMark.ReplaceAllStringFunc(question, func(mark string) string {
		n, err := strconv.ParseInt(mark[len("[U+"):len(mark)-1], 16, 32)
		if err != nil {
			return mark
		}
		return string(rune(n))
	})
	return err == nil && !slices.ContainsFunc(want, func(line string) bool { return !strings.Contains(question, line) && !strings.Contains(plain, line) })
}

// hiddenMark is how a question writes a character that would not show.
var hiddenMark = regexp.MustCompile(`\[U\+[0-9A-F]{4,6}\]`)

// recipientsShown are the values below the labels "To 1/2", "Cc 1/1" and so on, one string for each label.
func recipientsShown(question string) []string {
	var out []string
	within := false
	for line := range strings.Lines(question) {
		label, _, _ := strings.Cut(line, " ")
		_, number, _ := strings.Cut(line, "/")
		switch {
		case line == "\n", strings.HasPrefix(line, "The same address as the network sees it:"):
		case !strings.HasPrefix(line, ">"):
			if within = slices.Contains([]string{"To", "Cc", "Bcc"}, label) && number != ""; within {
				out = append(out, "")
			}
		case within:
			out[len(out)-1] += line
		}
	}
	return out
}

// records are the entries of the audit log with one of the outcomes; all without one.
func (w *world) records(outcomes ...audit.Outcome) []audit.Entry {
	w.t.Helper()
	list, err := audit.Read(filepath.Join(w.Dir, "audit.jsonl"), audit.Filter{Outcomes: outcomes})
	if err != nil && !w.Off {
		w.t.Fatalf("audit log: %v", err)
	}
	return list
}

// attempts are the states in the journal, newest first.
func (w *world) attempts(t *testing.T) []outbox.Attempt {
	t.Helper()
	box, err := outbox.Open(w.Dir, outbox.Options{MaxPerHour: 1000})
	if err != nil {
		t.Fatal(err)
	}
	defer box.Close()
	list, err := box.List(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// wantStates checks the journal, newest attempt first.
func (w *world) wantStates(t *testing.T, want ...outbox.State) {
	t.Helper()
	var got []outbox.State
	for _, a := range w.attempts(t) {
		got = append(got, a.State)
	}
	if !slices.Equal(got, want) {
		t.Errorf("journal: got %v, want %v", got, want)
	}
}

// wantNothing checks that the server was never spoken to.
func (w *world) wantNothing(t *testing.T) {
	t.Helper()
	if got := w.fake.Counts(); got != (smtptest.Counts{}) {
		t.Errorf("the server saw %+v, want 0 connections and 0 transactions", got)
	}
}

// wantMessages checks how many messages the server took.
func (w *world) wantMessages(t *testing.T, n int) []smtptest.Message {
	t.Helper()
	got := w.fake.Messages()
	if len(got) != n {
		t.Fatalf("the server took %d messages, want %d", len(got), n)
	}
	return got
}

// wantRecord checks that the newest record has the outcome and the code.
func (w *world) wantRecord(t *testing.T, outcome audit.Outcome, code string) {
	t.Helper()
	all := w.records()
	if len(all) == 0 {
		t.Fatal("the audit log is empty")
	}
	if last := all[len(all)-1]; last.Outcome != outcome || !strings.Contains(last.Code, code) {
		t.Errorf("newest record: got %s %q, want %s %q", last.Outcome, last.Code, outcome, code)
	}
}

// callTool calls a tool in this process.
func callTool(t *testing.T, m *mcpserve.Server, tool, args string) (mcpserve.Outcome, told) {
	t.Helper()
	out, err := m.CallTool(t.Context(), tool, json.RawMessage(args))
	if err != nil {
		t.Fatal(err)
	}
	var r told
	if !out.IsError && out.Structured != nil {
		if err := json.Unmarshal(out.Structured, &r); err != nil {
			t.Fatal(err)
		}
	}
	return out, r
}
