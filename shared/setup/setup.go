package setup

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"mailgap/shared/cli"
	"mailgap/shared/config"
	"mailgap/shared/oauth"
	"mailgap/shared/provider"
	"mailgap/shared/provider/discover"
)

// Step is a finding of the check command. Detail may quote the server: untrusted.
type Step struct {
	Name        string
	OK          bool
	Detail      string
	Hint        string
	Fingerprint string // of a certificate that no authority vouches for, or ""
}

// Place is the machine: where people's files are, and what they are called there.
type Place struct {
	OS     string                   // as runtime.GOOS
	Home   string                   // the person's home directory
	Getenv func(name string) string // as os.Getenv
}

// Options are what Run works with. All fields are required but SignIn.
type Options struct {
	Program  cli.Program
	Terminal Terminal
	// Find looks up the servers of a domain. See discover.Finder.
	Find func(ctx context.Context, domain string) discover.Result
	// Check tries the settings step by step. An error means that they contradict each other, and nothing was tried.
	Check func(ctx context.Context, settings config.Loaded, report func(Step)) (ok bool, err error)
	// Validate says whether the program would start with the settings.
	Validate func(settings config.Loaded) error
	// SignIn gets a grant and keeps it in the store of the settings; nil means the login command.
	SignIn func(ctx context.Context, settings config.Loaded, device bool, out io.Writer) error
	Store  config.Store // the key store
	File   string       // path of the settings file
	// Standard says that the program finds File by itself.
	Standard   bool
	Executable string // path of the program, for clients
	Place      Place
}

// Errors of Run, beside those of the terminal.
var (
	ErrEnded  = errors.New("setup was ended; nothing was written")
	ErrFile   = errors.New("the settings file cannot be extended")
	ErrBroken = errors.New("the settings file has faults; correct them first")
)

// dialog is one run.
type dialog struct {
	Options
	con     console
	file    existing
	draft   draft
	staged  *staging
	checked bool
}

// sending says whether this is the program that sends.
func (d *dialog) sending() bool { return d.Program.Purpose == oauth.Sending }

// Run leads through setting up one account or identity. It returns nil if the settings were written, and ErrEnded if the
// person ended it before; what was written stands then already or not at all. It blocks for the person.
func Run(ctx context.Context, o Options) error {
	d := &dialog{Options: o, con: console{o.Terminal}, staged: newStaging(o.Store)}
	err := d.settings(ctx)
	if errors.Is(err, io.EOF) {
		d.con.printf("\n")
		err = ErrEnded
	}
	if err != nil {
		return err
	}
	if err := d.clients(ctx); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	d.farewell()
	return nil
}

// settings asks, tries and writes.
func (d *dialog) settings(ctx context.Context) error {
	if err := d.begin(); err != nil {
		return err
	}
	for _, step := range []func(context.Context) error{d.address, d.server, d.credentials} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	if done, err := d.known(ctx); done || err != nil {
		return err
	}
	if err := d.try(ctx); err != nil {
		return err
	}
	if d.sending() {
		if err := d.recipients(ctx); err != nil {
			return err
		}
	}
	return d.write(ctx)
}

// begin reads the settings file and says what there is.
func (d *dialog) begin() error {
	var err error
	if d.file, err = readExisting(d.Program.Spec, d.File); err != nil {
		return err
	}
	d.con.printf("This sets up %s. Nothing is written before you say yes; Ctrl-D ends it at any question.\n", d.Program.Name)
	if len(d.file.names) > 0 {
		d.con.printf("%s has %s: one more is added, nothing else changes.\n", d.File, strings.Join(d.file.names, ", "))
	}
	for _, name := range []string{"HOST", "USER", "PASSWORD"} {
		if name = d.Program.Spec.Prefix + name; d.Place.Getenv(name) != "" {
			d.con.printf("Note: %s is set in this environment and counts before the file.\n", name)
		}
	}
	return nil
}

// known deals with an account that the file has already: only its secret is replaced.
func (d *dialog) known(ctx context.Context) (done bool, err error) {
	name, ok := d.file.has(d.Program.Spec.Prefix, d.draft.user, d.draft.server.Host)
	if !ok {
		return false, nil
	}
	d.con.printf("\nThe file has this user and server as %s already. Its settings stay; the password or sign-in can be replaced.\n", name)
	values, _ := d.file.loaded.Set(name)
	if values.Secret(d.Program.Spec.Prefix + "PASSWORD").IsSet() {
		return false, fmt.Errorf("%w: %s has its password from %s; change it there", ErrFile, name, values.Secret(d.Program.Spec.Prefix+"PASSWORD").Name())
	}
	if err := d.try(ctx); err != nil {
		return false, err
	}
	if now, _ := d.file.has(d.Program.Spec.Prefix, d.draft.user, d.draft.server.Host); now != name { // corrected to another one
		return false, nil
	}
	if yes, err := d.con.yes(ctx, "Replace what is kept in the key store?", true); err != nil || !yes {
		return false, errors.Join(err, endedUnless(err))
	}
	if err := d.stage(ctx); err != nil {
		return false, err
	}
	return true, d.staged.commit(ctx, d.Store)
}

// endedUnless is ErrEnded where nothing else went wrong.
func endedUnless(err error) error {
	if err != nil {
		return nil
	}
	return ErrEnded
}

// load reads the draft the way the program would read it from its environment. Nothing is written for that.
func (d *dialog) load(withSecrets bool) (config.Loaded, error) {
	loaded, _, err := config.LoadAll(d.Program.Spec, config.Options{Environ: d.draft.environ(d.Program.Spec, withSecrets), Store: d.staged})
	return loaded, err
}

func (d *dialog) farewell() {
	if !d.sending() {
		d.authserv()
	}
	d.con.printf("\nDone. Next:\n  %s check    tests all accounts again\n", d.Program.Name)
	if d.sending() {
		d.con.printf("  %s call preview_mail '{\"to\":[\"friend@example.com\"],\"subject\":\"Hello\",\"text\":\"Hi.\"}'    composes, sends nothing\n", d.Program.Name)
		return
	}
	d.con.printf("  %s call list_messages '{}'    shows what an agent would see\n", d.Program.Name)
}

// authserv says why senders stay unconfirmed, where the provider does not document its authserv-id.
func (d *dialog) authserv() {
	switch {
	case len(d.draft.preset.AuthservIDs) > 0:
	case d.draft.preset.Provider == provider.Microsoft:
		d.con.printf("\nMicrosoft writes no authserv-id into Authentication-Results, so it cannot be told from what senders write: senders stay unconfirmed.\n")
	default:
		d.con.printf("\nSenders stay unconfirmed until trusted_authserv_id names what your own server writes at the beginning of Authentication-Results:\n" +
			"look at the topmost such field of a message that just arrived. It is not guessed, since whoever is named there is believed.\n")
	}
}
