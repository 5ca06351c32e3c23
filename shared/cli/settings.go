package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"

	"mailgap/shared/config"
	"mailgap/shared/keystore"
	"mailgap/shared/oauth"
)

// Program is what the commands about settings and credentials need to know of a program.
type Program struct {
	Name string      // such as imap-mcp; entries in the key store are kept under it
	Spec config.Spec // of its settings
	File string      // name of the file in the user's configuration directory
	// Which is the flag that picks an account or identity, such as --account.
	Which   string
	Purpose oauth.Purpose
}

// signInFlags are the flags of login that stand for settings.
func signInFlags() map[string]string {
	return map[string]string{"--oauth": "OAUTH", "--client-id": "OAUTH_CLIENT_ID", "--tenant": "OAUTH_TENANT", "--issuer": "OAUTH_ISSUER", "--scopes": "OAUTH_SCOPES"}
}

// Flags are the flags with a value that stand for settings, and --config.
func (p Program) Flags() []string {
	return append(slices.Sorted(maps.Keys(signInFlags())), "--config", p.Which)
}

// Check refuses flags that nothing would read: all but --config and Which are for login.
func (p Program) Check(command string, device bool, values map[string]string) error {
	for _, flag := range slices.Sorted(maps.Keys(signInFlags())) {
		if values[flag] != "" && command != "login" {
			return errors.New(flag + " is for the command login alone")
		}
	}
	if device && command != "login" {
		return errors.New("--device is for the command login alone")
	}
	return nil
}

// Load reads the settings, where flags with a value count as if they were in the environment of this process. store is for tests;
// nil means the key store of the operating system. With demo set there is none, and a file is read only if --config names
// one: a demonstration needs no account and must not depend on one.
func (p Program) Load(values map[string]string, demo bool, store config.Store) (config.Loaded, []config.Warning, error) {
	if err := p.applyFlags(values); err != nil {
		return config.Loaded{}, nil, err
	}
	o := config.Options{File: values["--config"], Required: values["--config"] != "", Store: store}
	if !demo {
		if o.File == "" {
			o.File = config.DefaultFile(p.File)
		}
		if o.Store == nil {
			o.Store = keystore.New("mailgap " + p.Name)
		}
	}
	all, warnings, err := config.LoadProcess(p.Spec, o)
	if err == nil && values[p.Which] != "" && !all.HasSections() {
		err = fmt.Errorf("%s: the settings have no section [%s.NAME] to choose from", p.Which, p.Spec.Section)
	}
	return all, warnings, err
}

func (p Program) applyFlags(values map[string]string) error {
	var errs []error
	set := func(setting, value string) {
		if value != "" {
			errs = append(errs, os.Setenv(setting, value))
		}
	}
	set(p.Spec.Selector, values[p.Which])
	for flag, setting := range signInFlags() {
		set(p.Spec.Prefix+setting, values[flag])
	}
	return errors.Join(errs...)
}

// Print writes the settings in force with their sources. Secrets are not read.
func (p Program) Print(w io.Writer, all config.Loaded) {
	if file := all.File(); file != "" {
		fmt.Fprintf(w, "# file %s\n", visible(file))
	} else {
		fmt.Fprintln(w, "# no file was read")
	}
	for _, name := range all.Names() {
		values, _ := all.Set(name)
		if len(all.Names()) > 1 {
			fmt.Fprintf(w, "\n# %s %s\n", p.Spec.Section, visible(name))
		}
		fmt.Fprint(w, visibleLines(config.Effective(p.Spec, values)))
	}
}

// visibleLines is visible for a text of several lines.
func visibleLines(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = visible(line)
	}
	return strings.Join(lines, "\n")
}

// Credentials runs the commands login and logout on the one account or identity that all holds. Fields of l that belong to the
// program are filled in.
func (p Program) Credentials(ctx context.Context, command string, all config.Loaded, values map[string]string, l Login) error {
	if names := all.Names(); len(names) > 1 {
		return fmt.Errorf("there are several: %s; name one with %s", strings.Join(names, ", "), p.Which)
	}
	l.Program, l.Prefix, l.Purpose, l.Values = p.Name, p.Spec.Prefix, p.Purpose, all.Default()
	if l.ReadSecret == nil {
		l.ReadSecret = ReadSecret
	}
	if command == "logout" {
		return l.Forget(ctx)
	}
	err := l.In(ctx)
	if err == nil {
		printFlags(l.Out, values)
	}
	return err
}

// printFlags writes the lines of the file that say what the flags of login said, since the server is started without them.
func printFlags(w io.Writer, values map[string]string) {
	flags := signInFlags()
	var lines []string
	for _, flag := range slices.Sorted(maps.Keys(flags)) {
		if values[flag] == "" {
			continue
		}
		value := strconv.Quote(values[flag])
		if flag == "--scopes" {
			value = "[" + strings.ReplaceAll(value, ",", `", "`) + "]"
		}
		lines = append(lines, strings.ToLower(flags[flag])+" = "+value)
	}
	if len(lines) > 0 {
		fmt.Fprintf(w, "Put this into the settings file, for the server:\n\n%s\n", strings.Join(lines, "\n"))
	}
}
