package session

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"mailgap/readmail/imaptest"
	"mailgap/shared/sasl"
)

// clock is a time that tests move.
type clock struct{ t time.Time }

func (c *clock) now() time.Time { return c.t }

func TestRefusedLoginsPause(t *testing.T) {
	clk := &clock{time.Date(2026, 5, 1, 9, 0, 0, 0, time.UTC)}
	password := "wrong one"
	p, srv := scripted(t, func(c *Config) {
		c.Now = clk.now
		c.Password = func(context.Context) (string, error) { return password, nil }
	}, imaptest.Script{Caps: "IMAP4rev1 SASL-IR AUTH=PLAIN", Auth: []string{"{tag} NO [AUTHENTICATIONFAILED] Invalid credentials"}})
	try := func() error {
		return p.Do(t.Context(), "", func(context.Context, *Conn) error { return nil })
	}
	attempts := func() int { return countVerb(srv, "AUTHENTICATE") + countVerb(srv, "LOGIN") }

	var refused *AuthError
	if err := try(); !errors.As(err, &refused) || refused.CodeRaw != "AUTHENTICATIONFAILED" || refused.TextRaw != "Invalid credentials" {
		t.Fatalf("got %v, want AuthError", err)
	}
	for i, wait := range []time.Duration{30 * time.Second, 60 * time.Second} {
		var paused *LoginPausedError
		before := srv.Stats().Connections
		for range 3 {
			if err := try(); !errors.As(err, &paused) || !paused.Until.Equal(clk.t.Add(wait)) {
				t.Fatalf("attempt %d: got %v, want a pause of %v", i, err, wait)
			}
		}
		if n := srv.Stats().Connections - before; n != 0 {
			t.Errorf("attempt %d: dialled %d times during the pause, want never", i, n)
		}
		clk.t = clk.t.Add(wait)
		if err := try(); !errors.As(err, &refused) {
			t.Fatalf("attempt %d: got %v, want AuthError", i, err)
		}
	}
	if attempts() != 3 {
		t.Errorf("got %d attempts, want 3", attempts())
	}
	clk.t = clk.t.Add(5 * time.Minute) // three within ten minutes: not before they are over
	if err := try(); !errors.As(err, new(*LoginPausedError)) {
		t.Errorf("got %v, want a pause", err)
	}
	password = "another"
	if err := try(); errors.As(err, new(*LoginPausedError)) {
		t.Error("a changed password still pauses")
	}
	if attempts() != 4 {
		t.Errorf("got %d attempts, want 4", attempts())
	}
}

// A password command may ask a person: after a login that worked it runs once for each connection.
func TestSecretIsFetchedOncePerConnection(t *testing.T) {
	clk := &clock{time.Date(2026, 5, 1, 9, 0, 0, 0, time.UTC)}
	fetched := 0
	p, srv := scripted(t, func(c *Config) {
		c.Now = clk.now
		c.Password = func(context.Context) (string, error) { fetched++; return imaptest.Password, nil }
	}, imaptest.Script{Auth: []string{"{tag} NO [AUTHENTICATIONFAILED] no"}}, imaptest.Script{})
	if err := p.Do(t.Context(), "", func(context.Context, *Conn) error { return nil }); err == nil {
		t.Fatal("the first login was not refused")
	}
	clk.t = clk.t.Add(time.Hour)
	do(t, p, func(context.Context, *Conn) {})
	srv.DropConnections()
	before := fetched
	if err := p.Do(t.Context(), "", func(ctx context.Context, c *Conn) error { return c.Noop(ctx) }); err != nil {
		t.Fatal(err)
	}
	if got := fetched - before; got != 1 {
		t.Errorf("got %d fetches of the password, want 1", got)
	}
}

func TestChooseAuth(t *testing.T) {
	token := secret("token")
	for _, tc := range []struct {
		name string
		cfg  Config
		caps string
		want AuthMethod
		err  error
	}{
		{"strongest", Config{}, "AUTH=PLAIN AUTH=SCRAM-SHA-256", AuthSCRAMSHA256, nil},
		{"plain", Config{}, "AUTH=PLAIN AUTH=XOAUTH2", AuthPlain, nil},
		{"login", Config{}, "", AuthLogin, nil},
		{"nothing", Config{}, "LOGINDISABLED", "", ErrLoginDisabled},
		{"login disabled but plain", Config{}, "LOGINDISABLED AUTH=PLAIN", AuthPlain, nil},
		{"login wanted", Config{Auth: AuthLogin}, "LOGINDISABLED AUTH=PLAIN", "", ErrLoginDisabled},
		{"token", Config{Token: token}, "AUTH=PLAIN AUTH=XOAUTH2 AUTH=OAUTHBEARER", AuthXOAuth2, nil},
		{"token, bearer only", Config{Token: token}, "AUTH=PLAIN AUTH=OAUTHBEARER", AuthOAuthBearer, nil},
	} {
		caps := map[string]bool{}
		for c := range strings.FieldsSeq(tc.caps) {
			caps[c] = true
		}
		cfg := tc.cfg
		cfg.Auth = orElse(cfg.Auth, AuthAuto)
		if got, err := chooseAuth(&cfg, caps); got != tc.want || !errors.Is(err, tc.err) {
			t.Errorf("%s: got %q, %v, want %q, %v", tc.name, got, err, tc.want, tc.err)
		}
	}
}

func TestLoginDisabledSendsNothing(t *testing.T) {
	p, srv := scripted(t, nil, imaptest.Script{Caps: "IMAP4rev1 LOGINDISABLED STARTTLS"})
	err := p.Do(t.Context(), "", func(context.Context, *Conn) error { return nil })
	if !errors.Is(err, ErrLoginDisabled) {
		t.Errorf("got %v, want ErrLoginDisabled", err)
	}
	if n := countVerb(srv, "LOGIN") + countVerb(srv, "AUTHENTICATE"); n != 0 {
		t.Errorf("sent %d login commands, want none", n)
	}
}

func TestPlainAdvertisedButUnknown(t *testing.T) {
	p, srv := scripted(t, nil, imaptest.Script{Caps: "IMAP4rev1 SASL-IR AUTH=PLAIN", Steps: []imaptest.Step{imaptest.On("AUTHENTICATE").Reply("{tag} BAD unknown")}})
	do(t, p, func(context.Context, *Conn) {})
	if countVerb(srv, "LOGIN") != 1 {
		t.Error("LOGIN was not tried after BAD")
	}
}

func TestFailedOAuthEnds(t *testing.T) {
	const detail = `{"status":"400","schemes":"Bearer","scope":"https://mail.example/"}`
	for _, tc := range []struct {
		method AuthMethod
		caps   string
	}{{AuthXOAuth2, "AUTH=XOAUTH2"}, {AuthOAuthBearer, "AUTH=OAUTHBEARER"}} {
		t.Run(string(tc.method), func(t *testing.T) {
			srv := newSASLServer(t, "IMAP4rev1 SASL-IR "+tc.caps, func(s *saslConn) {
				s.challenge(detail)
				s.tagged("NO [AUTHENTICATIONFAILED] Invalid credentials")
			})
			p := newPool(t, Config{Host: "localhost", TLS: TLSNone, User: "u@example.com", Token: secret("ya29.secret-token"), Dial: srv.dial})
			err := p.Do(t.Context(), "", func(context.Context, *Conn) error { return nil })
			var refused *AuthError
			if !errors.As(err, &refused) || refused.DetailRaw != detail || refused.CodeRaw != "AUTHENTICATIONFAILED" || refused.Method != tc.method {
				t.Errorf("got %+v, want the refusal with its detail", err)
			}
			if !strings.Contains(srv.first(), "auth=Bearer ya29.secret-token") {
				t.Errorf("got initial response %q, want the token in it", srv.first())
			}
			if strings.Contains(fmt.Sprintf("%v %+v %#v", err, refused, refused), "ya29") {
				t.Error("the token is in the error")
			}
		})
	}
}

// errRefused stands for the server's refusal.
var errRefused = errors.New("refused")

func TestSCRAMLogin(t *testing.T) {
	for _, tc := range []struct {
		name     string
		password string
		forge    string // how a server behaves that does not know the password; "" for one that does
		want     error
	}{
		{"right", "pencil", "", nil}, {"wrong", "pen", "", errRefused},
		{"server without signature", "pencil", "early", sasl.ErrEarly}, {"server with a wrong signature", "pencil", "signature", sasl.ErrServer},
	} {
		t.Run(tc.name, func(t *testing.T) {
			srv := newSASLServer(t, "IMAP4rev1 SASL-IR AUTH=SCRAM-SHA-256", func(s *saslConn) { s.scram("pencil", tc.forge) })
			p := newPool(t, Config{Host: "localhost", TLS: TLSNone, User: "user", Password: secret(tc.password), Dial: srv.dial})
			err := p.Do(t.Context(), "", func(context.Context, *Conn) error { return nil })
			if refused := (&AuthError{}); tc.want == errRefused && errors.As(err, &refused) && refused.CodeRaw == "AUTHENTICATIONFAILED" {
				return
			}
			if !errors.Is(err, tc.want) || tc.want == nil && err != nil {
				t.Errorf("got %v, want %v", err, tc.want)
			}
		})
	}
}

func TestNoSecretInErrors(t *testing.T) {
	const pw = "hunter2-very-secret"
	cfg := Config{Host: "localhost", TLS: TLSNone, User: "u@example.com", Password: secret(pw)}
	for name, script := range map[string]imaptest.Script{
		"refused":  {Auth: []string{"{tag} NO no"}},
		"bye":      {Steps: []imaptest.Step{imaptest.On("AUTHENTICATE").Reply("* BYE x").Close(), imaptest.On("LOGIN").Reply("* BYE x").Close()}},
		"disabled": {Caps: "IMAP4rev1 LOGINDISABLED"},
		"login":    {Caps: "IMAP4rev1", Auth: []string{"{tag} BAD no"}},
	} {
		srv := imaptest.NewScripted(t, script)
		cfg.Dial = srv.Dial
		p := newPool(t, cfg)
		for range 2 {
			err := p.Do(t.Context(), "", func(context.Context, *Conn) error { return nil })
			if err == nil {
				t.Fatalf("%s: no error", name)
			}
			for e := err; e != nil; e = errors.Unwrap(e) {
				if s := fmt.Sprintf("%v %+v %#v %q", e, e, e, e); strings.Contains(s, "very-secret") {
					t.Errorf("%s: the password is in %s", name, s)
				}
			}
		}
	}
	cfg.Dial = imaptest.NewScripted(t).Dial
	for _, bad := range []string{pw + "\r\nT2 NOOP", pw + "\x00"} {
		cfg.Password = secret(bad)
		p := newPool(t, cfg)
		err := p.Do(t.Context(), "", func(context.Context, *Conn) error { return nil })
		if !errors.Is(err, errBadSecret) || strings.Contains(err.Error(), "very-secret") {
			t.Errorf("got %v, want errBadSecret without the password", err)
		}
	}
}
