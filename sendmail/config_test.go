package sendmail

import (
	"strings"
	"testing"

	"mailgap/shared/config"
)

// load reads settings as the program does.
func load(env ...string) (Config, error) {
	values, _, err := config.Load(env, Settings())
	if err != nil {
		return Config{}, err
	}
	return ConfigFrom(values)
}

// on are the settings that sending needs.
var on = []string{"SMTP_ALLOW_SEND=true", "SMTP_ALLOWED_RECIPIENTS=@example.com,bob@example.org", "SMTP_FROM=Me <me@example.net>", "SMTP_HOST=mail.example.net", "SMTP_STATE_DIR=/nowhere/state"}

// What is contradictory, dangerous or mistyped keeps the program from starting; the error names the setting, says what to
// write, and does not repeat the value.
func TestSettingsRefused(t *testing.T) {
	tests := []struct{ name, setting, want string }{
		{"almost true", "SMTP_ALLOW_SEND=yes-secretvalue", "write true or false"},
		{"true in capitals", "SMTP_ALLOW_SEND=TRUE", "write true or false"},
		{"one", "SMTP_ALLOW_SEND=1", "write true or false"},
		{"no allowlist", "SMTP_ALLOWED_RECIPIENTS=", "required with SMTP_ALLOW_SEND=true"},
		{"bare domain", "SMTP_ALLOWED_RECIPIENTS=secretvalue.example", "write @example.com"},
		{"mixed star", "SMTP_ALLOWED_RECIPIENTS=*,@secretvalue.example", "write * alone"},
		{"star inside", "SMTP_ALLOWED_RECIPIENTS=*@secretvalue.example", "no wildcard"},
		{"only denied", "SMTP_ALLOWED_RECIPIENTS=!secretvalue@example.com", "no entry allows anybody"},
		{"malformed entry", "SMTP_ALLOWED_RECIPIENTS=secretvalue@@example.com", "entry 1 of 1"},
		{"sender", "SMTP_FROM=secretvalue", "SMTP_FROM"},
		{"two senders", "SMTP_FROM=secretvalue@example.com, b@example.com", "SMTP_FROM"},
		{"sender with a line break", "SMTP_FROM=\"a\r\nBcc: secretvalue@example.com\" <a@example.com>", "SMTP_FROM"},
		{"plain text to another machine", "SMTP_TLS=none", "loopback"},
		{"unknown TLS mode", "SMTP_TLS=secretvalue", "SMTP_TLS"},
		{"fingerprint", "SMTP_TLS_FINGERPRINT=secretvalue", "64 hexadecimal digits"},
		{"CA file", "SMTP_TLS_CA_FILE=/nowhere/secretvalue.pem", "SMTP_TLS_CA_FILE"},
		{"too many recipients", "SMTP_MAX_RECIPIENTS=1000000", "from 1 to 100"},
		{"no cap", "SMTP_MAX_SENDS_PER_HOUR=0", "from 1 to 1000"},
		{"type", "SMTP_ATTACHMENT_TYPES=exe", "SMTP_ATTACHMENT_TYPES"},
		{"question of an hour", "SMTP_QUESTION_TIME=1h", "SMTP_QUESTION_TIME"},
		{"near miss", "SMTP_ALLOWED_RECIPENTS=secretvalue@example.com", "SMTP_ALLOWED_RECIPIENTS"},
		{"unknown finding", "SMTP_LEVELS=first_contact=note,secretvalue=note", "entry 2: write a finding and its level"},
		{"unknown level", "SMTP_LEVELS=first_contact=secretvalue", "note, raised and severe"},
		{"host with a port", "SMTP_HOST=secretvalue.example:587", "SMTP_PORT"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			name, _, _ := strings.Cut(tt.setting, "=")
			var env []string
			for _, s := range on {
				if !strings.HasPrefix(s, name+"=") {
					env = append(env, s)
				}
			}
			_, err := load(append(env, tt.setting)...)
			if err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "secretvalue") {
				t.Errorf("got %v, want an error with %q and without the value", err, tt.want)
			}
		})
	}
	if _, err := load(append(on, "ELICITATION=false", "SMTP_CONFIRM=elicitation")...); err == nil || !strings.Contains(err.Error(), "contradict") {
		t.Errorf("contradicting ways to ask: got %v", err)
	}
	if _, err := load("SMTP_ALLOW_SEND=true", "SMTP_ALLOWED_RECIPIENTS=@example.com", "SMTP_STATE_DIR=/nowhere"); err != nil {
		t.Fatal(err)
	}
	cfg, err := load("SMTP_ALLOW_SEND=true", "SMTP_ALLOWED_RECIPIENTS=@example.com", "SMTP_STATE_DIR=/nowhere")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := New(cfg); err == nil || !strings.Contains(err.Error(), "SMTP_FROM") {
		t.Errorf("no sender: got %v", err)
	}
}

func TestSettingsAccepted(t *testing.T) {
	cfg, err := load(append(on, `SMTP_SIGNATURE=Me\nExample Ltd.`, "SMTP_MAX_ATTACHMENT_BYTES=20M", "SMTP_LOCK_COOLING=30m")...)
	if err != nil {
		t.Fatal(err)
	}
	allow, deny := cfg.Allowlist.Len()
	if !cfg.AllowSend || cfg.Token || allow != 2 || deny != 0 || cfg.From.DisplayName != "Me" || cfg.Signature != "Me\nExample Ltd." || cfg.MaxPerHour != 20 ||
		cfg.Limits.MaxRecipients != 10 || cfg.Attachments.MaxTotalBytes < cfg.Attachments.MaxFileBytes || cfg.AuditLog != "/nowhere/state/audit.jsonl" {
		t.Errorf("got %+v", cfg)
	}
	cfg, err = load()
	if err != nil || cfg.AllowSend || len(cfg.Missing) == 0 {
		t.Errorf("nothing set: got %+v, %v", cfg, err)
	}
	cfg, err = load("SMTP_ALLOW_SEND=false", "ELICITATION=false")
	if err != nil || cfg.AllowSend || !cfg.Token {
		t.Errorf("off: got %+v, %v", cfg, err)
	}
}
