package readmail

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mailgap/readmail/imaptest"
	"mailgap/readmail/session"
	"mailgap/shared/config"
	"mailgap/shared/mcpserve"
	"mailgap/shared/mcpserve/toolsnap"
)

// accountConfig is an account on ts.
func accountConfig(name string, ts *imaptest.Server) Config {
	return Config{Account: name, Zone: time.UTC, Now: epoch, Session: session.Config{
		Dial: ts.Dial, Host: "localhost", User: imaptest.User, TLS: session.TLSNone,
		Password: func(context.Context) (string, error) { return imaptest.Password, nil },
	}}
}

// numbered returns messages with these subjects, one at each hour given.
func numbered(prefix string, hours ...int) []imaptest.Message {
	var out []imaptest.Message
	for _, h := range hours {
		out = append(out, simple(fmt.Sprintf("%s%02d", prefix, h), epoch().Add(time.Duration(h-100)*time.Hour)))
	}
	return out
}

// group is two accounts: work with the odd hours, home with the even ones.
func group(t *testing.T, cfgs ...Config) *mcpserve.Server {
	t.Helper()
	if cfgs == nil {
		cfgs = []Config{
			accountConfig("work", imaptest.New(t, inbox(numbered("w", 1, 3, 5, 7)...))),
			accountConfig("home", imaptest.New(t, inbox(numbered("h", 2, 4, 6)...))),
		}
	}
	g, err := NewGroup(cfgs...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := g.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	m, err := g.MCP()
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// ask calls a tool and decodes its structured answer into v, unless v is nil.
func ask(t *testing.T, m *mcpserve.Server, tool, args string, v any) mcpserve.Outcome {
	t.Helper()
	out, err := m.CallTool(t.Context(), tool, json.RawMessage(args))
	if err != nil {
		t.Fatal(err)
	}
	if v == nil {
		return out
	}
	if out.IsError {
		t.Fatalf("%s %s: %s", tool, args, out.Text)
	}
	if err := json.Unmarshal(out.Structured, v); err != nil {
		t.Fatal(err)
	}
	return out
}

// With one account a group is the server: same tools, same schemas.
func TestGroupOfOne(t *testing.T) {
	ts := imaptest.New(t, inbox())
	one, alone := group(t, accountConfig("default", ts)), newServer(t, ts)
	m, err := alone.MCP()
	if err != nil {
		t.Fatal(err)
	}
	if string(one.ToolList()) != string(m.ToolList()) {
		t.Error("the tools of a group of one differ from those of its server")
	}
}

func TestGroupToolsAreGolden(t *testing.T) {
	toolsnap.Check(t, group(t), toolsnap.Options{Dir: filepath.Join("..", "testdata", "tools", "imap-mcp-accounts"), Update: *update, MaxListOctets: maxToolListOctets})
}

// Pages of two accounts are one list, newest first, over all cursors, and say which account each part is from.
func TestGroupListMessages(t *testing.T) {
	m := group(t)
	var got []string
	cursor := ""
	for range 5 {
		var l struct {
			gotList
			Coverage []struct{ Account, Mailbox string }
		}
		out := ask(t, m, "list_messages", `{"limit":3`+cursor+`}`, &l)
		var refs []string
		for _, x := range l.Messages {
			refs = append(refs, x.Subject+"@"+strings.Split(x.Ref, "/")[2])
		}
		got = append(got, fmt.Sprint(refs, l.Coverage))
		if cursor == "" && !strings.Contains(out.Text, "Account home, mailbox INBOX: 3 messages.") {
			t.Errorf("the text does not say what it covers: %s", out.Text)
		}
		if l.NextCursor == "" {
			break
		}
		cursor = `,"cursor":"` + l.NextCursor + `"`
	}
	want := []string{
		"[w07@work h06@home w05@work] [{work INBOX} {home INBOX}]",
		"[h04@home w03@work h02@home] [{work INBOX} {home INBOX}]",
		"[w01@work] [{work INBOX}]",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	var l gotList
	ask(t, m, "list_messages", `{"account":"home","snippets":true}`, &l)
	if l.subjects() != "h06|h04|h02" || len(l.Coverage) != 1 || !strings.Contains(l.Messages[0].Snippet, "Text of h06") {
		t.Errorf("one account: got %s, %v", l.subjects(), l.Coverage)
	}
	ask(t, m, "list_messages", `{"snippets":true,"subject":"0"}`, &l)
	if l.subjects() != "w07|h06|w05|h04|w03|h02|w01" || l.Messages[1].Snippet == "" || l.Messages[0].Snippet == "" {
		t.Errorf("a search in both: got %s", l.subjects())
	}
}

// A cursor is good for the accounts it was made for.
func TestGroupCursors(t *testing.T) {
	m := group(t)
	var l gotList
	ask(t, m, "list_messages", `{"limit":1,"account":"work"}`, &l)
	for _, args := range []string{`{"limit":1,"account":"home","cursor":"` + l.NextCursor + `"}`, `{"limit":1,"cursor":"` + l.NextCursor + `"}`} {
		if out := ask(t, m, "list_messages", args, nil); !out.IsError || !strings.Contains(out.Text, "other filters") {
			t.Errorf("%s: got %s", args, out.Text)
		}
	}
	ask(t, m, "list_messages", `{"limit":1}`, &l)
	raw, err := base64.RawURLEncoding.DecodeString(l.NextCursor)
	if err != nil {
		t.Fatal(err)
	}
	gone := base64.RawURLEncoding.EncodeToString(bytes.ReplaceAll(raw, []byte(`"a":"home"`), []byte(`"a":"gone"`)))
	if out := ask(t, m, "list_messages", `{"limit":1,"cursor":"`+gone+`"}`, nil); !out.IsError || !strings.Contains(out.Text, "other filters") {
		t.Errorf("a cursor of an account that is no longer configured: got %s", out.Text)
	}
	var n gotNew
	ask(t, m, "list_new_messages", `{"account":"home"}`, &n)
	cursor := `"cursor":"` + n.Cursor + `"`
	ask(t, m, "list_new_messages", `{`+cursor+`}`, &n)
	if n.Mailboxes[0].Since != "cursor" {
		t.Errorf("got %+v, want a comparison with the cursor of its account", n.Mailboxes)
	}
	if out := ask(t, m, "list_new_messages", `{"account":"work",`+cursor+`}`, nil); !out.IsError || !strings.Contains(out.Text, "other filters") {
		t.Errorf("a cursor of home for work: got %s", out.Text)
	}
}

// What takes a reference goes to the account that it names.
func TestGroupReferences(t *testing.T) {
	m := group(t)
	var l gotList
	ask(t, m, "list_messages", `{}`, &l)
	for _, x := range l.Messages[:2] {
		var got gotMessage
		ask(t, m, "get_message", `{"ref":"`+x.Ref+`"}`, &got)
		if got.Subject != x.Subject || !strings.Contains(got.Body.Text, x.Subject) {
			t.Errorf("%s: got %s", x.Ref, got.Subject)
		}
	}
	other := strings.Replace(l.Messages[0].Ref, "imap://work/", "imap://other/", 1)
	if out := ask(t, m, "get_message", `{"ref":"`+other+`"}`, nil); !out.IsError || !strings.Contains(out.Text, "another account") {
		t.Errorf("a ref of no account: got %s", out.Text)
	}
	if out := ask(t, m, "list_messages", `{"account":"other"}`, nil); !out.IsError {
		t.Errorf("an account that is not configured: got %s", out.Text)
	}
}

// An account that cannot be reached takes no answer of the others away, and is named.
func TestGroupPartial(t *testing.T) {
	broken := accountConfig("home", imaptest.New(t, inbox()))
	broken.Session.Dial = func(context.Context, string, string) (net.Conn, error) { return nil, errors.New("down") }
	m := group(t, accountConfig("work", imaptest.New(t, inbox(numbered("w", 1)...))), broken)
	var l struct {
		Messages []gotSummary
		Coverage []struct{ Account, Error string }
	}
	out := ask(t, m, "list_messages", `{}`, &l)
	if len(l.Messages) != 1 || len(l.Coverage) != 2 || l.Coverage[1].Account != "home" || !strings.Contains(l.Coverage[1].Error, "cannot be reached") ||
		!strings.Contains(out.Text, "Account home, mailbox * was not read") {
		t.Errorf("got %+v and %s", l, out.Text)
	}
	var boxes struct {
		Mailboxes []struct{ Account, Name, Error string }
	}
	ask(t, m, "list_mailboxes", `{}`, &boxes)
	last := boxes.Mailboxes[len(boxes.Mailboxes)-1]
	if boxes.Mailboxes[0].Account != "work" || boxes.Mailboxes[0].Name != "INBOX" || last.Account != "home" || last.Error == "" {
		t.Errorf("got %+v", boxes)
	}
	if out := ask(t, m, "list_messages", `{"account":"home"}`, nil); !out.IsError {
		t.Errorf("the broken account alone: got %s", out.Text)
	}
}

func TestGroupInfo(t *testing.T) {
	m := group(t)
	var got struct {
		Account  string
		Accounts []string
	}
	ask(t, m, "get_server_info", `{"account":"home"}`, &got)
	if fmt.Sprint(got) != "{home [work home]}" {
		t.Errorf("got %v", got)
	}
}

func TestGroupRefusesTwins(t *testing.T) {
	ts := imaptest.New(t, inbox())
	if _, err := NewGroup(accountConfig("a", ts), accountConfig("a", ts)); !errors.Is(err, ErrAccountTwice) {
		t.Errorf("got %v, want ErrAccountTwice", err)
	}
}

// Faults of one account name it.
func TestConfigsFromNamesTheAccount(t *testing.T) {
	path := filepath.Join(t.TempDir(), "imap.toml")
	writeFile(t, path, "[account.work]\nhost = \"a.example\"\n[account.home]\nhost = \"b.example\"\ntls = \"none\"\n")
	all, _, err := config.LoadAll(Settings(), config.Options{File: path})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := ConfigsFrom(all); err == nil || !strings.HasPrefix(err.Error(), "[account.home] IMAP_TLS: none is for loopback") {
		t.Errorf("got %v", err)
	}
}

func writeFile(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
