package session

import (
	"context"
	"crypto/tls"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/emersion/go-imap/v2"
	"github.com/emersion/go-imap/v2/imapclient"
	gosasl "github.com/emersion/go-sasl"

	"mailgap/shared/sasl"
)

// newConn puts the wire layer and the IMAP library on an opening and waits for the greeting to pass through both.
func newConn(ctx context.Context, sh *shared, o *opening) (*Conn, error) {
	c := &Conn{shared: sh}
	c.news.poke, c.news.kept = make(chan struct{}, 1), make(chan struct{}, 1)
	c.link = newLink(o.conn, &sh.cfg)
	c.client = imapclient.New(c.link, &imapclient.Options{UnilateralDataHandler: c.news.handler()})
	c.info = Info{
		Host: sh.cfg.Host, Port: sh.cfg.Port, GreetingRaw: o.greetingRaw,
		TLS: o.tls != nil, Fingerprint: o.fingerprint,
	}
	if o.tls != nil {
		c.info.TLSVersion = tls.VersionName(o.tls.Version)
	}
	if err := c.flight(ctx, "greeting", c.client.WaitGreeting); err != nil {
		c.close()
		return nil, err
	}
	return c, nil
}

// readCaps takes over the capabilities, asking for them if the server did not say.
func (c *Conn) readCaps(ctx context.Context) error {
	return c.flight(ctx, "CAPABILITY", func() error {
		set := c.client.Caps()
		if set == nil {
			return errNoCaps
		}
		c.caps = make(map[string]bool, len(set))
		for name := range set {
			c.caps[strings.ToUpper(string(name))] = true
		}
		c.info.Caps = slices.Sorted(maps.Keys(c.caps))
		return nil
	})
}

// refreshCaps takes over the capabilities after a login. Most servers put them into the answer, and then the list has
// changed since before; otherwise they are asked for.
//
// Quirk: the library forgets the old list a moment after it reports the login, so its own list may be the old one.
func (c *Conn) refreshCaps(ctx context.Context, before []string) error {
	if slices.Equal(before, c.link.Capabilities()) {
		err := c.flight(ctx, "CAPABILITY", func() error {
			_, err := c.client.Capability().Wait()
			return err
		})
		if err != nil {
			return err
		}
	}
	return c.readCaps(ctx)
}

// authenticated reads the capabilities, logs in, and reads them again.
func (c *Conn) authenticated(ctx context.Context) error {
	if err := c.readCaps(ctx); err != nil {
		return err
	}
	if c.client.State() == imap.ConnStateAuthenticated {
		return nil // PREAUTH
	}
	before := c.link.Capabilities()
	if err := c.login(ctx); err != nil {
		return err
	}
	return c.refreshCaps(ctx, before)
}

var errNoCaps = errors.New("session: server does not say what it can do")

// login proves who the user is. It gives up at the first refusal.
func (c *Conn) login(ctx context.Context) error {
	cfg := &c.shared.cfg
	method, err := chooseAuth(cfg, c.caps)
	if err != nil {
		return err
	}
	secret, err := fetchSecret(ctx, cfg, method)
	if err != nil {
		return err
	}
	gate := c.shared.gate
	if err := gate.Check(cfg.Now(), gate.Sum(string(method), cfg.User, secret)); err != nil {
		return err
	}
	err = c.prove(ctx, method, secret)
	if refused := (&AuthError{}); errors.As(err, &refused) {
		refused.Hint = loginHint(cfg, err)
		gate.Refused(cfg.Now(), err, refused.Temporary)
		c.shared.noteRefusal(method)
		return err
	} else if err != nil {
		return err
	}
	gate.Succeeded()
	c.shared.noteRefusal("")
	c.info.Auth = method
	return nil
}

// noteRefusal remembers which method was refused last, "" after a success.
func (s *shared) noteRefusal(method AuthMethod) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refusedBy = method
}

// paused returns a LoginPausedError if the last login was refused, the credentials are still the same, and it is too early
// for another attempt. Nothing is dialled for that: a server counts connections that do not log in, too.
func (s *shared) paused(ctx context.Context) error {
	s.mu.Lock()
	method := s.refusedBy
	s.mu.Unlock()
	if method == "" {
		return nil
	}
	secret, err := fetchSecret(ctx, &s.cfg, method)
	if err != nil {
		return err
	}
	return s.gate.Check(s.cfg.Now(), s.gate.Sum(string(method), s.cfg.User, secret))
}

// chooseAuth picks the method: the configured one, or the strongest that the server offers.
func chooseAuth(cfg *Config, caps map[string]bool) (AuthMethod, error) {
	if cfg.Auth != AuthAuto {
		if cfg.Auth == AuthLogin && caps["LOGINDISABLED"] {
			return "", ErrLoginDisabled
		}
		return cfg.Auth, nil
	}
	if cfg.Token != nil {
		if caps["AUTH=OAUTHBEARER"] && !caps["AUTH=XOAUTH2"] {
			return AuthOAuthBearer, nil
		}
		return AuthXOAuth2, nil
	}
	switch {
	case caps["AUTH=SCRAM-SHA-256"]:
		return AuthSCRAMSHA256, nil
	case caps["AUTH=PLAIN"]:
		return AuthPlain, nil
	case !caps["LOGINDISABLED"]:
		return AuthLogin, nil
	}
	return "", ErrLoginDisabled
}

// fetchSecret asks the configuration for the password or token. Its errors are passed on as they are: they must not hold
// the secret.
func fetchSecret(ctx context.Context, cfg *Config, method AuthMethod) (string, error) {
	get := cfg.Password
	if method == AuthXOAuth2 || method == AuthOAuthBearer {
		get = cfg.Token
	}
	if get == nil || cfg.User == "" {
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

var errBadSecret = errors.New("session: user name or password holds a control character")

// prove runs the exchange. A refusal is an AuthError.
func (c *Conn) prove(ctx context.Context, method AuthMethod, secret string) error {
	cfg := &c.shared.cfg
	var detail func() string
	var client gosasl.Client
	switch method {
	case AuthLogin:
		return c.attempt(ctx, method, func() error { return c.client.Login(cfg.User, secret).Wait() }, nil)
	case AuthPlain:
		client = sasl.NewPlain(cfg.User, secret)
	case AuthSCRAMSHA256:
		scram := sasl.NewSCRAM(cfg.User, secret)
		return c.attempt(ctx, method, func() error {
			if err := c.authenticate(scram); err != nil {
				return err
			}
			if !scram.Proven() {
				return sasl.ErrEarly // Security: an OK without signature may come from a server that knows nothing
			}
			return nil
		}, nil)
	default:
		oauth := sasl.NewOAuthBearer(cfg.User, secret, cfg.Host, cfg.Port)
		if method == AuthXOAuth2 {
			oauth = sasl.NewXOAuth2(cfg.User, secret)
		}
		client, detail = oauth, oauth.DetailRaw
	}
	err := c.attempt(ctx, method, func() error { return c.authenticate(client) }, detail)
	var refused *AuthError
	if method == AuthPlain && cfg.Auth == AuthAuto && errors.As(err, &refused) && refused.notTried && !c.caps["LOGINDISABLED"] {
		// Quirk: servers that advertise AUTH=PLAIN and do not know it. BAD means that the password was not looked at.
		return c.attempt(ctx, AuthLogin, func() error { return c.client.Login(cfg.User, secret).Wait() }, nil)
	}
	return err
}

// authenticate runs a SASL exchange.
func (c *Conn) authenticate(client gosasl.Client) error {
	if !c.HasCap("SASL-IR") {
		client = &lateStart{Client: client}
	}
	return c.client.Authenticate(client)
}

// attempt runs one exchange and classifies its outcome.
func (c *Conn) attempt(ctx context.Context, method AuthMethod, exchange func() error, detail func() string) error {
	var broken error
	err := c.flight(ctx, "login", func() error {
		err := exchange()
		if sasl.IsFault(err) {
			broken = err
		}
		return err
	})
	if err == nil {
		return nil
	}
	var refused *ServerError
	switch {
	case broken != nil:
		return &AuthError{Method: method, TextRaw: "", Err: broken}
	case !errors.As(err, &refused) || refused.Status == "BYE":
		return err
	}
	ae := &AuthError{
		Method: method, CodeRaw: refused.CodeRaw, TextRaw: refused.TextRaw,
		Temporary: isTemporary(refused.CodeRaw), notTried: refused.Status == "BAD",
	}
	if detail != nil {
		ae.DetailRaw = detail()
	}
	return ae
}

// isTemporary reports whether a response code means "not now" (RFC 5530 §3).
func isTemporary(code string) bool {
	switch strings.ToUpper(code) {
	case "UNAVAILABLE", "INUSE", "LIMIT", "SERVERBUG":
		return true
	}
	return false
}

// sendID sends ID without waiting. Quirk: NetEase (163, 126) refuses EXAMINE without it; others ignore or refuse ID.
func (c *Conn) sendID() {
	if !c.caps["ID"] {
		return
	}
	cfg := &c.shared.cfg
	cmd := c.client.ID(&imap.IDData{Name: cfg.ClientName, Version: cfg.ClientVersion, Vendor: cfg.ClientName})
	c.idWait = func() {
		data, err := cmd.Wait()
		if err != nil || data == nil {
			return
		}
		c.info.ServerNameRaw = cutString(data.Name, maxServerText)
		c.info.ServerID = map[string]string{}
		for k, v := range map[string]string{"name": data.Name, "version": data.Version, "vendor": data.Vendor, "os": data.OS} {
			if v != "" {
				c.info.ServerID[k] = cutString(v, maxServerText)
			}
		}
	}
}
