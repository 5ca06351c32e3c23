package setup

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"runtime"

	"mailgap/shared/cli"
	"mailgap/shared/config"
	"mailgap/shared/keystore"
	"mailgap/shared/provider/discover"
)

// Command is the setup command of a program.
type Command struct {
	Program  cli.Program
	Flags    map[string]string // of the command line: --config
	Store    config.Store      // nil means the key store of the operating system
	Check    func(ctx context.Context, settings config.Loaded, report func(Step)) (ok bool, err error)
	Validate func(settings config.Loaded) error
}

// ErrNoHome is returned where the system does not say where a user's settings are.
var ErrNoHome = errors.New("where your settings are is not known; name a file with --config")

// Run asks on the controlling terminal. Errors are ErrNoTerminal, ErrNoHome and those of Run.
func (c Command) Run(ctx context.Context) error {
	o, err := c.options()
	if err != nil {
		return err
	}
	terminal, err := OpenTerminal()
	if err != nil {
		return err
	}
	defer terminal.Close()
	o.Terminal = terminal
	return Run(ctx, o)
}

func (c Command) options() (Options, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		return Options{}, ErrNoHome
	}
	o := Options{
		Program: c.Program, Check: c.Check, Validate: c.Validate, Store: c.Store, Find: discover.Finder{Resolver: net.DefaultResolver}.Find,
		File: c.Flags["--config"], Executable: executable(c.Program.Name), Place: Place{OS: runtime.GOOS, Home: home, Getenv: os.Getenv},
	}
	if o.Store == nil {
		o.Store = keystore.New("mailgap " + c.Program.Name)
	}
	if o.File == "" {
		o.File, o.Standard = config.DefaultFile(c.Program.File), true
	}
	if o.File == "" {
		return Options{}, ErrNoHome
	}
	o.File, err = filepath.Abs(o.File)
	return o, err
}

// executable is the path of this program. Symbolic links stay: package managers change where they lead.
func executable(name string) string {
	path, err := os.Executable()
	if err != nil {
		return name
	}
	return path
}

// Hint says what to do about an error of Run, or "".
func Hint(program string, err error) string {
	switch {
	case errors.Is(err, ErrNoTerminal):
		return "run it in a terminal; for scripts, write the file yourself: " + program + " settings lists all settings, " + program + " check tests them"
	case errors.Is(err, ErrBroken):
		return program + " config shows what is wrong with it"
	case errors.Is(err, ErrEnded):
		return program + " setup begins again"
	}
	return ""
}
