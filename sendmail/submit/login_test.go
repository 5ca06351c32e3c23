package submit

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mailgap/sendmail/smtptest"
)

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

// Real tokens do not fit into the AUTH command, so that they follow the server's first, empty question (RFC 4954 §4).
func TestLongTokenFollowsTheCommand(t *testing.T) {
	for _, auth := range []AuthMethod{AuthXOAuth2, AuthOAuthBearer} {
		synctest.Test(t, func(t *testing.T) {
			srv := smtptest.NewScripted(t, smtptest.ScriptOptions{Extensions: []string{"AUTH XOAUTH2 OAUTHBEARER"}})
			cfg := loggedIn(srv.Dialer())
			cfg.Auth, cfg.Token = auth, secret(strings.Repeat("t", 3000))
			_, err := newClient(t, cfg).Probe(t.Context())
			var refused *AuthError
			if !errors.As(err, &refused) || !strings.Contains(refused.DetailRaw, "401") || refused.Reply.Code != 535 {
				t.Errorf("%s: got %v, want the token looked at and refused", auth, err)
			}
		})
	}
}
