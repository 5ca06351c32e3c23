package setup

import (
	"context"
	"errors"
	"io"
	"strings"

	"mailgap/shared/cli"
	"mailgap/shared/config"
	"mailgap/shared/provider"
)

// credentials asks for a password or a client id, whichever the provider takes.
func (d *dialog) credentials(ctx context.Context) error {
	p := d.draft.preset
	if p.Login == provider.SignIn {
		return d.askClient(ctx)
	}
	if p.OAuth != "" {
		way, err := d.con.choose(ctx, "\np: app password, o: sign in with OAuth and a client id of your own", "p", "p", "o")
		if err != nil {
			return err
		}
		if strings.EqualFold(way, "o") {
			return d.askClient(ctx)
		}
	}
	return d.askPassword(ctx)
}

func (d *dialog) askPassword(ctx context.Context) error {
	what := "Password"
	switch {
	case d.draft.preset.Bridge:
		what = "Password that Bridge shows"
	case d.draft.preset.Login == provider.PasswordApp:
		what = "App password"
	}
	secret, err := d.con.secret(ctx, what+" for "+d.draft.user, false)
	if d.draft.preset.Provider == provider.Google {
		secret = strings.ReplaceAll(secret, " ", "") // Google shows app passwords in groups; the blanks do not count
	}
	d.draft.password = config.NewSecret(secret)
	return err
}

// askClient asks for what a sign-in needs. The ids are the operator's: there is none built in.
func (d *dialog) askClient(ctx context.Context) error {
	p := d.draft.preset
	d.draft.oauth = p.OAuth
	var err error
	if d.draft.clientID, err = d.con.askUntil(ctx, "\nClient id of the application that you or your administrator registered", d.draft.clientID, func(s string) error {
		if s == "" {
			return errors.New("a sign-in needs one; Ctrl-D ends setup")
		}
		return nil
	}); err != nil {
		return err
	}
	if p.OAuth == "google" {
		secret, err := d.con.secret(ctx, "Client secret of a desktop client (Enter: none)", true)
		d.draft.clientSecret = config.NewSecret(secret)
		return err
	}
	if d.draft.tenant, err = d.con.ask(ctx, "Directory (tenant): a domain or an id, or common", "common"); err != nil {
		return err
	}
	way, err := d.con.choose(ctx, "b: sign in with a browser on this machine, d: on any device with a code", "b", "b", "d")
	d.draft.device = strings.EqualFold(way, "d")
	return err
}

// signIn gets a grant, which stays in memory.
func (d *dialog) signIn(ctx context.Context) error {
	loaded, err := d.load(true)
	if err != nil {
		return err
	}
	if d.SignIn != nil {
		return d.SignIn(ctx, loaded, d.draft.device, d.con)
	}
	return signIn(ctx, d.Program, loaded, d.draft.device, d.con)
}

// signIn is the login command.
func signIn(ctx context.Context, p cli.Program, loaded config.Loaded, device bool, out io.Writer) error {
	l := cli.Login{Program: p.Name, Prefix: p.Spec.Prefix, Purpose: p.Purpose, Values: loaded.Default(), Device: device, Out: out}
	return l.In(ctx)
}

// try checks until all steps pass or the person keeps what is there.
func (d *dialog) try(ctx context.Context) error {
	for {
		failed, err := d.check(ctx)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err == nil && failed == nil:
			d.checked = true
			d.con.printf("All steps passed.\n")
			return nil
		case err != nil:
			d.con.printf("error: %s\n", oneLine(err.Error()))
			failed = &Step{Name: "configuration"}
			if d.draft.oauth != "" {
				failed.Name = "login"
			}
		}
		keep, err := d.correct(ctx, *failed)
		if keep || err != nil {
			return err
		}
	}
}

// check signs in if that is due, and goes through the steps. failed is the one at which it stopped.
func (d *dialog) check(ctx context.Context) (failed *Step, err error) {
	if d.draft.oauth != "" {
		if _, done := d.staged.only(); !done {
			if err := d.signIn(ctx); err != nil {
				return nil, err
			}
		}
	}
	loaded, err := d.load(true)
	if err != nil {
		return nil, err
	}
	d.con.printf("\nTesting %s:\n", describe(d.draft.server))
	ok, err := d.Check(ctx, loaded, func(s Step) {
		d.report(s)
		if !s.OK {
			failed = &s
		}
	})
	if err == nil && !ok && failed == nil {
		failed = &Step{}
	}
	return failed, err
}

// report shows a finding as the check command does.
func (d *dialog) report(s Step) {
	mark := "ok  "
	if !s.OK {
		mark = "FAIL"
	}
	d.con.printf("  %s  %-14s %s\n", mark, oneLine(s.Name), oneLine(s.Detail))
	if s.Hint != "" {
		d.con.printf("        hint: %s\n", oneLine(s.Hint))
	}
}

// correct offers what may help after a step failed. keep means that the person wants to go on as it is.
func (d *dialog) correct(ctx context.Context, s Step) (keep bool, err error) {
	words, fallback := []string{"p", "u", "s", "t", "k"}, "s"
	prompt := "\nWhat now? p: another password, u: another user name, s: another server, t: try again, k: keep it as it is, Ctrl-D: end"
	if d.draft.oauth != "" {
		prompt = strings.Replace(prompt, "another password", "sign in again", 1)
	}
	if s.Name == "login" {
		fallback = "p"
	}
	if s.Fingerprint != "" {
		d.con.printf("\nNo authority vouches for this certificate. Its SHA-256 fingerprint is\n  %s\n", oneLine(s.Fingerprint))
		d.con.printf("If it is what your own server or Bridge shows, type pin: then this certificate alone is accepted. If you cannot compare it, do not.\n")
		words, fallback = append(words, "pin"), ""
	}
	word, err := d.con.choose(ctx, prompt, fallback, words...)
	if err != nil {
		return false, err
	}
	return strings.EqualFold(word, "k"), d.apply(ctx, strings.ToLower(word), s)
}

// apply does what the person chose.
func (d *dialog) apply(ctx context.Context, word string, s Step) error {
	if word != "t" && word != "k" { // a sign-in belongs to user and server
		d.staged = newStaging(d.Store)
	}
	switch word {
	case "p":
		if d.draft.oauth != "" {
			return d.askClient(ctx)
		}
		return d.askPassword(ctx)
	case "u":
		return d.askUser(ctx)
	case "s":
		if err := d.byHand(ctx); err != nil || d.draft.oauth != "" || !d.draft.password.IsEmpty() {
			return err
		}
		return d.askPassword(ctx)
	case "pin":
		d.draft.pin = s.Fingerprint
	}
	return nil
}
