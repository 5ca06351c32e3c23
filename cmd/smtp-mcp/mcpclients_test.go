//go:build unix

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"mailgap/sendmail/smtptest"
)

// scriptTimeout bounds one run of a client. Limit: the Inspector takes a few seconds to start on a busy machine.
const scriptTimeout = 2 * time.Minute

// clientPackages is where the packages of .ci/mcp-clients are installed. Without it the test is skipped; in CI it fails.
func clientPackages(t *testing.T) string {
	t.Helper()
	dir := os.Getenv("MAILGAP_NODE_MODULES")
	if dir != "" {
		return dir
	}
	if os.Getenv("CI") == "true" {
		t.Fatal("MAILGAP_NODE_MODULES is not set")
	}
	t.Skip("MAILGAP_NODE_MODULES is not set: install .ci/mcp-clients/package.json somewhere and name its node_modules directory")
	return ""
}

// script runs a client with settings for smtp-mcp, and returns what it printed and whether it ended with status 0.
func script(t *testing.T, settings []string, args ...string) (stdout []byte, stderr string, ok bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), scriptTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, "node", args...)
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + os.Getenv("HOME"), "MODULES=" + clientPackages(t)}, settings...)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if ctx.Err() != nil {
		t.Fatalf("node %s: not done within %v\n%s\n%s", strings.Join(args, " "), scriptTimeout, out, errs.Bytes())
	}
	checkSecret(t, addressFile(settings), string(out)+errs.String())
	return out, errs.String(), err == nil
}

// senderSettings are those of an smtp-mcp that sends to the fake server, with a state directory of its own.
func senderSettings(t *testing.T, fake *smtptest.Server, more ...string) []string {
	t.Helper()
	_, port, err := net.SplitHostPort(fake.Addr())
	if err != nil {
		t.Fatal(err)
	}
	return append([]string{"SMTP_HOST=127.0.0.1", "SMTP_PORT=" + port, "SMTP_TLS=none", "SMTP_FROM=me@example.com", "SMTP_ALLOW_SEND=true",
		"SMTP_LEDGER=false", "SMTP_ALLOWED_RECIPIENTS=@example.com", "SMTP_STATE_DIR=" + filepath.Join(t.TempDir(), "state")}, more...)
}

// scriptResult is what a client saw of one proposal.
type scriptResult struct {
	Answer    string
	Questions []string
	Notes     []string // of progress
	IsError   bool
	Sent      bool
	Approved  string
	Text      string
	Failed    string // the client's own error instead of a result
}

// senderScript runs sender.mjs and returns what it saw, and the subjects that the server took.
func senderScript(t *testing.T, program, mode string, fake *smtptest.Server, settings []string, answers ...string) (got []scriptResult, taken []string) {
	t.Helper()
	out, stderr, ok := script(t, settings, append([]string{"../../.ci/mcp-clients/sender.mjs", mode, program}, answers...)...)
	if err := json.Unmarshal(out, &got); err != nil || !ok || len(got) != len(answers) {
		t.Fatalf("sender.mjs: %v\n%s\n%s", err, out, stderr)
	}
	for _, m := range fake.Messages() {
		_, rest, _ := strings.Cut(string(m.Octets), "Subject: ")
		subject, _, _ := strings.Cut(rest, "\r\n")
		taken = append(taken, subject)
	}
	return got, taken
}

var clientModes = []string{"legacy", "auto", "modern"}

// Clients of the TypeScript SDKs of both protocol eras answer the form in every way there is. The server takes exactly the messages
// that were accepted.
func TestTypeScriptAnswers(t *testing.T) {
	clientPackages(t)
	program := shippedProgram(t)
	answers := []string{"accept", "decline", "accept", "cancel", "accept", "refuse", "accept", "empty", "wrong", "accept",
		"decline", "decline", "accept"}
	want := []string{"0 accept", "2 accept", "4 accept", "6 accept", "9 accept"} // the last one meets the lock
	for _, mode := range clientModes {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			fake := smtptest.New(t, smtptest.Options{})
			got, taken := senderScript(t, program, mode, fake, senderSettings(t, fake), answers...)
			if !slices.Equal(taken, want) {
				t.Errorf("the server took %q, want %q", taken, want)
			}
			for i, r := range got {
				checkAnswer(t, r, i == len(got)-1)
			}
			if n := fake.Counts(); n.Transactions != len(want) {
				t.Errorf("%d transactions, want %d: nothing may be proposed to the server before a yes", n.Transactions, len(want))
			}
		})
	}
}

// checkAnswer checks what the client was told. locked says that the person had refused twice before.
func checkAnswer(t *testing.T, r scriptResult, locked bool) {
	t.Helper()
	switch {
	case locked:
		if len(r.Questions) != 0 || !r.IsError || !strings.Contains(r.Text, "locked") {
			t.Errorf("after two refusals: %+v", r)
		}
	case len(r.Questions) != 1 || !strings.Contains(r.Questions[0], "\n> friend@example.com\n"):
		t.Errorf("%s: the client was asked %q", r.Answer, r.Questions)
	case r.Answer == "accept":
		if !r.Sent || r.IsError || r.Approved != "client_form" {
			t.Errorf("accept: %+v", r)
		}
	case r.Answer == "decline" || r.Answer == "cancel" || r.Answer == "refuse":
		if r.Sent || !r.IsError || !strings.Contains(r.Text, "Nothing was sent") {
			t.Errorf("%s: %+v", r.Answer, r)
		}
	case r.Sent || !r.IsError && r.Failed == "": // some clients check the content by themselves
		t.Errorf("%s: %+v", r.Answer, r)
	}
}

// A client that cannot show the form, or gives up while it is open, sends nothing. With the old revisions that ends the question;
// a client of 2026-07-28 does not tell, so another message has to wait for the end of the question's time.
func TestTypeScriptGivesUp(t *testing.T) {
	clientPackages(t)
	program := shippedProgram(t)
	for _, mode := range clientModes {
		for _, what := range []string{"fail", "leave"} {
			t.Run(mode+"/"+what, func(t *testing.T) {
				t.Parallel()
				fake := smtptest.New(t, smtptest.Options{})
				got, taken := senderScript(t, program, mode, fake, senderSettings(t, fake), what, "accept")
				if r := got[0]; r.Sent || !r.IsError && r.Failed == "" || len(r.Questions) != 1 {
					t.Errorf("%+v", r)
				}
				if r := got[1]; mode == "legacy" {
					if want := []string{"1 accept"}; !r.Sent || !slices.Equal(taken, want) {
						t.Errorf("the next message: %+v; the server took %q", r, taken)
					}
				} else if r.Sent || len(r.Questions) != 0 || !strings.Contains(r.Text, "Another message is before the person") || len(taken) != 0 {
					t.Errorf("the next message: %+v; the server took %q", r, taken)
				}
			})
		}
	}
}

// Nobody answers, or too late. A client of the old revisions is told so when the time is up; one of 2026-07-28 brings an answer
// that is good for nothing any more, with a grace of half the time.
func TestTypeScriptNobodyAnswers(t *testing.T) {
	clientPackages(t)
	program := shippedProgram(t)
	for _, c := range []struct{ mode, answer, want string }{
		{"legacy", "never", "timed_out"}, {"legacy", "late", "timed_out"}, {"auto", "late", ""}, {"modern", "late", ""},
	} {
		t.Run(c.mode+"/"+c.answer, func(t *testing.T) {
			t.Parallel()
			fake := smtptest.New(t, smtptest.Options{})
			got, taken := senderScript(t, program, c.mode, fake, senderSettings(t, fake, "SMTP_QUESTION_TIME=10s"), c.answer)
			r := got[0]
			if r.Sent || !r.IsError && r.Failed == "" || len(r.Questions) != 1 || !strings.Contains(r.Text, c.want) || len(taken) != 0 {
				t.Errorf("%+v, the server took %q", r, taken)
			}
		})
	}
}

// Where the form is the only path, a client that does not declare forms is refused at once, and nothing else happens.
func TestTypeScriptWithoutForms(t *testing.T) {
	clientPackages(t)
	program := shippedProgram(t)
	for _, mode := range clientModes {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			fake := smtptest.New(t, smtptest.Options{})
			got, _ := senderScript(t, program, mode, fake, senderSettings(t, fake, "SMTP_CONFIRM=elicitation"), "mute")
			if r := got[0]; r.Sent || !r.IsError || len(r.Questions) != 0 || !strings.Contains(r.Text, "elicitation") || fake.Counts().Connections != 0 {
				t.Errorf("%+v, %+v", r, fake.Counts())
			}
		})
	}
}

// A client that does not declare forms waits while a person answers in a browser, is told that it waits, and gets the outcome.
func TestTypeScriptWaitsForThePage(t *testing.T) {
	clientPackages(t)
	program := shippedProgram(t)
	for _, mode := range clientModes {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			fake := smtptest.New(t, smtptest.Options{})
			dir := t.TempDir()
			settings := senderSettings(t, fake, browserSetting(dir))
			pressed := make(chan error, 1)
			go func() { pressed <- pressOnPage(t.Context(), addressFile(settings), "send") }()
			got, taken := senderScript(t, program, mode, fake, settings, "mute")
			if err := <-pressed; err != nil {
				t.Error(err)
			}
			if r := got[0]; !r.Sent || r.Approved != "page" || len(r.Questions) != 0 || len(taken) != 1 {
				t.Errorf("%+v, the server took %q", r, taken)
			}
			if notes := got[0].Notes; len(notes) == 0 || !strings.Contains(notes[0], "outside of this client") {
				t.Errorf("progress: got %q", notes)
			}
		})
	}
}

// The official Inspector accepts the schemas (--strict), is refused when it wants to send, because it shows no forms, and calls
// the other tools, in both eras.
func TestInspectorSender(t *testing.T) {
	inspector := filepath.Join(clientPackages(t), "@modelcontextprotocol", "inspector")
	var manifest struct{ Bin map[string]string }
	text, err := os.ReadFile(filepath.Join(inspector, "package.json"))
	if err == nil {
		err = json.Unmarshal(text, &manifest)
	}
	if err != nil {
		t.Fatal(err)
	}
	cli := filepath.Join(inspector, manifest.Bin["mcp-inspector"])
	program := shippedProgram(t)
	for _, era := range []string{"legacy", "modern"} {
		t.Run(era, func(t *testing.T) {
			fake := smtptest.New(t, smtptest.Options{})
			var env []string
			for _, s := range senderSettings(t, fake, "SMTP_CONFIRM=elicitation") {
				env = append(env, "-e", s)
			}
			run := func(args ...string) (string, string, bool) {
				out, stderr, ok := script(t, nil, slices.Concat([]string{cli, "--cli", "--protocol-era", era}, args, env, []string{program})...)
				return string(out), stderr, ok
			}
			if list, stderr, ok := run("--method", "tools/list", "--strict"); !ok || strings.Count(list, `"send_mail"`) != 1 || strings.Contains(stderr, "warn") {
				t.Errorf("tools/list: %t\n%s\n%s", ok, list, stderr)
			}
			call := []string{"--method", "tools/call", "--format", "json", "--tool-name"}
			if out, stderr, ok := run(append(call, "preview_mail", "--tool-arg", `to=["friend@example.com"]`, "subject=x", "text=y")...); !ok || !strings.Contains(out, `"would_be_put_to_the_person"`) {
				t.Errorf("preview_mail: %t\n%s\n%s", ok, out, stderr)
			}
			out, stderr, _ := run(append(call, "send_mail", "--tool-arg", `to=["friend@example.com"]`, "subject=x", "text=y")...)
			if !strings.Contains(out+stderr, "declares no elicitation") || fake.Counts().Connections != 0 {
				t.Errorf("send_mail: %s\n%s\n%+v", out, stderr, fake.Counts())
			}
		})
	}
}
