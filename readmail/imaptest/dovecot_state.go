package imaptest

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// dovecotState is everything that reading must not change: the counters of each mailbox, flags and modification sequence
// of each message, name and octets of each file.
type dovecotState = state

// readState reads the state behind the server's back.
func (d *Dovecot) readState(t testing.TB) dovecotState {
	t.Helper()
	s := dovecotState{}
	counters := d.Doveadm(t, "-f", "tab", "mailbox", "status", "-u", d.options.User,
		"messages unseen uidnext uidvalidity highestmodseq guid", "INBOX", "*")
	for _, row := range rows(counters) {
		name, rest, _ := strings.Cut(row, "\t")
		s["mailbox "+name] = rest
	}
	messages := d.Doveadm(t, "-f", "tab", "fetch", "-u", d.options.User, "mailbox uid modseq flags guid", "ALL")
	for _, row := range rows(messages) {
		if f := strings.SplitN(row, "\t", 3); len(f) == 3 {
			s["message "+f[0]+" "+f[1]] = f[2]
		}
	}
	d.must(t, s.readFiles(d.path("home")))
	return s
}

// rows are the lines of a table without its head.
func rows(table string) []string {
	lines := strings.Split(strings.TrimRight(table, "\n"), "\n")
	return lines[1:]
}

// readFiles adds the mail files below home. The server's own index files are not mail.
func (s dovecotState) readFiles(home string) error {
	return filepath.WalkDir(home, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || strings.HasPrefix(e.Name(), "dovecot") || e.Name() == "maildirfolder" {
			return err
		}
		octets, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		s["file "+strings.TrimPrefix(path, home)] = fmt.Sprintf("%x %s", sha256.Sum256(octets), info.ModTime().UTC())
		return nil
	})
}

// Admin lets do act on the mail behind the server's back or by Doveadm. CheckReadOnly takes the state it leaves as the
// one that must stay.
func (d *Dovecot) Admin(t testing.TB, do func()) {
	t.Helper()
	do()
	d.want = d.readState(t)
}

// CheckReadOnly fails t if a client sent a command that does not belong to reading, or if anything in the mail differs
// from what the test put there. StartDovecot calls it when the test ends.
func (d *Dovecot) CheckReadOnly(t testing.TB) {
	t.Helper()
	for _, v := range d.ReadOnlyFaults(t) {
		t.Errorf("imaptest: %s", v)
	}
}

// ReadOnlyFaults returns what CheckReadOnly complains about, one line each.
func (d *Dovecot) ReadOnlyFaults(t testing.TB) []string {
	t.Helper()
	var out []string
	for _, c := range d.Commands() {
		if why := violation(c); why != "" {
			out = append(out, why)
		}
	}
	for _, what := range d.want.diff(d.readState(t)) {
		out = append(out, strings.TrimPrefix(what, "message ")) // the key says what it is
	}
	return out
}
