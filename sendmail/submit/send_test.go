package submit

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/emersion/go-smtp"

	"mailgap/sendmail/smtptest"
)

func serverConfig(s *smtptest.Server) Config {
	cfg := Config{Host: "localhost", TLS: TLSNone, Dial: s.Dialer()}
	if s.Cert != nil {
		cfg.TLS, cfg.CAPEM = TLSStartTLS, s.Cert.CAPEM
	}
	return cfg
}

func TestSendThroughRealServer(t *testing.T) {
	for _, tc := range []struct {
		name   string
		opt    smtptest.Options
		client TLSMode
	}{
		{"plain text", smtptest.Options{}, TLSNone},
		{"starttls", smtptest.Options{TLS: smtptest.StartTLS}, TLSStartTLS},
		{"implicit", smtptest.Options{TLS: smtptest.ImplicitTLS}, TLSImplicit},
	} {
		t.Run(tc.name, func(t *testing.T) {
			srv := smtptest.New(t, tc.opt)
			cfg := serverConfig(srv)
			cfg.TLS = tc.client
			octets := message()
			asked := 0
			out, err := newClient(t, cfg).Send(t.Context(), envelope, octets, Hooks{BeforeDot: func() error { asked++; return nil }})
			checkTruth(t, out, err, srv.Messages(), envelope, octets)
			if out.State != StateSent || asked != 1 || len(out.Recipients) != 3 || !out.Recipients[2].Accepted || out.Reply.Code != 250 {
				t.Errorf("got %+v, asked %d, want sent and one question", out, asked)
			}
			got := srv.Counts()
			got.Connections = 0 // a session may be counted again after STARTTLS
			if want := (smtptest.Counts{Transactions: 1, Recipients: 3, Data: 1, Messages: 1}); got != want {
				t.Errorf("got %+v, want %+v", got, want)
			}
			if m := srv.Messages(); len(m) == 1 && (m[0].Body != "8BITMIME" || m[0].SMTPUTF8) {
				t.Errorf("got parameters %+v, want BODY=8BITMIME alone", m[0])
			}
		})
	}
}

func TestProbeSaysHow(t *testing.T) {
	srv := smtptest.New(t, smtptest.Options{Mechanisms: []string{"PLAIN"}, TLS: smtptest.ImplicitTLS, MaxMessageBytes: 12345, SMTPUTF8: true})
	cfg := serverConfig(srv)
	cfg.TLS, cfg.User, cfg.Password = TLSImplicit, smtptest.User, secret(smtptest.Password)
	info, err := newClient(t, cfg).Probe(t.Context())
	if err != nil || info.Auth != AuthPlain || !info.TLS || info.Fingerprint != srv.Cert.SHA256 || info.MaxOctets != 12345 ||
		!info.Has8BitMIME || !info.HasSMTPUTF8 || len(info.ExtensionRaw) < 5 || info.GreetingRaw == "" || info.TLSVersion != "TLS 1.3" {
		t.Errorf("got %+v, %v", info, err)
	}
	if n := srv.Counts(); n.Transactions != 0 || n.Logins != 1 {
		t.Errorf("got %+v, want one login and no transaction", n)
	}
}

func TestRecipientsAreAllOrNothing(t *testing.T) {
	refuse := &smtp.SMTPError{Code: 550, EnhancedCode: smtp.EnhancedCode{5, 1, 1}, Message: "no such user here"}
	srv := smtptest.New(t, smtptest.Options{Rcpt: func(a string) error {
		if strings.HasSuffix(a, "@example.org") {
			return refuse
		}
		return nil
	}})
	octets := message()
	out, err := newClient(t, serverConfig(srv)).Send(t.Context(), envelope, octets, Hooks{BeforeDot: func() error { t.Error("asked"); return nil }})
	checkTruth(t, out, err, srv.Messages(), envelope, octets)
	var re *RecipientsError
	if !errors.As(err, &re) || len(re.Refused) != 2 || re.Refused[1].ForwardPath != "c@example.org" || re.Refused[1].Reply.Enhanced != "5.1.1" {
		t.Errorf("got %v, want two refused", err)
	}
	if n := srv.Counts(); n.Recipients != 3 || n.Data != 0 {
		t.Errorf("got %+v, want three recipients tried and no DATA", n)
	}
	if !out.Recipients[1].Accepted || out.Recipients[0].Accepted || out.Stage != StageRcpt {
		t.Errorf("got %+v", out)
	}
}

func TestLongestLineAndMostRecipients(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := smtptest.NewScripted(t, smtptest.ScriptOptions{})
		octets := []byte("Subject: x\r\n\r\n." + strings.Repeat("x", 997) + "\r\n")
		env := Envelope{"a@example.com", many(100)}
		out, err := newClient(t, loggedIn(srv.Dialer())).Send(t.Context(), env, octets, Hooks{})
		srv.Wait()
		checkTruth(t, out, err, srv.Messages(), env, octets)
		if out.State != StateSent {
			t.Errorf("got %+v, %v, want sent", out, err)
		}
	})
}

func TestAnyPositiveReplyIsSent(t *testing.T) {
	for _, tc := range []struct {
		reply string
		want  State
		id    string
	}{
		{"250 2.0.0 Ok: queued as 4F1xYz", StateSent, "4F1xYz"},
		{"250 OK id=1abcDE-0001-Xy", StateSent, "1abcDE-0001-Xy"},
		{"250 2.6.0 <x@example> [InternalId=123, Hostname=x.example] Queued mail for delivery", StateSent, "123"},
		{"250 2.0.0 58a1 Message accepted for delivery", StateSent, "58a1"},
		{"250 2.0.0 OK  1700000000 ab12-cd - gsmtp", StateSent, "ab12-cd"},
		{"250", StateSent, ""},
		{"251 fine", StateSent, ""},
		{"200 what", StateSent, ""},
		{"250-first\r\n250 second", StateSent, ""},
		{"354 go on", StateUnknown, ""},
		{"150 hm", StateUnknown, ""},
		{"250-first\r\n550 second", StateUnknown, ""},
		{"25", StateUnknown, ""},
		{"", StateUnknown, ""},
		{"600 odd", StateUnknown, ""},
		{"250\x00ok", StateUnknown, ""},
		{"452 4.3.1 no room", StateFailed, ""},
		{"552 5.3.4 too big", StateFailed, ""},
		{"554-5.7.1 spam\r\n554 5.7.1 see page", StateFailed, ""},
	} {
		t.Run(tc.reply, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				srv := smtptest.NewScripted(t, smtptest.ScriptOptions{Fault: smtptest.Fault{
					Step: smtptest.StepDot, Action: smtptest.Permanent, Reply: tc.reply, Accept: tc.want != StateFailed, AnyReply: true}})
				octets := message()
				out, err := newClient(t, loggedIn(srv.Dialer())).Send(t.Context(), envelope, octets, Hooks{})
				srv.Wait()
				checkTruth(t, out, err, srv.Messages(), envelope, octets)
				if out.State != tc.want || out.QueueIDRaw != tc.id {
					t.Errorf("got %s, id %q (%v), want %s, %q", out.State, out.QueueIDRaw, err, tc.want, tc.id)
				}
			})
		})
	}
}

func TestHELOSaysNothing(t *testing.T) {
	srv := smtptest.NewScripted(t, smtptest.ScriptOptions{})
	_, err := newClient(t, loggedIn(srv.Dialer())).Probe(t.Context())
	if got := srv.Commands(); err != nil || got[0] != "EHLO [127.0.0.1]" {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestSendIsSafeForConcurrentUse(t *testing.T) {
	srv := smtptest.New(t, smtptest.Options{})
	c := newClient(t, serverConfig(srv))
	octets := message()
	done := make(chan State)
	for range 8 {
		go func() {
			out, _ := c.Send(t.Context(), envelope, bytes.Clone(octets), Hooks{})
			done <- out.State
		}()
	}
	for range 8 {
		if got := <-done; got != StateSent {
			t.Errorf("got %s, want sent", got)
		}
	}
	checkWire(t, srv.Messages(), envelope, octets)
	if n := len(srv.Messages()); n != 8 {
		t.Errorf("got %d messages, want 8", n)
	}
}
