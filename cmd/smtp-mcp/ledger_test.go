package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mailgap/shared/ledger"
	"mailgap/shared/ledger/writer"
)

// The commands for a person: the state of the ledger, as a question would find it, and the end of an alarm whose reason is known.
func TestLedgerCommand(t *testing.T) {
	home := t.TempDir()
	dir := filepath.Join(home, "ledger")
	run := func(want string, status int, args ...string) {
		t.Helper()
		cmd := program(t, []string{"SMTP_LEDGER_DIR=" + dir, "SMTP_STATE_DIR=" + home}, append([]string{"--demo"}, args...)...)
		out, err := cmd.CombinedOutput()
		if !strings.Contains(string(out), want) || (err == nil) != (status == exitOK) {
			t.Errorf("%v: %v, %s; want %q", args, err, out, want)
		}
	}
	record := func() {
		t.Helper()
		w, err := writer.Open(dir, writer.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, ref := range []string{"imap://default/INBOX;UIDVALIDITY=1/;UID=1", "imap://default/INBOX;UIDVALIDITY=1/;UID=2"} {
			if err := w.Record(t.Context(), []ledger.Record{{Facts: ledger.Facts{Ref: ref}}}); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
	run("never existed", exitOK, "ledger")
	run("takes nothing", exitUsage, "ledger", "refuse")
	record()
	run("ok; entries: 2", exitOK, "ledger")
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	run("missing", exitFailed, "ledger")
	record()
	run("replaced", exitFailed, "ledger")
	run("hint: if you removed", exitFailed, "ledger")
	run("ok; entries: 2", exitOK, "ledger", "accept")
	run("ok; entries: 2", exitOK, "ledger")
}
