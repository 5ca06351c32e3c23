package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"mailgap/readmail"
	"mailgap/sanitize"
	"mailgap/shared/ledger"
	"mailgap/shared/ledger/keystore"
	"mailgap/shared/ledger/reader"
	"mailgap/shared/ledger/writer"
)

// ledgerPlace says where the ledger of cfg is and where its key.
func (a *app) ledgerPlace(cfg readmail.Config) (dir string, keys ledger.KeyStore, err error) {
	if cfg.LedgerKey == "keyring" {
		keys = keystore.Store{}
	}
	switch {
	case cfg.LedgerDir != "":
		return cfg.LedgerDir, keys, nil
	case a.demo:
		return ledger.DemoDir(), keys, nil
	}
	dir, err = ledger.DefaultDir()
	return dir, keys, err
}

// openLedger returns the writer of the ledger; nil if it is switched off. Nothing is touched before the first record.
func (a *app) openLedger(cfg readmail.Config) (*writer.Writer, error) {
	if cfg.LedgerOff {
		return nil, nil
	}
	dir, keys, err := a.ledgerPlace(cfg)
	if err != nil {
		return nil, err
	}
	return writer.Open(dir, writer.Options{Keys: keys, Logger: a.log})
}

// ledgerCommand reads the settings for a command on the ledger.
func (a *app) ledgerCommand() (dir string, keys ledger.KeyStore, off bool, status int) {
	cfgs, err := a.configs()
	if err != nil {
		return "", nil, false, a.fail(exitUsage, err, "imap-mcp settings lists every setting")
	}
	if dir, keys, err = a.ledgerPlace(cfgs[0]); err != nil {
		return "", nil, false, a.fail(exitUsage, err, "IMAP_LEDGER_DIR says where the ledger is")
	}
	return dir, keys, cfgs[0].LedgerOff, exitOK
}

// showLedger says what is known, in all or of one message, or accepts the ledger as it is.
func (a *app) showLedger(ctx context.Context) int {
	dir, keys, off, status := a.ledgerCommand()
	if status != exitOK {
		return status
	}
	if len(a.args) > 1 {
		return a.fail(exitUsage, errors.New("ledger takes nothing, a reference, or accept"), "imap-mcp ledger 'imap://…'")
	}
	if len(a.args) == 1 && a.args[0] == "accept" {
		return a.acceptLedger(ctx, dir, keys)
	}
	r, err := reader.Open(dir, reader.Options{Keys: keys})
	if err != nil {
		return a.fail(exitFailed, err, "")
	}
	defer r.Close()
	if len(a.args) == 1 {
		return a.showMessage(ctx, r, a.args[0])
	}
	if off {
		fmt.Fprintln(a.stdout, "Recording is switched off (IMAP_LEDGER=false). What was recorded before:")
	}
	h := r.Health(ctx)
	fmt.Fprintf(a.stdout, "Ledger in %s: %s.\n", sanitize.Line(dir, 500), stateText(h.State))
	for _, reason := range h.Reasons {
		fmt.Fprintf(a.stdout, "  %s\n", sanitize.Line(reason, 400))
	}
	if h.State == ledger.StateNever {
		return exitOK
	}
	if h.Alarming() {
		fmt.Fprintf(a.stdout, "hint: %s\n", stateHint(h.State))
	}
	t, err := r.Totals(ctx)
	if err != nil {
		return a.fail(exitFailed, err, stateHint(h.State))
	}
	a.printTotals(t, h)
	if h.Alarming() {
		return exitFailed
	}
	return exitOK
}

func (a *app) printTotals(t reader.Totals, h ledger.Health) {
	fmt.Fprintf(a.stdout, "Messages: %d, entries: %d (newest number %d), fingerprints: %d, forgotten entries: %d, size: %.1f MB.\n",
		t.Messages, t.Entries, h.Head, t.Prints, t.Forgotten, float64(t.Octets)/1e6)
	for _, w := range t.Weeks {
		fmt.Fprintf(a.stdout, "  week from %s: messages %d, entries %d\n", w.From.UTC().Format(time.DateOnly), w.Messages, w.Entries)
	}
	fmt.Fprintf(a.stdout, "Entries are removed after %d days, the key of a week with its last entry. imap-mcp forget removes them now.\n", int(ledger.Retention.Hours()/24))
}

func stateText(s ledger.State) string {
	switch s {
	case ledger.StateNever:
		return "there is none yet; it begins with the first message that is read"
	case ledger.StateOK:
		return "whole"
	case ledger.StateGap:
		return "NOT WHOLE"
	}
	return strings.ToUpper(string(s))
}

// stateHint says what a person can do. The sender raises the level of its questions until it is done.
func stateHint(s ledger.State) string {
	switch s {
	case ledger.StateForeignKey:
		return "put the key back (ledger.key beside the ledger, or the key store, see IMAP_LEDGER_KEY); without it the ledger cannot be used any more: then move its directory away"
	case ledger.StateMissing:
		return "if you removed it yourself, the next message that is read begins a new one; then run imap-mcp ledger accept"
	case ledger.StateRolledBack, ledger.StateReplaced:
		return "if you restored or replaced it yourself, run imap-mcp ledger accept and smtp-mcp ledger accept; else somebody else did"
	case ledger.StateGap:
		return "if you know why, run imap-mcp forget --all to begin anew; else keep a copy and find out who wrote to it"
	}
	return "check the directory and its permissions (0700, files 0600); imap-mcp forget --all begins anew"
}

// acceptLedger makes the ledger as it is the right one.
func (a *app) acceptLedger(ctx context.Context, dir string, keys ledger.KeyStore) int {
	w, err := writer.Open(dir, writer.Options{Keys: keys, Logger: a.log})
	if err == nil {
		err = errors.Join(w.Accept(ctx), w.Close())
	}
	if err != nil {
		return a.fail(exitFailed, err, "imap-mcp ledger says what is wrong")
	}
	fmt.Fprintln(a.stdout, "The ledger as it is now counts as the right one. smtp-mcp remembers by itself how far it went: see smtp-mcp help.")
	return exitOK
}

// showMessage explains what is known of one message.
func (a *app) showMessage(ctx context.Context, r *reader.Reader, ref string) int {
	if _, err := readmail.ParseRef(ref); err != nil {
		return a.fail(exitUsage, err, "pass a reference as list_messages gave it")
	}
	m, ok, err := r.Message(ctx, ref)
	if err != nil {
		return a.fail(exitFailed, err, "imap-mcp ledger says what is wrong")
	}
	if !ok {
		fmt.Fprintln(a.stdout, "Nothing is recorded of this message: it was not read, it was forgotten, or it is longer ago than records are kept.")
		return exitOK
	}
	line := func(name, value string) {
		if value != "" {
			fmt.Fprintf(a.stdout, "%-12s %s\n", name, sanitize.Line(value, 500)) // no control character of a stranger reaches the terminal
		}
	}
	fmt.Fprintf(a.stdout, "%-12s %s\n", "reference", sanitize.Reference(m.Ref))
	line("mailbox", m.Mailbox+map[bool]string{true: " (confidential)"}[m.Confidential]+map[bool]string{true: " (own mail)"}[m.Own])
	line("first read", m.FirstRead.Format(time.DateTime))
	line("last new", m.LastRead.Format(time.DateTime))
	line("Message-ID", m.MessageID)
	line("author", authorLine(m))
	line("From", addressLine(m.From))
	line("To", addressLine(m.To))
	line("Cc", addressLine(m.Cc))
	line("Reply-To", addressLine(m.ReplyTo))
	line("Subject", m.Subject)
	line("header", map[bool]string{true: "read in full", false: "only as a list shows it"}[m.Complete])
	line("text", fmt.Sprintf("%d fingerprints over %d normalised octets%s", m.Prints, m.Octets, map[bool]string{true: "; there was more than is recorded"}[m.Partly]))
	return exitOK
}

func authorLine(m ledger.Message) string {
	switch m.Author {
	case ledger.AuthorVerified:
		return "domain " + m.AuthorDomain + " confirmed"
	case ledger.AuthorFailed:
		return "NOT confirmed: " + m.AuthorReason
	case ledger.AuthorUnknown:
		return "unknown: " + m.AuthorReason
	}
	return "not checked"
}

func addressLine(list []ledger.Address) string {
	var out []string
	for _, x := range list {
		switch spec := x.AddrSpec(); {
		case spec == "":
			out = append(out, x.Name+x.Raw)
		case x.Name == "":
			out = append(out, spec)
		default:
			out = append(out, x.Name+" <"+spec+">")
		}
	}
	return strings.Join(out, ", ")
}

// forget removes what is known of messages.
func (a *app) forget(ctx context.Context) int {
	dir, keys, _, status := a.ledgerCommand()
	if status != exitOK {
		return status
	}
	f := writer.Forget{Ref: a.message, Mailbox: a.mailbox, All: a.all}
	chosen := map[bool]int{true: 1}
	if chosen[f.Ref != ""]+chosen[f.Mailbox != ""]+chosen[f.All] != 1 || len(a.args) > 0 {
		return a.fail(exitUsage, errors.New("forget takes one of --message REF, --mailbox NAME, --all"), "imap-mcp forget --mailbox INBOX")
	}
	if f.Ref != "" {
		ref, err := readmail.ParseRef(f.Ref)
		if err != nil {
			return a.fail(exitUsage, err, "pass a reference as list_messages gave it")
		}
		f.Ref = ref.Message().String()
	}
	w, err := writer.Open(dir, writer.Options{Keys: keys, Logger: a.log})
	if err != nil {
		return a.fail(exitFailed, err, "")
	}
	n, err := w.Forget(ctx, f)
	if closed := w.Close(); err == nil {
		err = closed
	}
	switch {
	case errors.Is(err, ledger.ErrNoLedger):
		fmt.Fprintln(a.stdout, "There is no ledger, so nothing is known.")
		return exitOK
	case errors.Is(err, ledger.ErrBusy) && n > 0:
		fmt.Fprintf(a.stdout, "Entries forgotten: %d.\n", n)
		return a.fail(exitFailed, errors.New("another program reads the ledger, so an old copy of its pages is kept for the moment"), "run the same command again later")
	case err != nil:
		return a.fail(exitFailed, err, "imap-mcp ledger says what is wrong")
	}
	fmt.Fprintf(a.stdout, "Entries forgotten: %d. What smtp-mcp wrote to its own log is not touched.\n", n)
	return exitOK
}
