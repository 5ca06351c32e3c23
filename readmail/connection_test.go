package readmail

import (
	"bufio"
	"context"
	"encoding/base64"
	"fmt"
	"net"
	"slices"
	"strings"
	"testing"

	"github.com/emersion/go-imap/v2"

	"mailgap/readmail/imaptest"
	"mailgap/readmail/session"
)

// Several servers do not open a mailbox before a well-formed ID; ID that is refused changes nothing.
func TestIDBeforeExamine(t *testing.T) {
	for name, id := range map[string]imaptest.Step{"taken": imaptest.On("ID").OK(`* ID ("name" "srv")`), "refused": imaptest.On("ID").Reply("{tag} BAD no")} {
		t.Run(name, func(t *testing.T) {
			ts := imaptest.NewScripted(t, imaptest.Script{Steps: []imaptest.Step{id, examined(1), imaptest.On("FETCH").OK(rowOf(1, "one", goodStructure))}})
			l := call[gotList](t, newServerDial(t, session.Config{Dial: ts.Dial}), "list_messages", `{}`)
			verbs := ts.Verbs()
			if at := slices.Index(verbs, "ID"); l.subjects() != "one" || at < 0 || at > slices.Index(verbs, "EXAMINE") {
				t.Errorf("listed %q, commands %v; want ID before EXAMINE", l.subjects(), verbs)
			}
		})
	}
	s := scripted(t, imaptest.On("EXAMINE").Reply("{tag} NO EXAMINE Unsafe Login. Please contact kefu@188.example for help"))
	if got := refused(t, s, "list_messages", `{}`); !strings.Contains(got, "hint") || !strings.Contains(got, "Unsafe Login") {
		t.Errorf("Unsafe Login: %q, want a hint and the server's words", got)
	}
}

func TestConnectionTrouble(t *testing.T) {
	page := []imaptest.Step{examined(1), imaptest.On("FETCH").OK(rowOf(1, "one", goodStructure))}
	script := func(steps ...imaptest.Step) imaptest.Script { return imaptest.Script{Steps: append(steps, page...)} }
	for name, tc := range map[string]struct {
		scripts []imaptest.Script
		want    string // part of the answer
		fails   bool
	}{
		"closed in the middle of an answer":   {[]imaptest.Script{script(imaptest.On("FETCH").Raw("* 1 FETCH (UID 1 BODY[] {500}\r\nshort").Close()), script()}, "one", false},
		"BYE instead of an answer":            {[]imaptest.Script{script(imaptest.On("EXAMINE").Reply("* BYE server restarts").Close()), script()}, "one", false},
		"BYE twice":                           {[]imaptest.Script{script(imaptest.On("EXAMINE").Reply("* BYE server restarts").Close())}, "hint", true},
		"LOGINDISABLED":                       {[]imaptest.Script{{Caps: "IMAP4rev1 LOGINDISABLED", Steps: page}}, "LOGINDISABLED", true},
		"basic authentication switched off":   {[]imaptest.Script{{Auth: []string{"{tag} NO [AUTHENTICATIONFAILED] Basic authentication is disabled"}, Steps: page}}, "set IMAP_AUTH=xoauth2 and IMAP_OAUTH_TOKEN_COMMAND", true},
		"login impossible for the time being": {[]imaptest.Script{{Auth: []string{"{tag} NO [UNAVAILABLE] try later"}, Steps: page}}, "try again later", true},
		"no such mailbox":                     {[]imaptest.Script{{Steps: []imaptest.Step{imaptest.On("EXAMINE").Reply("{tag} NO [NONEXISTENT] never heard of it")}}}, "never heard of it", true},
		"more EXISTS during the answer":       {[]imaptest.Script{{Steps: []imaptest.Step{examined(1), imaptest.On("FETCH").OK("* 9 EXISTS", "* 4 RECENT", rowOf(1, "one", goodStructure), "* 3 EXPUNGE")}}}, "one", false},
	} {
		t.Run(name, func(t *testing.T) {
			s := newServerDial(t, session.Config{Dial: imaptest.NewScripted(t, tc.scripts...).Dial})
			out := outcome(t, s, "list_messages", `{}`)
			if out.IsError != tc.fails || !strings.Contains(out.Text, tc.want) {
				t.Errorf("error %v: %s\nwant error %v with %q", out.IsError, out.Text, tc.fails, tc.want)
			}
			if strings.Contains(out.Text, imaptest.Password) {
				t.Errorf("the answer holds the password")
			}
		})
	}
}

// After a rejected login the same credentials are not sent again, however often a model asks.
func TestRejectedLoginIsNotRepeated(t *testing.T) {
	ts := imaptest.NewScripted(t, imaptest.Script{Auth: []string{"{tag} NO [AUTHENTICATIONFAILED] wrong"}})
	s := newServerDial(t, session.Config{Dial: ts.Dial})
	refused(t, s, "list_messages", `{}`)
	for range 5 {
		if got := refused(t, s, "list_messages", `{}`); !strings.Contains(got, "no new attempt is made until") {
			t.Fatalf("repeated call: %q, want a pause", got)
		}
	}
	logins := 0
	for _, c := range ts.Commands() {
		if c.Tag != "" && (c.Verb == "LOGIN" || c.Verb == "AUTHENTICATE") {
			logins++
		}
	}
	if logins != 1 {
		t.Errorf("%d logins were sent, want 1: %v", logins, ts.Verbs())
	}
}

// An OAuth exchange fails with a challenge that the client has to answer before it learns the result.
func TestFailedOAuth(t *testing.T) {
	detail := base64.StdEncoding.EncodeToString([]byte(`{"status":"400","schemes":"bearer","scope":"mail"}`))
	dial := func(context.Context, string, string) (net.Conn, error) {
		client, server := net.Pipe()
		go func() {
			defer server.Close()
			fmt.Fprint(server, "* OK [CAPABILITY IMAP4rev1 SASL-IR AUTH=XOAUTH2] ready\r\n")
			tag := ""
			for lines := bufio.NewScanner(server); lines.Scan(); {
				if id, rest, _ := strings.Cut(lines.Text(), " "); strings.HasPrefix(rest, "AUTHENTICATE") {
					tag = id
					fmt.Fprintf(server, "+ %s\r\n", detail)
				} else if tag != "" {
					fmt.Fprintf(server, "%s NO [AUTHENTICATIONFAILED] Invalid credentials\r\n", tag)
				}
			}
		}()
		return client, nil
	}
	s := newServerDial(t, session.Config{Dial: dial, Auth: session.AuthXOAuth2, Token: func(context.Context) (string, error) { return "a-token", nil }})
	got := refused(t, s, "list_messages", `{}`)
	if !strings.Contains(got, "refused the login") || strings.Contains(got, "a-token") {
		t.Errorf("failed exchange: %q", got)
	}
}

// A connection that the server dropped while nothing happened is replaced without a word.
func TestDroppedIdleConnectionIsTransparent(t *testing.T) {
	ts := imaptest.New(t, inbox(many(3)...))
	s := newServer(t, ts)
	want := call[gotList](t, s, "list_messages", `{}`).subjects()
	for range 3 {
		ts.DropConnections()
		if got := call[gotList](t, s, "list_messages", `{}`).subjects(); got != want {
			t.Errorf("after the drop: %q, want %q", got, want)
		}
	}
}

// Servers without any extension answer everything, one connection is enough.
func TestPlainServerOneConnection(t *testing.T) {
	o := imaptest.Options{Mailboxes: []imaptest.Mailbox{{Name: "INBOX", Messages: many(4)}, {Name: "Sent", Messages: many(2)}}}
	o.HideCaps = []imap.Cap{imap.CapESearch, imap.CapListStatus, imap.CapListExtended, imap.CapSpecialUse, imap.CapCondStore, imap.CapIMAP4rev2, imap.CapIdle, imap.CapNamespace, imap.CapUnselect, imap.CapSASLIR}
	ts := imaptest.New(t, o)
	s := newServerDial(t, session.Config{Dial: ts.Dial, PoolSize: 1})
	ref := call[gotList](t, s, "list_messages", `{"mailboxes":["*"],"snippets":true,"limit":2}`).Messages[0].Ref
	for tool, args := range map[string]string{
		"list_mailboxes": `{}`, "get_server_info": `{}`, "list_new_messages": `{"mailboxes":["*"]}`, "get_message": `{"ref":"` + ref + `"}`,
		"get_thread": `{"ref":"` + ref + `"}`, "wait_for_message": `{"timeout_seconds":1}`,
	} {
		if out := outcome(t, s, tool, args); out.IsError {
			t.Errorf("%s: %s", tool, out.Text)
		}
	}
}
