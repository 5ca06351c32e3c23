package readmail

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net"
	"slices"
	"strings"
	"time"

	"mailgap/shared/config"
	"mailgap/shared/oauth"
)

// Defaults and bounds of the settings.
const (
	defaultPageSize    = 25     // messages; about 5 kB of result
	maxPageSize        = 100    // messages
	defaultTextChars   = 12_000 // characters of message text in one answer: about 3,000 tokens
	maxTextChars       = 50_000 // characters
	defaultSearchTime  = 20 * time.Second
	maxDownloadOctets  = 50 << 20         // octets of one attachment after decoding
	defaultIdleTimeout = 55 * time.Second // Limit: many clients give up after 60 s
	maxIdleTimeout     = 10 * time.Minute
)

// Settings declares the environment of imap-mcp: names, kinds, defaults, bounds. The settings table of the README is made
// from it.
func Settings() config.Spec {
	return config.Spec{
		Prefix:   "IMAP_",
		Program:  "imap-mcp",
		Section:  "account",
		Selector: "IMAP_ACCOUNT",
		Bound:    []string{"IMAP_USER", "IMAP_HOST"},
		Vars:     slices.Concat(accountVars(), oauth.Vars("IMAP_"), tlsVars(), behaviourVars(), ledgerVars(), httpVars()),
		Hints: map[string]string{
			"EMAIL_PASSWORD": "set IMAP_PASSWORD, IMAP_PASSWORD_FILE or IMAP_PASSWORD_COMMAND",
			"EMAIL_USER":     "set IMAP_USER",
			"IMAP_SSL":       "set IMAP_TLS to implicit, starttls or none",
			"IMAP_SECURE":    "set IMAP_TLS to implicit, starttls or none",
			"IMAP_STARTTLS":  "set IMAP_TLS=starttls",
			"IMAP_INSECURE":  "set IMAP_TLS_FINGERPRINT or IMAP_TLS_CA_FILE; certificates are always checked",
		},
	}
}

func accountVars() []config.Var {
	return []config.Var{
		{Name: "IMAP_HOST", Kind: config.KindString, Scope: config.ScopeOwn, Help: "Host name of the IMAP server.", Check: checkHost, Aliases: []string{"IMAP_SERVER", "IMAP_HOSTNAME"}},
		{Name: "IMAP_PORT", Kind: config.KindInt, Scope: config.ScopeOwn, Min: 1, Max: 65535, Help: "Port; 993 for IMAP_TLS=implicit, 143 otherwise."},
		{Name: "IMAP_USER", Kind: config.KindString, Scope: config.ScopeOwn, Help: "User name, usually the whole address.", Aliases: []string{"IMAP_USERNAME", "IMAP_LOGIN", "IMAP_EMAIL"}},
		{Name: "IMAP_PASSWORD", Kind: config.KindSecret, Scope: config.ScopeOwn, Help: "Password or app password. It is removed from the process environment at the start.", Aliases: []string{"IMAP_PASS", "IMAP_PWD"}},
		{Name: "IMAP_AUTH", Kind: config.KindEnum, Default: "auto", Choices: []string{"auto", "plain", "login", "scram-sha-256", "xoauth2", "oauthbearer"}, Help: "How to log in; auto takes the strongest that the server offers."},
		{Name: "IMAP_OAUTH_TOKEN", Kind: config.KindSecret, Scope: config.ScopeOwn, From: config.FromFile | config.FromCommand, Help: "An OAuth 2.0 access token for xoauth2 and oauthbearer."},
		{Name: "IMAP_ACCOUNT", Kind: config.KindString, Default: "default", Help: "Name of the account in message references; if the file has several accounts, the only one to use.", Check: checkAccount},
	}
}

func tlsVars() []config.Var {
	return []config.Var{
		{Name: "IMAP_TLS", Kind: config.KindEnum, Default: "implicit", Choices: []string{"implicit", "starttls", "none"}, Help: "none is for loopback addresses only, unless IMAP_ALLOW_PLAINTEXT=true."},
		{Name: "IMAP_TLS_CA_FILE", Kind: config.KindPath, Help: "PEM file with the certificate authorities to trust instead of the system's."},
		{Name: "IMAP_TLS_FINGERPRINT", Kind: config.KindString, Scope: config.ScopeOwn, Help: "SHA-256 fingerprint of the server's certificate, in hexadecimal; only that certificate is accepted then. imap-mcp check prints it.", Check: checkFingerprint},
		{Name: "IMAP_ALLOW_PLAINTEXT", Kind: config.KindBool, Scope: config.ScopeOwn, Default: "false", Help: "Allow IMAP_TLS=none to another machine. Password and mail are then readable on the way."},
	}
}

func behaviourVars() []config.Var {
	return []config.Var{
		{Name: "IMAP_MAILBOX", Kind: config.KindString, Default: "INBOX", Help: "Mailbox that is listed when a call names none."},
		{Name: "IMAP_TRUSTED_AUTHSERV_ID", Kind: config.KindList, Help: "authserv-id of the Authentication-Results fields that your own server adds (RFC 8601 §2.5). Without it every author is unknown."},
		{Name: "IMAP_ALLOW_TOOLS", Kind: config.KindList, Scope: config.ScopeProgram, Help: "Only these tools are offered."},
		{Name: "IMAP_DENY_TOOLS", Kind: config.KindList, Scope: config.ScopeProgram, Help: "These tools are not offered."},
		{Name: "IMAP_DOWNLOAD_DIR", Kind: config.KindPath, Help: "Directory into which get_attachment may save; saving is off without it."},
		{Name: "IMAP_REVEAL_CODES", Kind: config.KindBool, Default: "true", Help: "Whether a call may ask for one-time codes and sign-in links; false masks them always."},
		{Name: "IMAP_TIME_ZONE", Kind: config.KindString, Scope: config.ScopeProgram, Help: "Zone of dates without one, such as Europe/Zurich; this machine's zone by default.", Check: checkZone},
		{Name: "IMAP_POOL_SIZE", Kind: config.KindInt, Default: "2", Min: 1, Max: 10, Help: "Connections to the server at once."},
		{Name: "IMAP_COMPRESS", Kind: config.KindBool, Default: "true", Help: "Use COMPRESS=DEFLATE (RFC 4978) where the server offers it and is not on this machine."},
		{Name: "IMAP_TIMEOUT", Kind: config.KindDuration, Default: "30s", Min: int64(time.Second), Max: int64(10 * time.Minute), Help: "How long one step of the server may take."},
		{Name: "IMAP_SEARCH_TIME", Kind: config.KindDuration, Default: "20s", Min: int64(time.Second), Max: int64(5 * time.Minute), Help: "How long a text search goes back, newest first, before it answers with what it has."},
		{Name: "IMAP_MAX_ATTACHMENT", Kind: config.KindSize, Default: "25M", Min: 1 << 10, Max: maxDownloadOctets, Help: "Largest attachment that is fetched."},
		{Name: "IMAP_DATAMARKING", Kind: config.KindBool, Default: "false", Help: "Put a mark between the words of untrusted text as well as around it."},
	}
}

func ledgerVars() []config.Var {
	return []config.Var{
		{Name: "IMAP_CONFIDENTIAL_MAILBOXES", Kind: config.KindList, Help: "Mailboxes whose messages must not reach outsiders, by name; * stands for anything. smtp-mcp refuses what comes from them."},
		{Name: "IMAP_LEDGER", Kind: config.KindBool, Default: "true", Scope: config.ScopeProgram, Help: "Record keyed fingerprints of what is handed out, so that smtp-mcp can say where a recipient or a passage came from. false: it cannot, and neither warns nor refuses on that ground."},
		{Name: "IMAP_LEDGER_DIR", Kind: config.KindPath, Scope: config.ScopeProgram, Help: "Where the ledger is; mailgap/ledger in the user's state directory by default. The same for both programs."},
		{Name: "IMAP_LEDGER_KEY", Kind: config.KindEnum, Default: "file", Choices: []string{"file", "keyring"}, Scope: config.ScopeProgram, Help: "Where its key is: a file beside it with mode 0600, or the key store of the operating system. The same for both programs."},
	}
}

func httpVars() []config.Var {
	return []config.Var{
		{Name: "IMAP_HTTP_TOKEN", Kind: config.KindSecret, Scope: config.ScopeProgram, Help: "What clients of --http send as bearer token; at least 32 characters, such as the output of: openssl rand -hex 32."},
	}
}

func checkHost(v string) error {
	if strings.ContainsAny(v, "/ @") || strings.Count(v, ":") == 1 {
		return errors.New("write a host name or an IP address alone, without scheme, user or port (the port goes to IMAP_PORT)")
	}
	return nil
}

func checkAccount(v string) error {
	for _, c := range v {
		if (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-' {
			return errors.New("write lower-case letters, digits and hyphens only")
		}
	}
	if len(v) > maxAccountOctets {
		return errors.New("write at most 64 characters")
	}
	return nil
}

func checkFingerprint(v string) error {
	if _, err := parseFingerprint(v); err != nil {
		return errors.New("write the 64 hexadecimal digits that imap-mcp check prints; colons are allowed")
	}
	return nil
}

func checkZone(v string) error {
	if _, err := time.LoadLocation(v); err != nil {
		return errors.New("write a zone name such as Europe/Zurich or UTC")
	}
	return nil
}

// isLoopback reports whether host names this machine.
func isLoopback(host string) bool {
	ip := net.ParseIP(strings.Trim(host, "[]"))
	return strings.EqualFold(host, "localhost") || ip != nil && ip.IsLoopback()
}

// parseFingerprint reads a SHA-256 fingerprint: 64 hexadecimal digits, colons and blanks between octets allowed.
func parseFingerprint(s string) ([sha256.Size]byte, error) {
	var sum [sha256.Size]byte
	b, err := hex.DecodeString(strings.NewReplacer(":", "", " ", "").Replace(s))
	if err != nil || len(b) != len(sum) {
		return sum, errors.New("readmail: not a SHA-256 fingerprint")
	}
	copy(sum[:], b)
	return sum, nil
}
