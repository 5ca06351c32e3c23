package session

import (
	"errors"
	"fmt"
	"time"

	"mailgap/shared/tlsdial"
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
		if !cfg.AllowPlaintext && !tlsdial.IsLoopbackHost(cfg.Host) {
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
	if err := cfg.tls().Check(); err != nil {
		return fmt.Errorf("%w: %w", ErrBadConfig, err)
	}
	return nil
}

// tls is the client's side of TLS.
func (cfg *Config) tls() tlsdial.Config {
	c := tlsdial.Config{Host: cfg.Host, CAs: cfg.CAs, CAPEM: cfg.CAPEM, Fingerprint: cfg.Fingerprint}
	if cfg.TLS == TLSImplicit {
		c.NextProtos = []string{"imap"} // RFC 7301; keeps other services with the same certificate from answering
	}
	return c
}
