package wire

import (
	"context"
	"crypto/tls"
	"net"
)

// Greeting is what the server said in plain text before STARTTLS. Nothing of it may be trusted.
type Greeting struct {
	Text         string
	Capabilities []string // upper case; must be asked for again after TLS (RFC 9051 §6.2.1)
}

// StartTLS reads the greeting on raw, sends CAPABILITY (if the greeting did not say) and STARTTLS, and returns the
// TLS connection, on which a Conn needs Options.Greeting ("* OK ready"). cfg needs ServerName or its own check.
// Errors: ErrNoStartTLS, ErrPreauth, ErrInjection, ErrLimit, *ByeError, TLS errors. raw is closed on error.
func StartTLS(ctx context.Context, raw net.Conn, cfg *tls.Config) (*tls.Conn, Greeting, error) {
	return nil, Greeting{}, errTODO
}
