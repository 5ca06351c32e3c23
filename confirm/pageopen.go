package confirm

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"

	"mailgap/shared/config"
)

// openTime is how long a program that opens a browser is watched for failing. Limit: some of them run as long as the
// browser does, and are left alone then.
const openTime = 4 * time.Second

// OpenBrowser returns an Opener for this operating system. command, if not empty, is run instead: words separated by spaces,
// quoted as for secret commands, the URL in place of %s or as the last word; no shell is involved. It fails if command cannot
// be split. The Opener returns ErrNoBrowser if there is no display, no such program, or the program fails at once.
//
// Who can read the URL on its way: on Linux the other users of the machine, in the list of processes, and the page refuses
// their connections; on Windows and macOS nobody but this user and administrators (macOS gets it through a pipe). A file that
// leads to the page would hide it better from the list, but browsers in a sandbox of their own (snap, flatpak) cannot read
// private files, and what a file leads to looks to a browser like what another site leads to, which the page refuses.
func OpenBrowser(command string) (Opener, error) {
	words := systemOpener(runtime.GOOS)
	if command != "" {
		var err error
		if words, err = config.SplitCommand(command); err != nil {
			return nil, err
		}
	}
	return func(ctx context.Context, url string) error {
		if command == "" && !hasDisplay(runtime.GOOS, os.Getenv) {
			return fmt.Errorf("%w: no display", ErrNoBrowser)
		}
		return launch(ctx, openCommand(words, url))
	}, nil
}

// systemOpener is what opens a URL in the person's browser.
func systemOpener(goos string) []string {
	switch goos {
	case "darwin":
		return []string{"osascript", "-"}
	case "windows":
		return []string{"rundll32", "url.dll,FileProtocolHandler"}
	}
	return []string{"xdg-open"}
}

// HasDisplay says whether a browser could be before the person who uses this process: there is a display, and it is not that of
// another machine.
func HasDisplay(getenv func(string) string) bool {
	remote := getenv("SSH_CONNECTION") != "" && getenv("DISPLAY") == "" && getenv("WAYLAND_DISPLAY") == ""
	return hasDisplay(runtime.GOOS, getenv) && !remote
}

// hasDisplay keeps xdg-open from starting a text browser on the terminal that carries the protocol.
func hasDisplay(goos string, getenv func(string) string) bool {
	return goos == "darwin" || goos == "windows" || getenv("DISPLAY") != "" || getenv("WAYLAND_DISPLAY") != ""
}

// openCommand puts the URL where the program takes it.
func openCommand(words []string, url string) *exec.Cmd {
	if len(words) == 2 && words[0] == "osascript" && words[1] == "-" {
		cmd := exec.Command(words[0], words[1])
		cmd.Stdin = strings.NewReader(fmt.Sprintf("open location %q\n", url)) // of our own letters and digits
		return cmd
	}
	args, placed := make([]string, 0, len(words)+1), false
	for _, w := range words {
		placed = placed || strings.Contains(w, "%s")
		args = append(args, strings.ReplaceAll(w, "%s", url))
	}
	if !placed {
		args = append(args, url)
	}
	return exec.Command(args[0], args[1:]...)
}

// launch runs cmd in a session of its own, with nothing of this process's input and output, which carry the protocol. It waits for
// it to end or for openTime. It is not stopped afterwards: it may be the browser.
func launch(ctx context.Context, cmd *exec.Cmd) error {
	cmd.SysProcAttr = detached()
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("%w: the program that opens it could not be started", ErrNoBrowser) // err would name it
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	watch := time.NewTimer(openTime)
	defer watch.Stop()
	select {
	case err := <-ended:
		if err != nil {
			return fmt.Errorf("%w: the program that opens it failed", ErrNoBrowser)
		}
	case <-watch.C:
	case <-ctx.Done():
	}
	return nil
}
