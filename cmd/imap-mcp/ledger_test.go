package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mailgap/shared/fingerprint"
	"mailgap/shared/ledger"
	"mailgap/shared/ledger/reader"
)

func ledgerReader(t *testing.T, dir string) *reader.Reader {
	t.Helper()
	r, err := reader.Open(dir, reader.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := r.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	return r
}

// handed is a message whose text a result line shows.
type handed struct{ ref, text string }

// handedOut reads what a line of the protocol hands out.
func handedOut(t *testing.T, line string) []handed {
	t.Helper()
	var m struct {
		Result struct {
			IsError           bool
			StructuredContent struct {
				Ref, Subject string
				Body         struct{ Text string }
				Messages     []struct{ Ref, Subject, Snippet string }
			} `json:"structuredContent"`
		}
	}
	if err := json.Unmarshal([]byte(line), &m); err != nil {
		t.Fatalf("line %q: %v", line, err)
	}
	c := m.Result.StructuredContent
	var out []handed
	if c.Ref != "" {
		out = append(out, handed{c.Ref, c.Body.Text}, handed{c.Ref, c.Subject})
	}
	for _, x := range c.Messages {
		out = append(out, handed{x.Ref, x.Snippet}, handed{x.Ref, x.Subject})
	}
	return out
}

// The program is killed at a random moment while it answers. Whatever reached standard output is on record, and the ledger that is
// left behind is whole.
func TestKilledAtAnyMoment(t *testing.T) {
	const rounds = 12
	rnd := rand.New(rand.NewPCG(1, 2))
	results, killed := 0, 0
	for round := range rounds {
		dir := filepath.Join(t.TempDir(), "ledger")
		lines := killAfter(t, dir, rnd.IntN(13), time.Duration(rnd.IntN(30_000))*time.Microsecond)
		r := ledgerReader(t, dir)
		h := r.Health(t.Context())
		if h.State != ledger.StateOK && (h.State != ledger.StateNever || len(lines) > 0) {
			t.Errorf("round %d: the ledger is %q %q after %d results", round, h.State, h.Reasons, len(lines))
		}
		if len(lines) < 30 {
			killed++
		}
		seen := map[handed]bool{}
		for _, line := range lines {
			results++
			for _, x := range handedOut(t, line) {
				if seen[x] {
					continue
				}
				seen[x] = true
				q := fingerprint.NewQuery(x.text)
				if q.Octets() < fingerprint.SharedOctets {
					continue
				}
				found, err := r.Matches(t.Context(), q, 500)
				if err != nil {
					t.Fatalf("round %d: %v", round, err)
				}
				ok := false
				for _, m := range found {
					ok = ok || m.Message.Ref == x.ref
				}
				if !ok {
					t.Errorf("round %d: %s was handed out without a record", round, x.ref)
				}
			}
		}
	}
	t.Logf("%d results in %d rounds, %d of them cut short", results, rounds, killed)
	if results < rounds || killed < rounds/2 {
		t.Errorf("%d results, %d rounds cut short: the kills do not fall into the work", results, killed)
	}
}

// killAfter asks the program for thirty results, kills it a moment after it gave so many of them (0: after it said hello, while it
// makes the ledger), and returns those that it wrote in full.
func killAfter(t *testing.T, dir string, results int, moment time.Duration) []string {
	t.Helper()
	cmd := command(t, []string{"IMAP_LEDGER_DIR=" + dir}, "--demo")
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	fmt.Fprintln(&b, initialize)
	fmt.Fprintln(&b, initialized)
	for i := range 30 {
		tool, args := "get_message", fmt.Sprintf(`{"ref":"imap://default/INBOX;UIDVALIDITY=1/;UID=%d"}`, i+1)
		if i%10 == 5 {
			tool, args = "list_messages", fmt.Sprintf(`{"snippets":true,"limit":%d}`, i+10)
		}
		fmt.Fprintf(&b, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":%s}}`+"\n", i+10, tool, args)
	}
	if _, err := io.WriteString(stdin, b.String()); err != nil && !errors.Is(err, os.ErrClosed) {
		t.Fatal(err)
	}
	var lines []string
	in := bufio.NewReader(stdout)
	for armed := false; ; {
		line, err := in.ReadString('\n')
		if err != nil {
			break // what has no line end was not said
		}
		if strings.Contains(line, "structuredContent") {
			lines = append(lines, line)
		}
		if !armed && len(lines) == results {
			armed = true
			timer := time.AfterFunc(moment, func() { cmd.Process.Kill() })
			defer timer.Stop()
		}
		if len(lines) == 30 {
			stdin.Close()
		}
	}
	if err := cmd.Wait(); err != nil && cmd.ProcessState.ExitCode() > 0 {
		t.Fatalf("the program ended by itself: %v", err)
	}
	return lines
}

// The commands for a person: what is known, of all and of one message, and how it is forgotten.
func TestLedgerCommands(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "ledger")
	env := []string{"IMAP_LEDGER_DIR=" + dir, "IMAP_CONFIDENTIAL_MAILBOXES=Arch*"}
	const ref = "imap://default/INBOX;UIDVALIDITY=1/;UID=33"
	run := func(want string, status int, args ...string) {
		t.Helper()
		out, err := command(t, env, append([]string{"--demo"}, args...)...).CombinedOutput()
		if !strings.Contains(string(out), want) || (err == nil) != (status == exitOK) {
			t.Errorf("%v: %v, %s; want %q", args, err, out, want)
		}
	}
	run("there is none yet", exitOK, "ledger")
	run("so nothing is known", exitOK, "forget", "--all")
	run("takes one of", exitUsage, "forget")
	run("takes one of", exitUsage, "forget", "--all", "--mailbox", "INBOX")
	run("malformed", exitUsage, "forget", "--message", "x")
	run(ref, exitOK, "call", "get_message", `{"ref":"`+ref+`"}`)
	run("whole.\nMessages: 1,", exitOK, "ledger")
	run("no-reply@portal.example", exitOK, "ledger", ref)
	run("reference    "+ref, exitOK, "ledger", ref)
	run("Nothing is recorded", exitOK, "ledger", strings.Replace(ref, "33", "32", 1))
	run("imap://", exitOK, "call", "list_messages", `{}`)
	run("Messages: 26,", exitOK, "ledger")
	run("forgotten: 1.", exitOK, "forget", "--message", ref)
	run("Nothing is recorded", exitOK, "ledger", ref)
	run("Messages: 25,", exitOK, "ledger")
	run("forgotten: 24.", exitOK, "forget", "--mailbox", "INBOX")
	run("whole.\nMessages: 1,", exitOK, "ledger") // of the words of the mail server
	run("forgotten: 1.", exitOK, "forget", "--all")
	if err := os.Remove(filepath.Join(dir, "ledger.head")); err != nil {
		t.Fatal(err)
	}
	run("NOT WHOLE", exitFailed, "ledger")
	run("counts as the right one", exitOK, "ledger", "accept")
	run("whole", exitOK, "ledger")
	env = append(env, "IMAP_LEDGER=false")
	run(ref, exitOK, "call", "get_message", `{"ref":"`+ref+`"}`)
	run("switched off", exitOK, "ledger")
	run("whole.\nMessages: 0,", exitOK, "ledger")
}

// Where the record cannot be written nothing is handed out, and the person is told what to do.
func TestUnwritableLedger(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := command(t, []string{"IMAP_LEDGER_DIR=" + filepath.Join(file, "ledger")}, "--demo", "call", "list_messages", "{}").CombinedOutput()
	if err == nil || !strings.Contains(string(out), "hint: ") || strings.Contains(string(out), "@") {
		t.Errorf("%v: %s; want a refusal with a hint and no mail", err, out)
	}
}

// Starting and listing tools leaves no trace: the ledger begins with the first message.
func TestStartMakesNoLedger(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "ledger")
	if out, err := command(t, []string{"IMAP_LEDGER_DIR=" + dir}, "--demo", "tools").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("directory: %v, want none", err)
	}
}
