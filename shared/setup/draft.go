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
}

// top lists what holds for the program. Sending is switched on by whom may be written to.
func (d draft) top() []entry {
	var out []entry
	if len(d.allow) > 0 {
		out = append(out, entry{"allow_send", true})
	}
	if d.confirm != "" && d.confirm != "auto" {
		out = append(out, entry{"confirm", d.confirm})
	}
	return out
}

// own lists the settings of the section.
func (d draft) own(sending bool) []entry {
	out := []entry{{"host", d.server.Host}, {"port", d.server.Port}, {"tls", d.server.TLS}, {"user", d.user}}
	add := func(key, value string) {
		if value != "" {
			out = append(out, entry{key, value})
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
			out = append(out, entry{"trusted_authserv_id", d.preset.AuthservIDs})
		}
		return out
	}
	add("from", d.from)
	if len(d.allow) > 0 {
		out = append(out, entry{"allowed_recipients", d.allow})
	}
	if d.bccSelf {
		out = append(out, entry{"bcc_self", true})
	}
	return out
}

// environ writes the draft as an environment. Secrets are in it as long as it is used, in this process.
func (d draft) environ(s config.Spec, withSecrets bool) []string {
	var out []string
	set := func(key, value string) { out = append(out, s.Prefix+strings.ToUpper(key)+"="+value) }
	for _, e := range append(d.top(), d.own(s.Prefix == "SMTP_")...) {
		switch v := e.value.(type) {
		case []string:
			set(e.key, strings.Join(v, ", "))
		default:
			set(e.key, fmt.Sprint(v))
		}
	}
	if d.name != "" {
		out = append(out, s.Selector+"="+d.name)
	}
	if withSecrets && !d.password.IsEmpty() && d.files["password_file"] == "" {
		set("password", d.password.Reveal())
	}
	if withSecrets && !d.clientSecret.IsEmpty() && d.files["oauth_client_secret_file"] == "" {
		set("oauth_client_secret", d.clientSecret.Reveal())
	}
	return out
}

// toml writes entries, one line each.
func toml(entries []entry) string {
	var b strings.Builder
	for _, e := range entries {
		fmt.Fprintf(&b, "%s = %s\n", e.key, tomlValue(e.value))
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
