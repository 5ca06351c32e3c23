package wire

import (
	"bufio"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
)

func TestFirewall(t *testing.T) {
	start := []string{"220 ready", "250 ok"}
	mailed := append(start, "250 ok")
	all := append(mailed, "250 ok", "250 ok")
	prefix := []string{"EHLO localhost"}
	mail := append(prefix, "MAIL FROM:<a@example.com>")
	rcpt := append(mail, "RCPT TO:<b@example.com>", "RCPT TO:<c@example.com>")
	for _, tc := range []struct {
		name    string
		replies []string
		before  []string
		line    string
		pass    bool
	}{
		{"mail", append(start, "250 ok"), prefix, "MAIL FROM:<a@example.com>", true},
		{"mail with parameters", append(start, "250 ok"), prefix, "MAIL FROM:<a@example.com> BODY=8BITMIME SIZE=32 SMTPUTF8", true},
		{"mail with another size", start, prefix, "MAIL FROM:<a@example.com> SIZE=1", false},
		{"mail with AUTH parameter", start, prefix, "MAIL FROM:<a@example.com> AUTH=<x@example.com>", false},
		{"mail by somebody else", start, prefix, "MAIL FROM:<z@example.com>", false},
		{"mail with a longer path", start, prefix, "MAIL FROM:<a@example.com.evil.example>", false},
		{"mail twice", mailed, mail, "MAIL FROM:<a@example.com>", false},
		{"rcpt", append(mailed, "250 ok"), mail, "RCPT TO:<c@example.com>", true},
		{"rcpt for somebody else", mailed, mail, "RCPT TO:<z@example.com>", false},
		{"rcpt with parameter", mailed, mail, "RCPT TO:<b@example.com> NOTIFY=NEVER", false},
		{"rcpt twice", append(mailed, "250 ok"), append(mail, "RCPT TO:<b@example.com>"), "RCPT TO:<b@example.com>", false},
		{"rcpt before mail", start, prefix, "RCPT TO:<b@example.com>", false},
		{"data", append(all, "354 go"), rcpt, "DATA", true},
		{"data with argument", all, rcpt, "DATA x", false},
		{"data without all recipients", append(mailed, "250 ok"), append(mail, "RCPT TO:<b@example.com>"), "DATA", false},
		{"data twice", append(all, "451 no"), append(rcpt, "DATA"), "DATA", false},
		{"data after a refused recipient", append(mailed, "250 ok", "550 no"), rcpt, "DATA", false},
		{"data after a refused mail", append(start, "550 no"), mail, "DATA", false},
		{"ehlo after mail", mailed, mail, "EHLO localhost", false},
		{"ehlo with a space", []string{"220 ready"}, nil, "EHLO a b", false},
		{"noop", append(start, "250 ok"), prefix, "NOOP", true},
		{"noop with argument", start, prefix, "NOOP x", false},
		{"rset", append(mailed, "250 ok"), mail, "RSET", true},
		{"mail after rset", append(mailed, "250 ok"), append(mail, "RSET"), "MAIL FROM:<a@example.com>", false},
		{"quit", append(start, "221 bye"), prefix, "QUIT", true},
		{"starttls", start, prefix, "STARTTLS", false},
		{"vrfy", start, prefix, "VRFY b@example.com", false},
		{"expn", start, prefix, "EXPN list", false},
		{"bdat", all, rcpt, "BDAT 5 LAST", false},
		{"burl", all, rcpt, "BURL imap://x LAST", false},
		{"etrn", start, prefix, "ETRN example.com", false},
		{"xclient", start, prefix, "XCLIENT NAME=x", false},
		{"lower case", start, prefix, "noop", false},
		{"leading space", start, prefix, " NOOP", false},
		{"empty", start, prefix, "", false},
		{"NUL", start, prefix, "NOOP\x00", false},
		{"auth", append(start, "235 ok"), prefix, "AUTH PLAIN AGEAYg==", true},
		{"auth by another mechanism", start, prefix, "AUTH CRAM-MD5", false},
		{"auth that is no base64", start, prefix, "AUTH PLAIN a b", false},
		{"answer without exchange", start, prefix, "AGEAYg==", false},
		{"auth after mail", mailed, mail, "AUTH PLAIN AGEAYg==", false},
		{"too long", start, prefix, "EHLO " + strings.Repeat("a", 1100), false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p, raw := newPeer(t, tc.replies)
				w := New(raw, Options{Private: true})
				defer w.Close()
				if err := w.Expect(tx()); err != nil {
					t.Fatal(err)
				}
				in := bufio.NewReader(w)
				readReply(in)
				for _, line := range tc.before {
					if _, err := io.WriteString(w, line+"\r\n"); err != nil {
						t.Fatalf("%s: %v", line, err)
					}
					readReply(in)
				}
				_, err := io.WriteString(w, tc.line+"\r\n")
				synctest.Wait()
				want := strings.Join(append(slices.Clone(tc.before), ""), "\r\n")
				if tc.pass {
					want += tc.line + "\r\n"
				}
				if tc.pass != (err == nil) || p.text() != want {
					t.Errorf("got %v, wire %q, want passed: %v", err, p.text(), tc.pass)
				}
				if !tc.pass && !errors.Is(err, ErrCommand) {
					t.Errorf("got %v, want ErrCommand", err)
				}
			})
		})
	}
}

func readReply(in *bufio.Reader) {
	for {
		line, err := in.ReadString('\n')
		if err != nil || len(line) < 4 || line[3] == ' ' {
			return
		}
	}
}

func TestFirewallWithoutContext(t *testing.T) {
	for name, lines := range map[string]string{
		"two commands in one write":     "NOOP\r\nNOOP\r\n",
		"command behind an unanswered":  "NOOP\r\n|NOOP\r\n",
		"lone LF":                       "NOOP\n",
		"auth over an open connection":  "AUTH PLAIN AGEAYg==\r\n",
		"mail that nobody announced":    "MAIL FROM:<a@example.com>\r\n",
		"no end of a line":              strings.Repeat("a", 1024),
		"one octet at a time, too long": strings.Repeat("a|", 1100),
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				_, raw := newPeer(t, []string{"220 ready"})
				w := New(raw, Options{})
				defer w.Close()
				readReply(bufio.NewReader(w))
				var err error
				for part := range strings.SplitSeq(lines, "|") {
					if _, err = io.WriteString(w, part); err != nil {
						break
					}
				}
				if !errors.Is(err, ErrCommand) || w.Err() == nil {
					t.Errorf("got %v, want ErrCommand and a closed connection", err)
				}
			})
		})
	}
}

func TestSecondTransactionIsRefused(t *testing.T) {
	_, raw := newPeer(t, nil)
	w := New(raw, Options{})
	defer w.Close()
	if err := w.Expect(tx()); err != nil {
		t.Fatal(err)
	}
	if err := w.Expect(tx()); !errors.Is(err, ErrCommand) {
		t.Errorf("got %v, want ErrCommand", err)
	}
}

func TestAuthExchange(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, raw := newPeer(t, []string{"220 ready", "250 ok", "334 ", "535 no", "250 ok"})
		w := New(raw, Options{Private: true})
		defer w.Close()
		in := bufio.NewReader(w)
		readReply(in)
		for _, line := range []string{"EHLO x", "AUTH LOGIN", strings.Repeat("QUFB", 3000), "*", "NOOP"} {
			if _, err := io.WriteString(w, line+"\r\n"); err != nil {
				t.Fatalf("%.20s: %v", line, err)
			}
			readReply(in)
		}
		if strings.Contains(p.text(), "*") || w.Last().Code != 250 {
			t.Errorf("got %q, want the surplus cancellation answered here", p.text())
		}
	})
}
