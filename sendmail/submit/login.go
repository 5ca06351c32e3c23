package submit

import (
	"context"
	"errors"
	"strings"

	gosasl "github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"

	"mailgap/shared/sasl"
)

var errBadSecret = errors.New("submit: user name or password holds a control character")

// login proves who the user is. It gives up at the first refusal. Without a user nobody logs in.
func (l *link) login(ctx context.Context) error {
	l.stage = StageLogin
	cfg := l.cfg
	if cfg.User == "" {
		return nil
	}
	method, err := l.chooseAuth()
	if err != nil {
		return err
	}
	secret, err := fetchSecret(ctx, cfg, method)
	if err != nil {
		return err
	}
	if l.c == nil {
		return l.prove(method, secret)
	}
	gate := l.c.gate
	if err := gate.Check(cfg.Now(), gate.Sum(string(method), cfg.User, secret)); err != nil {
		return err
	}
	err = l.prove(method, secret)
	if refused := (&AuthError{}); errors.As(err, &refused) {
		gate.Refused(cfg.Now(), err, refused.Temporary)
		return err
	} else if err != nil {
		return err
	}
	gate.Succeeded()
	return nil
}

// chooseAuth picks the method: the configured one, or the strongest that the server offers.
func (l *link) chooseAuth() (AuthMethod, error) {
	cfg, has := l.cfg, l.smtp.SupportsAuth
	switch {
	case cfg.Auth != AuthAuto:
		if ok, _ := l.smtp.Extension("AUTH"); !ok {
			return "", ErrNoAuth
		}
		return cfg.Auth, nil
	case cfg.Token != nil && has("OAUTHBEARER") && !has("XOAUTH2"):
		return AuthOAuthBearer, nil
	case cfg.Token != nil && has("XOAUTH2"):
		return AuthXOAuth2, nil
	case cfg.Token != nil:
		return "", ErrNoAuth
	case has("SCRAM-SHA-256"):
		return AuthSCRAMSHA256, nil
	case has("PLAIN"):
		return AuthPlain, nil
	case has("LOGIN"):
		return AuthLogin, nil
	}
	return "", ErrNoAuth
}

// fetchSecret asks the configuration for the password or token. Its errors are passed on as they are: they must not hold
// the secret.
func fetchSecret(ctx context.Context, cfg *Config, method AuthMethod) (string, error) {
	get := cfg.Password
	if method == AuthXOAuth2 || method == AuthOAuthBearer {
		get = cfg.Token
	}
	if get == nil {
		return "", ErrNotConfigured
	}
	secret, err := get(ctx)
	if err != nil {
		return "", &CredentialError{err}
	}
	if secret == "" {
		return "", ErrNotConfigured
	}
	// Security: these octets would end the command or the field they are put in.
	if strings.ContainsAny(secret+cfg.User, "\r\n\x00\x01") {
		return "", errBadSecret
	}
	return secret, nil
}

// prove runs the exchange. A refusal is an AuthError.
func (l *link) prove(method AuthMethod, secret string) error {
	err := l.attempt(method, secret)
	var refused *AuthError
	if method == AuthPlain && l.cfg.Auth == AuthAuto && errors.As(err, &refused) && refused.notTried {
		// Quirk: servers that advertise PLAIN and do not know it. The password was not looked at.
		method = AuthLogin
		err = l.attempt(method, secret)
	}
	if err == nil {
		l.info.Auth = method
	}
	return err
}

// attempt runs one exchange and classifies its outcome.
func (l *link) attempt(method AuthMethod, secret string) error {
	client := l.mechanism(method, secret)
	err := l.smtp.Auth(client)
	scram, isSCRAM := client.(*sasl.SCRAM)
	switch {
	case err == nil && isSCRAM && !scram.Proven():
		// Security: a success without signature may come from a server that knows nothing.
		return &AuthError{Method: method, Err: sasl.ErrEarly}
	case err == nil:
		return nil
	case sasl.IsFault(err):
		return &AuthError{Method: method, Err: err}
	}
	if reply := (&smtp.SMTPError{}); !errors.As(err, &reply) {
		return l.fault(err)
	}
	return l.authError(method, client)
}

// authError describes the refusal that the wire layer heard last.
func (l *link) authError(method AuthMethod, client gosasl.Client) error {
	r := Reply(l.wire.Last())
	ae := &AuthError{Method: method, Reply: r, Temporary: r.Transient()}
	switch r.Code {
	case 500, 502, 504: // RFC 4954 §4, RFC 5321 §4.2.2: mechanism or command not known
		ae.notTried = true
	}
	if oauth, ok := client.(*sasl.OAuth); ok {
		ae.DetailRaw = oauth.DetailRaw()
	}
	return ae
}

func (l *link) mechanism(method AuthMethod, secret string) gosasl.Client {
	cfg := l.cfg
	switch method {
	case AuthLogin:
		return sasl.NewLogin(cfg.User, secret)
	case AuthSCRAMSHA256:
		return sasl.NewSCRAM(cfg.User, secret)
	case AuthXOAuth2:
		return sasl.NewXOAuth2(cfg.User, secret)
	case AuthOAuthBearer:
		return sasl.NewOAuthBearer(cfg.User, secret, cfg.Host, cfg.Port)
	}
	return sasl.NewPlain(cfg.User, secret)
}
