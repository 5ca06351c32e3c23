package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"mailgap/sanitize"
	"mailgap/sendmail"
	"mailgap/sendmail/outbox"
	"mailgap/shared/audit"
)

const (
	defaultLogLines = 20
	maxListed       = 200
)

// showLog prints the newest records of the audit log, or checks its chain.
func (a *app) showLog() int {
	cfg, err := a.config()
	if err != nil {
		return a.fail(exitUsage, err, "smtp-mcp settings lists every setting")
	}
	if a.verify {
		return a.verifyLog(cfg.AuditLog)
	}
	n := defaultLogLines
	if len(a.args) > 0 {
		if n, err = strconv.Atoi(a.args[0]); err != nil || n < 1 {
			return a.fail(exitUsage, errors.New("log takes a number of records"), "smtp-mcp log 50")
		}
	}
	entries, err := audit.Read(cfg.AuditLog, audit.Filter{Last: n})
	if err != nil {
		return a.fail(exitFailed, err, "SMTP_AUDIT_LOG and SMTP_STATE_DIR say where the log is")
	}
	for _, e := range entries {
		fmt.Fprintln(a.stdout, audit.Format(e))
	}
	return exitOK
}

func (a *app) verifyLog(path string) int {
	r, err := audit.Verify(path)
	if err != nil {
		return a.fail(exitFailed, err, "SMTP_AUDIT_LOG and SMTP_STATE_DIR say where the log is")
	}
	for _, p := range r.Problems {
		fmt.Fprintf(a.stdout, "%s line %d: %s\n", sanitize.Line(p.File, 200), p.Line, p.What)
	}
	fmt.Fprintf(a.stdout, "%d records in %d files, numbers %d to %d, last hash %s\n", r.Records, r.Files, r.FirstSeq, r.LastSeq, r.LastHash)
	if !r.OK() {
		return exitFailed
	}
	fmt.Fprintln(a.stdout, "The chain holds. Keep the last hash elsewhere to notice a log that is cut short later.")
	return exitOK
}

// why says what is known of a message.
func (a *app) why() int {
	cfg, err := a.config()
	if err != nil {
		return a.fail(exitUsage, err, "smtp-mcp settings lists every setting")
	}
	if len(a.args) != 1 {
		return a.fail(exitUsage, errors.New("why takes a Message-ID"), "smtp-mcp outbox and smtp-mcp log list them")
	}
	lines, err := sendmail.Why(cfg.AuditLog, a.args[0])
	for _, l := range lines {
		fmt.Fprintln(a.stdout, l)
	}
	switch {
	case err != nil:
		return a.fail(exitFailed, err, "SMTP_AUDIT_LOG and SMTP_STATE_DIR say where the log is")
	case len(lines) == 0:
		return a.fail(exitFailed, errors.New("no message with this Message-ID is in the audit log"), "smtp-mcp outbox and smtp-mcp log list them")
	}
	return exitOK
}

// journal opens the outbox for a person. The settings come along.
func (a *app) journal() (*outbox.Outbox, sendmail.Config, int) {
	cfg, err := a.config()
	if err != nil {
		return nil, cfg, a.fail(exitUsage, err, "smtp-mcp settings lists every setting")
	}
	box, err := outbox.Open(cfg.StateDir, outbox.Options{MaxPerHour: cfg.MaxPerHour, ReplayWindow: cfg.ReplayWindow, Cooling: cfg.LockCooling})
	if err != nil {
		return nil, cfg, a.fail(exitFailed, err, "SMTP_STATE_DIR says where the journal is")
	}
	return box, cfg, exitOK
}

// showOutbox lists the journal, or settles an unknown attempt.
func (a *app) showOutbox(ctx context.Context) int {
	box, cfg, status := a.journal()
	if box == nil {
		return status
	}
	defer box.Close()
	if len(a.args) > 0 {
		return a.settle(ctx, box, cfg.AuditLog)
	}
	list, err := box.List(ctx, maxListed)
	if err != nil {
		return a.fail(exitFailed, err, "SMTP_STATE_DIR says where the journal is")
	}
	for _, t := range list {
		fmt.Fprintf(a.stdout, "%4d  %s  %-8s  %d recipients (%s)  %s  %s\n", t.ID, t.UpdatedAt.Format("2006-01-02 15:04"), t.State,
			t.RecipientsCount, sanitize.Line(t.FirstDomain, 80), sanitize.Line(t.MessageID, 120), sanitize.Line(t.Subject, 80))
	}
	usage, err := box.Usage(ctx)
	if err != nil {
		return a.fail(exitFailed, err, "")
	}
	fmt.Fprintf(a.stdout, "%d of %d sends used this hour.\n", usage.Used, usage.Max)
	if usage.Lock != nil {
		fmt.Fprintf(a.stdout, "Sending is locked: %s. smtp-mcp unlock ends that.\n", usage.Lock.Reason)
	}
	return exitOK
}

// settle records what a person found out about an unknown attempt.
func (a *app) settle(ctx context.Context, box *outbox.Outbox, auditLog string) int {
	if len(a.args) != 3 || a.args[0] != "settle" {
		return a.fail(exitUsage, errors.New("outbox takes nothing, or settle ID sent|failed"), "smtp-mcp outbox settle 7 sent")
	}
	id, err := strconv.ParseInt(a.args[1], 10, 64)
	if err != nil {
		return a.fail(exitUsage, errors.New("the attempt is named by its number"), "smtp-mcp outbox lists them")
	}
	if err := box.Settle(ctx, id, outbox.State(a.args[2])); err != nil {
		return a.fail(exitFailed, err, "smtp-mcp outbox lists the attempts; only unknown ones can be settled")
	}
	a.note(auditLog, audit.Record{Outcome: audit.OutcomeSettled, Attempt: id, Code: a.args[2]})
	fmt.Fprintf(a.stdout, "Attempt %d is settled as %s.\n", id, a.args[2])
	return exitOK
}

// unlock ends the lock after refusals.
func (a *app) unlock(ctx context.Context) int {
	box, cfg, status := a.journal()
	if box == nil {
		return status
	}
	defer box.Close()
	if err := box.Unlock(ctx); err != nil {
		return a.fail(exitFailed, err, "SMTP_STATE_DIR says where the journal is")
	}
	a.note(cfg.AuditLog, audit.Record{Outcome: audit.OutcomeUnlocked})
	fmt.Fprintln(a.stdout, "Sending is unlocked.")
	return exitOK
}

// note writes what a person did to the audit log.
func (a *app) note(path string, r audit.Record) {
	log, err := audit.Open(path, audit.Options{})
	if err == nil {
		err = errors.Join(log.Append(r), log.Close())
	}
	if err != nil {
		a.log.Error("audit log not written", "error", err)
	}
}
