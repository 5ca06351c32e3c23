package session

import (
	"context"
	"crypto/x509"
	"log/slog"
	"net"
	"time"

	"mailgap/shared/tlsdial"
)

// TLSMode says how a connection is protected.
type TLSMode = tlsdial.Mode

// The TLS modes. The zero value means TLSImplicit.
const (
	TLSImplicit = tlsdial.Implicit // TLS from the first octet, usually port 993 (RFC 8314 §3.2)
	TLSStartTLS = tlsdial.StartTLS // STARTTLS is required, never optional (RFC 9051 §6.2.1)
	TLSNone     = tlsdial.None     // plain text: loopback only, unless Config.AllowPlaintext
)

// AuthMethod says how the user proves who they are.
type AuthMethod string

// The authentication methods. The zero value means AuthAuto.
const (
	AuthAuto        AuthMethod = "auto"          // by capability: OAuth if Token is set, else SCRAM-SHA-256, PLAIN, LOGIN
	AuthPlain       AuthMethod = "plain"         // RFC 4616
	AuthLogin       AuthMethod = "login"         // the LOGIN command, RFC 9051 §6.2.3
	AuthSCRAMSHA256 AuthMethod = "scram-sha-256" // RFC 7677, without channel binding
	AuthXOAuth2     AuthMethod = "xoauth2"       // Google's and Microsoft's mechanism
	AuthOAuthBearer AuthMethod = "oauthbearer"   // RFC 7628
)

// CompressMode says when COMPRESS=DEFLATE (RFC 4978) is asked for. It needs a server that offers it.
type CompressMode string

// The compression modes. The zero value means CompressAuto.
const (
	CompressAuto CompressMode = "auto" // on unless the server is on this machine
	CompressOn   CompressMode = "on"
	CompressOff  CompressMode = "off"
)

// Config is everything a Pool needs to know. The zero value of each optional field is safe. It is not changed by the
// pool, and Password and Token are never formatted.
type Config struct {
	Account string // label in errors and references; "" means "default"
	Host    string // required: DNS name or address literal, also the name in SNI and certificate checks
	Port    int    // 0 means 993 for TLSImplicit, else 143
	User    string

	TLS            TLSMode
	CAs            *x509.CertPool // nil means the system's roots
	CAPEM          []byte         // further roots in PEM form, added to CAs
	Fingerprint    string         // SHA-256 of the leaf certificate in hex, colons allowed; replaces chain verification
	AllowPlaintext bool           // allows TLSNone to a host that is not this machine

	Auth     AuthMethod
	Password func(ctx context.Context) (string, error) // nil means none is configured
	Token    func(ctx context.Context) (string, error) // OAuth access token; nil means none is configured

	// Dial opens the byte stream; nil means net.Dialer. Tests and the demo put pipes here.
	Dial func(ctx context.Context, network, addr string) (net.Conn, error)

	PoolSize       int           // connections at most, without those of Idle; 0 means 2
	DialTimeout    time.Duration // TCP, TLS, greeting and login together; 0 means 30 s
	CommandTimeout time.Duration // one command; 0 means 60 s
	KeepAlive      time.Duration // NOOP after this much silence while there was recent use; 0 means 4 min
	IdleClose      time.Duration // a connection unused this long is logged out; 0 means 15 min
	Compress       CompressMode

	ClientName    string // for ID (RFC 2971); "" means "mailgap"
	ClientVersion string

	Logger *slog.Logger     // nil means no log; receives ids, counts, durations and codes only
	Now    func() time.Time // nil means time.Now; decides about pauses after rejected logins
}
