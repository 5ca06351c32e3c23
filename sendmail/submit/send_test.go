package submit

import (
	"bytes"
	"context"
	"errors"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"

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
			if got, want := srv.Counts(), (smtptest.Counts{Connections: got1(srv), Transactions: 1, Recipients: 3, Data: 1, Messages: 1}); got != want {
				t.Errorf("got %+v, want %+v", got, want)
			}
			if m := srv.Messages(); len(m) == 1 && (m[0].Body != "8BITMIME" || m[0].SMTPUTF8) {
				t.Errorf("got parameters %+v, want BODY=8BITMIME alone", m[0])
			}
		})
	}
}

func got1(s *smtptest.Server) int { return s.Counts().Connections } // a session may be counted again after STARTTLS

func TestLogin(t *testing.T) {
	all := []string{"PLAIN", "LOGIN", "XOAUTH2", "OAUTHBEARER", "SCRAM-SHA-256"}
	for _, tc := range []struct {
		name  string
		offer []string
		auth  AuthMethod
		token bool
		want  AuthMethod
	}{
		{"plain", all, AuthPlain, false, AuthPlain},
		{"login", all, AuthLogin, false, AuthLogin},
		{"scram", all, AuthSCRAMSHA256, false, AuthSCRAMSHA256},
		{"xoauth2", all, AuthXOAuth2, true, AuthXOAuth2},
		{"oauthbearer", all, AuthOAuthBearer, true, AuthOAuthBearer},
		{"auto prefers scram", all, AuthAuto, false, AuthSCRAMSHA256},
		{"auto plain", []string{"LOGIN", "PLAIN"}, AuthAuto, false, AuthPlain},
		{"auto login", []string{"LOGIN"}, AuthAuto, false, AuthLogin},
		{"auto token", all, AuthAuto, true, AuthXOAuth2},
		{"auto bearer", []string{"PLAIN", "OAUTHBEARER"}, AuthAuto, true, AuthOAuthBearer},
	} {
		t.Run(tc.name, func(t *testing.T) {
			for _, right := range []bool{true, false} {
				srv := smtptest.New(t, smtptest.Options{Mechanisms: tc.offer, TLS: smtptest.StartTLS})
				cfg := serverConfig(srv)
				cfg.User, cfg.Auth = smtptest.User, tc.auth
				if tc.token {
					cfg.Token = secret(map[bool]string{true: smtptest.Token, false: "stale"}[right])
				} else {
					cfg.Password = secret(map[bool]string{true: smtptest.Password, false: "wrong"}[right])
				}
				octets := message()
				out, err := newClient(t, cfg).Send(t.Context(), envelope, octets, Hooks{})
				checkTruth(t, out, err, srv.Messages(), envelope, octets)
				var refused *AuthError
				switch {
				case right && (err != nil || srv.Messages()[0].User != smtptest.User):
					t.Errorf("got %+v, %v, want sent", out, err)
				case !right && (!errors.As(err, &refused) || refused.Method != tc.want || out.Stage != StageLogin || refused.Reply.Code != 535):
					t.Errorf("got %+v, %v, want a refused login by %s", out, err, tc.want)
				}
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

func TestRefusedLoginIsRemembered(t *testing.T) {
	srv := smtptest.New(t, smtptest.Options{Mechanisms: []string{"PLAIN"}})
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	cfg := serverConfig(srv)
	password := "wrong"
	cfg.User, cfg.Password = smtptest.User, func(context.Context) (string, error) { return password, nil }
	cfg.Now = func() time.Time { return now }
	c := newClient(t, cfg)
	for range 5 {
		_, err := c.Probe(t.Context())
		if paused := (&LoginPausedError{}); err == nil || errors.As(err, &paused) && paused.Last == nil {
			t.Fatalf("got %v, want a refusal", err)
		}
	}
	if n := srv.Counts().Logins; n != 1 {
		t.Errorf("got %d logins from five calls, want 1", n)
	}
	now = now.Add(31 * time.Second)
	_, _ = c.Probe(t.Context())
	if n := srv.Counts().Logins; n != 2 {
		t.Errorf("got %d logins after the pause, want 2", n)
	}
	password = smtptest.Password
	if _, err := c.Probe(t.Context()); err != nil {
		t.Errorf("got %v with the right password, want it tried at once", err)
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

func TestCancel(t *testing.T) {
	for _, tc := range []struct {
		name  string
		fault smtptest.Fault
		hook  bool // cancel inside BeforeDot
		want  State
	}{
		{"before connecting", smtptest.Fault{Step: smtptest.StepConnect, Action: smtptest.Stall}, false, StateFailed},
		{"waiting for the greeting", smtptest.Fault{Step: smtptest.StepGreeting, Action: smtptest.Stall}, false, StateFailed},
		{"during RCPT", smtptest.Fault{Step: smtptest.StepRcpt, Action: smtptest.Stall, Nth: 2}, false, StateFailed},
		{"during the body", smtptest.Fault{Step: smtptest.StepBody, Action: smtptest.Stall}, false, StateFailed},
		{"in the hook", smtptest.Fault{}, true, StateFailed},
		{"after the dot, then accepted", smtptest.Fault{Step: smtptest.StepDot, Action: smtptest.Late, Accept: true}, false, StateSent},
		{"after the dot, never answered", smtptest.Fault{Step: smtptest.StepDot, Action: smtptest.Stall, Accept: true}, false, StateUnknown},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				srv := smtptest.NewScripted(t, smtptest.ScriptOptions{Fault: tc.fault})
				ctx, cancel := context.WithCancel(t.Context())
				if !tc.hook {
					time.AfterFunc(time.Second, cancel) // while the server stalls
				}
				if tc.fault.Action == smtptest.Late {
					time.AfterFunc(9*time.Minute, srv.Release)
				}
				start := time.Now()
				octets := message()
				out, err := newClient(t, loggedIn(srv.Dialer())).Send(ctx, envelope, octets, Hooks{BeforeDot: func() error {
					if tc.hook {
						cancel()
						synctest.Wait()
					}
					return nil
				}})
				took := time.Since(start)
				srv.Release()
				srv.Wait()
				checkTruth(t, out, err, srv.Messages(), envelope, octets)
				switch {
				case out.State != tc.want:
					t.Errorf("got %+v, %v, want %s", out, err, tc.want)
				case tc.want == StateFailed && (!errors.Is(err, context.Canceled) || took > time.Second):
					t.Errorf("got %v after %v, want context.Canceled at once", err, took)
				case tc.want == StateUnknown && took != 10*time.Minute:
					t.Errorf("waited %v for the reply, want 10m", took)
				}
				cancel()
			})
		})
	}
}

func TestStallsEndInTime(t *testing.T) {
	for _, tc := range []struct {
		step smtptest.Step
		want time.Duration
	}{
		{smtptest.StepConnect, 30 * time.Second}, {smtptest.StepGreeting, 2 * time.Minute}, {smtptest.StepEHLO, 2 * time.Minute},
		{smtptest.StepAuth, 2 * time.Minute}, {smtptest.StepMail, 2 * time.Minute}, {smtptest.StepRcpt, 2 * time.Minute},
		{smtptest.StepData, 2 * time.Minute}, {smtptest.StepBody, 2 * time.Minute}, {smtptest.StepDot, 10 * time.Minute}, {smtptest.StepQuit, 3 * time.Second},
	} {
		t.Run(string(tc.step), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				srv := smtptest.NewScripted(t, smtptest.ScriptOptions{Fault: smtptest.Fault{Step: tc.step, Action: smtptest.Stall}})
				start := time.Now()
				out, err := newClient(t, loggedIn(srv.Dialer())).Send(t.Context(), envelope, message(), Hooks{})
				if took := time.Since(start); took != tc.want {
					t.Errorf("got %v, want %v (%+v, %v)", took, tc.want, out, err)
				}
				if tc.step != smtptest.StepQuit && !errors.Is(err, ErrTimeout) {
					t.Errorf("got %v, want ErrTimeout", err)
				}
			})
		})
	}
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

func TestPlaintextStaysHere(t *testing.T) {
	if _, err := New(Config{Host: "mail.example", TLS: TLSNone}); !errors.Is(err, ErrPlaintext) {
		t.Errorf("got %v, want ErrPlaintext", err)
	}
}

func TestNoSecretInErrors(t *testing.T) {
	srv := smtptest.New(t, smtptest.Options{Mechanisms: []string{"PLAIN", "LOGIN"}})
	for _, auth := range []AuthMethod{AuthPlain, AuthLogin} {
		cfg := serverConfig(srv)
		cfg.User, cfg.Auth, cfg.Password = "who@example.com", auth, secret("hunter2-hunter2")
		out, err := newClient(t, cfg).Send(t.Context(), envelope, message(), Hooks{})
		reason, hint := Explain(cfg.Host, err)
		if text := err.Error() + string(reason) + hint + out.Reply.TextRaw; strings.Contains(text, "hunter2") || strings.Contains(text, "who@") {
			t.Errorf("credentials in %q", text)
		}
		if reason != ReasonLogin {
			t.Errorf("got %s, want %s", reason, ReasonLogin)
		}
	}
}

func TestHELOSaysNothing(t *testing.T) {
	srv := smtptest.NewScripted(t, smtptest.ScriptOptions{})
	_, err := newClient(t, loggedIn(srv.Dialer())).Probe(t.Context())
	if got := srv.Commands(); err != nil || got[0] != "EHLO [127.0.0.1]" {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestPlainAdvertisedButUnknown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := smtptest.NewScripted(t, smtptest.ScriptOptions{Extensions: []string{"AUTH=PLAIN LOGIN"}, Unknown: "PLAIN"})
		info, err := newClient(t, loggedIn(srv.Dialer())).Probe(t.Context())
		if err != nil || info.Auth != AuthLogin {
			t.Errorf("got %+v, %v, want LOGIN after PLAIN", info, err)
		}
	})
}

func TestSCRAMServerMustProveItself(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := smtptest.NewScripted(t, smtptest.ScriptOptions{Extensions: []string{"AUTH SCRAM-SHA-256"},
			Fault: smtptest.Fault{Step: smtptest.StepAuth, Action: smtptest.Permanent, Reply: "235 2.7.0 come in"}})
		out, err := newClient(t, loggedIn(srv.Dialer())).Send(t.Context(), envelope, message(), Hooks{})
		if reason, _ := Explain("", err); reason != ReasonFalseServer || srv.Counts().Transactions != 0 {
			t.Errorf("got %+v, %v, want no mail to a server that proved nothing", out, err)
		}
	})
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
