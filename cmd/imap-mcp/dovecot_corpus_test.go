package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/text/unicode/norm"

	"mailgap/readmail/imaptest"
)

type corpusEntry struct {
	File   string
	Kind   string // what is special about it; in our own index only
	Expect json.RawMessage
}

// minCorpus keeps a cut index from passing.
const minCorpus = 98

func testCorpus(t *testing.T, program string) {
	checkMessages(t, program, sharedMail(t), minCorpus)
}

// minField is how many messages testdata/mail/field has at least: one or more for each kind of mail that other readers
// are known to get wrong.
const minField = 64

func testField(t *testing.T, program string) {
	checkMessages(t, program, filepath.Join(repoRoot(t), "testdata", "mail", "field"), minField)
}

// checkMessages serves the messages of an index and checks what the tools say about each.
func checkMessages(t *testing.T, program, dir string, atLeast int) {
	t.Helper()
	var entries []corpusEntry
	readJSON(t, filepath.Join(dir, "INDEX.json"), &entries)
	if len(entries) < atLeast {
		t.Errorf("index holds %d messages, want at least %d", len(entries), atLeast)
	}
	var messages []imaptest.Message
	for i, e := range entries {
		raw, err := os.ReadFile(filepath.Join(dir, e.File))
		if err != nil {
			t.Fatal(err)
		}
		messages = append(messages, imaptest.Message{Raw: raw, InternalDate: receivedAt(i)})
	}
	_, c := startReader(t, program, imaptest.DovecotOptions{Mailboxes: []imaptest.Mailbox{{Name: "INBOX", Messages: messages}}},
		"IMAP_DOWNLOAD_DIR="+t.TempDir())
	listed, _ := allPages(t, c, args{"limit": 100, "snippets": true})
	if len(listed) != len(entries) {
		t.Errorf("%d messages listed, want %d", len(listed), len(entries))
	}
	threads, read := map[string][]string{}, map[string]bool{}
	for _, s := range listed {
		uid := uidOf(t, s.Ref)
		e := entries[uid-1]
		var want expectation
		dec := json.NewDecoder(bytes.NewReader(e.Expect))
		dec.DisallowUnknownFields()
		if err := dec.Decode(&want); err != nil {
			t.Errorf("%s: a key without a check: %v", e.File, err)
		}
		if want.Thread != "" {
			threads[want.Thread] = append(threads[want.Thread], s.Ref)
		}
		if !s.Received.Equal(receivedAt(uid - 1)) {
			t.Errorf("%s: received = %v, want %v", e.File, s.Received, receivedAt(uid-1))
		}
		t.Run(e.File, func(t *testing.T) { checkCorpus(t, c, s, want, read) })
	}
	checkThreads(t, c, threads)
}

// receivedAt is the internal date of the message at place i.
func receivedAt(i int) time.Time { return time.Date(2026, 1, 1, 0, i, 0, 0, time.UTC) }

// reading is everything the tools say about one message.
type reading struct {
	listed      summary
	auto        messageGot
	plain, html messageGot
	form        norm.Form
	read        map[string]bool // media types of which an attachment was read
}

func checkCorpus(t *testing.T, c *client, s summary, want expectation, read map[string]bool) {
	r := reading{listed: s, form: norm.NFC, read: read}
	if want.Normalise == "NFKC" {
		r.form = norm.NFKC
	}
	with := func(view string) args { return args{"view": view, "quotes": "show", "reveal_codes": true} }
	r.auto, r.plain, r.html = fullText(t, c, s.Ref, with("auto")), fullText(t, c, s.Ref, with("plain")), fullText(t, c, s.Ref, with("html"))
	r.checkHeader(t, want)
	r.checkText(t, want)
	r.checkAttachments(t, c, want)
	r.checkSameFacts(t)
	r.checkOwn(t, c, want)
}

// checkOwn checks the keys that only our own messages use.
func (r reading) checkOwn(t *testing.T, c *client, want expectation) {
	t.Helper()
	r.holds(t, "text chosen", r.auto.Body.Text, want.Auto)
	lines := strings.Split(r.auto.Body.Text, "\n")
	for _, l := range want.Lines {
		if !slices.ContainsFunc(lines, func(got string) bool { return strings.Contains(got, l) }) {
			t.Errorf("no line holds %q: %q", l, lines)
		}
	}
	if got := len(r.html.Body.Hidden); got < want.Hidden {
		t.Errorf("hidden passages = %d, want %d", got, want.Hidden)
	}
	if want.Compared && r.auto.Body.Comparison == "" {
		t.Error("nothing says that plain and HTML part differ")
	}
	if want.Cc != nil && !slices.Contains(r.auto.Cc, *want.Cc) {
		t.Errorf("cc = %q, want %q", r.auto.Cc, *want.Cc)
	}
	if r.auto.LeftOut != want.LeftOut {
		t.Errorf("attachments left out = %d, want %d", r.auto.LeftOut, want.LeftOut)
	}
	for _, p := range want.Problems {
		if !slices.Contains(r.auto.Problems, p) || !slices.Contains(r.listed.Problems, p) {
			t.Errorf("problems = %q in the message, %q in the list; want %q", r.auto.Problems, r.listed.Problems, p)
		}
	}
	unsafe := 0
	for _, a := range r.auto.Attachments {
		if a.NameUnsafe {
			unsafe++
		}
	}
	if unsafe < want.UnsafeNames {
		t.Errorf("names made safe = %d, want %d", unsafe, want.UnsafeNames)
	}
	if got := c.try(t, "get_message", args{"ref": r.listed.Ref}).octets; want.MaxResult > 0 && got > want.MaxResult {
		t.Errorf("get_message answers with %d octets, want at most %d", got, want.MaxResult)
	}
	if want.AttachedTitle == nil && len(want.AttachedText) == 0 || len(r.auto.Attachments) == 0 {
		return
	}
	f := call[fileGot](t, c, "get_attachment", args{"ref": r.auto.Attachments[0].Ref})
	r.equal(t, "title of the attachment", f.Title, want.AttachedTitle)
	r.holds(t, "text of the attachment", f.Body.Text, want.AttachedText)
	var sums []string
	for _, a := range f.Attachments {
		sums = append(sums, call[fileGot](t, c, "get_attachment", args{"ref": a.Ref, "action": "save"}).SHA256)
	}
	if !slices.Equal(sums, want.NestedSHA256) {
		t.Errorf("attachments of the attachment = %q, want %q", sums, want.NestedSHA256)
	}
}

func (r reading) norm(s string) string { return r.form.String(fold(undefang(s))) }

func (r reading) equal(t *testing.T, what, got string, want *string) {
	t.Helper()
	if want != nil && r.norm(got) != r.norm(*want) {
		t.Errorf("%s = %q, want %q", what, got, *want)
	}
}

// splitPerson divides "Name <address>".
func splitPerson(s string) (name, addr string) {
	if i := strings.LastIndex(s, "<"); i >= 0 && strings.HasSuffix(s, ">") {
		return strings.TrimSpace(s[:i]), s[i+1 : len(s)-1]
	}
	if strings.Contains(s, "@") {
		return "", s
	}
	return s, ""
}

func (r reading) checkHeader(t *testing.T, want expectation) {
	t.Helper()
	m := r.auto
	r.equal(t, "subject", m.Subject, want.Subject)
	if !strings.Contains(m.Subject, want.SubjectContains) {
		t.Errorf("subject = %q, want it to hold %q", m.Subject, want.SubjectContains)
	}
	name, addr := "", ""
	if len(m.From) > 0 {
		name, addr = splitPerson(m.From[0])
	}
	r.equal(t, "from", strings.ToLower(addr), want.From)
	r.equal(t, "from_name", name, want.FromName)
	if want.FromCount != nil && len(m.From) != *want.FromCount {
		t.Errorf("from_count = %d, want %d", len(m.From), *want.FromCount)
	}
	if want.ReplyTo != nil {
		if len(m.ReplyTo) == 0 {
			t.Fatalf("no reply_to, want %q", *want.ReplyTo)
		}
		_, addr := splitPerson(m.ReplyTo[0])
		r.equal(t, "reply_to", strings.ToLower(addr), want.ReplyTo)
	}
	if want.DateUTC != nil {
		got := m.Date.UTC().Format("2006-01-02T15:04:05Z")
		r.equal(t, "date_utc", got, want.DateUTC)
	}
	for what, v := range map[string]string{"from_name": name, "subject": m.Subject} {
		if strings.ContainsFunc(v, endsLine) {
			t.Errorf("%s = %q holds a line end or control character", what, v)
		}
	}
}

func endsLine(c rune) bool {
	return c < 0x20 || c >= 0x7f && c <= 0x9f || c == 0x2028 || c == 0x2029
}

func (r reading) checkText(t *testing.T, want expectation) {
	t.Helper()
	text := r.plain
	if text.Body.Shown == "none" {
		text = r.html
	}
	r.holds(t, "text", text.Body.Text, want.Text)
	r.holds(t, "unwrapped text", text.Body.Text, want.TextUnwrapped)
	r.holds(t, "HTML text", r.html.Body.Text, want.HTML)
	rest := r.norm(text.Body.Text)
	for _, s := range want.Order {
		_, after, ok := strings.Cut(rest, r.norm(s))
		if !ok {
			t.Errorf("%q is missing or out of order", s)
		}
		rest = after
	}
	for _, s := range want.TextAbsent {
		for view, m := range map[string]messageGot{"auto": r.auto, "plain": r.plain, "html": r.html} {
			if strings.Contains(m.Body.Text, s) || strings.Contains(m.Subject, s) {
				t.Errorf("view %s holds %q", view, s)
			}
		}
	}
	var targets []string
	for _, l := range r.html.Body.Links {
		targets = append(targets, undefang(l.Target))
	}
	for _, l := range want.Links {
		if !slices.Contains(targets, l) && !strings.Contains(undefang(text.Body.Text), l) {
			t.Errorf("link %q is not among %q", l, targets)
		}
	}
	if want.BodyNote != "" && len(r.auto.Body.Notes)+len(r.auto.Problems) == 0 {
		t.Errorf("nothing is said about the body, want a note on %q", want.BodyNote)
	}
}

func (r reading) holds(t *testing.T, what, text string, parts []string) {
	t.Helper()
	for _, p := range parts {
		if !strings.Contains(r.norm(text), r.norm(p)) {
			t.Errorf("%s lacks %q; it is %.500q", what, p, r.norm(text))
		}
	}
}

func (r reading) checkAttachments(t *testing.T, c *client, want expectation) {
	t.Helper()
	var names, sums []string
	var sizes []int64
	for _, a := range r.auto.Attachments {
		names = append(names, a.Name)
		r.checkName(t, a, want)
		f := call[fileGot](t, c, "get_attachment", args{"ref": a.Ref, "action": "save"})
		sums, sizes = append(sums, f.SHA256), append(sizes, f.Size)
		if r.read[a.MediaType] {
			continue // one file of each kind is enough: some are read in a process of their own
		}
		r.read[a.MediaType] = true
		if read := c.try(t, "get_attachment", args{"ref": a.Ref}); read.IsError && !strings.Contains(read.text(), "hint:") {
			t.Errorf("attachment %s %q cannot be read, and nothing says what to do: %s", a.MediaType, a.Name, read.text())
		}
		if f.Name != a.Name || f.MediaType != a.MediaType {
			t.Errorf("get_attachment says %q %q, get_message %q %q", f.Name, f.MediaType, a.Name, a.MediaType)
		}
	}
	if want.Attachments != nil && len(names) != *want.Attachments {
		t.Errorf("attachments = %d %q, want %d", len(names), names, *want.Attachments)
	}
	for _, n := range want.Names {
		if !slices.ContainsFunc(names, func(got string) bool { return r.norm(got) == r.norm(n) }) {
			t.Errorf("attachment %q is not among %q", n, names)
		}
	}
	if len(want.NamesAsSent) != 0 && len(names) != len(want.NamesAsSent) {
		t.Errorf("attachments = %q, want %d", names, len(want.NamesAsSent))
	}
	for _, sum := range want.SHA256 {
		if !slices.Contains(sums, sum) {
			t.Errorf("no attachment has SHA-256 %s; there are %q", sum, sums)
		}
	}
	for _, size := range want.Sizes {
		if !slices.Contains(sizes, size) {
			t.Errorf("no attachment has %d octets; there are %v", size, sizes)
		}
	}
	for _, typ := range want.PartTypes {
		if !slices.ContainsFunc(r.auto.Attachments, func(a attachmentGot) bool { return a.MediaType == typ }) {
			t.Errorf("no part of type %s among the attachments", typ)
		}
	}
}

func (r reading) checkName(t *testing.T, a attachmentGot, want expectation) {
	t.Helper()
	for _, bad := range append(want.NoChars, "/", "\\", "\r", "\n", "\x00") {
		if strings.Contains(a.Name, bad) {
			t.Errorf("attachment name %q holds %q", a.Name, bad)
		}
	}
	for _, bad := range append(want.NoPath, "..") {
		if slices.Contains(strings.Split(a.Name, "/"), bad) {
			t.Errorf("attachment name %q holds the path part %q", a.Name, bad)
		}
	}
	for _, sent := range want.NamesAsSent {
		if sent != a.Name && !a.NameUnsafe {
			t.Errorf("attachment name %q was sent as %q, and nothing says that it was changed", a.Name, sent)
		}
	}
}

// checkSameFacts compares what the list says with what reading says.
func (r reading) checkSameFacts(t *testing.T) {
	t.Helper()
	m := r.auto
	from := ""
	if len(m.From) > 0 {
		from = m.From[0]
	}
	if r.listed.Subject != m.Subject || r.listed.From != from || r.listed.Attachments != len(m.Attachments)+m.LeftOut {
		t.Errorf("list says %q from %q with %d attachments; reading says %q from %q with %d", r.listed.Subject, r.listed.From,
			r.listed.Attachments, m.Subject, from, len(m.Attachments))
	}
	if slices.Contains(r.listed.Problems, "unreadable") {
		t.Error("the list calls the message unreadable")
	}
}

// checkThreads asks for the conversation of each message and wants exactly the messages of its group.
func checkThreads(t *testing.T, c *client, groups map[string][]string) {
	t.Helper()
	t.Helper()
	if len(groups) < 2 {
		t.Errorf("the index has %d conversations, want at least 2", len(groups))
	}
	for name, want := range groups {
		slices.Sort(want)
		for _, ref := range want {
			var got []string
			for _, m := range call[threadGot](t, c, "get_thread", args{"ref": ref}).Messages {
				got = append(got, m.Ref)
			}
			slices.Sort(got)
			if !slices.Equal(got, want) {
				t.Errorf("conversation %s from %s = %v, want %v", name, ref, got, want)
			}
		}
	}
}
