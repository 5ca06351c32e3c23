package session

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"io"
	"math/big"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mailgap/readmail/imaptest"
	"mailgap/shared/tlsdial"
)

func nothing(context.Context, *Conn) error { return nil }

func TestTLS(t *testing.T) {
	for _, mode := range []struct {
		client TLSMode
		server imaptest.TLSMode
	}{{TLSImplicit, imaptest.ImplicitTLS}, {TLSStartTLS, imaptest.StartTLS}} {
		srv := imaptest.New(t, imaptest.Options{TLS: mode.server})
		pin := srv.Cert.SHA256
		for _, tc := range []struct {
			name string
			set  func(*Config)
			want TLSReason // "": success
		}{
			{"trusted", func(c *Config) { c.CAs = srv.Cert.Pool() }, ""},
			{"trusted by file", func(c *Config) { c.CAPEM = srv.Cert.CAPEM }, ""},
			{"unknown", func(*Config) {}, TLSUntrusted},
			{"pinned", func(c *Config) { c.Fingerprint = pin }, ""},
			{"pinned in another spelling", func(c *Config) { c.Fingerprint = "SHA256:" + strings.ToUpper(pin[:2]+":"+pin[2:]) }, ""},
			{"pinned, other host", func(c *Config) { c.Fingerprint, c.Host = pin, "other.example" }, ""},
			{"wrong pin", func(c *Config) { c.Fingerprint = strings.Repeat("ab", 32) }, TLSFingerprint},
			{"wrong pin, trusted", func(c *Config) { c.Fingerprint, c.CAs = strings.Repeat("ab", 32), srv.Cert.Pool() }, TLSFingerprint},
			{"other host", func(c *Config) { c.CAs, c.Host = srv.Cert.Pool(), "other.example" }, TLSHostname},
		} {
			t.Run(string(mode.client)+" "+tc.name, func(t *testing.T) {
				cfg := Config{Host: imaptest.Hostname, TLS: mode.client, User: imaptest.User, Password: secret(imaptest.Password), Dial: toAddr(srv.Addr())}
				tc.set(&cfg)
				p := newPool(t, cfg)
				err := p.Do(t.Context(), "", nothing)
				te := asTLS(err)
				switch {
				case tc.want == "" && (err != nil || p.Info().Fingerprint != pin || !p.Info().TLS):
					t.Errorf("got %v, %+v, want a connection", err, p.Info())
				case tc.want != "" && (te == nil || te.Reason != tc.want || te.Fingerprint != pin):
					t.Errorf("got %v (%+v), want reason %q with the fingerprint", err, te, tc.want)
				}
			})
		}
	}
}

// toAddr returns a dial function for one address. TLS needs sockets: on a pipe both ends may write at the same time and wait.
func toAddr(addr string) func(context.Context, string, string) (net.Conn, error) {
	return func(ctx context.Context, network, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, network, addr)
	}
}

// oneSocket is oneConn over loopback.
func oneSocket(t *testing.T, fn func(net.Conn)) func(context.Context, string, string) (net.Conn, error) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ln.Close() })
	go func() {
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				fn(c)
			}()
		}
	}()
	return toAddr(ln.Addr().String())
}

// oneConn returns a dial function whose other end is served by fn.
func oneConn(t *testing.T, fn func(net.Conn)) func(context.Context, string, string) (net.Conn, error) {
	return func(context.Context, string, string) (net.Conn, error) {
		client, server := net.Pipe()
		t.Cleanup(func() { server.Close() })
		go func() {
			defer server.Close()
			fn(server)
		}()
		return client, nil
	}
}

func TestUnsafeOpenings(t *testing.T) {
	drain := func(c net.Conn) { io.Copy(io.Discard, c) }
	say := func(lines ...string) func(net.Conn) {
		return func(c net.Conn) {
			io.WriteString(c, lines[0])
			for _, l := range lines[1:] {
				if _, err := readLine(c); err != nil {
					return
				}
				io.WriteString(c, l)
			}
			drain(c)
		}
	}
	for _, tc := range []struct {
		name   string
		mode   TLSMode
		port   int
		server func(net.Conn)
		want   TLSReason
		err    error
	}{
		{"preauth before starttls", TLSStartTLS, 143, say("* PREAUTH hello\r\n"), TLSInjected, nil},
		{"starttls refused", TLSStartTLS, 143, say("* OK [CAPABILITY IMAP4rev1 STARTTLS] hello\r\n", "S2 NO not here\r\n"), TLSNotOffered, nil},
		{"starttls not offered", TLSStartTLS, 143, say("* OK hello\r\n", "* CAPABILITY IMAP4rev1\r\nS1 OK done\r\n"), TLSNotOffered, nil},
		{"starttls injection", TLSStartTLS, 143, say("* OK [CAPABILITY IMAP4rev1 STARTTLS] hello\r\n", "S2 OK go\r\n* CAPABILITY IMAP4rev1 AUTH=EVIL\r\n"), TLSInjected, nil},
		{"plain on the tls port", TLSImplicit, 993, say("* OK hello\r\n"), TLSPlainOnPort, nil},
		{"tls on the plain port", TLSNone, 993, func(c net.Conn) { io.WriteString(c, "\x15\x03\x01\x00\x02\x02\x46") }, TLSOnPlainPort, nil},
		{"bye", TLSNone, 143, say("* BYE [UNAVAILABLE] later\r\n"), "", nil},
		{"not imap", TLSNone, 143, say("220 mail.example ESMTP\r\n"), "", errNotIMAP},
		{"endless line", TLSNone, 143, func(c net.Conn) {
			for {
				if _, err := c.Write([]byte("xxxxxxxxxxxxxxxx")); err != nil {
					return
				}
			}
		}, "", errNotIMAP},
		{"nothing", TLSNone, 143, func(net.Conn) {}, "", errNoGreeting},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p := newPool(t, Config{Host: "localhost", Port: tc.port, TLS: tc.mode, User: "u", Password: secret("p"), Dial: oneSocket(t, tc.server)})
			err := p.Do(t.Context(), "", nothing)
			if err == nil {
				t.Fatal("got a connection")
			}
			if te := asTLS(err); tc.want != "" && (te == nil || te.Reason != tc.want) {
				t.Errorf("got %v, want %q", err, tc.want)
			}
			if tc.err != nil && !errors.Is(err, tc.err) {
				t.Errorf("got %v, want %v", err, tc.err)
			}
		})
	}
}

func TestSilentOpenings(t *testing.T) {
	for _, mode := range []TLSMode{TLSNone, TLSStartTLS, TLSImplicit} {
		synctest.Test(t, func(t *testing.T) {
			start := time.Now()
			p := newPool(t, Config{Host: "localhost", TLS: mode, User: "u", Password: secret("p"),
				Dial: oneConn(t, func(c net.Conn) { io.Copy(io.Discard, c) })})
			err := p.Do(t.Context(), "", nothing)
			if !errors.Is(err, ErrTimeout) || time.Since(start) != defaultDialTimeout {
				t.Errorf("%s: got %v after %v, want ErrTimeout after %v", mode, err, time.Since(start), defaultDialTimeout)
			}
			p.Close()
		})
	}
}

func TestPlaintextOnlyAtHome(t *testing.T) {
	for host, ok := range map[string]bool{"localhost": true, "127.0.0.1": true, "::1": true, "imap.example": false, "10.0.0.1": false, "localhost.example": false} {
		_, err := NewPool(Config{Host: host, TLS: TLSNone})
		if (err == nil) != ok || !ok && !errors.Is(err, ErrPlaintext) {
			t.Errorf("%s: got %v, want allowed %v", host, err, ok)
		}
	}
	if _, err := NewPool(Config{Host: "imap.example", TLS: TLSNone, AllowPlaintext: true}); err != nil {
		t.Errorf("got %v, want no error when allowed", err)
	}
	away := &net.TCPAddr{IP: net.IPv4(192, 0, 2, 1), Port: 143}
	p := newPool(t, Config{Host: "localhost", TLS: TLSNone, User: "u", Password: secret("p"),
		Dial: func(context.Context, string, string) (net.Conn, error) {
			c, s := net.Pipe()
			t.Cleanup(func() { s.Close() })
			return &awayConn{c, away}, nil
		}})
	if err := p.Do(t.Context(), "", nothing); !errors.Is(err, ErrPlaintext) {
		t.Errorf("localhost that is elsewhere: got %v, want ErrPlaintext", err)
	}
}

type awayConn struct {
	net.Conn
	addr net.Addr
}

func (c *awayConn) RemoteAddr() net.Addr { return c.addr }

func TestExpiredCertificate(t *testing.T) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	tmpl := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "old"}, DNSNames: []string{"imap.example"},
		NotBefore: time.Date(2001, 1, 1, 0, 0, 0, 0, time.UTC), NotAfter: time.Date(2002, 1, 1, 0, 0, 0, 0, time.UTC),
		IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, tmpl, tmpl, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	leaf, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AddCert(leaf)
	conf := &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}}
	var steps []Step
	cfg := Config{Host: "imap.example", CAs: roots, User: "u", Password: secret("p"),
		Dial: oneSocket(t, func(c net.Conn) { tls.Server(c, conf).Handshake() })}
	if Diagnose(t.Context(), cfg, func(s Step) { steps = append(steps, s) }) {
		t.Fatal("got success")
	}
	last := steps[len(steps)-1]
	if last.Name != StepTLS || last.OK || !strings.Contains(last.Hint, "2002-01-01") || !strings.Contains(last.Detail, tlsdial.Fingerprint(leaf)) {
		t.Errorf("got %+v, want the date and the fingerprint", last)
	}
}
