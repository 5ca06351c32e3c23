package main

import (
	"context"
	"io"
	"os/exec"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"mailgap/readmail/imaptest"
)

const endsWithin = 10 * time.Second // Limit: the program promises one second; a busy machine gets more

// ended waits for the end of the process.
func ended(t *testing.T, cmd *exec.Cmd) error {
	t.Helper()
	done := make(chan error, 1)
	began := time.Now()
	go func() { done <- cmd.Wait() }()
	select {
	case err := <-done:
		t.Logf("ended after %v", time.Since(began).Round(time.Millisecond))
		return err
	case <-time.After(endsWithin):
		cmd.Process.Kill()
		t.Fatalf("the program still runs after %v", endsWithin)
		return nil
	}
}

// The program ends with its input and by a signal, also while a call waits for mail.
func TestEndsWhileWaiting(t *testing.T) {
	for name, end := range map[string]func(*exec.Cmd, io.Closer) error{
		"end of input": func(_ *exec.Cmd, stdin io.Closer) error { return stdin.Close() },
		"SIGTERM":      func(cmd *exec.Cmd, _ io.Closer) error { return cmd.Process.Signal(syscall.SIGTERM) },
	} {
		t.Run(name, func(t *testing.T) {
			ts := imaptest.New(t, imaptest.Options{})
			host, port := ts.HostPort()
			cmd, stdin, lines := talk(t, account(host, port))
			defer stdin.Close()
			send(t, stdin, initialize)
			next(t, lines)
			send(t, stdin, initialized, `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"wait_for_message","arguments":{"timeout_seconds":600}}}`)
			if _, ok := ts.WaitCommand(t, "IDLE"); !ok {
				t.Fatal("the call does not wait")
			}
			if err := end(cmd, stdin); err != nil {
				t.Fatal(err)
			}
			go func() {
				for lines.Scan() {
				}
			}()
			if err := ended(t, cmd); err != nil {
				t.Errorf("%v, want status 0", err)
			}
		})
	}
}

// A command that is run by hand ends by a signal too, also while the server is silent.
func TestCommandsEndBySignal(t *testing.T) {
	for name, tc := range map[string]struct {
		args []string
		at   string // the command that the server never answers
	}{
		"call":  {[]string{"call", "wait_for_message", `{"timeout_seconds":600}`}, "IDLE"},
		"list":  {[]string{"call", "list_messages", `{}`}, "EXAMINE"},
		"check": {[]string{"check"}, "LIST"},
	} {
		t.Run(name, func(t *testing.T) {
			ts := imaptest.NewScripted(t, imaptest.Script{Caps: "IMAP4rev1 AUTH=PLAIN IDLE", Steps: []imaptest.Step{imaptest.On(tc.at).Stall(nil)}})
			host, port := ts.HostPort()
			cmd := command(t, account(host, port), tc.args...)
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			if _, ok := ts.WaitCommand(t, tc.at); !ok {
				t.Fatalf("%s was not sent", tc.at)
			}
			if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
				t.Fatal(err)
			}
			if err := ended(t, cmd); err == nil {
				t.Error("status 0, want a failure")
			}
		})
	}
}

// What does not end by itself after a signal does not hold the process.
func TestSignalDoesNotWaitForever(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		release := make(chan struct{})
		began := time.Now()
		cancel()
		if got := untilSignal(ctx, func() int { <-release; return exitOK }); got != exitFailed || time.Since(began) > time.Second {
			t.Errorf("status %d after %v, want %d within a second", got, time.Since(began), exitFailed)
		}
		close(release)
		if got := untilSignal(ctx, func() int { return exitUsage }); got != exitUsage {
			t.Errorf("status %d of a command that ends, want %d", got, exitUsage)
		}
	})
}
