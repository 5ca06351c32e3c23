package submit

import (
	"context"
	"errors"
	"net"
	"strings"
	"testing"
	"testing/synctest"

	"mailgap/sendmail/smtptest"
)

func TestExtensionsAreCheckedBeforeMail(t *testing.T) {
	utf8 := []byte("From: me@example.com\r\nSubject: gr\xc3\xbc\xc3\x9fe\r\n\r\nx\r\n")
	body8 := []byte("From: me@example.com\r\n\r\ngr\xc3\xbc\xc3\x9fe\r\n")
	ascii := []byte("From: me@example.com\r\n\r\nx\r\n")
	utf8Env := Envelope{ReversePath: "me@example.com", ForwardPaths: []string{"gr\u00fc\u00dfe@example.org"}}
	for _, tc := range []struct {
		name   string
		lines  []string
		env    Envelope
		octets []byte
		want   Extension // "": sent
	}{
		{"all there", []string{"8BITMIME", "SMTPUTF8", "SIZE 1000"}, envelope, utf8, ""},
		{"lower case", []string{"8bitmime", "smtputf8", "size 1000"}, envelope, utf8, ""},
		{"no smtputf8 for the header", []string{"8BITMIME"}, envelope, utf8, ExtensionSMTPUTF8},
		{"no smtputf8 for a recipient", []string{"8BITMIME"}, utf8Env, ascii, ExtensionSMTPUTF8},
		{"no 8bitmime", []string{"SIZE"}, envelope, body8, Extension8BitMIME},
		{"8bitmime not needed", []string{"SIZE"}, envelope, ascii, ""},
		{"too large", []string{"8BITMIME", "SIZE 20"}, envelope, ascii, ExtensionSize},
		{"size 0 is no limit", []string{"SIZE 0"}, envelope, ascii, ""},
		{"no extension at all", []string{"X-NOTHING"}, envelope, ascii, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				srv := smtptest.NewScripted(t, smtptest.ScriptOptions{Extensions: tc.lines})
				out, err := newClient(t, Config{Host: "localhost", TLS: TLSNone, Dial: srv.Dialer()}).Send(t.Context(), tc.env, tc.octets, Hooks{})
				srv.Wait()
				checkTruth(t, out, err, srv.Messages(), tc.env, tc.octets)
				var ext *ExtensionError
				switch {
				case tc.want == "" && out.State != StateSent:
					t.Errorf("got %+v, %v, want sent", out, err)
				case tc.want != "" && (!errors.As(err, &ext) || ext.Extension != tc.want || srv.Counts().Transactions != 0):
					t.Errorf("got %v and %+v, want %s missing and no MAIL", err, srv.Counts(), tc.want)
				}
			})
		})
	}
}

func TestRefusedBeforeConnecting(t *testing.T) {
	ok := "From: a@example.com\r\n\r\nx\r\n"
	for _, tc := range []struct {
		name   string
		env    Envelope
		octets string
		want   error
	}{
		{"no recipient", Envelope{ReversePath: "a@example.com"}, ok, ErrEnvelope},
		{"recipient twice", Envelope{"a@example.com", []string{"b@example.com", "b@example.com"}}, ok, ErrEnvelope},
		{"parameter in the sender", Envelope{"a@example.com> AUTH=<x", []string{"b@example.com"}}, ok, ErrEnvelope},
		{"second path in a recipient", Envelope{"a@example.com", []string{"b@example.com>,<c@example.com"}}, ok, ErrEnvelope},
		{"line end in a recipient", Envelope{"a@example.com", []string{"b@example.com\r\nRCPT TO:<c@example.com>"}}, ok, ErrEnvelope},
		{"space", Envelope{"a@example.com", []string{"b @example.com"}}, ok, ErrEnvelope},
		{"next line character", Envelope{"a@example.com", []string{"b\u0085@example.com"}}, ok, ErrEnvelope},
		{"no domain", Envelope{"a@example.com", []string{"postmaster"}}, ok, ErrEnvelope},
		{"empty sender", Envelope{"", []string{"b@example.com"}}, ok, ErrEnvelope},
		{"source route", Envelope{"a@example.com", []string{"@x.example:b@example.com"}}, ok, ErrEnvelope},
		{"101 recipients", Envelope{"a@example.com", many(101)}, ok, ErrEnvelope},
		{"nothing", envelope, "", ErrContent},
		{"lone LF", envelope, "From: a\r\n\r\nx\ny\r\n", ErrContent},
		{"lone CR", envelope, "From: a\r\n\r\nx\ry\r\n", ErrContent},
		{"smuggled end", envelope, "From: a\r\n\r\nx\n.\r\nMAIL FROM:<z@example.com>\r\n", ErrContent},
		{"CR CR LF", envelope, "From: a\r\r\n\r\nx\r\n", ErrContent},
		{"last line open", envelope, "From: a\r\n\r\nx", ErrContent},
		{"line too long", envelope, "From: a\r\n\r\n" + strings.Repeat("x", 999) + "\r\n", ErrContent},
		{"NUL", envelope, "From: a\r\n\r\nx\x00\r\n", ErrContent},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c := newClient(t, Config{Host: "localhost", TLS: TLSNone, Dial: func(context.Context, string, string) (net.Conn, error) {
				t.Error("connected")
				return nil, net.ErrClosed
			}})
			out, err := c.Send(t.Context(), tc.env, []byte(tc.octets), Hooks{})
			if !errors.Is(err, tc.want) || out.State != StateFailed || out.Stage != StageCheck {
				t.Errorf("got %+v, %v, want %v", out, err, tc.want)
			}
		})
	}
}

func many(n int) (list []string) {
	for i := range n {
		list = append(list, "r"+string(rune('a'+i%26))+string(rune('a'+i/26))+"@example.com")
	}
	return list
}

func TestPlaintextStaysHere(t *testing.T) {
	if _, err := New(Config{Host: "mail.example", TLS: TLSNone}); !errors.Is(err, ErrPlaintext) {
		t.Errorf("got %v, want ErrPlaintext", err)
	}
}
