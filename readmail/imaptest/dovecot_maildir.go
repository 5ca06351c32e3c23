package imaptest

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/emersion/go-imap/v2"
)

// DovecotUIDValidity is the UIDVALIDITY of the first mailbox of DovecotOptions; the next ones count up.
const DovecotUIDValidity = 1_700_000_001

// fill writes the maildirs of the user, so that the server finds them as another program left them.
func (d *Dovecot) fill() error {
	root := d.path("home", d.options.User, "Maildir")
	if err := makeMaildir(root); err != nil {
		return err
	}
	for i, box := range d.options.Mailboxes {
		if slices.Contains(box.Attrs, imap.MailboxAttrNoSelect) {
			continue
		}
		if err := fillMaildir(maildirOf(root, box.Name), DovecotUIDValidity+i, box.Messages); err != nil {
			return err
		}
	}
	return os.Chmod(d.dir, 0o755)
}

// maildirOf is the directory of a mailbox: all on one level, with dots between the levels of the name (Maildir++).
func maildirOf(root, name string) string {
	if name == "INBOX" {
		return root
	}
	return filepath.Join(root, "."+strings.ReplaceAll(name, "/", "."))
}

func makeMaildir(dir string) error {
	for _, sub := range []string{"cur", "new", "tmp"} {
		if err := os.MkdirAll(filepath.Join(dir, sub), 0o700); err != nil {
			return err
		}
	}
	return nil
}

// fillMaildir stores messages with the UIDs 1, 2, 3, …
func fillMaildir(dir string, validity int, messages []Message) error {
	if err := makeMaildir(dir); err != nil {
		return err
	}
	var uids strings.Builder
	fmt.Fprintf(&uids, "3 V%d N%d G%032x\n", validity, len(messages)+1, validity)
	var keywords []string
	for i, m := range messages {
		base := fmt.Sprintf("%d.M%dP1.test,S=%d", 1_600_000_000+i, i, len(m.Raw))
		name := filepath.Join(dir, "cur", base+":2,"+maildirFlags(m.Flags, &keywords))
		if err := os.WriteFile(name, m.Raw, 0o600); err != nil {
			return err
		}
		if !m.InternalDate.IsZero() {
			if err := os.Chtimes(name, m.InternalDate, m.InternalDate); err != nil {
				return err
			}
		}
		fmt.Fprintf(&uids, "%d :%s\n", i+1, base)
	}
	if err := os.WriteFile(filepath.Join(dir, "dovecot-uidlist"), []byte(uids.String()), 0o600); err != nil {
		return err
	}
	var list strings.Builder
	for i, k := range keywords {
		fmt.Fprintf(&list, "%d %s\n", i, k)
	}
	return os.WriteFile(filepath.Join(dir, "dovecot-keywords"), []byte(list.String()), 0o600)
}

// maildirFlags are the letters of flags; keywords get letters from a on, in the order of their first use.
func maildirFlags(flags []imap.Flag, keywords *[]string) string {
	letters := map[imap.Flag]byte{imap.FlagDraft: 'D', imap.FlagFlagged: 'F', imap.FlagAnswered: 'R', imap.FlagSeen: 'S', imap.FlagDeleted: 'T'}
	var out []byte
	for _, f := range flags {
		if c, ok := letters[f]; ok {
			out = append(out, c)
			continue
		}
		i := slices.Index(*keywords, string(f))
		if i < 0 {
			i = len(*keywords)
			*keywords = append(*keywords, string(f))
		}
		out = append(out, byte('a'+i))
	}
	slices.Sort(out)
	return string(out)
}

// Deliver puts a message into a mailbox as a delivery agent does, by a rename into new. Idling clients are told.
func (d *Dovecot) Deliver(t testing.TB, mailbox string, raw []byte) {
	t.Helper()
	d.Admin(t, func() {
		dir := maildirOf(d.path("home", d.options.User, "Maildir"), mailbox)
		name := fmt.Sprintf("%d.M%dP2.test", time.Now().Unix(), time.Now().UnixNano())
		d.must(t, os.WriteFile(filepath.Join(dir, "tmp", name), raw, 0o600))
		d.must(t, giveToMailUser(filepath.Join(dir, "tmp")))
		d.must(t, os.Rename(filepath.Join(dir, "tmp", name), filepath.Join(dir, "new", name)))
	})
}
