package submit

import (
	"context"
	"time"

	"mailgap/shared/logingate"
)

// Client submits messages, each over a connection of its own. It is safe for concurrent use.
type Client struct {
	cfg  Config
	gate *logingate.Gate
}

// New checks cfg. It opens nothing. Errors: ErrBadConfig, ErrPlaintext.
func New(cfg Config) (*Client, error) {
	full, err := cfg.withDefaults()
	if err != nil {
		return nil, err
	}
	return &Client{cfg: full, gate: logingate.New()}, nil
}

// Info is what Probe learned. Fields ending in Raw are the server's own words: untrusted.
type Info struct {
	Host         string
	Port         int
	GreetingRaw  string
	TLS          bool
	TLSVersion   string
	Fingerprint  string     // SHA-256 of the server's certificate, lower-case hex
	Auth         AuthMethod // the method used, "" if nobody logged in
	ExtensionRaw []string   // EHLO lines, keywords in upper case, sorted
	MaxOctets    int64      // SIZE (RFC 1870); 0 means no limit was declared
	Has8BitMIME  bool
	HasSMTPUTF8  bool
	Took         time.Duration
}

// Probe connects, logs in and says goodbye. No MAIL command is sent. Errors: those of Send up to the login.
func (c *Client) Probe(ctx context.Context) (Info, error) {
	start := c.cfg.Now()
	l, err := c.open(ctx)
	l.info.Took = c.cfg.Now().Sub(start)
	if err != nil {
		return l.info, err
	}
	l.leave(nil)
	return l.info, nil
}
