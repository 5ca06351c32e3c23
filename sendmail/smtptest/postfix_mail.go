//go:build unix

package smtptest

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// Delivery is one message in a mailbox.
type Delivery struct {
	// Trace are the names of the header fields that the server put before the message: Return-Path, X-Original-To, Delivered-To and
	// Received.
	Trace  []string
	Octets []byte // the message without them, with CRLF
}

// Mailbox returns what was delivered to a mailbox so far, in no order.
func (p *Postfix) Mailbox(t testing.TB, localPart string) []Delivery {
	t.Helper()
	names, err := filepath.Glob(p.path("mail", localPart, "new", "*"))
	p.must(t, err)
	var out []Delivery
	for _, name := range names {
		octets, err := os.ReadFile(name)
		p.must(t, err)
		out = append(out, split(bytes.ReplaceAll(octets, []byte("\n"), []byte("\r\n"))))
	}
	return out
}

// Await waits until a mailbox holds n messages and returns them. It fails the test if it holds more, or too few in the end.
func (p *Postfix) Await(t testing.TB, localPart string, n int) []Delivery {
	t.Helper()
	var got []Delivery
	err := await(t.Context(), postfixDeliver, func() bool {
		got = p.Mailbox(t, localPart)
		return len(got) >= n && p.queued(t) == 0
	})
	if err != nil || len(got) != n {
		t.Fatalf("smtptest: %d messages for %s, want %d (%v)", len(got), localPart, n, err)
	}
	return got
}

// queued counts the messages that Postfix still has to deliver.
func (p *Postfix) queued(t testing.TB) (n int) {
	t.Helper()
	for _, queue := range []string{"incoming", "active", "deferred"} {
		err := filepath.WalkDir(p.path("queue", queue), func(_ string, d os.DirEntry, err error) error {
			if err == nil && d.Type().IsRegular() {
				n++
			}
			if os.IsNotExist(err) { // delivered meanwhile
				return nil
			}
			return err
		})
		p.must(t, err)
	}
	return n
}

// split takes the trace fields off (RFC 5321 §4.4). Ours begins with another field, so that none of its own is taken for one.
func split(octets []byte) Delivery {
	d := Delivery{Octets: octets}
	for {
		name, _, ok := bytes.Cut(d.Octets, []byte(":"))
		if !ok || !slices.Contains([]string{"Return-Path", "X-Original-To", "Delivered-To", "Received"}, string(name)) {
			return d
		}
		d.Trace = append(d.Trace, string(name))
		for {
			_, d.Octets, _ = bytes.Cut(d.Octets, []byte("\r\n"))
			if len(d.Octets) == 0 || d.Octets[0] != ' ' && d.Octets[0] != '\t' {
				break
			}
		}
	}
}
