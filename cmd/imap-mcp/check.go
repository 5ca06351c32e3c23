package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"mailgap/readmail"
	"mailgap/readmail/session"
	"mailgap/sanitize"
)

// check connects to each account step by step and prints each finding with what to change.
func (a *app) check(ctx context.Context) int {
	cfgs, err := a.configs()
	if err != nil {
		return a.fail(exitUsage, err, "imap-mcp settings lists every setting")
	}
	worst := exitOK
	for _, cfg := range cfgs {
		if len(cfgs) > 1 {
			fmt.Fprintf(a.stdout, "account %s\n", cfg.Account)
		}
		worst = max(worst, a.checkAccount(ctx, cfg))
	}
	if worst == exitOK {
		fmt.Fprintln(a.stdout, "All steps passed. Nothing in the mailbox was changed.")
	}
	return worst
}

func (a *app) checkAccount(ctx context.Context, cfg readmail.Config) int {
	if len(cfg.Missing) > 0 {
		return a.fail(exitUsage, errors.New("no mail account is configured"), "set "+strings.Join(cfg.Missing, " and "))
	}
	cfg.Session.Logger = cfg.Logger
	ok := session.Diagnose(ctx, cfg.Session, func(s session.Step) {
		mark := "ok  "
		if !s.OK {
			mark = "FAIL"
		}
		// Details quote the server: no control character of it reaches the terminal.
		fmt.Fprintf(a.stdout, "%s  %-14s %s\n", mark, s.Name, sanitize.Line(s.Detail, 400))
		hint := s.Hint
		if hint == "" && !s.OK {
			hint = "the server does not do this step; ask its operator whether IMAP is allowed for the account, or try later"
		}
		if hint != "" {
			fmt.Fprintf(a.stdout, "      hint: %s\n", hint)
		}
	})
	if !ok {
		return exitFailed
	}
	return exitOK
}
