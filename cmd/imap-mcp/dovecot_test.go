package main

import (
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"mailgap/readmail/imaptest"
)

// TestDovecot runs the built program against a real server. Each server proves at the end of its test that no flag, no
// counter and no file of the mail changed, and that no command but reading ones was sent.
func TestDovecot(t *testing.T) {
	program := buildProgram(t)
	for _, tt := range []struct {
		name string
		run  func(t *testing.T, program string)
	}{
		{"corpus", testCorpus},
		{"field", testField},
		{"large", testLarge},
		{"disorder found late", testLateDisorder},
		{"dates", testDates},
		{"phrases", testPhrases},
		{"injection", testInjection},
		{"mailbox names", testMailboxNames},
		{"news", testNews},
		{"wait", testWait},
		{"rebuilt mailbox", testRebuilt},
		{"reconnect", testReconnect},
		{"tls", testTLS},
		{"oauth", testOAuth},
		{"sign in", testSignIn},
		{"two accounts", testTwoAccounts},
		{"wrong password", testWrongPassword},
		{"mechanisms", testMechanisms},
		{"check", testCheck},
		{"20 MB message", testHuge},
		{"memory", testMemory},
		{"many calls at once", testParallel},
		{"end of input while waiting", testEndOfInput},
		{"round trips", testRoundTrips},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tt.run(t, program)
		})
	}
}

// startReader runs the program on a Dovecot, over plain text, so that its commands are on record.
func startReader(t *testing.T, program string, o imaptest.DovecotOptions, settings ...string) (*imaptest.Dovecot, *client) {
	t.Helper()
	d := imaptest.StartDovecot(t, o)
	return d, startClient(t, program, append(plainSettings(d), settings...)...)
}

func plainSettings(d *imaptest.Dovecot) []string {
	return []string{"IMAP_HOST=127.0.0.1", "IMAP_PORT=" + strconv.Itoa(imaptest.Port(d.Addr())), "IMAP_TLS=none",
		"IMAP_USER=" + imaptest.User, "IMAP_PASSWORD=" + imaptest.Password, "IMAP_TIME_ZONE=UTC"}
}

// uidOf is the UID that a reference names.
func uidOf(t *testing.T, ref string) int {
	t.Helper()
	_, rest, _ := strings.Cut(ref, ";UID=")
	rest, _, _ = strings.Cut(rest, "/")
	uid, err := strconv.Atoi(rest)
	if err != nil {
		t.Fatalf("reference %q: %v", ref, err)
	}
	return uid
}

// refOf is the reference of a message in a mailbox of the test server; order is the place of the mailbox in its options.
func refOf(mailbox string, order, uid int) string {
	return fmt.Sprintf("imap://default/%s;UIDVALIDITY=%d/;UID=%d", strings.ReplaceAll(url.PathEscape(mailbox), "+", "%20"), imaptest.DovecotUIDValidity+order, uid)
}

// repoRoot is the directory that holds go.mod.
func repoRoot(t *testing.T) string {
	t.Helper()
	dir, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "go.mod")); err != nil {
		t.Fatal(err)
	}
	return dir
}

// sharedMail is the directory of the shared test messages. Without it the test is skipped, except in CI.
func sharedMail(t *testing.T) string {
	t.Helper()
	base := os.Getenv("MAILGAP_SHARED")
	if base == "" {
		base = filepath.Join(repoRoot(t), "..", "shared")
	}
	dir := filepath.Join(base, "testmail")
	if _, err := os.Stat(filepath.Join(dir, "INDEX.json")); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatalf("test data missing: %v", err)
		}
		t.Skipf("test data missing (set MAILGAP_SHARED): %v", err)
	}
	return dir
}

// undefang undoes what makes links harmless in text.
func undefang(s string) string {
	return strings.NewReplacer("hxxp", "http", "[:]", ":", "[.]", ".", "[at]", "@").Replace(s)
}

// fold makes every run of white space one space.
func fold(s string) string { return strings.Join(strings.Fields(s), " ") }

func readJSON(t *testing.T, path string, v any) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, v); err != nil {
		t.Fatal(err)
	}
}

// shortList writes at most ten numbers.
func shortList(list []int) string {
	if len(list) > 10 {
		return fmt.Sprintf("%v and %d more", list[:10], len(list)-10)
	}
	return fmt.Sprint(list)
}
