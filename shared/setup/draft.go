package setup

import (
	"fmt"
	"strconv"
	"strings"

	"mailgap/shared/config"
	"mailgap/shared/provider"
)

// draft is what is known of the new account or identity.
type draft struct {
	name    string // of its section
	address string
	domain  string // of the address, in ASCII
	local   string // part of the address before the @
	server  provider.Endpoint
	user    string
	preset  provider.Preset // zero for other providers
	pin     string          // fingerprint that the person trusts

	password     config.Secret
	oauth        string // google, microsoft, or "" for a password
	device       bool
	clientID     string
	tenant       string
	clientSecret config.Secret

	files map[string]string // key to path, for secrets that are kept in files

	// For sending.
	from    string
	allow   []string
	confirm string
	bccSelf bool
}

// entry is a setting: its key in the file, and a string, int, bool or list of strings.
type entry struct {
	key   string
	value any
	note  string // a comment behind it
}

func set(key string, value any) entry { return entry{key: key, value: value} }

// top lists what holds for the program. Sending is switched on by whom may be written to.
func (d draft) top() []entry {
	var out []entry
	if len(d.allow) > 0 {
		out = append(out, set("allow_send", true))
	}
	if d.confirm != "" && d.confirm != "auto" {
		out = append(out, set("confirm", d.confirm))
	}
	return out
}

// own lists the settings of the section.
func (d draft) own(sending bool) []entry {
	out := []entry{set("host", d.server.Host), set("port", d.server.Port), set("tls", d.server.TLS), set("user", d.user)}
	add := func(key, value string) {
		if value != "" {
			out = append(out, set(key, value))
		}
	}
	add("tls_fingerprint", d.pin)
	add("oauth", d.oauth)
	add("oauth_client_id", d.clientID)
	add("oauth_tenant", d.tenant)
	for _, key := range []string{"password_file", "oauth_file", "oauth_client_secret_file"} {
		add(key, d.files[key])
	}
	if !sending {
		if len(d.preset.AuthservIDs) > 0 {
			out = append(out, entry{"trusted_authserv_id", d.preset.AuthservIDs, "as documented by " + d.preset.Name})
		}
		return out
	}
	add("from", d.from)
	if len(d.allow) > 0 {
		out = append(out, set("allowed_recipients", d.allow))
	}
	if d.bccSelf {
		out = append(out, set("bcc_self", true))
	}
	return out
}

// environ writes the draft as an environment. Secrets are in it as long as it is used, in this process.
func (d draft) environ(s config.Spec, withSecrets bool) []string {
	var out []string
	put := func(key, value string) { out = append(out, s.Prefix+strings.ToUpper(key)+"="+value) }
	for _, e := range append(d.top(), d.own(s.Prefix == "SMTP_")...) {
		switch v := e.value.(type) {
		case []string:
			put(e.key, strings.Join(v, ", "))
		default:
			put(e.key, fmt.Sprint(v))
		}
	}
	if d.name != "" {
		out = append(out, s.Selector+"="+d.name)
	}
	if withSecrets && !d.password.IsEmpty() && d.files["password_file"] == "" {
		put("password", d.password.Reveal())
	}
	if withSecrets && !d.clientSecret.IsEmpty() && d.files["oauth_client_secret_file"] == "" {
		put("oauth_client_secret", d.clientSecret.Reveal())
	}
	return out
}

// toml writes entries, one line each.
func toml(entries []entry) string {
	var b strings.Builder
	for _, e := range entries {
		fmt.Fprintf(&b, "%s = %s", e.key, tomlValue(e.value))
		if e.note != "" {
			b.WriteString(" # " + e.note)
		}
		b.WriteString("\n")
	}
	return b.String()
}

func tomlValue(value any) string {
	switch v := value.(type) {
	case string:
		return tomlString(v)
	case []string:
		var items []string
		for _, item := range v {
			items = append(items, tomlString(item))
		}
		return "[" + strings.Join(items, ", ") + "]"
	case int:
		return strconv.Itoa(v)
	default:
		return fmt.Sprint(v)
	}
}

// tomlString quotes a text that has no control characters: those are refused where it is typed.
func tomlString(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}
