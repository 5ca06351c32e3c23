package readmail

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"slices"
	"sync"
	"time"

	"mailgap/readmail/decode"
	"mailgap/readmail/extract"
	"mailgap/readmail/session"
	"mailgap/sanitize"
	"mailgap/shared/config"
	"mailgap/shared/mcpserve"
	"mailgap/shared/oauth"
)

// Config is what a Server needs. ConfigFrom makes one from the environment.
type Config struct {
	// Session says how to reach the account. Its zero value is an account that is not configured.
	Session session.Config
	// Missing names the settings without which no connection is possible; each call that needs one says so.
	Missing []string
	// Account is the name in message references; "" means "default".
	Account string
	// Mailbox is listed when a call names none; "" means INBOX.
	Mailbox string
	// TrustedAuthservIDs are the authserv-ids of the account's own server (RFC 8601 §2.5).
	TrustedAuthservIDs []string
	// Tools selects the tools that are offered.
	Tools mcpserve.Filter
	// DownloadDir is where get_attachment may save; "" means nowhere.
	DownloadDir string
	// HTTPToken returns what clients of --http send; nil if it is not set. For the program that serves HTTP; this package
	// does not use it.
	HTTPToken func(context.Context) (string, error)
	// ForbidReveal masks one-time codes and sign-in links whatever a call asks for.
	ForbidReveal bool
	// Datamarking puts a mark between the words of fenced text.
	Datamarking bool
	// Zone is the zone of dates without one and of all times shown; nil means time.Local.
	Zone *time.Location
	// SearchTime bounds a text search; 0 means 20 s.
	SearchTime time.Duration
	// MaxAttachment bounds the octets of one attachment; 0 means 25 MiB.
	MaxAttachment int64
	// Extract says how the extraction child process is run.
	Extract extract.Options
	// Confidential are patterns of mailbox names whose messages are labelled confidential in the ledger; * stands for anything.
	Confidential []string
	// Ledger takes what is handed out before it is; nil records nothing. The caller closes it.
	Ledger Recorder
	// LedgerOff, LedgerDir and LedgerKey say where the program is to open the ledger. New does not read them.
	LedgerOff bool
	LedgerDir string
	LedgerKey string // "file" or "keyring"
	// Version is shown to clients; "" means devel.
	Version string
	// Logger receives ids, counts and durations; nil discards.
	Logger *slog.Logger
	// Rand is the source of fence markers; nil means crypto/rand.
	Rand io.Reader
	// Now is the clock; nil means time.Now.
	Now func() time.Time
}

// ConfigFrom turns settings into a Config. It reads the certificate file if one is named and nothing else: secrets are
// fetched when a connection is made. Errors name the setting and never a value.
func ConfigFrom(v config.Values) (Config, error) {
	c := Config{
		Account:            v.String("IMAP_ACCOUNT"),
		Mailbox:            v.String("IMAP_MAILBOX"),
		TrustedAuthservIDs: v.List("IMAP_TRUSTED_AUTHSERV_ID"),
		Tools:              mcpserve.Filter{Allow: v.List("IMAP_ALLOW_TOOLS"), Deny: v.List("IMAP_DENY_TOOLS")},
		DownloadDir:        v.String("IMAP_DOWNLOAD_DIR"),
		ForbidReveal:       !v.Bool("IMAP_REVEAL_CODES"),
		Datamarking:        v.Bool("IMAP_DATAMARKING"),
		SearchTime:         v.Duration("IMAP_SEARCH_TIME"),
		MaxAttachment:      v.Size("IMAP_MAX_ATTACHMENT"),
		Confidential:       v.List("IMAP_CONFIDENTIAL_MAILBOXES"),
		LedgerOff:          !v.Bool("IMAP_LEDGER"),
		LedgerDir:          v.String("IMAP_LEDGER_DIR"),
		LedgerKey:          v.String("IMAP_LEDGER_KEY"),
		HTTPToken:          reveal(v.Secret("IMAP_HTTP_TOKEN")),
	}
	if v.IsSet("IMAP_TIME_ZONE") {
		zone, err := time.LoadLocation(v.String("IMAP_TIME_ZONE"))
		if err != nil {
			return c, errors.New("IMAP_TIME_ZONE: write a zone name such as Europe/Zurich or UTC")
		}
		c.Zone = zone
	}
	var err error
	if c.Session, err = sessionConfig(v); err != nil {
		return c, err
	}
	c.Missing = missing(v)
	return c, nil
}

func sessionConfig(v config.Values) (session.Config, error) {
	s := session.Config{
		Account:        v.String("IMAP_ACCOUNT"),
		Host:           v.String("IMAP_HOST"),
		Port:           v.Int("IMAP_PORT"),
		User:           v.String("IMAP_USER"),
		TLS:            session.TLSMode(v.String("IMAP_TLS")),
		Fingerprint:    v.String("IMAP_TLS_FINGERPRINT"),
		AllowPlaintext: v.Bool("IMAP_ALLOW_PLAINTEXT"),
		Auth:           session.AuthMethod(v.String("IMAP_AUTH")),
		PoolSize:       v.Int("IMAP_POOL_SIZE"),
		DialTimeout:    v.Duration("IMAP_TIMEOUT"),
		CommandTimeout: v.Duration("IMAP_TIMEOUT"),
		Compress:       session.CompressAuto,
	}
	if !v.Bool("IMAP_COMPRESS") {
		s.Compress = session.CompressOff
	}
	if s.TLS == session.TLSNone && !s.AllowPlaintext && s.Host != "" && !isLoopback(s.Host) {
		return s, errors.New("IMAP_TLS: none is for loopback addresses only: write implicit or starttls, " +
			"or set IMAP_ALLOW_PLAINTEXT=true if you accept that the password can be read on the way")
	}
	s.Password = reveal(v.Secret("IMAP_PASSWORD"))
	s.Token = reveal(v.Secret("IMAP_OAUTH_TOKEN"))
	signIn, keeper, ok, err := oauth.FromSettings("IMAP_", oauth.Reading, v)
	if err != nil {
		return s, err
	}
	if ok {
		s.Token = oauth.NewSource(signIn, keeper).Token
	}
	if name := v.String("IMAP_TLS_CA_FILE"); name != "" {
		pem, err := readCAFile(name)
		if err != nil {
			return s, err
		}
		s.CAPEM = pem
	}
	return s, nil
}

// reveal returns a function that fetches the secret, or nil if none is configured.
func reveal(src *config.Source) func(context.Context) (string, error) {
	if !src.IsSet() && !src.IsStored() {
		return nil
	}
	return func(ctx context.Context) (string, error) {
		secret, err := src.Get(ctx)
		return secret.Reveal(), err
	}
}

const maxCAFileOctets = 2 << 20 // Limit: the Mozilla root list is 220 kB

func readCAFile(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, errors.New("IMAP_TLS_CA_FILE: the file cannot be opened: check its name and permissions")
	}
	defer f.Close()
	pem, err := io.ReadAll(io.LimitReader(f, maxCAFileOctets+1))
	if err != nil || len(pem) > maxCAFileOctets {
		return nil, errors.New("IMAP_TLS_CA_FILE: the file cannot be read or is larger than 2 MiB: name a PEM file with certificates")
	}
	return pem, nil
}

// missing names the settings that a connection needs and that are not set.
func missing(v config.Values) []string {
	var out []string
	for _, name := range []string{"IMAP_HOST", "IMAP_USER"} {
		if !v.IsSet(name) {
			out = append(out, name)
		}
	}
	byToken := slices.Contains([]string{"xoauth2", "oauthbearer"}, v.String("IMAP_AUTH"))
	token := v.IsSet("IMAP_OAUTH") || v.Secret("IMAP_OAUTH_TOKEN").IsSet()
	password := v.Secret("IMAP_PASSWORD")
	switch {
	case byToken && !token:
		out = append(out, "IMAP_OAUTH, or IMAP_OAUTH_TOKEN_FILE or IMAP_OAUTH_TOKEN_COMMAND")
	case !byToken && !password.IsSet() && !password.IsStored() && !token:
		out = append(out, "IMAP_PASSWORD_FILE, IMAP_PASSWORD_COMMAND or IMAP_PASSWORD")
	}
	return out
}

// Server answers the tools of imap-mcp. Use New. It is safe for concurrent use.
type Server struct {
	cfg      Config
	pool     *session.Pool
	log      *slog.Logger
	accounts []string // all names, where the server is one of several; see Group

	mu    sync.Mutex
	order map[string]orderVerdict // by mailbox
	uses  map[string]session.SpecialUse
	bg    sync.WaitGroup

	structures structureCache
	extract    *extract.Extractor
	stop       context.CancelFunc
	life       context.Context
}

// New checks cfg and returns a server without connecting. Close it.
func New(cfg Config) (*Server, error) {
	cfg.Account = orDefault(cfg.Account, "default")
	cfg.Mailbox = orDefault(cfg.Mailbox, "INBOX")
	cfg.SearchTime = orDefault(cfg.SearchTime, defaultSearchTime)
	cfg.MaxAttachment = orDefault(cfg.MaxAttachment, 25<<20)
	if cfg.Version == "" {
		cfg.Version = "devel"
	}
	if cfg.Zone == nil {
		cfg.Zone = time.Local
	}
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	if cfg.Rand == nil {
		cfg.Rand = rand.Reader
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	cfg.Session.Logger, cfg.Session.ClientVersion = cfg.Logger, cfg.Version
	s := &Server{cfg: cfg, log: cfg.Logger, order: map[string]orderVerdict{}, uses: map[string]session.SpecialUse{}}
	cfg.Extract.Location = cfg.Zone
	cfg.Extract.Decode = func(label string, b []byte) string {
		text, _ := decode.Text(label, b)
		return text
	}
	s.extract = extract.New(cfg.Extract)
	s.life, s.stop = context.WithCancel(context.Background())
	if len(cfg.Missing) > 0 {
		return s, nil
	}
	pool, err := session.NewPool(cfg.Session)
	if err != nil {
		s.stop()
		return nil, fmt.Errorf("readmail: %w", err)
	}
	s.pool = pool
	return s, nil
}

// background runs fn beside the calls, unless the server is closed. fn must end with s.life.
func (s *Server) background(fn func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.life.Err() == nil {
		s.bg.Go(fn)
	}
}

// Close ends all connections and waits for what runs beside the calls.
func (s *Server) Close() error {
	s.mu.Lock()
	s.stop()
	s.mu.Unlock()
	var err error
	if s.pool != nil {
		err = s.pool.Close()
	}
	s.bg.Wait()
	return err
}

// do lends a connection to fn; see session.Pool.Do. Without an account the error says what to set.
func (s *Server) do(ctx context.Context, mailbox string, fn func(context.Context, *session.Conn) error) error {
	if s.pool == nil {
		return &notConfiguredError{s.cfg.Missing}
	}
	return s.pool.Do(ctx, mailbox, fn)
}

// fence wraps text of strangers in a fence of its own.
func (s *Server) fence(c sanitize.Clean) (sanitize.Clean, error) {
	f, err := sanitize.NewFence(s.cfg.Rand)
	if err != nil {
		return sanitize.Clean{}, err
	}
	if s.cfg.Datamarking {
		f = f.Datamarked()
	}
	return f.Wrap(c), nil
}

func orDefault[T comparable](v, def T) T {
	var zero T
	if v == zero {
		return def
	}
	return v
}
