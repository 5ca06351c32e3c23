package smtptest

import (
	"io"
	"net"
	"net/textproto"
	"strings"
	"testing"

	"github.com/emersion/go-smtp"
)

func dial(t *testing.T, dialer func() (net.Conn, error)) *textproto.Conn {
	t.Helper()
	conn, err := dialer()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return textproto.NewConn(conn)
}

// talk sends lines and returns the code of the last reply.
func talk(t *testing.T, c *textproto.Conn, lines ...string) (code int) {
	t.Helper()
	for _, l := range lines {
		if err := c.PrintfLine("%s", l); err != nil {
			return 0
		}
		code, _, _ = c.ReadResponse(0)
	}
	return code
}

var toData = []string{"EHLO x", "MAIL FROM:<a@example.com> BODY=8BITMIME", "RCPT TO:<b@example.com>", "DATA"}

// The truth must be true: a message counts as accepted exactly if its dot came and nothing spoke against it.
func TestScriptedTellsTheTruth(t *testing.T) {
	for _, tc := range []struct {
		name  string
		fault Fault
		end   string // after half of the content
		want  int
	}{
		{"whole", Fault{}, "x\r\n.\r\n", 1},
		{"cut", Fault{}, "", 0},
		{"line with a dot and more", Fault{}, ".x\r\n", 0},
		{"refused at the dot", Fault{Step: StepDot, Action: Permanent}, "x\r\n.\r\n", 0},
		{"accepted, reply lost", Fault{Step: StepDot, Action: Drop, Accept: true}, "x\r\n.\r\n", 1},
		{"not accepted, reply lost", Fault{Step: StepDot, Action: Drop}, "x\r\n.\r\n", 0},
		{"fault in the body", Fault{Step: StepBody, Action: Transient}, strings.Repeat("x\r\n", 1000) + ".\r\n", 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := NewScripted(t, ScriptOptions{Fault: tc.fault})
			d := s.Listen(t)
			c := dial(t, func() (net.Conn, error) { return d(t.Context(), "", "") })
			_, _, _ = c.ReadResponse(220)
			if got := talk(t, c, toData...); got != 354 {
				t.Fatalf("got %d, want 354", got)
			}
			_, _ = io.WriteString(c.W, "Subject: x\r\n\r\n..dot\r\n"+tc.end)
			_ = c.W.Flush()
			if strings.HasSuffix(tc.end, "\r\n.\r\n") || tc.fault.Step != "" {
				_, _, _ = c.ReadResponse(0)
			}
			c.Close()
			s.Wait()
			got := s.Messages()
			if len(got) != tc.want {
				t.Fatalf("got %d accepted, want %d", len(got), tc.want)
			}
			if tc.want == 1 && string(got[0].Octets) != "Subject: x\r\n\r\n.dot\r\nx\r\n" {
				t.Errorf("got %q", got[0].Octets)
			}
		})
	}
}

func TestServerCounts(t *testing.T) {
	s := New(t, Options{Mechanisms: []string{"PLAIN"}})
	c := dial(t, func() (net.Conn, error) { return net.Dial("tcp", s.Addr()) })
	_, _, _ = c.ReadResponse(220)
	if got := talk(t, c, toData[:2]...); got != 530 {
		t.Errorf("got %d for MAIL without a login, want 530", got)
	}
	if got := talk(t, c, "AUTH PLAIN AHgAeA=="); got != 535 {
		t.Errorf("got %d for a wrong password, want 535", got)
	}
	if n := s.Counts(); n.Transactions != 1 || n.Logins != 1 || n.Messages != 0 {
		t.Errorf("got %+v", n)
	}
}

func TestMessageRefusedAfterTheDotDoesNotCount(t *testing.T) {
	s := New(t, Options{Data: func(Message, net.Conn) error { return &smtp.SMTPError{Code: 554, Message: "no"} }})
	err := smtp.SendMail(s.Addr(), nil, "a@example.com", []string{"b@example.com"}, strings.NewReader("x\r\n"))
	if err == nil || len(s.Messages()) != 0 {
		t.Errorf("got %v and %d messages, want a refusal", err, len(s.Messages()))
	}
}
