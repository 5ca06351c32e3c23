package sendmail

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/mail"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode"

	"mailgap/confirm"
	"mailgap/sendmail/attach"
	"mailgap/sendmail/desk"
	"mailgap/sendmail/policy"
	"mailgap/sendmail/provenance"
	"mailgap/sendmail/submit"
	"mailgap/shared/addr"
	"mailgap/shared/config"
	"mailgap/shared/ledger"
	"mailgap/shared/mcpserve"
	"mailgap/shared/oauth"
)

const (
	maxDisplayNameChars = 100
	maxSignatureChars   = 2000
	maxIdentityOctets   = 64
	maxCAFileOctets     = 2 << 20 // Limit: the Mozilla root list is 220 kB
	defaultQuestionTime = 4 * time.Minute
	maxQuestionTime     = 5 * time.Minute // Limit: the life of an approval in package confirm
	maxMessageSize      = 60 << 20        // Limit: above the largest message any provider takes, below what the journal keeps
	maxTotalAttachments = 15 << 20        // or one attachment of the largest size, if that is more
)

// Settings declares the environment of smtp-mcp: names, kinds, defaults, bounds. The settings table of the README is made
// from it.
func Settings() config.Spec {
	return config.Spec{
		Prefix:   "SMTP_",
		Program:  "smtp-mcp",
		Section:  "identity",
		Selector: "SMTP_IDENTITY",
		Bound:    []string{"SMTP_USER", "SMTP_HOST"},
		Vars:     slices.Concat(gateVars(), accountVars(), oauth.Vars("SMTP_"), limitVars(), stateVars(), httpVars()),
		Hints: map[string]string{
			"SMTP_SECURE":   "set SMTP_TLS to starttls, implicit or none",
			"SMTP_SSL":      "set SMTP_TLS to starttls, implicit or none",
			"SMTP_STARTTLS": "set SMTP_TLS=starttls",
			"SMTP_READONLY": "leave SMTP_ALLOW_SEND out: nothing can be sent then",
		},
	}
}

func gateVars() []config.Var {
	return []config.Var{
		{Name: "SMTP_ALLOW_SEND", Kind: config.KindBool, Scope: config.ScopeProgram, Default: "false", Help: "true offers the sending tools; anything else leaves them out."},
		{Name: "SMTP_ALLOWED_RECIPIENTS", Kind: config.KindList, Help: "Who may be written to: name@example.com, @example.com, or * alone; !name@example.com and !@example.com deny. Required with SMTP_ALLOW_SEND=true."},
		{Name: "SMTP_FROM", Kind: config.KindString, Scope: config.ScopeOwn, Help: "The one sender, as address or as Name <address>.", Check: checkFrom, Aliases: []string{"SMTP_SENDER", "SMTP_FROM_ADDRESS"}},
		{Name: "ELICITATION", Kind: config.KindBool, Scope: config.ScopeProgram, Default: "true", Help: "Ask through the client. false replaces the person by a token that the model repeats: the result then says that no person approved."},
		{Name: "SMTP_CONFIRM", Kind: config.KindEnum, Scope: config.ScopeProgram, Default: "auto", Choices: []string{"auto", "elicitation", "page", "terminal", "both"}, Help: "Which path asks: the client's form, a page in the browser of this machine, or smtp-mcp approve in a terminal. auto: the form if the client shows forms, else the page. both: the form if the client shows forms, and then the page. The terminal can always answer in place of the page."},
		{Name: "SMTP_ELEVATED", Kind: config.KindEnum, Default: "page", Choices: []string{"page", "elicitation"}, Help: "Where a message of an elevated level is asked about: page (or terminal), whatever SMTP_CONFIRM says; elicitation lets it go the way of any other."},
		{Name: "SMTP_ALLOW_SEVERE", Kind: config.KindBool, Default: "false", Help: "true puts a message of the level severe to the person, on page or terminal; otherwise it is refused."},
		{Name: "SMTP_BROWSER", Kind: config.KindString, Scope: config.ScopeProgram, Help: "Command that opens the approval page, with %s for its address, instead of the system's browser; none opens no browser."},
		{Name: "SMTP_CONFIRM_URL", Kind: config.KindBool, Scope: config.ScopeProgram, Default: "false", Help: "true hands the address of the page to a client that opens addresses (MCP URL mode) instead of opening a browser. The client, and whatever reads its logs, can then approve; for an editor on another machine that forwards ports."},
		{Name: "SMTP_PENDING_TIME", Kind: config.KindDuration, Scope: config.ScopeProgram, Default: "10m", Min: int64(time.Minute), Max: int64(desk.MaxLifetime), Help: "How long a message waits for an answer on page or terminal."},
		{Name: "SMTP_QUESTION_TIME", Kind: config.KindDuration, Scope: config.ScopeProgram, Default: "4m", Min: int64(10 * time.Second), Max: int64(maxQuestionTime), Help: "How long a question stays open in the client."},
	}
}

func accountVars() []config.Var {
	return []config.Var{
		{Name: "SMTP_HOST", Kind: config.KindString, Scope: config.ScopeOwn, Help: "Host name of the submission server.", Check: checkHost, Aliases: []string{"SMTP_SERVER", "SMTP_HOSTNAME"}},
		{Name: "SMTP_PORT", Kind: config.KindInt, Scope: config.ScopeOwn, Min: 1, Max: 65535, Help: "Port; 465 for SMTP_TLS=implicit, 587 otherwise."},
		{Name: "SMTP_USER", Kind: config.KindString, Scope: config.ScopeOwn, Help: "User name, usually the whole address; empty for a relay that wants none.", Aliases: []string{"SMTP_USERNAME", "SMTP_LOGIN"}},
		{Name: "SMTP_PASSWORD", Kind: config.KindSecret, Scope: config.ScopeOwn, Help: "Password or app password. It is removed from the process environment at the start.", Aliases: []string{"SMTP_PASS", "SMTP_PWD"}},
		{Name: "SMTP_AUTH", Kind: config.KindEnum, Default: "auto", Choices: []string{"auto", "plain", "login", "scram-sha-256", "xoauth2", "oauthbearer"}, Help: "How to log in; auto takes the strongest that the server offers."},
		{Name: "SMTP_OAUTH_TOKEN", Kind: config.KindSecret, Scope: config.ScopeOwn, From: config.FromFile | config.FromCommand, Help: "An OAuth 2.0 access token for xoauth2 and oauthbearer."},
		{Name: "SMTP_IDENTITY", Kind: config.KindString, Default: "default", Help: "Name of the sender in the identity argument; if the file has several identities, the only one to use.", Check: checkIdentity},
		{Name: "SMTP_TLS", Kind: config.KindEnum, Default: "starttls", Choices: []string{"starttls", "implicit", "none"}, Help: "starttls is required, never optional; none is for loopback addresses only."},
		{Name: "SMTP_TLS_CA_FILE", Kind: config.KindPath, Help: "PEM file with the certificate authorities to trust instead of the system's."},
		{Name: "SMTP_TLS_FINGERPRINT", Kind: config.KindString, Scope: config.ScopeOwn, Help: "SHA-256 fingerprint of the server's certificate, in hexadecimal; only that certificate is accepted then."},
	}
}

func limitVars() []config.Var {
	return []config.Var{
		{Name: "SMTP_MAX_RECIPIENTS", Kind: config.KindInt, Default: "10", Min: 1, Max: 100, Help: "Recipients of one message: To, Cc and Bcc together."},
		{Name: "SMTP_MAX_SENDS_PER_HOUR", Kind: config.KindInt, Default: "20", Min: 1, Max: 1000, Help: "Messages in any 60 minutes; every question counts, whatever its answer."},
		{Name: "SMTP_MAX_MESSAGE_BYTES", Kind: config.KindSize, Default: "25M", Min: 10 << 10, Max: maxMessageSize, Help: "Largest composed message."},
		{Name: "SMTP_MAX_ATTACHMENT_BYTES", Kind: config.KindSize, Default: "10M", Min: 1 << 10, Max: 50 << 20, Help: "Largest attachment."},
		{Name: "SMTP_ATTACHMENT_DIR", Kind: config.KindPath, Help: "The one directory from which files may be attached; no attachments without it."},
		{Name: "SMTP_ATTACHMENT_TYPES", Kind: config.KindList, Help: "File types that may leave, by extension, such as pdf,png; a list of common documents and images by default."},
		{Name: "SMTP_SIGNATURE", Kind: config.KindString, Help: `Text below each message; \n stands for a line end.`, Check: checkSignature},
		{Name: "SMTP_BCC_SELF", Kind: config.KindBool, Default: "false", Help: "Send a hidden copy of each message to the sender."},
		{Name: "SMTP_ALLOW_TOOLS", Kind: config.KindList, Scope: config.ScopeProgram, Help: "Only these tools are offered."},
		{Name: "SMTP_DENY_TOOLS", Kind: config.KindList, Scope: config.ScopeProgram, Help: "These tools are not offered."},
	}
}

func httpVars() []config.Var {
	return []config.Var{
		{Name: "SMTP_HTTP_TOKEN", Kind: config.KindSecret, Scope: config.ScopeProgram, Help: "What clients of --http send as bearer token; at least 32 characters, such as the output of: openssl rand -hex 32."},
	}
}

func stateVars() []config.Var {
	return []config.Var{
		{Name: "SMTP_STATE_DIR", Kind: config.KindPath, Help: "Where the journal and the audit log live; mailgap in the user's state directory by default."},
		{Name: "SMTP_AUDIT_LOG", Kind: config.KindPath, Scope: config.ScopeProgram, Help: "The audit log; audit.jsonl in the state directory by default."},
		{Name: "SMTP_LEDGER", Kind: config.KindBool, Scope: config.ScopeProgram, Default: "true", Help: "Ask the ledger of imap-mcp where recipients and passages come from. false: the question says that it is not tracked."},
		{Name: "SMTP_LEDGER_DIR", Kind: config.KindPath, Scope: config.ScopeProgram, Help: "Where the ledger is; mailgap/ledger in the user's state directory by default. The same for both programs."},
		{Name: "SMTP_LEDGER_KEY", Kind: config.KindEnum, Scope: config.ScopeProgram, Default: "file", Choices: []string{"file", "keyring"}, Help: "Where its key is; the same for both programs."},
		{Name: "SMTP_LEVELS", Kind: config.KindList, Help: "Levels of findings, such as first_contact=note,disclosure=severe; the words are note, raised and severe. SECURITY.md lists the findings."},
		{Name: "SMTP_REPLAY_WINDOW", Kind: config.KindDuration, Scope: config.ScopeProgram, Default: "15m", Min: int64(time.Minute), Max: int64(24 * time.Hour), Help: "How long an identical message is answered with the earlier one instead of being sent again."},
		{Name: "SMTP_LOCK_COOLING", Kind: config.KindDuration, Scope: config.ScopeProgram, Help: "After two refusals in a row sending is locked for this long; without it until smtp-mcp unlock.", Min: int64(time.Minute), Max: int64(7 * 24 * time.Hour)},
	}
}

func checkHost(v string) error {
	if strings.ContainsAny(v, "/ @") || strings.Count(v, ":") == 1 {
		return errors.New("write a host name or an IP address alone, without scheme, user or port (the port goes to SMTP_PORT)")
	}
	return nil
}

func checkIdentity(v string) error {
	if strings.Trim(v, "abcdefghijklmnopqrstuvwxyz0123456789-") != "" || len(v) > maxIdentityOctets {
		return errors.New("write at most 64 lower-case letters, digits and hyphens")
	}
	return nil
}

func checkFrom(v string) error {
	if _, err := parseFrom(v); err != nil {
		return errors.New("write one address, such as me@example.org, or Name <me@example.org>")
	}
	return nil
}

func checkSignature(v string) error {
	if len([]rune(v)) > maxSignatureChars {
		return errors.New("write at most 2000 characters")
	}
	return nil
}

// parseFrom reads the configured identity.
func parseFrom(v string) (addr.Address, error) {
	parsed, err := mail.ParseAddress(v)
	if err != nil {
		return addr.Address{}, err
	}
	a, err := addr.ParseSpec(parsed.Address)
	if err != nil {
		return a, err
	}
	if len([]rune(parsed.Name)) > maxDisplayNameChars || strings.ContainsFunc(parsed.Name, unicode.IsControl) {
		return a, errors.New("sendmail: unusable display name")
	}
	a.DisplayName = parsed.Name
	return a, nil
}

// Config is what a Server needs. ConfigFrom makes one from the environment. The zero value sends nothing.
type Config struct {
	Identity    string // name of the sender, where there are several
	AllowSend   bool
	Allowlist   policy.Allowlist
	From        addr.Address
	Submit      submit.Config
	Missing     []string // settings without which nothing can be sent; each call that needs one says so
	Limits      policy.Limits
	Attachments attach.Limits
	// AttachmentDir is the absolute path of the one directory to attach from; "" means no attachments.
	AttachmentDir   string
	MaxMessageBytes int
	Signature       string
	BccSelf         bool
	MaxPerHour      int
	ReplayWindow    time.Duration
	LockCooling     time.Duration
	StateDir        string
	LedgerDir       string            // where imap-mcp records what it hands out; "" means that it is switched off
	Own             []addr.Address    // addresses of all identities; From is one without being named
	LedgerKeyring   bool              // its key is in the key store of the operating system
	Levels          provenance.Levels // the operator's levels of findings
	AuditLog        string
	// Token replaces the person by a two-call token (ELICITATION=false).
	Token bool
	// Terminal asks for calls that do not come over the protocol (smtp-mcp call); nil means that those cannot be approved.
	Terminal confirm.Path
	// Page asks outside of the client, in a browser; nil means that there is none. Calls wait for it.
	Page confirm.Path
	// URLPage is Page for clients that open addresses themselves, and are given that of the page (SMTP_CONFIRM_URL); nil means never.
	URLPage confirm.Path
	ByURL   bool   // SMTP_CONFIRM_URL, for whoever makes URLPage
	Browser string // SMTP_BROWSER, for whoever makes Page
	Confirm ConfirmMode
	// HTTPToken returns what clients of --http send; nil if it is not set. For the program that serves HTTP; this package
	// does not use it.
	HTTPToken      func(context.Context) (string, error)
	ElevatedByForm bool // SMTP_ELEVATED=elicitation
	AllowSevere    bool
	QuestionTime   time.Duration
	PendingTime    time.Duration // how long a message waits on the desk; 0 means ten minutes
	Tools          mcpserve.Filter
	Version        string
	Logger         *slog.Logger     // nil discards
	Random         io.Reader        // nil means crypto/rand
	Now            func() time.Time // nil means time.Now

	gate *confirm.Gate[*pending] // shared by the identities of a Group
}

// ConfigFrom turns settings into a Config. Errors name the setting, say what to write, and never hold a value.
func ConfigFrom(v config.Values) (Config, error) {
	c := Config{
		Identity:        v.String("SMTP_IDENTITY"),
		AllowSend:       v.Bool("SMTP_ALLOW_SEND"),
		Limits:          policy.Limits{MaxRecipients: v.Int("SMTP_MAX_RECIPIENTS")},
		MaxMessageBytes: int(v.Size("SMTP_MAX_MESSAGE_BYTES")),
		Signature:       strings.ReplaceAll(v.String("SMTP_SIGNATURE"), `\n`, "\n"),
		BccSelf:         v.Bool("SMTP_BCC_SELF"),
		MaxPerHour:      v.Int("SMTP_MAX_SENDS_PER_HOUR"),
		ReplayWindow:    v.Duration("SMTP_REPLAY_WINDOW"),
		LockCooling:     v.Duration("SMTP_LOCK_COOLING"),
		Token:           !v.Bool("ELICITATION"),
		QuestionTime:    v.Duration("SMTP_QUESTION_TIME"),
		Confirm:         ConfirmMode(v.String("SMTP_CONFIRM")),
		HTTPToken:       reveal(v.Secret("SMTP_HTTP_TOKEN")),
		ElevatedByForm:  v.String("SMTP_ELEVATED") == "elicitation",
		AllowSevere:     v.Bool("SMTP_ALLOW_SEVERE"),
		Browser:         v.String("SMTP_BROWSER"),
		ByURL:           v.Bool("SMTP_CONFIRM_URL"),
		PendingTime:     v.Duration("SMTP_PENDING_TIME"),
		Tools:           mcpserve.Filter{Allow: v.List("SMTP_ALLOW_TOOLS"), Deny: v.List("SMTP_DENY_TOOLS")},
	}
	if c.Token && c.Confirm != ConfirmAuto {
		return c, errors.New("SMTP_CONFIRM asks a person and ELICITATION=false does not, so they contradict each other: leave one of them out")
	}
	var err error
	if v.IsSet("SMTP_FROM") {
		if c.From, err = parseFrom(v.String("SMTP_FROM")); err != nil {
			return c, errors.New("SMTP_FROM: write one address, such as me@example.org, or Name <me@example.org>")
		}
	}
	if c.Allowlist, err = allowlist(v); err != nil {
		return c, err
	}
	if err = c.setAttachments(v); err != nil {
		return c, err
	}
	if c.Submit, err = submitConfig(v); err != nil {
		return c, err
	}
	c.Missing = missing(v)
	return c, c.setState(v)
}

// allowlist reads SMTP_ALLOWED_RECIPIENTS, which is required once sending is on.
func allowlist(v config.Values) (policy.Allowlist, error) {
	entries := v.List("SMTP_ALLOWED_RECIPIENTS")
	if len(entries) == 0 {
		if v.Bool("SMTP_ALLOW_SEND") {
			return policy.Allowlist{}, errors.New("SMTP_ALLOWED_RECIPIENTS: required with SMTP_ALLOW_SEND=true: " +
				"write the addresses that may be written to, separated by commas, such as name@example.com or @example.com; * alone allows everybody")
		}
		return policy.Allowlist{}, nil
	}
	list, err := policy.ParseAllowlist(entries)
	if err != nil {
		return list, errors.New("SMTP_ALLOWED_RECIPIENTS: " + err.Error())
	}
	return list, nil
}

func (c *Config) setAttachments(v config.Values) error {
	c.Attachments.MaxFileBytes = v.Size("SMTP_MAX_ATTACHMENT_BYTES")
	c.Attachments.MaxTotalBytes = max(maxTotalAttachments, c.Attachments.MaxFileBytes)
	types, err := attach.ParseTypes(v.List("SMTP_ATTACHMENT_TYPES"))
	if err != nil {
		return errors.New("SMTP_ATTACHMENT_TYPES: " + err.Error())
	}
	c.Attachments.Types = types
	if dir := v.String("SMTP_ATTACHMENT_DIR"); dir != "" {
		if c.AttachmentDir, err = filepath.Abs(dir); err != nil {
			return errors.New("SMTP_ATTACHMENT_DIR: write an absolute path")
		}
	}
	return nil
}

// setState decides where the journal and the audit log live. Nothing is created here.
func (c *Config) setState(v config.Values) error {
	c.StateDir = v.String("SMTP_STATE_DIR")
	if c.StateDir == "" {
		dir, err := stateHome()
		if err != nil {
			return errors.New("SMTP_STATE_DIR: no home directory is known: write the directory for the journal and the audit log")
		}
		c.StateDir = filepath.Join(dir, "mailgap")
	}
	c.AuditLog = v.String("SMTP_AUDIT_LOG")
	if c.AuditLog == "" {
		c.AuditLog = filepath.Join(c.StateDir, "audit.jsonl")
	}
	return c.setLedger(v)
}

// setLedger decides where the ledger is, and how much its findings matter.
func (c *Config) setLedger(v config.Values) (err error) {
	if c.Levels, err = provenance.ParseLevels(v.List("SMTP_LEVELS")); err != nil {
		return errors.New("SMTP_LEVELS: " + strings.TrimPrefix(err.Error(), "provenance: "))
	}
	if !v.Bool("SMTP_LEDGER") {
		return nil
	}
	c.LedgerKeyring = v.String("SMTP_LEDGER_KEY") == "keyring"
	if c.LedgerDir = v.String("SMTP_LEDGER_DIR"); c.LedgerDir != "" {
		return nil
	}
	if c.LedgerDir, err = ledger.DefaultDir(); err != nil {
		return errors.New("SMTP_LEDGER_DIR: no home directory is known: write the directory of the ledger, or SMTP_LEDGER=false")
	}
	return nil
}

// stateHome is $XDG_STATE_HOME, or the user's configuration directory where there is no such custom.
func stateHome() (string, error) {
	if dir := os.Getenv("XDG_STATE_HOME"); filepath.IsAbs(dir) {
		return dir, nil
	}
	if home, err := os.UserHomeDir(); err == nil && os.PathSeparator == '/' {
		return filepath.Join(home, ".local", "state"), nil
	}
	return os.UserConfigDir()
}

func submitConfig(v config.Values) (submit.Config, error) {
	s := submit.Config{
		Host:        v.String("SMTP_HOST"),
		Port:        v.Int("SMTP_PORT"),
		User:        v.String("SMTP_USER"),
		TLS:         submit.TLSMode(v.String("SMTP_TLS")),
		Fingerprint: v.String("SMTP_TLS_FINGERPRINT"),
		Auth:        submit.AuthMethod(v.String("SMTP_AUTH")),
		Password:    reveal(v.Secret("SMTP_PASSWORD")),
		Token:       reveal(v.Secret("SMTP_OAUTH_TOKEN")),
	}
	signIn, keeper, ok, err := oauth.FromSettings("SMTP_", oauth.Sending, v)
	if err != nil {
		return s, err
	}
	if ok {
		s.Token = oauth.NewSource(signIn, keeper).Token
	}
	if s.User == "" && !v.Secret("SMTP_PASSWORD").IsSet() {
		s.Password = nil // a relay that wants no login
	}
	if name := v.String("SMTP_TLS_CA_FILE"); name != "" {
		pem, err := readCAFile(name)
		if err != nil {
			return s, err
		}
		s.CAPEM = pem
	}
	if s.Host == "" {
		return s, nil
	}
	if _, err := submit.New(s); err != nil {
		if errors.Is(err, submit.ErrPlaintext) {
			return s, errors.New("SMTP_TLS: none is for loopback addresses only: write starttls or implicit")
		}
		return s, errors.New("SMTP_TLS_FINGERPRINT, SMTP_TLS_CA_FILE or SMTP_HOST cannot be used: write 64 hexadecimal digits, a PEM file, a host name")
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

func readCAFile(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, errors.New("SMTP_TLS_CA_FILE: the file cannot be opened: check its name and permissions")
	}
	defer f.Close()
	pem, err := io.ReadAll(io.LimitReader(f, maxCAFileOctets+1))
	if err != nil || len(pem) > maxCAFileOctets {
		return nil, errors.New("SMTP_TLS_CA_FILE: the file cannot be read or is larger than 2 MiB: name a PEM file with certificates")
	}
	return pem, nil
}

// missing names the settings that a connection needs and that are not set.
func missing(v config.Values) []string {
	var out []string
	for _, name := range []string{"SMTP_HOST", "SMTP_FROM"} {
		if !v.IsSet(name) {
			out = append(out, name)
		}
	}
	byToken := slices.Contains([]string{"xoauth2", "oauthbearer"}, v.String("SMTP_AUTH"))
	token := v.IsSet("SMTP_OAUTH") || v.Secret("SMTP_OAUTH_TOKEN").IsSet()
	password := v.Secret("SMTP_PASSWORD")
	switch {
	case byToken && !token:
		out = append(out, "SMTP_OAUTH, or SMTP_OAUTH_TOKEN_FILE or SMTP_OAUTH_TOKEN_COMMAND")
	case v.IsSet("SMTP_USER") && !byToken && !password.IsSet() && !password.IsStored() && !token:
		out = append(out, "SMTP_PASSWORD_FILE, SMTP_PASSWORD_COMMAND or SMTP_PASSWORD")
	}
	return out
}
