package session

import (
	"crypto/x509"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strings"
	"time"
)

// Defaults of Config.
const (
	defaultPoolSize       = 2
	defaultDialTimeout    = 30 * time.Second
	defaultCommandTimeout = 60 * time.Second
	defaultKeepAlive      = 4 * time.Minute  // below the five minutes after which home routers forget a connection
	defaultIdleClose      = 15 * time.Minute // RFC 9051 §5.4 lets servers log out after 30 minutes
	maxPoolSize           = 8                // providers allow about 15 connections per account
	portIMAPS             = 993              // RFC 8314 §7.3
	portIMAP              = 143
)

// ErrBadConfig says that a Config contradicts itself or lacks something.
var ErrBadConfig = errors.New("session: configuration")

// withDefaults returns cfg with every optional field set, or an error that names the field.
func (cfg Config) withDefaults() (Config, error) {
	if cfg.Host == "" {
		return cfg, fmt.Errorf("%w: host is missing", ErrBadConfig)
	}
	cfg.Account = orElse(cfg.Account, "default")
	cfg.TLS = orElse(cfg.TLS, TLSImplicit)
	cfg.Auth = orElse(cfg.Auth, AuthAuto)
	cfg.Compress = orElse(cfg.Compress, CompressAuto)
	cfg.ClientName = orElse(cfg.ClientName, "mailgap")
	cfg.PoolSize = min(orElse(cfg.PoolSize, defaultPoolSize), maxPoolSize)
	cfg.DialTimeout = orElse(cfg.DialTimeout, defaultDialTimeout)
	cfg.CommandTimeout = orElse(cfg.CommandTimeout, defaultCommandTimeout)
	cfg.KeepAlive = orElse(cfg.KeepAlive, defaultKeepAlive)
	cfg.IdleClose = orElse(cfg.IdleClose, defaultIdleClose)
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Port == 0 {
		cfg.Port = portIMAP
		if cfg.TLS == TLSImplicit {
			cfg.Port = portIMAPS
		}
	}
	return cfg, cfg.check()
}

func orElse[T comparable](v, fallback T) T {
	var zero T
	if v == zero {
		return fallback
	}
	return v
}

func (cfg *Config) check() error {
	switch cfg.TLS {
	case TLSImplicit, TLSStartTLS:
	case TLSNone:
		if !cfg.AllowPlaintext && !isLoopbackHost(cfg.Host) {
			return ErrPlaintext
		}
	default:
		return fmt.Errorf("%w: unknown TLS mode", ErrBadConfig)
	}
	switch cfg.Auth {
	case AuthAuto, AuthPlain, AuthLogin, AuthSCRAMSHA256, AuthXOAuth2, AuthOAuthBearer:
	default:
		return fmt.Errorf("%w: unknown authentication method", ErrBadConfig)
	}
	if cfg.Port < 1 || cfg.Port > 65535 || cfg.PoolSize < 1 {
		return fmt.Errorf("%w: port or pool size out of range", ErrBadConfig)
	}
	if cfg.Fingerprint != "" {
		if _, err := parseFingerprint(cfg.Fingerprint); err != nil {
			return err
		}
	}
	_, err := cfg.roots()
	return err
}

// parseFingerprint reads a SHA-256 digest in hex, with or without colons, spaces and a "SHA256:" in front.
func parseFingerprint(s string) ([]byte, error) {
	s = strings.ToLower(strings.TrimSpace(s))
	s = strings.TrimPrefix(strings.TrimPrefix(s, "sha256:"), "sha256=")
	b, err := hex.DecodeString(strings.NewReplacer(":", "", " ", "").Replace(s))
	if err != nil || len(b) != 32 {
		return nil, fmt.Errorf("%w: fingerprint is not a SHA-256 digest of 64 hexadecimal digits", ErrBadConfig)
	}
	return b, nil
}

// roots returns the certificate authorities, nil for the system's.
func (cfg *Config) roots() (*x509.CertPool, error) {
	if len(cfg.CAPEM) == 0 {
		return cfg.CAs, nil
	}
	pool := x509.NewCertPool()
	if cfg.CAs != nil {
		pool = cfg.CAs.Clone()
	}
	if !pool.AppendCertsFromPEM(cfg.CAPEM) {
		return nil, fmt.Errorf("%w: CA file holds no certificate in PEM form", ErrBadConfig)
	}
	return pool, nil
}

// isLoopbackHost reports whether a configured host name means this machine without asking DNS.
func isLoopbackHost(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return err == nil && ip.Unmap().IsLoopback()
}

// isLoopbackConn reports whether the other end is on this machine. Connections that are no sockets (pipes) count.
func isLoopbackConn(conn net.Conn) bool {
	tcp, ok := conn.RemoteAddr().(*net.TCPAddr)
	return !ok || tcp.IP.IsLoopback()
}
