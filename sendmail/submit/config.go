package submit

import (
	"context"
	"crypto/x509"
	"log/slog"
	"net"
	"time"

	"mailgap/shared/tlsdial"
)

// TLSMode says how a connection is protected. The zero value means TLSStartTLS.
type TLSMode = tlsdial.Mode

// The TLS modes.
const (
	TLSStartTLS TLSMode = tlsdial.StartTLS // STARTTLS is required, never optional (RFC 3207), usually port 587
	TLSImplicit TLSMode = tlsdial.Implicit // TLS from the first octet, usually port 465 (RFC 8314 §3.3)
	TLSNone     TLSMode = tlsdial.None     // plain text: to this machine only
)

// AuthMethod says how the user proves who they are.
type AuthMethod string

// The authentication methods. The zero value means AuthAuto.
const (
	AuthAuto        AuthMethod = "auto"          // by extension: OAuth if Token is set, else SCRAM-SHA-256, PLAIN, LOGIN
	AuthPlain       AuthMethod = "plain"         // RFC 4616
	AuthLogin       AuthMethod = "login"         // the old LOGIN mechanism
	AuthSCRAMSHA256 AuthMethod = "scram-sha-256" // RFC 7677, without channel binding
	AuthXOAuth2     AuthMethod = "xoauth2"       // Google's and Microsoft's mechanism
	AuthOAuthBearer AuthMethod = "oauthbearer"   // RFC 7628
)

// Config is everything a Client needs to know. The zero value of each optional field is safe. Password and Token are
// never formatted.
type Config struct {
	Host string // required: DNS name or address literal, also the name in SNI and certificate checks
	Port int    // 0 means 465 for TLSImplicit, else 587
	User string // "" means that nobody logs in: for a relay on this machine

	TLS         TLSMode
	CAs         *x509.CertPool // nil means the system's roots
	CAPEM       []byte         // further roots in PEM form, added to CAs
	Fingerprint string         // SHA-256 of the leaf certificate in hex, colons allowed; replaces chain verification

	Auth     AuthMethod
	Password func(ctx context.Context) (string, error) // nil means none is configured
	Token    func(ctx context.Context) (string, error) // OAuth access token; nil means none is configured

	// HELO is the name in EHLO. "" means the address literal [127.0.0.1], which says nothing about this machine
	// (RFC 5321 §4.1.4: a client without a meaningful name sends an address literal).
	HELO string

	// Dial opens the byte stream; nil means net.Dialer. Tests and the demo put pipes here.
	Dial func(ctx context.Context, network, addr string) (net.Conn, error)

	DialTimeout    time.Duration // TCP and TLS together; 0 means 30 s
	CommandTimeout time.Duration // greeting, and each command's reply; 0 means 2 min
	WriteTimeout   time.Duration // one write of at most 16 KiB; 0 means 2 min
	BodyTimeout    time.Duration // the whole body up to the final dot; 0 means 30 min
	FinalTimeout   time.Duration // the reply to the final dot; 0 means 10 min (RFC 5321 §4.5.3.2.6), which is also the most
	QuitTimeout    time.Duration // the farewell; 0 means 3 s

	Logger *slog.Logger     // nil means no log; receives stages, counts, durations and codes only
	Now    func() time.Time // nil means time.Now; decides about pauses after rejected logins
}
