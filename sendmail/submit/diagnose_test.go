package submit

import (
	"context"
	"errors"
	"net"
	"strings"
	"testing"
	"testing/synctest"

	"mailgap/sendmail/smtptest"
	"mailgap/shared/tlsdial"
)

func diagnose(t *testing.T, cfg Config) (map[StepName]Step, Step, bool) {
	t.Helper()
	all, last := map[StepName]Step{}, Step{}
	ok := Diagnose(t.Context(), cfg, func(s Step) { all[s.Name], last = s, s })
	return all, last, ok
}

func TestDiagnoseHealthyServer(t *testing.T) {
	srv := smtptest.New(t, smtptest.Options{TLS: smtptest.StartTLS, Mechanisms: []string{"PLAIN"}, MaxMessageBytes: 777})
	cfg := serverConfig(srv)
	cfg.User, cfg.Password = smtptest.User, secret(smtptest.Password)
	all, last, ok := diagnose(t, cfg)
	if !ok || last.Name != StepQuit || !strings.Contains(all[StepTLS].Detail, srv.Cert.SHA256) || !strings.Contains(all[StepExtensions].Detail, "SIZE 777") ||
		!strings.Contains(all[StepLogin].Detail, "plain") || !strings.Contains(all[StepGreeting].Detail, "Service Ready") {
		t.Errorf("got %v, %+v", ok, all)
	}
	if n := srv.Counts(); n.Transactions != 0 || n.Logins != 1 {
		t.Errorf("got %+v, want one login and no MAIL", n)
	}
}

func TestDiagnoseFailures(t *testing.T) {
	cert := smtptest.NewCertificate(t)
	for _, tc := range []struct {
		name   string
		server smtptest.TLSMode
		fault  smtptest.Fault
		set    func(*Config)
		step   StepName
		hint   string
	}{
		{"no host", smtptest.PlainText, smtptest.Fault{}, func(c *Config) { c.Host = "" }, StepConfig, "SMTP_HOST"},
		{"bad name", smtptest.PlainText, smtptest.Fault{}, func(c *Config) { c.HELO = "a b" }, StepConfig, "settings"},
		{"bad fingerprint", smtptest.PlainText, smtptest.Fault{}, func(c *Config) { c.Fingerprint = "xx" }, StepConfig, "settings"},
		{"user missing", smtptest.PlainText, smtptest.Fault{}, func(c *Config) { c.User = "" }, StepConfig, "SMTP_USER"},
		{"nothing listens", smtptest.PlainText, smtptest.Fault{Step: smtptest.StepConnect, Action: smtptest.Cut}, nil, StepTCP, "SMTP_PORT"},
		{"silent", smtptest.PlainText, smtptest.Fault{Step: smtptest.StepGreeting, Action: smtptest.Stall}, nil, StepGreeting, "firewall"},
		{"no mail server", smtptest.PlainText, smtptest.Fault{Step: smtptest.StepGreeting, Action: smtptest.Garbage}, nil, StepGreeting, "no mail server"},
		{"busy", smtptest.PlainText, smtptest.Fault{Step: smtptest.StepGreeting, Action: smtptest.Closing}, nil, StepGreeting, "wait"},
		{"self-signed", smtptest.StartTLS, smtptest.Fault{}, func(c *Config) { c.TLS = TLSStartTLS }, StepTLS, "SMTP_TLS_FINGERPRINT=" + cert.SHA256},
		{"wrong pin", smtptest.ImplicitTLS, smtptest.Fault{}, func(c *Config) { c.TLS, c.Fingerprint = TLSImplicit, strings.Repeat("ab", 32) }, StepTLS, cert.SHA256},
		{"other name", smtptest.ImplicitTLS, smtptest.Fault{}, func(c *Config) { c.TLS, c.Host, c.CAs = TLSImplicit, "other.example", cert.Pool() }, StepTLS, "another name"},
		{"no starttls", smtptest.PlainText, smtptest.Fault{}, func(c *Config) { c.TLS = TLSStartTLS }, StepTLS, "SMTP_TLS=implicit"},
		{"starttls refused", smtptest.StartTLS, smtptest.Fault{Step: smtptest.StepTLS, Action: smtptest.Transient}, func(c *Config) { c.TLS = TLSStartTLS }, StepTLS, "SMTP_TLS=implicit"},
		{"plain text injected", smtptest.StartTLS, smtptest.Fault{Step: smtptest.StepTLS, Action: smtptest.Surplus}, func(c *Config) { c.TLS = TLSStartTLS }, StepTLS, "interferes"},
		{"plain port for implicit", smtptest.PlainText, smtptest.Fault{}, func(c *Config) { c.TLS = TLSImplicit }, StepTLS, "587"},
		{"implicit port for starttls", smtptest.ImplicitTLS, smtptest.Fault{}, func(c *Config) { c.TLS, c.Port = TLSStartTLS, 465 }, StepTLS, "implicit"},
		{"login refused", smtptest.PlainText, smtptest.Fault{}, func(c *Config) { c.Password = secret("x") }, StepLogin, "SMTP_USER"},
		{"no password", smtptest.PlainText, smtptest.Fault{}, func(c *Config) { c.Password = nil }, StepLogin, "password"},
		{"token not offered", smtptest.PlainText, smtptest.Fault{}, func(c *Config) { c.Token = secret("x") }, StepLogin, "SMTP_AUTH"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			onSocket := tc.step == StepTLS && tc.fault == (smtptest.Fault{}) && tc.name != "implicit port for starttls"
			run := func(t *testing.T) {
				srv := smtptest.NewScripted(t, smtptest.ScriptOptions{TLS: tc.server, Cert: cert, Fault: tc.fault})
				cfg := loggedIn(srv.Dialer())
				if onSocket {
					cfg.Dial = srv.Listen(t)
				}
				if tc.set != nil {
					tc.set(&cfg)
				}
				all, last, ok := diagnose(t, cfg)
				if ok || last.Name != tc.step || last.OK || !strings.Contains(last.Hint, tc.hint) {
					t.Errorf("got %v at %+v, want %s with %q in the hint (%+v)", ok, last, tc.step, tc.hint, all)
				}
				if n := srv.Counts().Transactions; n != 0 {
					t.Errorf("got %d MAIL, want none", n)
				}
			}
			if onSocket {
				run(t) // a pipe has no buffers, so that both sides of a failed handshake would wait for each other
				return
			}
			synctest.Test(t, run)
		})
	}
}

func TestTLSVerification(t *testing.T) {
	for _, mode := range []struct {
		client TLSMode
		server smtptest.TLSMode
	}{{TLSImplicit, smtptest.ImplicitTLS}, {TLSStartTLS, smtptest.StartTLS}} {
		srv := smtptest.New(t, smtptest.Options{TLS: mode.server})
		pin := srv.Cert.SHA256
		for _, tc := range []struct {
			name string
			set  func(*Config)
			want tlsdial.Reason // "": success
		}{
			{"trusted", func(c *Config) { c.CAs = srv.Cert.Pool() }, ""},
			{"trusted by file", func(c *Config) { c.CAPEM = srv.Cert.CAPEM }, ""},
			{"unknown", func(*Config) {}, tlsdial.Untrusted},
			{"pinned", func(c *Config) { c.Fingerprint = "SHA256:" + strings.ToUpper(pin[:2]+":"+pin[2:]) }, ""},
			{"pinned, other host", func(c *Config) { c.Fingerprint, c.Host = pin, "other.example" }, ""},
			{"wrong pin, trusted", func(c *Config) { c.Fingerprint, c.CAs = strings.Repeat("ab", 32), srv.Cert.Pool() }, tlsdial.Pinned},
			{"other host", func(c *Config) { c.CAs, c.Host = srv.Cert.Pool(), "other.example" }, tlsdial.Hostname},
		} {
			t.Run(string(mode.client)+" "+tc.name, func(t *testing.T) {
				cfg := Config{Host: smtptest.Hostname, TLS: mode.client, Dial: srv.Dialer()}
				tc.set(&cfg)
				before := len(srv.Messages())
				_, err := newClient(t, cfg).Send(t.Context(), envelope, message(), Hooks{})
				var te *TLSError
				switch {
				case tc.want == "" && err != nil:
					t.Errorf("got %v, want success", err)
				case tc.want != "" && (!errors.As(err, &te) || te.Reason != tc.want || te.Fingerprint != pin || len(srv.Messages()) != before):
					t.Errorf("got %v, want %s with the fingerprint and no message", err, tc.want)
				}
			})
		}
	}
}

// remote claims to come from another machine.
type remote struct{ net.Conn }

func (remote) RemoteAddr() net.Addr { return &net.TCPAddr{IP: net.IPv4(192, 0, 2, 1), Port: 25} }

// Security: a name such as localhost may be made to point elsewhere.
func TestPlaintextIsCheckedOnTheSocketToo(t *testing.T) {
	srv := smtptest.NewScripted(t, smtptest.ScriptOptions{})
	cfg := loggedIn(func(ctx context.Context, n, a string) (net.Conn, error) {
		conn, err := srv.Dialer()(ctx, n, a)
		return remote{conn}, err
	})
	out, err := newClient(t, cfg).Send(t.Context(), envelope, message(), Hooks{})
	if !errors.Is(err, ErrPlaintext) || srv.Counts().Logins != 0 {
		t.Errorf("got %+v, %v, want ErrPlaintext", out, err)
	}
}
