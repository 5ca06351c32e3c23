package readmail

import (
	"encoding/base64"
	"encoding/json"
	"flag"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"

	"mailgap/readmail/imaptest"
	"mailgap/shared/config"
	"mailgap/shared/mcpserve"
	"mailgap/shared/mcpserve/toolsnap"
)

var update = flag.Bool("update", false, "write the golden tool files instead of comparing")

// Limit: every conversation of a model pays for the list of tools.
const maxToolListOctets = 12_000

// The tools as a client sees them are kept in files: a changed word can change what a model does.
func TestToolsAreGolden(t *testing.T) {
	m, err := newServer(t, imaptest.New(t, inbox())).MCP()
	if err != nil {
		t.Fatal(err)
	}
	toolsnap.Check(t, m, toolsnap.Options{Dir: filepath.Join("..", "testdata", "tools", "imap-mcp"), Update: *update, MaxListOctets: maxToolListOctets})
	t.Logf("tools/list has %d octets", toolsnap.ListOctets(m))
}

func TestToolFilter(t *testing.T) {
	for name, tc := range map[string]struct {
		filter mcpserve.Filter
		want   string // names, or part of the error
		fails  bool
	}{
		"allow":        {mcpserve.Filter{Allow: []string{"get_message", "list_messages"}}, "list_messages get_message", false},
		"deny":         {mcpserve.Filter{Deny: []string{"get_attachment", "wait_for_message", "get_thread"}}, "get_server_info list_mailboxes list_messages list_new_messages get_message", false},
		"mistyped":     {mcpserve.Filter{Allow: []string{"get_mesage"}}, "write get_message", true},
		"deny unknown": {mcpserve.Filter{Deny: []string{"send_mail"}}, "no such tool", true},
	} {
		t.Run(name, func(t *testing.T) {
			s := newServer(t, imaptest.New(t, inbox()), func(c *Config) { c.Tools = tc.filter })
			m, err := s.MCP()
			if tc.fails {
				if err == nil || !strings.Contains(err.Error(), tc.want) {
					t.Errorf("error %v, want it to say %s", err, tc.want)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(m.ToolNames(), " "); got != tc.want {
				t.Errorf("tools %s, want %s", got, tc.want)
			}
			if _, err := m.CallTool(t.Context(), "get_thread", json.RawMessage(`{"ref":"x"}`)); err == nil {
				t.Error("a tool that is not offered was called")
			}
		})
	}
}

// Without credentials the server starts and lists its tools; each call says what to set.
func TestMissingCredentials(t *testing.T) {
	values, _, err := config.Load(nil, Settings())
	if err != nil {
		t.Fatal(err)
	}
	cfg, err := ConfigFrom(values)
	if err != nil {
		t.Fatal(err)
	}
	s, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	const ref = `{"ref":"imap://default/INBOX;UIDVALIDITY=1/;UID=1"}`
	for tool, args := range map[string]string{
		"list_mailboxes": `{}`, "list_messages": `{}`, "list_new_messages": `{}`, "get_message": ref, "get_thread": ref,
		"get_attachment": `{"ref":"imap://default/INBOX;UIDVALIDITY=1/;UID=1/;SECTION=1"}`, "wait_for_message": `{}`,
	} {
		if got := refused(t, s, tool, args); !strings.Contains(got, "IMAP_HOST") || !strings.Contains(got, "IMAP_PASSWORD_FILE") {
			t.Errorf("%s: %q, want it to name the settings", tool, got)
		}
	}
	if out := outcome(t, s, "get_server_info", `{}`); out.IsError || !strings.Contains(out.Text, "IMAP_USER") {
		t.Errorf("get_server_info: %s", out.Text)
	}
}

func TestServerInfo(t *testing.T) {
	s := newServer(t, imaptest.New(t, inbox()), func(c *Config) { c.ForbidReveal = true })
	got := call[struct {
		Configured, Connected bool
		Capabilities, Cannot  []string
		Zone                  string   `json:"time_zone"`
		Authserv              []string `json:"trusted_authserv_ids"`
		Reveal                bool     `json:"codes_can_be_revealed"`
		Saving                bool     `json:"saving_allowed"`
		Limits                map[string]int
	}](t, s, "get_server_info", `{}`)
	if !got.Configured || !got.Connected || !slices.Contains(got.Capabilities, "IMAP4REV1") || len(got.Cannot) == 0 || got.Zone != "UTC" ||
		len(got.Authserv) != 1 || got.Reveal || got.Saving || got.Limits["messages_per_page"] != maxPageSize {
		t.Errorf("info = %+v", got)
	}
	if text := outcome(t, s, "get_server_info", `{}`).Text; strings.Contains(text, imaptest.Password) || !strings.Contains(text, "It cannot: send") {
		t.Errorf("text = %s", text)
	}
}

func TestResources(t *testing.T) {
	s := newServer(t, imaptest.New(t, inbox(wrapped("7bit", innerMail()))))
	const ref = "imap://default/INBOX;UIDVALIDITY=1/;UID=1"
	for uri, want := range map[string]string{ref: "see the attached message", ref + "/;SECTION=2": "inner text", ref + "/;SECTION=2.2": "one"} {
		text, err := s.readResource(t.Context(), uri)
		if err != nil || !strings.Contains(text.SafeText(), want) {
			t.Errorf("%s: %v, %v; want %q", uri, text, err, want)
		}
	}
	for _, uri := range []string{"imap://default/INBOX;UIDVALIDITY=1/;UID=9", "imap://other/INBOX;UIDVALIDITY=1/;UID=1", "imap://default/x"} {
		if text, err := s.readResource(t.Context(), uri); err == nil {
			t.Errorf("%s: %v, want an error", uri, text)
		}
	}
}

func TestSnippets(t *testing.T) {
	s := newServer(t, imaptest.New(t, inbox(
		raw("From: a@example.com", "Subject: 1", "", "First line", "of the plain text.", "", strings.Repeat("more words ", 100)),
		raw("From: a@example.com", "Subject: 2", "Content-Type: text/html", "", "<style>p{color:red}</style><p>Seen words</p><p style=\"display:none\">unseen words</p>"),
		raw("From: a@example.com", "Subject: 3", "Content-Type: image/png", "Content-Transfer-Encoding: base64", "", "AAAA"))))
	l := call[gotList](t, s, "list_messages", `{"snippets":true}`)
	got := []string{l.Messages[2].Snippet, l.Messages[1].Snippet, l.Messages[0].Snippet}
	if !strings.HasPrefix(got[0], "First line of the plain text.") || len([]rune(got[0])) > maxSnippetChars || !strings.HasPrefix(got[1], "Seen words") || strings.Contains(got[1], "unseen") || got[2] != "" {
		t.Errorf("snippets = %q", got)
	}
}

// poison is what no result may hold: a terminal escape, a bidirectional override, a zero-width space, a tag character.
const poison = "\x1b[31m\u202e\u200b\U000e0041"

// leaks returns the first character of s that would act on a terminal or hide from a reader, or 0.
func leaks(s string) rune {
	for _, r := range s {
		if unicode.IsControl(r) && r != '\n' && r != '\t' || r == '\u202e' || r == '\u200b' || r >= 0xe0000 && r <= 0xe007f {
			return r
		}
	}
	return 0
}

// Text from strangers reaches a result through one door. Each field that a stranger controls holds characters that do not
// pass it; the words beside them show that the field did reach the answer.
func TestForeignTextIsCleanInEveryAnswer(t *testing.T) {
	if leaks("a"+poison) == 0 || leaks("plain\nwords") != 0 {
		t.Fatal("the check does not tell clean from unclean")
	}
	enc := "=?UTF-8?B?" + base64.StdEncoding.EncodeToString([]byte(poison)) + "?="
	p := func(word string) string { return word + " " + enc }
	msg := raw("From: "+p("FROMWORD")+" <a@example.com>", "To: "+p("TOWORD")+" <b@example.com>", "Cc: "+p("CCWORD")+" <c@example.com>", "Reply-To: "+p("REPLYWORD")+" <d@example.com>",
		"Subject: "+p("SUBJECTWORD"), "List-Id: LISTWORD"+poison+" <l.example.com>", "Message-ID: <id"+poison+"IDWORD@example.com>", "X-Own: XWORD"+poison, `Content-Type: multipart/mixed; boundary="b"`, "",
		"--b", "Content-Type: text/plain; charset=utf-8", "", "BODYWORD"+poison,
		"--b", "Content-Type: text/plain; charset=utf-8; name=\"NAMEWORD"+poison+".txt\"", "Content-Disposition: attachment", "", "FILEWORD"+poison, "--b--")
	s := newServer(t, imaptest.New(t, imaptest.Options{Mailboxes: []imaptest.Mailbox{{Name: "INBOX", Messages: []imaptest.Message{msg}}, {Name: "BOXWORD\u202e\u200b"}}}))
	const ref = `"ref":"imap://default/INBOX;UIDVALIDITY=1/;UID=1`
	for call, words := range map[[2]string]string{
		{"list_mailboxes", `{}`}:                                   "BOXWORD",
		{"list_messages", `{"snippets":true}`}:                     "FROMWORD SUBJECTWORD BODYWORD",
		{"list_messages", `{"mailboxes":["BOXWORD\u202e\u200b"]}`}: "BOXWORD",
		{"get_message", `{` + ref + `"}`}:                          "FROMWORD TOWORD CCWORD REPLYWORD SUBJECTWORD LISTWORD BODYWORD NAMEWORD",
		{"get_message", `{` + ref + `","view":"header"}`}:          "XWORD",
		{"get_thread", `{` + ref + `"}`}:                           "SUBJECTWORD BODYWORD",
		{"get_attachment", `{` + ref + `/;SECTION=2"}`}:            "FILEWORD NAMEWORD",
	} {
		out := outcome(t, s, call[0], call[1])
		var v any
		if err := json.Unmarshal(out.Structured, &v); err != nil && !out.IsError {
			t.Fatalf("%v: %v", call, err)
		}
		all := out.Text + strings.Join(stringsIn(v), "\n")
		if r := leaks(all); r != 0 {
			t.Errorf("%v: %U reached the answer: %q", call, r, all)
		}
		for word := range strings.FieldsSeq(words) {
			if !strings.Contains(all, word) {
				t.Errorf("%v: %s is missing: %s", call, word, all)
			}
		}
	}
}

// stringsIn returns all strings of a decoded JSON value, keys included.
func stringsIn(v any) (out []string) {
	switch v := v.(type) {
	case string:
		out = append(out, v)
	case []any:
		for _, e := range v {
			out = append(out, stringsIn(e)...)
		}
	case map[string]any:
		for k, e := range v {
			out = append(append(out, k), stringsIn(e)...)
		}
	}
	return out
}
