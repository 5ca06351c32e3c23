package readmail

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"mailgap/readmail/demo"
	"mailgap/readmail/imaptest"
	"mailgap/readmail/session"
	"mailgap/sanitize"
	"mailgap/shared/fingerprint"
	"mailgap/shared/ledger"
	"mailgap/shared/ledger/reader"
	"mailgap/shared/ledger/writer"
	"mailgap/shared/mcpserve"
)

// recording gives a server a ledger, and returns a reader of it.
func recording(t *testing.T) (func(*Config), *reader.Reader) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "ledger")
	w, err := writer.Open(dir, writer.Options{Clock: epoch})
	if err != nil {
		t.Fatal(err)
	}
	r, err := reader.Open(dir, reader.Options{Clock: epoch})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(w.Close(), r.Close()); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	return func(c *Config) { c.Ledger = w }, r
}

// spy keeps what is recorded in memory.
type spy struct {
	mu      sync.Mutex
	records []ledger.Record
	err     error
}

func (s *spy) Record(_ context.Context, records []ledger.Record) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.records = append(s.records, records...)
	return s.err
}

// sources parses the files of this package that are no tests.
func sources(t *testing.T) map[string]*ast.File {
	t.Helper()
	names, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]*ast.File{}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		out[name] = f
	}
	return out
}

// Tools and resources are made at the door alone, so that none gets past it.
func TestOnlyTheDoorMakesTools(t *testing.T) {
	made := 0
	for name, f := range sources(t) {
		ast.Inspect(f, func(n ast.Node) bool {
			sel, ok := n.(*ast.SelectorExpr)
			if !ok || !slices.Contains([]string{"Define", "DefineAsking", "DefineResource"}, sel.Sel.Name) {
				return true
			}
			if made++; name != "door.go" {
				t.Errorf("%s makes a tool or resource by itself, with %s", name, sel.Sel.Name)
			}
			return true
		})
	}
	if made != 2 {
		t.Errorf("%d places make tools or resources, want 2", made)
	}
}

// Each text of a result says whose words it holds.
func TestEveryTextIsPlaced(t *testing.T) {
	placed := 0
	words := placeWords()
	for name, f := range sources(t) {
		ast.Inspect(f, func(n ast.Node) bool {
			field, ok := n.(*ast.Field)
			if !ok || field.Tag == nil || !strings.Contains(field.Tag.Value, "json:") {
				return true
			}
			typ := field.Type
			if list, ok := typ.(*ast.ArrayType); ok {
				typ = list.Elt
			}
			if sel, ok := typ.(*ast.SelectorExpr); !ok || sel.Sel.Name != "Clean" {
				return true
			}
			raw, err := strconv.Unquote(field.Tag.Value)
			if err != nil {
				t.Fatal(err)
			}
			tag := reflect.StructTag(raw).Get("place")
			if _, ok := words[tag]; !ok && !slices.Contains([]string{"-", "server", "error"}, tag) {
				t.Errorf("%s: field %v has place %q", name, field.Names, tag)
			}
			placed++
			return true
		})
	}
	if placed < 60 {
		t.Errorf("only %d texts were found; the search misses some", placed)
	}
}

// mark is a word that stands for what a stranger writes in one place. Its normalised form has 28 octets and more, and no two have
// a run in common.
func mark(place string) string {
	sum := sha256.Sum256([]byte(place))
	word := []byte("qz")
	for _, b := range sum[:16] {
		word = append(word, 'a'+b>>4, 'a'+b&15)
	}
	return string(word)
}

// marked is a message that has a word of its own in every place.
func marked() imaptest.Message {
	inner := []string{"From: Inner <inner@example.com>", "Subject: " + mark("innersubject"), "MIME-Version: 1.0",
		`Content-Type: multipart/mixed; boundary="in"`, "", "--in", "Content-Type: text/plain", "", mark("innertext"), "--in",
		`Content-Type: text/csv; name="` + mark("innerfile") + `.csv"`, "Content-Disposition: attachment", "", "a," + mark("innercell"), "--in--"}
	lines := append([]string{
		"Authentication-Results: mx.example.org; dmarc=pass header.from=example.com", "From: " + mark("from") + " <accounts@example.com>",
		"To: " + mark("to") + " <reader@example.org>", "Cc: " + mark("cc") + " <cc@example.org>", "Reply-To: " + mark("replyto") + " <other@rebound.example>",
		"Subject: " + mark("subject"), "Date: " + epoch().Format("Mon, 02 Jan 2006 15:04:05 -0700"), "Message-ID: <" + mark("id") + "@example.com>",
		"In-Reply-To: <" + mark("irt") + "@example.com>", "References: <" + mark("ref") + "@example.com>", "List-Id: <" + mark("list") + ".example.com>",
		"List-Post: <mailto:list@example.com>", "X-Stranger: " + mark("header"), "MIME-Version: 1.0", `Content-Type: multipart/mixed; boundary="b"`, "",
		"--b", `Content-Type: multipart/alternative; boundary="a"`, "", "--a", "Content-Type: text/plain", "", mark("plain") + " and more of it", "--a",
		"Content-Type: text/html", "", `<p>` + mark("html") + ` and <a href="https://` + mark("host") + `.example/` + mark("path") + `">` + mark("linktext") + `</a></p>` +
			`<p style="display:none">` + mark("hidden") + `</p>`, "--a--",
		"--b", `Content-Type: text/plain; name="` + mark("file") + `.txt"`, "Content-Disposition: attachment", "", mark("filetext"),
		"--b", "Content-Type: message/rfc822", "",
	}, append(inner, "--b--")...)
	return imaptest.Message{Raw: mail(lines...), InternalDate: epoch()}
}

// every calls each tool and resource of s in each way that hands out something else.
func every(t *testing.T, s *Server) map[string]string {
	t.Helper()
	const ref = `imap://default/INBOX;UIDVALIDITY=1/;UID=1`
	cursor := encodeCursor(newCursor{V: cursorVersion, Kind: newCursorKind, Boxes: []newBox{{Mailbox: "INBOX", UIDValidity: 1, UIDNext: 1}}}).String()
	out := map[string]string{}
	tools := map[string]bool{}
	for _, c := range [][2]string{
		{"get_server_info", `{}`}, {"list_mailboxes", `{}`}, {"list_messages", `{}`}, {"list_messages", `{"snippets":true}`},
		{"list_new_messages", `{"cursor":"` + cursor + `"}`}, {"wait_for_message", `{"cursor":"` + cursor + `"}`},
		{"get_message", `{"ref":"` + ref + `"}`}, {"get_message", `{"ref":"` + ref + `","view":"plain"}`}, {"get_message", `{"ref":"` + ref + `","view":"html","show_hidden":true}`},
		{"get_message", `{"ref":"` + ref + `","view":"header"}`}, {"get_message", `{"ref":"` + ref + `","view":"html","offset":100,"max_chars":100}`},
		{"get_thread", `{"ref":"` + ref + `"}`}, {"get_attachment", `{"ref":"` + ref + `/;SECTION=2"}`}, {"get_attachment", `{"ref":"` + ref + `/;SECTION=2","action":"save"}`},
		{"get_attachment", `{"ref":"` + ref + `/;SECTION=3"}`}, {"get_attachment", `{"ref":"` + ref + `/;SECTION=3.2"}`},
	} {
		o := outcome(t, s, c[0], c[1])
		if o.IsError {
			t.Fatalf("%s %s: %s", c[0], c[1], o.Text)
		}
		tools[c[0]] = true
		out[c[0]+" "+c[1]] = o.Text + "\n" + string(o.Structured)
	}
	for _, tool := range s.Tools() {
		if !tools[tool.Name()] {
			t.Errorf("%s is not called", tool.Name())
		}
	}
	for _, uri := range []string{ref, ref + "/;SECTION=2"} {
		text, err := s.readResource(t.Context(), uri)
		if err != nil {
			t.Fatalf("%s: %v", uri, err)
		}
		out["resource "+uri] = text.SafeText()
	}
	return out
}

// What a stranger wrote in any place, and any result shows in any form, is on record, under the message it came from.
func TestWhatIsHandedOutIsRecorded(t *testing.T) {
	marks := regexp.MustCompile(`qz[a-p]{32}`)
	seen := map[string]bool{}
	ledgerOf, _ := recording(t)
	all := every(t, newServer(t, imaptest.New(t, inbox(marked())), ledgerOf, func(c *Config) { c.DownloadDir = t.TempDir() }))
	for _, text := range all {
		for _, m := range marks.FindAllString(text, -1) {
			seen[m] = true
		}
	}
	for _, place := range []string{"from", "to", "cc", "replyto", "subject", "id", "irt", "ref", "list", "header", "plain", "html", "host", "path", "linktext", "hidden",
		"file", "filetext", "innersubject", "innertext", "innerfile", "innercell"} {
		if !seen[mark(place)] {
			t.Errorf("no result shows what stands in %s", place)
		}
	}
	// Each result by itself: a ledger that saw nothing else knows all that it shows.
	for name := range all {
		ledgerOf, r := recording(t)
		s := newServer(t, imaptest.New(t, inbox(marked())), ledgerOf, func(c *Config) { c.DownloadDir = t.TempDir() })
		var text string
		if uri, ok := strings.CutPrefix(name, "resource "); ok {
			safe, err := s.readResource(t.Context(), uri)
			if err != nil {
				t.Fatal(err)
			}
			text = safe.SafeText()
		} else {
			tool, args, _ := strings.Cut(name, " ")
			o := outcome(t, s, tool, args)
			text = o.Text + "\n" + string(o.Structured)
		}
		for _, m := range slices.Compact(slices.Sorted(slices.Values(marks.FindAllString(text, -1)))) {
			found, err := r.Matches(t.Context(), fingerprint.NewQuery(m), 5)
			if err != nil || len(found) != 1 || found[0].Message.Ref != "imap://default/INBOX;UIDVALIDITY=1/;UID=1" {
				t.Errorf("%s: %s is not on record: %d matches, %v", name, m, len(found), err)
			}
		}
	}
}

// The whole demo mailbox, read in every way: every run of 28 normalised octets of each message's texts is found again, under the
// right message.
func TestDemoIsRecorded(t *testing.T) {
	ledgerOf, r := recording(t)
	s := newServerDial(t, session.Config{Dial: demo.Dialer()}, ledgerOf, func(c *Config) { c.Session.User = demo.User; c.Session.Password = demoPassword })
	list := call[gotList](t, s, "list_messages", `{"mailboxes":["*"],"limit":100,"snippets":true}`)
	checked := 0
	check := func(ref, text string) {
		t.Helper()
		q := fingerprint.NewQuery(refang(text))
		if q.Octets() < fingerprint.SharedOctets {
			return
		}
		checked++
		found, err := r.Matches(t.Context(), q, 500)
		if err != nil {
			t.Fatal(err)
		}
		i := slices.IndexFunc(found, func(m reader.Match) bool { return m.Message.Ref == ref })
		if i < 0 {
			t.Errorf("%s: %q is not on record", ref, text)
			return
		}
		var hits []fingerprint.Hit
		for _, h := range found[i].Hits {
			hits = append(hits, h.Hit)
		}
		ends := 2 * (fingerprint.WindowGrams - 1)
		if c := q.Cover(hits, nil); c.Octets < q.Octets()-ends {
			t.Errorf("%s: %d of %d octets are on record", ref, c.Octets, q.Octets())
		}
	}
	for _, m := range list.Messages {
		check(m.Ref, m.Subject)
		check(m.Ref, m.Snippet)
		got := call[gotMessage](t, s, "get_message", `{"ref":"`+m.Ref+`","show_hidden":true,"quotes":"show","max_chars":50000}`)
		check(m.Ref, got.Body.Text)
		for _, h := range got.Body.Hidden {
			check(m.Ref, h.Text)
		}
		for _, a := range got.Attachments {
			if !strings.HasPrefix(a.MediaType, "text/") && a.MediaType != "message/rfc822" {
				continue // read in a child process, which this test is not
			}
			if o := outcome(t, s, "get_attachment", `{"ref":"`+a.Ref+`","show_hidden":true,"max_chars":50000}`); !o.IsError {
				check(m.Ref, decodeTo[struct{ Body struct{ Text string } }](t, o).Body.Text)
			}
		}
	}
	if checked < 100 {
		t.Errorf("only %d texts were compared", checked)
	}
}

func demoPassword(context.Context) (string, error) { return demo.Password, nil }

// What cannot be recorded does not leave, whatever the tool, and the error says what to do.
func TestNoReadWithoutARecord(t *testing.T) {
	for want, err := range map[string]error{
		"no space is left": ledger.ErrFull, "locked": ledger.ErrBusy, "key of the ledger": ledger.ErrKey, "imap-mcp ledger": ledger.ErrReadOnly,
	} {
		s := newServer(t, imaptest.New(t, inbox(marked())), func(c *Config) { c.Ledger = &spy{err: fmt.Errorf("%w: why", err)} })
		const ref = "imap://default/INBOX;UIDVALIDITY=1/;UID=1"
		for _, c := range [][2]string{
			{"get_server_info", `{}`}, {"list_mailboxes", `{}`}, {"list_messages", `{}`}, {"list_new_messages", `{}`}, {"get_message", `{"ref":"` + ref + `"}`},
			{"get_thread", `{"ref":"` + ref + `"}`}, {"get_attachment", `{"ref":"` + ref + `/;SECTION=2"}`},
		} {
			o := outcome(t, s, c[0], c[1])
			if !o.IsError || !strings.Contains(o.Text, want) || !strings.Contains(o.Text, "hint: ") {
				t.Errorf("%s with %v: %q, want a refusal that says %q and what to do", c[0], err, o.Text, want)
			}
			if strings.Contains(o.Text+string(o.Structured), "qz") {
				t.Errorf("%s: the refusal hands out what it may not: %s", c[0], o.Text)
			}
		}
		if text, err := s.readResource(t.Context(), ref); err == nil {
			t.Errorf("resource: %v, want an error", text)
		}
	}
}

// A file that is saved can leave in another way than through a model: its text is on record first, though no result shows it.
func TestSavedFileIsRecorded(t *testing.T) {
	const args = `{"ref":"imap://default/INBOX;UIDVALIDITY=1/;UID=1/;SECTION=2","action":"save"}`
	dir := t.TempDir()
	s := newServer(t, imaptest.New(t, inbox(marked())), func(c *Config) { c.DownloadDir, c.Ledger = dir, &spy{err: ledger.ErrFull} })
	refused(t, s, "get_attachment", args)
	if files, err := os.ReadDir(dir); len(files) > 0 || err != nil {
		t.Errorf("saved without a record: %v, %v", files, err)
	}
	ledgerOf, r := recording(t)
	s = newServer(t, imaptest.New(t, inbox(marked())), ledgerOf, func(c *Config) { c.DownloadDir = dir })
	if o := outcome(t, s, "get_attachment", args); o.IsError || strings.Contains(o.Text, mark("filetext")) {
		t.Errorf("save: %s", o.Text)
	}
	if found, err := r.Matches(t.Context(), fingerprint.NewQuery(mark("filetext")), 1); err != nil || len(found) != 1 {
		t.Errorf("text of the saved file: %d matches, %v", len(found), err)
	}
}

// A ledger that cannot be written on the disk stops the reading as well.
func TestNoReadWithoutADirectory(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	w, err := writer.Open(filepath.Join(file, "ledger"), writer.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	s := newServer(t, imaptest.New(t, inbox(marked())), func(c *Config) { c.Ledger = w })
	if got := refused(t, s, "list_messages", `{}`); !strings.Contains(got, "could not be recorded") || !strings.Contains(got, "IMAP_LEDGER=false") {
		t.Errorf("refusal = %q", got)
	}
}

// The words of a mail server reach the model in errors too, and are recorded as its own.
func TestServerWordsAreRecorded(t *testing.T) {
	rec := &spy{}
	s := newServer(t, imaptest.New(t, inbox()), func(c *Config) { c.Ledger = rec })
	fail := recorded(s, func(context.Context, *mcpserve.Call, struct{}) (mcpserve.Result[mailboxResult], error) {
		return mcpserve.Result[mailboxResult]{}, explain(&session.ServerError{Status: "NO", Command: "SELECT", TextRaw: mark("server")})
	})
	if _, err := fail(t.Context(), nil, struct{}{}); err == nil {
		t.Fatal("no error")
	}
	inside := recorded(s, func(context.Context, *mcpserve.Call, struct{}) (mcpserve.Result[mailboxResult], error) {
		e := errorText(&session.ServerError{Status: "NO", Command: "STATUS", TextRaw: mark("status")})
		return mcpserve.Result[mailboxResult]{Structured: mailboxResult{Mailboxes: []mailboxEntry{{Name: sanitize.Line("INBOX", 0), Error: e}}}}, nil
	})
	if _, err := inside(t.Context(), nil, struct{}{}); err != nil {
		t.Fatal(err)
	}
	var texts []string
	for _, r := range rec.records {
		if r.Ref != "imap://default/" {
			t.Errorf("recorded under %s", r.Ref)
		}
		for _, x := range r.Texts {
			texts = append(texts, x.Text)
		}
	}
	all := strings.Join(texts, "|")
	for _, want := range []string{mark("server"), mark("status"), "INBOX"} {
		if !strings.Contains(all, want) {
			t.Errorf("recorded %q, want %s", all, want)
		}
	}
	if strings.Contains(all, "hint") || strings.Contains(all, "answered") {
		t.Errorf("our own words are recorded as those of the server: %q", all)
	}
}

// The facts that an answer needs are those of the header, and say what was checked.
func TestFactsForAnswers(t *testing.T) {
	ledgerOf, r := recording(t)
	s := newServer(t, imaptest.New(t, inbox(marked())), ledgerOf, func(c *Config) { c.Confidential = []string{"in*"} })
	const ref = "imap://default/INBOX;UIDVALIDITY=1/;UID=1"
	call[gotList](t, s, "list_messages", `{}`)
	m, ok, err := r.Message(t.Context(), ref)
	if err != nil || !ok || m.Complete || m.Author != ledger.AuthorNotChecked || m.From[0].AddrSpec() != "accounts@example.com" {
		t.Errorf("after the list: %+v, %v, %v", m.Facts, ok, err)
	}
	call[gotMessage](t, s, "get_message", `{"ref":"`+ref+`"}`)
	for _, tool := range []string{"get_message", "get_thread", "list_messages"} {
		if tool == "get_thread" {
			outcome(t, s, tool, `{"ref":"`+ref+`"}`)
		}
		if tool == "list_messages" {
			call[gotList](t, s, "list_messages", `{"snippets":true}`)
		}
		m, ok, err = r.Message(t.Context(), ref)
		if err != nil || !ok || !m.Complete || m.Author != ledger.AuthorVerified || m.AuthorDomain != "example.com" || m.FromFields != 1 || m.ReplyFields != 1 ||
			m.ReplyTo[0].AddrSpec() != "other@rebound.example" || m.Cc[0].AddrSpec() != "cc@example.org" || m.To[0].AddrSpec() != "reader@example.org" ||
			m.MessageID != mark("id")+"@example.com" || len(m.References) != 1 || len(m.InReplyTo) != 1 || m.ListPost != "<mailto:list@example.com>" ||
			!m.Confidential || m.Mailbox != "INBOX" || m.Account != "default" || !strings.Contains(m.FromRaw, "accounts@example.com") {
			t.Errorf("after %s: %+v, %v, %v", tool, m.Facts, ok, err)
		}
	}
	if n := r.Health(t.Context()); n.State != ledger.StateOK || n.Entries > 8 {
		t.Errorf("ledger: %+v, want ok and few entries", n)
	}
}

func TestMatchPattern(t *testing.T) {
	for _, c := range []struct {
		pattern, name string
		want          bool
	}{
		{"hr", "hr", true}, {"hr", "hr/pay", false}, {"hr*", "hr/pay", true}, {"*", "anything", true}, {"*pay*", "hr/payroll", true}, {"*pay", "hr/payroll", false},
		{"hr/*/secret", "hr/2026/secret", true}, {"hr/*/secret", "hr/secret", false}, {"a*a", "a", false}, {"", "", true}, {"", "x", false}, {"a*b*c", "a-b-b-c", true},
	} {
		if got := matchPattern(c.pattern, c.name); got != c.want {
			t.Errorf("matchPattern(%q, %q) = %v, want %v", c.pattern, c.name, got, c.want)
		}
	}
}

func decodeTo[T any](t *testing.T, o mcpserve.Outcome) (v T) {
	t.Helper()
	if err := json.Unmarshal(o.Structured, &v); err != nil {
		t.Fatal(err)
	}
	return v
}
