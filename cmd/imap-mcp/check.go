package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"mailgap/readmail/session"
	"mailgap/sanitize"
)

// check connects step by step and prints each finding with what to change.
func (a *app) check(ctx context.Context) int {
	cfg, err := a.config()
	if err != nil {
		return a.fail(exitUsage, err, "imap-mcp settings lists every setting")
	}
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
	fmt.Fprintln(a.stdout, "All steps passed. Nothing in the mailbox was changed.")
	return exitOK
}
