package session

import (
	"bufio"
	"context"
	"crypto/hmac"
	"crypto/pbkdf2"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
)

// saslServer plays the server's side of one AUTHENTICATE exchange on each connection.
type saslServer struct {
	t     *testing.T
	caps  string
	play  func(*saslConn)
	mu    sync.Mutex
	begin string // first initial response, decoded
}

type saslConn struct {
	srv     *saslServer
	conn    net.Conn
	br      *bufio.Reader
	tag     string
	initial string // decoded
}

func newSASLServer(t *testing.T, caps string, play func(*saslConn)) *saslServer {
	return &saslServer{t: t, caps: caps, play: play}
}

func (s *saslServer) first() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.begin
}

func (s *saslServer) dial(context.Context, string, string) (net.Conn, error) {
	client, server := net.Pipe()
	s.t.Cleanup(func() { server.Close() })
	go s.serve(server)
	return client, nil
}

func (s *saslServer) serve(conn net.Conn) {
	defer conn.Close()
	c := &saslConn{srv: s, conn: conn, br: bufio.NewReader(conn)}
	io.WriteString(conn, "* OK [CAPABILITY "+s.caps+"] ready\r\n")
	for {
		line := c.line()
		f := strings.Fields(line)
		if len(f) < 2 {
			return
		}
		c.tag = f[0]
		switch f[1] {
		case "AUTHENTICATE":
			if len(f) == 4 {
				b, _ := base64.StdEncoding.DecodeString(f[3])
				c.initial = string(b)
			}
			s.mu.Lock()
			s.begin = c.initial
			s.mu.Unlock()
			s.play(c)
		case "CAPABILITY":
			io.WriteString(conn, "* CAPABILITY "+s.caps+"\r\n")
			c.tagged("OK done")
		default:
			c.tagged("OK done")
		}
	}
}

func (c *saslConn) line() string {
	l, err := c.br.ReadString('\n')
	if err != nil {
		return ""
	}
	return strings.TrimRight(l, "\r\n")
}

// challenge sends one and returns the decoded answer.
func (c *saslConn) challenge(text string) string {
	io.WriteString(c.conn, "+ "+base64.StdEncoding.EncodeToString([]byte(text))+"\r\n")
	b, _ := base64.StdEncoding.DecodeString(strings.TrimPrefix(c.line(), "="))
	return string(b)
}

func (c *saslConn) tagged(text string) { io.WriteString(c.conn, c.tag+" "+text+"\r\n") }

// scram plays the server of SCRAM-SHA-256 (RFC 5802 §3). forge is "", or what a server does that does not know the
// password: "early" skips its signature and says OK at once, "signature" makes one up.
func (c *saslConn) scram(password, forge string) {
	bare := strings.TrimPrefix(c.initial, "n,,")
	_, nonce, _ := strings.Cut(bare, ",r=")
	serverFirst := "r=" + nonce + "SERVER,s=" + base64.StdEncoding.EncodeToString([]byte("salt")) + ",i=4096"
	final := c.challenge(serverFirst)
	if forge == "early" {
		c.tagged("OK in you come")
		return
	}
	without, proofText, _ := strings.Cut(final, ",p=")
	proof, _ := base64.StdEncoding.DecodeString(proofText)
	salted, _ := pbkdf2.Key(sha256.New, password, []byte("salt"), 4096, 32)
	auth := []byte(bare + "," + serverFirst + "," + without)
	key := mac(salted, []byte("Client Key"))
	stored := sha256.Sum256(key)
	want := make([]byte, len(key))
	subtle.XORBytes(want, key, mac(stored[:], auth))
	if forge == "" && !hmac.Equal(proof, want) {
		c.tagged("NO [AUTHENTICATIONFAILED] no")
		return
	}
	if forge != "" {
		salted[0] ^= 1
	}
	c.challenge("v=" + base64.StdEncoding.EncodeToString(mac(mac(salted, []byte("Server Key")), auth)))
	c.tagged("OK welcome")
}

func mac(key, data []byte) []byte {
	h := hmac.New(sha256.New, key)
	h.Write(data)
	return h.Sum(nil)
}
