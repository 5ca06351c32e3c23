package sendmail

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"mailgap/confirm"
	"mailgap/sendmail/policy"
	"mailgap/sendmail/submit"
	"mailgap/shared/addr"
	"mailgap/shared/mcpserve"
)

// childEnv makes the test binary a server instead: its value is a setup.
const childEnv = "SENDMAIL_TEST_SERVER"

// setup is what a test configures. The zero value is completed by config.
type setup struct {
	Dir         string        // state
	Addr        string        // the fake server; "" means that none is configured
	Off         bool          // sending is off
	Token       bool          // ELICITATION=false
	Question    time.Duration // how long a question stays open
	Strict      bool          // elevated messages are asked about outside of the client
	Confirm     ConfirmMode
	Severe      bool          // severe messages are asked about
	Pending     time.Duration // how long a message waits on the desk
	Browser     string        // command that opens the page; "" means that there is no browser
	URL         bool          // the client is given the address of the page
	Leak        bool          // the server is a bad one, that logs the address of the page
	PerHour     int
	Cooling     time.Duration
	Allow       []string
	Attachments string // directory
	BccSelf     bool
	Signature   string
	Ledger      string // directory
	MaxBytes    int

	terminal confirm.Path
	page     confirm.Path
	now      func() time.Time
	logger   *slog.Logger
}

func mustSpec(spec string) addr.Address {
	a, err := addr.ParseSpec(spec)
	if err != nil {
		panic(err)
	}
	return a
}

func (c setup) config() (Config, error) {
	if c.Allow == nil {
		c.Allow = []string{"@example.com", "carol@example.org"}
	}
	allow, err := policy.ParseAllowlist(c.Allow)
	if err != nil {
		return Config{}, err
	}
	if c.PerHour == 0 {
		c.PerHour = 1000
	}
	from := mustSpec("sender@example.net")
	from.DisplayName = "The Sender"
	cfg := Config{
		AllowSend: !c.Off, Allowlist: allow, From: from, Limits: policy.Limits{MaxRecipients: 10}, MaxPerHour: c.PerHour, Token: c.Token,
		LockCooling: c.Cooling, QuestionTime: c.Question, StateDir: c.Dir, AuditLog: filepath.Join(c.Dir, "audit.jsonl"), BccSelf: c.BccSelf, LedgerDir: c.Ledger,
		AttachmentDir: c.Attachments, Signature: c.Signature, MaxMessageBytes: c.MaxBytes, Terminal: c.terminal, Page: c.page,
		ElevatedByForm: !c.Strict, Confirm: c.Confirm, AllowSevere: c.Severe, PendingTime: c.Pending, Now: c.now, Logger: c.logger,
	}
	if c.Addr != "" {
		cfg.Submit = submit.Config{Host: "127.0.0.1", TLS: submit.TLSNone}
		if _, err := fmt.Sscanf(c.Addr, "127.0.0.1:%d", &cfg.Submit.Port); err != nil {
			return cfg, err
		}
	}
	return cfg, nil
}

func TestMain(m *testing.M) {
	text := os.Getenv(childEnv)
	if text == "" {
		os.Exit(m.Run())
	}
	if err := serveChild(text); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// serveChild is what the program does with the settings of a test.
func serveChild(text string) error {
	var c setup
	if err := json.Unmarshal([]byte(text), &c); err != nil {
		return err
	}
	c.logger = slog.New(slog.NewTextHandler(os.Stderr, nil))
	cfg, err := c.config()
	if err != nil {
		return err
	}
	if cfg.Page, err = c.browserPage(); err != nil {
		return err
	}
	if c.URL {
		none := func(context.Context, string) error { return confirm.ErrNoBrowser }
		if cfg.URLPage, err = confirm.NewPage(confirm.PageOptions{Now: time.Now, Random: rand.Reader, Open: none, Logger: c.logger}); err != nil {
			return err
		}
	}
	s, err := New(cfg)
	if err != nil {
		return err
	}
	m, err := s.MCP()
	if err != nil {
		return err
	}
	err = mcpserve.Serve(context.Background(), m, os.Stdin, os.Stdout, mcpserve.Options{Drain: s.Drain, DrainTimeout: time.Minute})
	if closed := s.Close(); err == nil {
		err = closed
	}
	return err
}

// browserPage is the page that the program asks on, if there is a browser.
func (c setup) browserPage() (confirm.Path, error) {
	if c.Browser == "" {
		return nil, nil
	}
	open, err := confirm.OpenBrowser(c.Browser)
	if err != nil {
		return nil, err
	}
	if c.Leak {
		good := open
		open = func(ctx context.Context, url string) error {
			c.logger.Info("opening", "url", url)
			return good(ctx, url)
		}
	}
	return confirm.NewPage(confirm.PageOptions{Now: time.Now, Random: rand.Reader, Open: open, Logger: c.logger})
}
