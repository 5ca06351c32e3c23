package main

import (
	"context"
	"errors"

	"mailgap/readmail"
	"mailgap/readmail/session"
	"mailgap/shared/config"
	"mailgap/shared/setup"
)

// setup leads a person through adding an account.
func (a *app) setup(ctx context.Context) int {
	err := setup.Command{
		Program: self(), Flags: a.values, Store: a.store, Check: a.tryAccount,
		Validate: func(loaded config.Loaded) error {
			_, err := readmail.ConfigsFrom(loaded)
			return err
		},
	}.Run(ctx)
	switch {
	case err == nil:
		return exitOK
	case errors.Is(err, setup.ErrNoTerminal):
		return a.fail(exitUsage, err, setup.Hint("imap-mcp", err))
	}
	return a.fail(exitFailed, err, setup.Hint("imap-mcp", err))
}

// tryAccount is the check command for settings that are not written yet.
func (a *app) tryAccount(ctx context.Context, loaded config.Loaded, report func(setup.Step)) (bool, error) {
	cfgs, err := readmail.ConfigsFrom(loaded)
	if err != nil {
		return false, err
	}
	return session.Diagnose(ctx, cfgs[0].Session, func(s session.Step) {
		report(setup.Step{Name: string(s.Name), OK: s.OK, Detail: s.Detail, Hint: s.Hint, Fingerprint: s.Fingerprint})
	}), nil
}
