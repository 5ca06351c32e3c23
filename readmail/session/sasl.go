package session

import (
	"bytes"
	"crypto/hmac"
	"crypto/pbkdf2"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"strconv"
	"strings"

	"github.com/emersion/go-sasl"
	"golang.org/x/text/unicode/norm"
)

// Limits of a SCRAM exchange.
const (
	scramMinIterations = 4096      // RFC 7677 §4
	scramMaxIterations = 5_000_000 // Limit: about two seconds of work; a server must not ask for hours
	scramMaxOctets     = 4096      // Limit: longest server message
	scramNonceOctets   = 18
)

// Errors of SASL exchanges. They say nothing about credentials.
var (
	errSASLEarly    = errors.New("session: server ended the login before proving that it knows the password")
	errSASLProtocol = errors.New("session: server broke the rules of the login exchange")
	errSASLServer   = errors.New("session: server could not prove that it knows the password")
	errSASLSurplus  = errors.New("session: unexpected question from the server during login")
)

// lateStart is for servers without SASL-IR. Quirk: some ask for the initial response with "+ =", which is an empty challenge
// and not the absence of one.
type lateStart struct {
	sasl.Client
	initial []byte
	sent    bool
}

func (c *lateStart) Start() (string, []byte, error) {
	mech, initial, err := c.Client.Start()
	c.initial = initial
	return mech, initial, err
}

func (c *lateStart) Next(challenge []byte) ([]byte, error) {
	first := !c.sent
	c.sent = true
	if first && len(challenge) == 0 {
		return c.initial, nil
	}
	return c.Client.Next(challenge)
}

// plainClient is PLAIN (RFC 4616).
type plainClient struct{ user, password string }

func (c *plainClient) Start() (string, []byte, error) {
	return "PLAIN", []byte("\x00" + c.user + "\x00" + c.password), nil
}

func (c *plainClient) Next([]byte) ([]byte, error) { return nil, errSASLSurplus }

// oauthClient is XOAUTH2 or OAUTHBEARER (RFC 7628). A failed exchange is answered, so that the tagged reply arrives.
type oauthClient struct {
	method            AuthMethod
	user, token, host string
	port              int
	detail            string // what the server said about the failure, a JSON document
}

func (c *oauthClient) Start() (string, []byte, error) {
	if c.method == AuthXOAuth2 {
		return "XOAUTH2", []byte("user=" + c.user + "\x01auth=Bearer " + c.token + "\x01\x01"), nil
	}
	gs2 := "n,a=" + saslName(c.user) + ","
	fields := "\x01host=" + c.host + "\x01port=" + strconv.Itoa(c.port) + "\x01auth=Bearer " + c.token + "\x01\x01"
	return "OAUTHBEARER", []byte(gs2 + fields), nil
}

func (c *oauthClient) Next(challenge []byte) ([]byte, error) {
	if c.detail != "" {
		return nil, errSASLSurplus
	}
	c.detail = cutString(string(challenge), maxServerText)
	if c.method == AuthXOAuth2 {
		return []byte{}, nil
	}
	return []byte{1}, nil // RFC 7628 §3.2.3
}

// saslName escapes a user name in a GS2 header or SCRAM message (RFC 5801 §4).
func saslName(s string) string {
	return strings.NewReplacer("=", "=3D", ",", "=2C").Replace(s)
}

// scramClient is SCRAM-SHA-256 without channel binding (RFC 5802, RFC 7677).
type scramClient struct {
	user, password string
	nonce          string
	firstBare      string
	serverSig      []byte
	step           int
	proven         bool // the server's signature was right
}

func newSCRAM(user, password string) *scramClient {
	nonce := make([]byte, scramNonceOctets)
	rand.Read(nonce)
	return &scramClient{user: saslPrep(user), password: saslPrep(password), nonce: base64.StdEncoding.EncodeToString(nonce)}
}

// saslPrep applies the parts of RFC 4013 that change text: odd spaces, letters that map to nothing, NFKC.
func saslPrep(s string) string {
	mapped := strings.Map(func(r rune) rune {
		switch {
		case r == 0xA0 || r == 0x1680 || r >= 0x2000 && r <= 0x200A || r == 0x202F || r == 0x205F || r == 0x3000:
			return ' '
		case r == 0xAD || r == 0x34F || r == 0x1806 || r >= 0x180B && r <= 0x180D || r >= 0x200B && r <= 0x200D,
			r == 0x2060 || r == 0xFEFF || r >= 0xFE00 && r <= 0xFE0F:
			return -1
		}
		return r
	}, s)
	return norm.NFKC.String(mapped)
}

func (c *scramClient) Start() (string, []byte, error) {
	c.firstBare = "n=" + saslName(c.user) + ",r=" + c.nonce
	return "SCRAM-SHA-256", []byte("n,," + c.firstBare), nil
}

func (c *scramClient) Next(challenge []byte) ([]byte, error) {
	c.step++
	switch c.step {
	case 1:
		return c.final(challenge)
	case 2:
		return c.verify(challenge)
	}
	return nil, errSASLSurplus
}

// final answers the server-first-message with the client-final-message.
func (c *scramClient) final(challenge []byte) ([]byte, error) {
	nonce, salt, iterations, err := parseServerFirst(challenge, c.nonce)
	if err != nil {
		return nil, err
	}
	salted, err := pbkdf2.Key(sha256.New, c.password, salt, iterations, sha256.Size)
	if err != nil {
		return nil, errSASLProtocol
	}
	withoutProof := "c=biws,r=" + nonce
	auth := []byte(c.firstBare + "," + string(challenge) + "," + withoutProof)
	clientKey := mac(salted, []byte("Client Key"))
	storedKey := sha256.Sum256(clientKey)
	proof := make([]byte, len(clientKey))
	subtle.XORBytes(proof, clientKey, mac(storedKey[:], auth))
	c.serverSig = mac(mac(salted, []byte("Server Key")), auth)
	return []byte(withoutProof + ",p=" + base64.StdEncoding.EncodeToString(proof)), nil
}

// parseServerFirst reads "r=nonce,s=salt,i=count" (RFC 5802 §5.1). A mandatory extension or a foreign nonce is an error.
func parseServerFirst(msg []byte, ours string) (nonce string, salt []byte, iterations int, err error) {
	if len(msg) > scramMaxOctets {
		return "", nil, 0, errSASLProtocol
	}
	fields := strings.Split(string(msg), ",")
	if len(fields) < 3 {
		return "", nil, 0, errSASLProtocol
	}
	nonce, okNonce := strings.CutPrefix(fields[0], "r=")
	saltText, okSalt := strings.CutPrefix(fields[1], "s=")
	count, okCount := strings.CutPrefix(fields[2], "i=")
	// Security: a nonce that does not begin with ours could replay an earlier exchange.
	if !okNonce || !okSalt || !okCount || !strings.HasPrefix(nonce, ours) || len(nonce) == len(ours) {
		return "", nil, 0, errSASLProtocol
	}
	salt, err = base64.StdEncoding.DecodeString(saltText)
	if err != nil || len(salt) == 0 {
		return "", nil, 0, errSASLProtocol
	}
	iterations, err = strconv.Atoi(count)
	// Security: few iterations let a false server guess the password from the proof.
	if err != nil || iterations < scramMinIterations || iterations > scramMaxIterations {
		return "", nil, 0, errSASLProtocol
	}
	return nonce, salt, iterations, nil
}

// verify checks the server-final-message: the server too must know the password.
func (c *scramClient) verify(challenge []byte) ([]byte, error) {
	sig, ok := bytes.CutPrefix(challenge, []byte("v="))
	if !ok {
		return nil, errSASLServer
	}
	sig, _, _ = bytes.Cut(sig, []byte(","))
	got, err := base64.StdEncoding.DecodeString(string(sig))
	if err != nil || !hmac.Equal(got, c.serverSig) {
		return nil, errSASLServer
	}
	c.proven = true
	return []byte{}, nil
}

func mac(key, data []byte) []byte {
	h := hmac.New(sha256.New, key)
	h.Write(data)
	return h.Sum(nil)
}
