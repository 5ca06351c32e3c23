package submit

import (
	"fmt"
	"net"
	"time"

	"mailgap/sendmail/wire"
	"mailgap/shared/tlsdial"
)

// Defaults of Config.
const (
	defaultHELO           = "[127.0.0.1]"
	defaultDialTimeout    = 30 * time.Second
	defaultCommandTimeout = 2 * time.Minute
	defaultFinalTimeout   = 10 * time.Minute // RFC 5321 §4.5.3.2.6
	defaultQuitTimeout    = 3 * time.Second
	portSubmission        = 587 // RFC 6409 §3.1
	portSubmissions       = 465 // RFC 8314 §7.3
)

// withDefaults returns cfg with every optional field set, or an error that names the field.
func (cfg Config) withDefaults() (Config, error) {
	if cfg.Host == "" {
		return cfg, fmt.Errorf("%w: host is missing", ErrBadConfig)
	}
	cfg.TLS = orElse(cfg.TLS, TLSStartTLS)
	cfg.Auth = orElse(cfg.Auth, AuthAuto)
	cfg.HELO = orElse(cfg.HELO, defaultHELO)
	cfg.DialTimeout = orElse(cfg.DialTimeout, defaultDialTimeout)
	cfg.CommandTimeout = orElse(cfg.CommandTimeout, defaultCommandTimeout)
	cfg.FinalTimeout = min(orElse(cfg.FinalTimeout, defaultFinalTimeout), defaultFinalTimeout)
	cfg.QuitTimeout = orElse(cfg.QuitTimeout, defaultQuitTimeout)
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Dial == nil {
		cfg.Dial = (&net.Dialer{KeepAlive: 30 * time.Second}).DialContext
	}
	if cfg.Port == 0 {
		cfg.Port = portSubmission
		if cfg.TLS == TLSImplicit {
			cfg.Port = portSubmissions
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
		if !tlsdial.IsLoopbackHost(cfg.Host) {
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
	if cfg.Port < 1 || cfg.Port > 65535 {
		return fmt.Errorf("%w: port out of range", ErrBadConfig)
	}
	if !wire.ValidHELO(cfg.HELO) {
		return fmt.Errorf("%w: HELO name is neither a domain nor an address literal", ErrBadConfig)
	}
	if cfg.User == "" && (cfg.Password != nil || cfg.Token != nil || cfg.Auth != AuthAuto) {
		return fmt.Errorf("%w: credentials without a user name", ErrBadConfig)
	}
	if err := cfg.tls().Check(); err != nil {
		return fmt.Errorf("%w: %w", ErrBadConfig, err)
	}
	return nil
}

// tls is the client's side of TLS. No ALPN: RFC 7301 registers no name for submission that servers know.
func (cfg *Config) tls() tlsdial.Config {
	return tlsdial.Config{Host: cfg.Host, CAs: cfg.CAs, CAPEM: cfg.CAPEM, Fingerprint: cfg.Fingerprint}
}

// limits are the deadlines on the wire.
func (cfg *Config) limits() wire.Limits {
	return wire.Limits{
		GreetingTimeout: cfg.CommandTimeout, ReplyTimeout: cfg.CommandTimeout, WriteTimeout: cfg.WriteTimeout,
		BodyTimeout: cfg.BodyTimeout, FinalTimeout: cfg.FinalTimeout, QuitTimeout: cfg.QuitTimeout,
	}
}
