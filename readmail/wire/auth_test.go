package wire

import (
	"bufio"
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"strings"
	"testing"

	"github.com/emersion/go-imap/v2"
	"github.com/emersion/go-imap/v2/imapclient"
	"github.com/emersion/go-sasl"
)

// authServer knows LOGIN and AUTHENTICATE of one user and keeps what it received.
func authServer(far net.Conn, caps string, got chan<- string) {
	fmt.Fprintf(far, "* OK [CAPABILITY %s] hi\r\n", caps)
	in := bufio.NewReader(far)
	line := func() string {
		s, err := in.ReadString('\n')
		if err == nil {
			got <- strings.TrimRight(s, "\r\n")
		}
		return strings.TrimRight(s, "\r\n")
	}
	for {
		l := line()
		tag, rest, ok := strings.Cut(l, " ")
		if !ok {
			close(got)
			return
		}
		switch {
		case strings.HasSuffix(rest, "AUTHENTICATE PLAIN"):
			fmt.Fprint(far, "+ \r\n")
			line()
		case strings.HasPrefix(rest, "AUTHENTICATE XOAUTH2"):
			fmt.Fprintf(far, "+ %s\r\n", base64.StdEncoding.EncodeToString([]byte(`{"status":"400"}`)))
			line()
			fmt.Fprintf(far, "%s NO [AUTHENTICATIONFAILED] bad token\r\n", tag)
			continue
		case rest == "CAPABILITY":
			fmt.Fprintf(far, "* CAPABILITY %s\r\n", caps)
		}
		fmt.Fprintf(far, "%s OK done\r\n", tag)
	}
}

// xoauth2 answers the error challenge, as a client should.
type xoauth2 struct{ challenge string }

func (x *xoauth2) Start() (string, []byte, error) { return "XOAUTH2", []byte("user=a\x01\x01"), nil }
func (x *xoauth2) Next(c []byte) ([]byte, error) {
	x.challenge = string(c)
	return []byte{}, nil
}

func TestAuthentication(t *testing.T) {
	x := &xoauth2{}
	for _, tc := range []struct {
		name, caps string
		do         func(c *imapclient.Client) error
		lines      []string
		fail       bool
	}{
		{"LOGIN", "IMAP4rev1", func(c *imapclient.Client) error { return c.Login("ana", `p"w`).Wait() }, []string{`T1 LOGIN "ana" "p\"w"`, "T2 CAPABILITY"}, false},
		{"PLAIN", "IMAP4rev1 AUTH=PLAIN", func(c *imapclient.Client) error { return c.Authenticate(sasl.NewPlainClient("", "ana", "pw")) },
			[]string{"T1 AUTHENTICATE PLAIN", "AGFuYQBwdw==", "T2 CAPABILITY"}, false},
		{"PLAIN with initial response", "IMAP4rev1 AUTH=PLAIN SASL-IR", func(c *imapclient.Client) error { return c.Authenticate(sasl.NewPlainClient("", "ana", "pw")) },
			[]string{"T1 AUTHENTICATE PLAIN AGFuYQBwdw==", "T2 CAPABILITY"}, false},
		{"XOAUTH2 refused", "IMAP4rev1 SASL-IR", func(c *imapclient.Client) error { return c.Authenticate(x) },
			[]string{"T1 AUTHENTICATE XOAUTH2 dXNlcj1hAQE=", ""}, true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			near, far := net.Pipe()
			got := make(chan string, 16)
			go authServer(far, tc.caps, got)
			var log []Command
			c := New(near, Options{RecordFull: true, Record: func(l Command) { log = append(log, l) }})
			client := newClient(t, c)
			err := tc.do(client)
			if (err != nil) != tc.fail {
				t.Fatalf("got %v (%v)", err, c.Err())
			}
			var ie *imap.Error
			if tc.fail && (!errors.As(err, &ie) || ie.Code != imap.ResponseCodeAuthenticationFailed || x.challenge == "") {
				t.Errorf("got %v, challenge %q", err, x.challenge)
			}
			for _, want := range tc.lines {
				if l := <-got; l != want {
					t.Errorf("received %q, want %q", l, want)
				}
			}
			if len(log) == 0 || strings.Contains(fmt.Sprint(log), "AGFu") || strings.Contains(fmt.Sprint(log), "dXNl") || strings.Contains(fmt.Sprint(log), "ana") {
				t.Errorf("log: %+v", log)
			}
			client.Caps()
			alive(t, client, c)
		})
	}
}

// Do right after LOGIN: the client's own CAPABILITY may still run.
func TestDoAfterLogin(t *testing.T) {
	near, far := net.Pipe()
	got := make(chan string, 16)
	go authServer(far, "IMAP4rev1", got)
	c := New(near, Options{})
	client := newClient(t, c)
	if err := client.Login("ana", "pw").Wait(); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Do(t.Context(), Request{Verb: "NOOP"}); err != nil {
		t.Errorf("got %v", err)
	}
}
