package imaptest

import (
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/emersion/go-imap/v2"
)

// dovecotCaps is what Dovecot 2.3 announces after login.
const dovecotCaps = "IMAP4rev1 SASL-IR LOGIN-REFERRALS ID ENABLE IDLE SORT SORT=DISPLAY THREAD=REFERENCES THREAD=REFS THREAD=ORDEREDSUBJECT " +
	"MULTIAPPEND URL-PARTIAL CATENATE UNSELECT CHILDREN NAMESPACE UIDPLUS LIST-EXTENDED I18NLEVEL=1 CONDSTORE QRESYNC ESEARCH " +
	"ESORT SEARCHRES WITHIN CONTEXT=SEARCH LIST-STATUS BINARY MOVE SNIPPET=FUZZY PREVIEW=FUZZY PREVIEW STATUS=SIZE SAVEDATE LITERAL+ NOTIFY SPECIAL-USE"

// writeConfig writes everything the server reads at its start.
func (d *Dovecot) writeConfig(plain, secured string) error {
	u, group, err := mailUser()
	if err != nil {
		return err
	}
	key, err := x509.MarshalPKCS8PrivateKey(d.Cert.TLS.PrivateKey)
	if err != nil {
		return err
	}
	files := map[string]string{
		"cert.pem":     string(d.Cert.CAPEM),
		"key.pem":      string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: key})),
		"users":        d.options.User + ":{PLAIN}" + d.options.Password + "\n",
		"dovecot.conf": d.config(u.Username, group, Port(plain), Port(secured)),
	}
	for name, text := range files {
		if err := os.WriteFile(d.path(name), []byte(text), 0o600); err != nil {
			return err
		}
	}
	if d.options.OAuth {
		if err := d.writeOAuth(); err != nil {
			return err
		}
	}
	return giveToMailUser(d.dir)
}

func (d *Dovecot) config(user, group string, port, tlsPort int) string {
	mechanisms, passdbs := "plain login", ""
	if d.options.OAuth {
		mechanisms, passdbs = mechanisms+" xoauth2 oauthbearer", d.oauthPassdb()
	}
	var extra strings.Builder
	if len(d.options.HideCaps) > 0 {
		fmt.Fprintf(&extra, "imap_capability = %s\n", d.visibleCaps())
	}
	if d.options.Compress {
		extra.WriteString("protocol imap {\n  mail_plugins = zlib imap_zlib\n}\n")
	}
	return strings.NewReplacer("{dir}", d.dir, "{user}", user, "{group}", group, "{port}", fmt.Sprint(port), "{tls}", fmt.Sprint(tlsPort),
		"{mechanisms}", mechanisms, "{passdbs}", passdbs, "{special}", d.specialUse()).Replace(dovecotConf) + extra.String() + d.options.Extra + "\n"
}

func (d *Dovecot) visibleCaps() string {
	caps := strings.Fields(dovecotCaps)
	if d.options.Compress {
		caps = append(caps, "COMPRESS=DEFLATE")
	}
	return strings.Join(slices.DeleteFunc(caps, func(s string) bool { return slices.Contains(d.options.HideCaps, imap.Cap(s)) }), " ")
}

func (d *Dovecot) specialUse() string {
	var b strings.Builder
	for _, m := range d.options.Mailboxes {
		for _, a := range m.Attrs {
			if a != imap.MailboxAttrNoSelect {
				fmt.Fprintf(&b, "  mailbox %q {\n    auto = no\n    special_use = %s\n  }\n", m.Name, string(a))
			}
		}
	}
	return b.String()
}

const dovecotConf = `base_dir = {dir}/run
state_dir = {dir}/run
log_path = {dir}/dovecot.log
protocols = imap
listen = 127.0.0.1
default_internal_user = {user}
default_internal_group = {group}
default_login_user = {user}
first_valid_uid = 1
disable_plaintext_auth = no
auth_mechanisms = {mechanisms}
auth_username_format = %Lu
auth_failure_delay = 0
ssl = yes
ssl_cert = <{dir}/cert.pem
ssl_key = <{dir}/key.pem
mail_location = maildir:~/Maildir:UTF-8
mail_max_userip_connections = 200
mail_fsync = never
maildir_stat_dirs = no
mailbox_list_index = no
mailbox_idle_check_interval = 1 s
login_greeting = ready
{passdbs}passdb {
  driver = passwd-file
  args = username_format=%u {dir}/users
}
userdb {
  driver = static
  args = uid={user} gid={group} home={dir}/home/%u
}
namespace inbox {
  inbox = yes
  separator = /
{special}}
service imap-login {
  chroot =
  service_count = 0
  inet_listener imap {
    port = {port}
  }
  inet_listener imaps {
    port = {tls}
    ssl = yes
  }
}
service anvil {
  chroot =
  unix_listener anvil-auth-penalty {
    mode = 0
  }
}
service stats {
  chroot =
}
service auth-worker {
  user = {user}
}
`
