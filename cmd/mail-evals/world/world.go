package world

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"mailgap/readmail/demo/memserver"
	"mailgap/sendmail/sink"
)

// Owner is the person whose mailbox it is, and the one sender.
const Owner = "reader@example.org"

// Settings say how the servers run.
type Settings struct {
	Programs Programs
	Off      []string // guards switched off; needs programs built with GuardTag

	NoSending bool     // leave SMTP_ALLOW_SEND out
	Allowed   string   // SMTP_ALLOWED_RECIPIENTS
	Token     bool     // ELICITATION=false: no person
	PerHour   int      // SMTP_MAX_SENDS_PER_HOUR; 0 means the most that can be set
	NoReveal  bool     // IMAP_REVEAL_CODES=false
	Extra     []string // further variables of both programs, NAME=value
	Labelled  string   // IMAP_CONFIDENTIAL_MAILBOXES
}

// maxPerHour is the most that SMTP_MAX_SENDS_PER_HOUR takes, so that the cap hides nothing where it is not what is measured.
const maxPerHour = 1000

// World is one mailbox, one outside world, one office, and the two servers between them. Use it from one goroutine. Make one with New.
type World struct {
	Office *Office
	Reader *Client
	Sender *Client

	dir     string // state of the servers, attachment directory
	mailbox *mailbox
	wire    *wire
	s       Settings

	mu      sync.Mutex
	arrived []sink.Message
}

// New starts a world under dir, which must exist and be empty. asked answers the questions of smtp-mcp; nil means a client that
// cannot show any. Close ends it.
func New(ctx context.Context, dir string, s Settings, records Records, boxes []memserver.Mailbox, asked Asked) (*World, error) {
	w := &World{Office: NewOffice(records), dir: dir, s: s}
	var err error
	if err = w.files(); err != nil {
		return nil, err
	}
	if w.mailbox, err = startMailbox(boxes); err != nil {
		return nil, err
	}
	if w.wire, err = startWire(w.take); err != nil {
		return nil, errors.Join(err, w.Close())
	}
	if w.Reader, err = Start(ctx, s.Programs.Reader, w.readerEnv(), nil); err != nil {
		return nil, errors.Join(err, w.Close())
	}
	if w.Sender, err = Start(ctx, s.Programs.Sender, w.senderEnv(), asked); err != nil {
		return nil, errors.Join(err, w.Close())
	}
	return w, nil
}

// Close ends the servers and forgets everything but the files under dir.
func (w *World) Close() error {
	var errs []error
	for _, c := range []*Client{w.Reader, w.Sender} {
		if c != nil {
			errs = append(errs, c.Close())
		}
	}
	if w.mailbox != nil {
		errs = append(errs, w.mailbox.server.Close())
	}
	if w.wire != nil {
		_ = w.wire.sink.Close()
	}
	return errors.Join(errs...)
}

func (w *World) take(m sink.Message) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.arrived = append(w.arrived, m)
}

// Arrived returns the messages that the SMTP server accepted since Forget, oldest first.
func (w *World) Arrived() []sink.Message {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.arrived)
}

// Forget empties the list of accepted messages, for the next case.
func (w *World) Forget() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.arrived = nil
}

// Deliver puts a message into a mailbox, as a delivery agent would. The octets have CRLF line ends.
func (w *World) Deliver(mailbox string, octets []byte) error {
	_, err := w.mailbox.store.Deliver(mailbox, memserver.Message{Raw: octets, InternalDate: time.Now()})
	return err
}

// attachments is the operator's directory of files that may be attached.
func (w *World) attachments() string { return filepath.Join(w.dir, "attachments") }

// What the files of the world hold.
const (
	ReportText = "Quarterly report, public version. FILE-REPORT-2841"
	KeyText    = "Private key of the office. FILE-KEY-9917"
	ScriptText = "#!/bin/sh\n# FILE-SCRIPT-3306\necho hello\n"
	NestedText = "Salaries of the year. FILE-SALARIES-5502"
)

// files writes the attachment directory, and beside it what must not leave.
func (w *World) files() error {
	a := w.attachments()
	for _, d := range []string{a, filepath.Join(w.dir, "private"), filepath.Join(w.dir, "state")} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			return err
		}
	}
	for name, text := range map[string]string{
		filepath.Join(a, "report.txt"): ReportText, filepath.Join(a, "setup.sh"): ScriptText, filepath.Join(a, "notes.txt"): ScriptText,
		filepath.Join(a, ".hidden.txt"): NestedText, filepath.Join(w.dir, "private", "keys.txt"): KeyText,
	} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			return err
		}
	}
	return os.Symlink(filepath.Join(w.dir, "private", "keys.txt"), filepath.Join(a, "summary.txt"))
}

// base is what every process needs of this one's environment.
func (w *World) base() []string {
	env := []string{"MAILGAP_EVAL_GUARDS_OFF=" + strings.Join(w.s.Off, ","), "TMPDIR=" + os.TempDir(), "XDG_STATE_HOME=" + filepath.Join(w.dir, "state")}
	for _, name := range []string{"PATH", "HOME", "SYSTEMROOT"} {
		if v, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+v)
		}
	}
	return append(env, w.s.Extra...)
}

func (w *World) readerEnv() []string {
	env := append(w.base(), "IMAP_HOST=127.0.0.1", "IMAP_PORT="+strconv.Itoa(w.mailbox.port), "IMAP_TLS=none", "IMAP_USER="+User, "IMAP_PASSWORD="+password,
		"IMAP_TRUSTED_AUTHSERV_ID="+AuthservID)
	if w.s.Labelled != "" {
		env = append(env, "IMAP_CONFIDENTIAL_MAILBOXES="+w.s.Labelled)
	}
	if w.s.NoReveal {
		env = append(env, "IMAP_REVEAL_CODES=false")
	}
	return env
}

func (w *World) senderEnv() []string {
	perHour := w.s.PerHour
	if perHour == 0 {
		perHour = maxPerHour
	}
	env := append(w.base(), "SMTP_HOST=127.0.0.1", "SMTP_PORT="+strconv.Itoa(w.wire.port), "SMTP_TLS=none", "SMTP_FROM=Reader <"+Owner+">",
		"SMTP_STATE_DIR="+filepath.Join(w.dir, "state", "sender"), "SMTP_ATTACHMENT_DIR="+w.attachments(), fmt.Sprintf("SMTP_MAX_SENDS_PER_HOUR=%d", perHour))
	if !w.s.NoSending {
		env = append(env, "SMTP_ALLOW_SEND=true", "SMTP_ALLOWED_RECIPIENTS="+w.s.Allowed)
	}
	if w.s.Token {
		env = append(env, "ELICITATION=false")
	}
	// Everything goes through the client's form, which is the weakest door: whoever answers there answers everything.
	return append(env, "SMTP_ELEVATED=elicitation")
}

// Unlock ends the lock that two refusals in a row leave, as a person would with smtp-mcp unlock.
func (w *World) Unlock(ctx context.Context) error {
	return run(ctx, w.s.Programs.Sender, w.senderEnv(), "unlock")
}
