//go:build unix

package main

import (
	"math/rand/v2"
	"net"
	"net/mail"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"mailgap/sendmail/smtptest"
	"mailgap/shared/audit"
)

// killCounts is what came of all runs.
type killCounts struct {
	Runs, Killed, Answered   int // processes; those that died before they answered, and after
	Accepted                 int // messages that the server took before the second proposal
	Fresh, Unknown, Replayed int // second proposals
	SentTwiceAfterTold       int // the person was told and said yes, and the first had arrived
	UnknownNotLeft           int // told, but the final dot had not left
}

// killer kills processes that send to a fake server through a tap.
type killer struct {
	program, control string
	fake             *smtptest.Server
	tap              *tap
	dir              string
	peer             *peer
	starts           int
	count            killCounts

	mu       sync.Mutex
	moment   killMoment
	armed    bool
	victim   *peer
	accepted map[string][]string // subject to Message-IDs
}

func newKiller(t *testing.T, program string) *killer {
	t.Helper()
	k := &killer{program: program, control: filepath.Join(t.TempDir(), "fault"), accepted: map[string][]string{}}
	k.fake = smtptest.New(t, smtptest.Options{Data: func(m smtptest.Message, _ net.Conn) error { return k.take(m) }})
	k.tap = newTap(t, k.fake.Addr(), k.watch)
	return k
}

// take notes a message that the server accepts.
func (k *killer) take(m smtptest.Message) error {
	parsed, err := mail.ReadMessage(strings.NewReader(string(m.Octets)))
	if err != nil {
		return err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	subject := parsed.Header.Get("Subject")
	k.accepted[subject] = append(k.accepted[subject], parsed.Header.Get("Message-ID"))
	return nil
}

func (k *killer) taken(subject string) []string {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.accepted[subject]
}

// watch kills the victim at its moment.
func (k *killer) watch(l tapLine) bool {
	k.mu.Lock()
	m, victim, due := k.moment, k.victim, k.armed && k.moment.line != nil
	due = due && m.line(l)
	if due {
		k.armed = false
	}
	k.mu.Unlock()
	if !due {
		return true
	}
	victim.kill()
	return m.pass
}

func (k *killer) arm(m killMoment) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.moment, k.victim, k.armed = m, k.peer, true
	return os.WriteFile(k.control, []byte(m.step), 0o600)
}

func (k *killer) disarm() error {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.armed = false
	return os.WriteFile(k.control, nil, 0o600)
}

// person says yes, unless the moment is to die at the question or some time after it.
func (k *killer) person(m killMoment) person {
	return func(string) (string, string) {
		switch {
		case m.asked:
			k.peer.kill()
		case m.step == "" && m.line == nil:
			victim := k.peer
			time.AfterFunc(time.Duration(rand.Int64N(int64(killWithin))), victim.kill)
		}
		return "accept", sayYes
	}
}

// start starts the program anew, in turns as a client of each era.
func (k *killer) start(t *testing.T) {
	t.Helper()
	_, port, err := net.SplitHostPort(k.tap.addr)
	if err != nil {
		t.Fatal(err)
	}
	k.starts++
	k.peer, err = launchPeer(k.program, k.starts%2 == 0, "SMTP_HOST=127.0.0.1", "SMTP_PORT="+port, "SMTP_TLS=none", "SMTP_FROM=me@example.com",
		"SMTP_ALLOW_SEND=true", "SMTP_LEDGER=false", "SMTP_ELEVATED=elicitation", "SMTP_ALLOWED_RECIPIENTS=@example.com", "SMTP_MAX_SENDS_PER_HOUR=1000", "SMTP_STATE_DIR="+k.dir, faultFile+"="+k.control)
	if err != nil {
		t.Fatal(err)
	}
}

// newDir goes on with an empty state directory, after a look at the audit log of the one before.
func (k *killer) newDir(t *testing.T) {
	t.Helper()
	if k.peer != nil {
		k.finish(t)
	}
	k.dir = filepath.Join(t.TempDir(), "state")
	k.start(t)
}

// finish ends the last process in good order and checks the chain of the audit log.
func (k *killer) finish(t *testing.T) {
	t.Helper()
	if err := k.peer.close(); err != nil {
		t.Errorf("smtp-mcp: %v: %s", err, k.peer.stderr)
	}
	if r, err := audit.Verify(filepath.Join(k.dir, "audit.jsonl")); err != nil || !r.OK() {
		t.Errorf("audit log: %+v, %v", r, err)
	}
}
