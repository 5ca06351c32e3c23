package oauth

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"golang.org/x/oauth2"
)

const (
	stateOctets      = 32 // of the state: 256 bits
	browserTime      = 5 * time.Second
	maxRequestOctets = 16 << 10 // Limit: codes of 2 kB have been seen
)

// SignInCode signs a person in with the browser of this machine: authorization code with PKCE and a redirect to loopback
// (RFC 8252 §7.3). show is called once with the address that the person opens; that address carries the state, so it is for
// the person alone. It waits until the browser comes back, 15 minutes at most. Errors: ErrDenied, ErrExpired, ErrClient, ErrScope,
// ErrNoRefresh, ErrIssuer.
func SignInCode(ctx context.Context, c Config, show func(url string)) (Grant, error) {
	e, err := c.endpoints(ctx)
	if err != nil {
		return Grant{}, err
	}
	if e.auth == "" {
		return Grant{}, ErrIssuer
	}
	within, cancel := context.WithTimeout(ctx, signInTime)
	defer cancel()
	secret := make([]byte, stateOctets)
	rand.Read(secret)
	b, err := listen(c.redirectName(), base64.RawURLEncoding.EncodeToString(secret), e.issuer)
	if err != nil {
		return Grant{}, err
	}
	defer b.close()
	within, o, err := c.client(within, e, b.redirect)
	if err != nil {
		return Grant{}, err
	}
	verifier := oauth2.GenerateVerifier()
	show(o.AuthCodeURL(b.state, c.askFor(verifier)...))
	select {
	case err = <-b.failed:
		return Grant{}, err
	case <-within.Done():
		if ctx.Err() != nil {
			return Grant{}, ctx.Err()
		}
		return Grant{}, ErrExpired
	case code := <-b.code:
		b.close() // nothing more is redeemed
		token, err := o.Exchange(within, code, oauth2.VerifierOption(verifier))
		if err != nil {
			return Grant{}, explain(ctx, err)
		}
		return c.grant(token)
	}
}

// askFor are the parameters of the authorization request.
func (c Config) askFor(verifier string) []oauth2.AuthCodeOption {
	opts := []oauth2.AuthCodeOption{oauth2.S256ChallengeOption(verifier)}
	if c.User != "" {
		opts = append(opts, oauth2.SetAuthURLParam("login_hint", c.User))
	}
	if c.Provider == Google { // or there is a refresh token at the first sign-in alone
		opts = append(opts, oauth2.AccessTypeOffline, oauth2.SetAuthURLParam("prompt", "consent"))
	}
	return opts
}

func (c Config) redirectName() string {
	if c.Provider == Microsoft {
		return "localhost"
	}
	return "127.0.0.1"
}

// browser waits for the person's browser on loopback.
type browser struct {
	host     string // that the browser must ask for: name and port
	redirect string
	state    string
	issuer   string
	server   *http.Server
	code     chan string
	failed   chan error

	mu   sync.Mutex
	done bool
}

// listen opens a listener on a port that the system chooses.
func listen(name, state, issuer string) (*browser, error) {
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		return nil, errors.New("oauth: no port on loopback can be opened")
	}
	_, port, err := net.SplitHostPort(l.Addr().String())
	if err != nil {
		return nil, errors.Join(err, l.Close())
	}
	b := &browser{host: net.JoinHostPort(name, port), state: state, issuer: issuer, code: make(chan string, 1), failed: make(chan error, 1)}
	b.redirect = "http://" + b.host + "/"
	b.server = &http.Server{
		Handler: b, ReadTimeout: browserTime, WriteTimeout: browserTime, IdleTimeout: browserTime, MaxHeaderBytes: maxRequestOctets,
		ErrorLog: slog.NewLogLogger(slog.DiscardHandler, slog.LevelError), // it would name the code
	}
	go func() { _ = b.server.Serve(l) }()
	return b, nil
}

// close takes no more requests and lets the answer to the last one out.
func (b *browser) close() {
	ctx, cancel := context.WithTimeout(context.Background(), browserTime)
	defer cancel()
	if b.server.Shutdown(ctx) != nil {
		_ = b.server.Close()
	}
}

// ServeHTTP takes the redirect. Whatever is wrong with a request, waiting goes on: a page that guesses ends nothing.
func (b *browser) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	switch {
	case r.Host != b.host: // Security: a name that was pointed at this machine
		answer(w, http.StatusMisdirectedRequest, "This address is not the one that was given out.")
	case r.Method != http.MethodGet || r.URL.Path != "/":
		answer(w, http.StatusNotFound, "There is nothing here.")
	case len(q["state"]) != 1 || subtle.ConstantTimeCompare([]byte(q.Get("state")), []byte(b.state)) != 1:
		answer(w, http.StatusBadRequest, "This does not belong to the sign-in that is waiting.")
	case q.Has("iss") && b.issuer != "" && q.Get("iss") != b.issuer, len(q["code"]) > 1:
		answer(w, http.StatusBadRequest, "This is the answer of another provider.")
	case !b.first():
		answer(w, http.StatusGone, "This sign-in is over.")
	case q.Has("error"):
		answer(w, http.StatusOK, "You said no, or the provider did. You can close this window.")
		b.failed <- refusal(q.Get("error"))
	case q.Get("code") == "":
		answer(w, http.StatusBadRequest, "The provider sent no code.")
		b.failed <- ErrIssuer
	default:
		answer(w, http.StatusOK, "Done. You can close this window and go back to the terminal.")
		b.code <- q.Get("code")
	}
}

// first is true once.
func (b *browser) first() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.done {
		return false
	}
	b.done = true
	return true
}

// refusal reads an error code of RFC 6749 §4.1.2.1.
func refusal(code string) error {
	switch code {
	case "access_denied":
		return ErrDenied
	case "invalid_scope":
		return ErrScope
	case "invalid_request", "unauthorized_client", "unsupported_response_type":
		return ErrClient
	}
	return ErrIssuer
}

// answer writes a page of our own words.
func answer(w http.ResponseWriter, status int, words string) {
	for name, value := range map[string]string{
		"Content-Type": "text/html; charset=utf-8", "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'", "Referrer-Policy": "no-referrer",
		"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff", "Connection": "close",
	} {
		w.Header().Set(name, value)
	}
	w.WriteHeader(status)
	_, _ = io.WriteString(w, fmt.Sprintf("<!doctype html><html lang=\"en\"><title>mailgap</title><p>%s</p></html>\n", words))
}
