package main

import (
	"context"

	"mailgap/readmail"
	"mailgap/shared/cli"
	"mailgap/shared/config"
	"mailgap/shared/oauth"
)

// self describes this program. Its file and its entries in the key store are not those of the other one: neither ever reads the
// credentials of the other.
func self() cli.Program {
	return cli.Program{Name: "imap-mcp", Spec: readmail.Settings(), File: "imap.toml", Which: "--account", Purpose: oauth.Reading}
}

// settings reads the environment and the file.
func (a *app) settings() (config.Loaded, error) {
	loaded, warnings, err := self().Load(a.values, a.demo, a.store)
	for _, w := range warnings {
		a.log.Warn(string(w))
	}
	return loaded, err
}

// showSettings prints the settings in force, and where each comes from.
func (a *app) showSettings() int {
	loaded, err := a.settings()
	if err != nil {
		return a.fail(exitUsage, err, "imap-mcp settings lists every setting")
	}
	self().Print(a.stdout, loaded)
	return exitOK
}

// credentials keeps a password or signs in (login), or takes that back (logout).
func (a *app) credentials(ctx context.Context) int {
	loaded, err := a.settings()
	if err != nil {
		return a.fail(exitUsage, err, "imap-mcp settings lists every setting")
	}
	if err := self().Credentials(ctx, a.command, loaded, a.values, cli.Login{Device: a.device, Out: a.stdout}); err != nil {
		return a.fail(exitFailed, err, "imap-mcp config shows the settings in force")
	}
	return exitOK
}
