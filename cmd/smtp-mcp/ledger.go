package main

import (
	"context"
	"errors"
	"fmt"

	"mailgap/sanitize"
	"mailgap/shared/ledger"
)

// showLedger says in what state the ledger is that imap-mcp writes, as the next question would find it, or accepts it as it is.
func (a *app) showLedger(ctx context.Context) int {
	cfg, err := a.config()
	if err != nil {
		return a.fail(exitUsage, err, "smtp-mcp settings lists every setting")
	}
	if len(a.args) > 1 || len(a.args) == 1 && a.args[0] != "accept" {
		return a.fail(exitUsage, errors.New("ledger takes nothing, or accept"), "smtp-mcp ledger accept")
	}
	if cfg.LedgerDir == "" {
		fmt.Fprintln(a.stdout, "The ledger is not asked (SMTP_LEDGER=false).")
		return exitOK
	}
	r, err := cfg.OpenLedger()
	if err != nil {
		return a.fail(exitFailed, err, "SMTP_LEDGER_DIR says where the ledger is")
	}
	defer r.Close()
	if len(a.args) == 1 {
		if err := r.Accept(ctx); err != nil {
			return a.fail(exitFailed, err, "SMTP_STATE_DIR says where this program remembers how far the ledger went")
		}
		fmt.Fprintln(a.stdout, "How far the ledger went before is forgotten.")
	}
	h := r.Health(ctx)
	fmt.Fprintf(a.stdout, "Ledger in %s: %s; entries: %d, newest number: %d.\n", sanitize.Line(cfg.LedgerDir, 500), h.State, h.Entries, h.Head)
	for _, reason := range h.Reasons {
		fmt.Fprintf(a.stdout, "  %s\n", sanitize.Line(reason, 400))
	}
	if !h.Alarming() {
		return exitOK
	}
	fmt.Fprintln(a.stdout, "hint: "+ledgerHint(h.State))
	return exitFailed
}

// ledgerHint says what a person can do. Until then each question says what is wrong, at a raised level.
func ledgerHint(s ledger.State) string {
	switch s {
	case ledger.StateRolledBack, ledger.StateReplaced, ledger.StateMissing:
		return "if you removed, restored or replaced it yourself, run imap-mcp ledger accept and smtp-mcp ledger accept; else somebody else did"
	case ledger.StateForeignKey:
		return "SMTP_LEDGER_KEY must say what IMAP_LEDGER_KEY says; imap-mcp ledger knows more"
	}
	return "imap-mcp ledger says what to do"
}
