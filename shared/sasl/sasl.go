package sasl

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

	"golang.org/x/text/unicode/norm"
)

// Limits of a SCRAM exchange.
const (
	scramMinIterations = 4096      // RFC 7677 §4
	scramMaxIterations = 5_000_000 // Limit: about two seconds of work; a server must not ask for hours
	scramMaxOctets     = 4096      // Limit: longest server message
	scramNonceOctets   = 18
)

// maxDetailOctets is how much is kept of what a server says about a failed OAuth exchange.
const maxDetailOctets = 500

// Errors of SASL exchanges. They say nothing about credentials.
var (
	ErrEarly    = errors.New("sasl: server ended the login before proving that it knows the password")
	ErrProtocol = errors.New("sasl: server broke the rules of the login exchange")
	ErrServer   = errors.New("sasl: server could not prove that it knows the password")
	ErrSurplus  = errors.New("sasl: unexpected question from the server during login")
)

// IsFault reports whether err says that the server broke the exchange, rather than refusing the login.
func IsFault(err error) bool {
	return errors.Is(err, ErrEarly) || errors.Is(err, ErrProtocol) || errors.Is(err, ErrServer) || errors.Is(err, ErrSurplus)
}

// Plain is PLAIN (RFC 4616).
type Plain struct{ user, password string }

// NewPlain returns the client for one exchange. Neither argument may hold NUL.
func NewPlain(user, password string) *Plain { return &Plain{user: user, password: password} }

// Start returns the whole exchange.
func (c *Plain) Start() (string, []byte, error) {
	return "PLAIN", []byte("\x00" + c.user + "\x00" + c.password), nil
}

// Next is never right: ErrSurplus.
func (c *Plain) Next([]byte) ([]byte, error) { return nil, ErrSurplus }

// Login is LOGIN (draft-murchison-sasl-login). Quirk: what the server asks is not read, since servers spell their two questions in
// several ways; the first answer is the user name and the second the password.
type Login struct {
	user, password string
	step           int
}

// NewLogin returns the client for one exchange.
func NewLogin(user, password string) *Login { return &Login{user: user, password: password} }

// Start sends no initial response: some servers do not take one for LOGIN.
func (c *Login) Start() (string, []byte, error) { return "LOGIN", nil, nil }

// Next answers the two questions; a third is ErrSurplus.
func (c *Login) Next([]byte) ([]byte, error) {
	c.step++
	switch c.step {
	case 1:
		return []byte(c.user), nil
	case 2:
		return []byte(c.password), nil
	}
	return nil, ErrSurplus
}

// OAuth is XOAUTH2 or OAUTHBEARER (RFC 7628). A failed exchange is answered, so that the final reply arrives.
type OAuth struct {
	bearer            bool
	user, token, host string
	port              int
	answered          bool
	detail            string
}

// NewXOAuth2 returns Google's and Microsoft's mechanism for one exchange.
func NewXOAuth2(user, token string) *OAuth { return &OAuth{user: user, token: token} }

// NewOAuthBearer returns the mechanism of RFC 7628 for one exchange.
func NewOAuthBearer(user, token, host string, port int) *OAuth {
	return &OAuth{bearer: true, user: user, token: token, host: host, port: port}
}

// DetailRaw is what the server said about a failure, a JSON document of at most 500 octets: untrusted.
func (c *OAuth) DetailRaw() string { return c.detail }

// Start returns the token with what surrounds it.
func (c *OAuth) Start() (string, []byte, error) {
	if !c.bearer {
		return "XOAUTH2", []byte("user=" + c.user + "\x01auth=Bearer " + c.token + "\x01\x01"), nil
	}
	gs2 := "n,a=" + saslName(c.user) + ","
	fields := "\x01host=" + c.host + "\x01port=" + strconv.Itoa(c.port) + "\x01auth=Bearer " + c.token + "\x01\x01"
	return "OAUTHBEARER", []byte(gs2 + fields), nil
}

// Next takes the description of a failure and answers it once.
func (c *OAuth) Next(challenge []byte) ([]byte, error) {
	if c.answered {
		return nil, ErrSurplus
	}
	c.answered, c.detail = true, string(challenge[:min(len(challenge), maxDetailOctets)])
	if !c.bearer {
		return []byte{}, nil
	}
	return []byte{1}, nil // RFC 7628 §3.2.3
}

// saslName escapes a user name in a GS2 header or SCRAM message (RFC 5801 §4).
func saslName(s string) string {
	return strings.NewReplacer("=", "=3D", ",", "=2C").Replace(s)
}

// SCRAM is the client of SCRAM-SHA-256 without channel binding (RFC 5802, RFC 7677).
type SCRAM struct {
	user, password string
	nonce          string
	firstBare      string
	serverSig      []byte
	step           int
	proven         bool // the server's signature was right
}

// NewSCRAM returns the client for one exchange.
func NewSCRAM(user, password string) *SCRAM {
	nonce := make([]byte, scramNonceOctets)
	rand.Read(nonce)
	return &SCRAM{user: saslPrep(user), password: saslPrep(password), nonce: base64.StdEncoding.EncodeToString(nonce)}
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

// Proven reports whether the server has shown that it knows the password. A login that succeeds without is none.
func (c *SCRAM) Proven() bool { return c.proven }

// Start returns the client-first-message.
func (c *SCRAM) Start() (string, []byte, error) {
	c.firstBare = "n=" + saslName(c.user) + ",r=" + c.nonce
	return "SCRAM-SHA-256", []byte("n,," + c.firstBare), nil
}

// Next answers the server-first-message and checks the server-final-message.
func (c *SCRAM) Next(challenge []byte) ([]byte, error) {
	c.step++
	switch c.step {
	case 1:
		return c.final(challenge)
	case 2:
		return c.verify(challenge)
	}
	return nil, ErrSurplus
}

// final answers the server-first-message with the client-final-message.
func (c *SCRAM) final(challenge []byte) ([]byte, error) {
	nonce, salt, iterations, err := parseServerFirst(challenge, c.nonce)
	if err != nil {
		return nil, err
	}
	salted, err := pbkdf2.Key(sha256.New, c.password, salt, iterations, sha256.Size)
	if err != nil {
		return nil, ErrProtocol
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
		return "", nil, 0, ErrProtocol
	}
	fields := strings.Split(string(msg), ",")
	if len(fields) < 3 {
		return "", nil, 0, ErrProtocol
	}
	nonce, okNonce := strings.CutPrefix(fields[0], "r=")
	saltText, okSalt := strings.CutPrefix(fields[1], "s=")
	count, okCount := strings.CutPrefix(fields[2], "i=")
	// Security: a nonce that does not begin with ours could replay an earlier exchange.
	if !okNonce || !okSalt || !okCount || !strings.HasPrefix(nonce, ours) || len(nonce) == len(ours) {
		return "", nil, 0, ErrProtocol
	}
	salt, err = base64.StdEncoding.DecodeString(saltText)
	if err != nil || len(salt) == 0 {
		return "", nil, 0, ErrProtocol
	}
	iterations, err = strconv.Atoi(count)
	// Security: few iterations let a false server guess the password from the proof.
	if err != nil || iterations < scramMinIterations || iterations > scramMaxIterations {
		return "", nil, 0, ErrProtocol
	}
	return nonce, salt, iterations, nil
}

// verify checks the server-final-message: the server too must know the password.
func (c *SCRAM) verify(challenge []byte) ([]byte, error) {
	sig, ok := bytes.CutPrefix(challenge, []byte("v="))
	if !ok {
		return nil, ErrServer
	}
	sig, _, _ = bytes.Cut(sig, []byte(","))
	got, err := base64.StdEncoding.DecodeString(string(sig))
	if err != nil || !hmac.Equal(got, c.serverSig) {
		return nil, ErrServer
	}
	c.proven = true
	return []byte{}, nil
}

func mac(key, data []byte) []byte {
	h := hmac.New(sha256.New, key)
	h.Write(data)
	return h.Sum(nil)
}
