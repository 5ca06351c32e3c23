package main

import (
	"context"
	"errors"

	"mailgap/sendmail"
	"mailgap/sendmail/submit"
	"mailgap/shared/config"
	"mailgap/shared/setup"
)

// setup leads a person through adding an identity.
func (a *app) setup(ctx context.Context) int {
	err := setup.Command{
		Program: self(), Flags: a.values, Store: a.store, Check: a.tryIdentity,
		Validate: func(loaded config.Loaded) error {
			_, err := sendmail.ConfigsFrom(loaded)
			return err
		},
	}.Run(ctx)
	switch {
	case err == nil:
		return exitOK
	case errors.Is(err, setup.ErrNoTerminal):
		return a.fail(exitUsage, err, setup.Hint("smtp-mcp", err))
	}
	return a.fail(exitFailed, err, setup.Hint("smtp-mcp", err))
}

// tryIdentity is the check command for settings that are not written yet.
func (a *app) tryIdentity(ctx context.Context, loaded config.Loaded, report func(setup.Step)) (bool, error) {
	cfgs, err := sendmail.ConfigsFrom(loaded)
	if err != nil {
		return false, err
	}
	return submit.Diagnose(ctx, cfgs[0].Submit, func(s submit.Step) {
		report(setup.Step{Name: string(s.Name), OK: s.OK, Detail: s.Detail, Hint: s.Hint, Fingerprint: s.Fingerprint})
	}), nil
}
