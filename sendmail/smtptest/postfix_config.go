//go:build unix

package smtptest

import (
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"os"
	"os/user"
	"strconv"
	"strings"
)

// Who the mail, and the Dovecot that checks logins, belong to.
const mailUser = "nobody"

// mailIDs are the numbers of mailUser and the name of its group, which differs between systems.
func mailIDs() (uid, gid int, group string, err error) {
	u, err := user.Lookup(mailUser)
	if err != nil {
		return 0, 0, "", err
	}
	g, err := user.LookupGroupId(u.Gid)
	if err != nil {
		return 0, 0, "", err
	}
	if uid, err = strconv.Atoi(u.Uid); err != nil {
		return 0, 0, "", err
	}
	gid, err = strconv.Atoi(u.Gid)
	return uid, gid, g.Name, err
}

// writeAuth writes what Dovecot reads at its start.
func (p *Postfix) writeAuth() error {
	_, _, group, err := mailIDs()
	if err != nil {
		return err
	}
	conf := strings.NewReplacer("{dir}", p.dir, "{user}", mailUser, "{group}", group).Replace(authConf)
	if err := os.WriteFile(p.path("users"), []byte(User+":{PLAIN}"+Password+"\n"), 0o644); err != nil {
		return err
	}
	if err := os.Mkdir(p.path("auth"), 0o755); err != nil {
		return err
	}
	return os.WriteFile(p.path("dovecot.conf"), []byte(conf), 0o644)
}

const authConf = `base_dir = {dir}/run
state_dir = {dir}/run
log_path = {dir}/dovecot.log
protocols =
ssl = no
default_internal_user = {user}
default_internal_group = {group}
default_login_user = {user}
first_valid_uid = 1
disable_plaintext_auth = no
auth_mechanisms = plain login
auth_username_format = %Lu
auth_failure_delay = 0
passdb {
  driver = passwd-file
  args = username_format=%u {dir}/users
}
userdb {
  driver = static
  args = uid={user} gid={group} home=/nonexistent
}
service auth {
  unix_listener {dir}/auth/login {
    mode = 0666
  }
}
service auth-worker {
  user = {user}
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
`

// writePostfix writes what Postfix reads at its start.
func (p *Postfix) writePostfix() error {
	uid, gid, _, err := mailIDs()
	if err != nil {
		return err
	}
	key, err := x509.MarshalPKCS8PrivateKey(p.Cert.config.Certificates[0].PrivateKey)
	if err != nil {
		return err
	}
	if err := p.makeDirs(uid, gid); err != nil {
		return err
	}
	var boxes []string
	for _, m := range p.opt.Mailboxes {
		boxes = append(boxes, fmt.Sprintf("%s@%s=%s/", m, PostfixDomain, m))
	}
	fill := strings.NewReplacer("{dir}", p.dir, "{host}", Hostname, "{domain}", PostfixDomain, "{boxes}", strings.Join(boxes, ", "),
		"{uid}", strconv.Itoa(uid), "{gid}", strconv.Itoa(gid), "{size}", strconv.FormatInt(p.opt.MaxMessageBytes, 10),
		"{submission}", p.submission, "{plain}", p.plain, "{tls}", p.tl)
	for name, text := range map[string]string{
		"conf/main.cf": fill.Replace(mainConf), "conf/master.cf": fill.Replace(masterConf),
		"conf/cert.pem": string(p.Cert.CAPEM),
		"conf/key.pem":  string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: key})),
	} {
		if err := os.WriteFile(p.path(name), []byte(text), 0o600); err != nil {
			return err
		}
	}
	return nil
}

func (p *Postfix) makeDirs(uid, gid int) error {
	for _, name := range []string{"conf", "queue", "data", "mail"} {
		if err := os.MkdirAll(p.path(name), 0o755); err != nil {
			return err
		}
	}
	if err := os.Chown(p.path("mail"), uid, gid); err != nil {
		return err
	}
	u, err := user.Lookup("postfix")
	if err != nil {
		return err
	}
	owner, err := strconv.Atoi(u.Uid)
	if err != nil {
		return err
	}
	return os.Chown(p.path("data"), owner, -1)
}

// mainConf lets nothing out: there is one domain, delivered here, and every other transport is an error.
const mainConf = `compatibility_level = 3.6
queue_directory = {dir}/queue
data_directory = {dir}/data
maillog_file = {dir}/maillog
maillog_file_prefixes = {dir}
inet_interfaces = 127.0.0.1
inet_protocols = ipv4
myhostname = {host}
mydestination =
mynetworks =
alias_maps =
alias_database =
local_recipient_maps =
virtual_mailbox_domains = {domain}
virtual_mailbox_base = {dir}/mail
virtual_mailbox_maps = inline:{ {boxes} }
virtual_uid_maps = static:{uid}
virtual_gid_maps = static:{gid}
virtual_minimum_uid = 1
default_transport = error:5.1.2 nothing leaves this server
relay_transport = error:5.1.2 nothing leaves this server
local_transport = error:5.1.1 no local mail
smtpd_sasl_auth_enable = yes
smtpd_sasl_type = dovecot
smtpd_sasl_path = {dir}/auth/login
smtpd_relay_restrictions = permit_sasl_authenticated, reject
smtpd_recipient_restrictions = reject_unauth_destination
smtpd_client_restrictions =
smtpd_error_sleep_time = 0
smtpd_tls_security_level = encrypt
smtpd_tls_auth_only = yes
smtpd_tls_cert_file = {dir}/conf/cert.pem
smtpd_tls_key_file = {dir}/conf/key.pem
message_size_limit = {size}
virtual_mailbox_limit = 0
`

const masterConf = `{submission} inet n - n - - smtpd
{tls} inet n - n - - smtpd -o smtpd_tls_wrappermode=yes
{plain} inet n - n - - smtpd -o smtpd_tls_security_level=none -o smtpd_tls_auth_only=no
cleanup unix n - n - 0 cleanup
qmgr unix n - n 300 1 qmgr
tlsmgr unix - - n 1000? 1 tlsmgr
rewrite unix - - n - - trivial-rewrite
bounce unix - - n - 0 bounce
defer unix - - n - 0 bounce
trace unix - - n - 0 bounce
verify unix - - n - 1 verify
flush unix n - n 1000? 0 flush
proxymap unix - - n - - proxymap
error unix - - n - - error
retry unix - - n - - error
virtual unix - n n - - virtual
anvil unix - - n - 1 anvil
postlog unix-dgram n - n - 1 postlogd
`
