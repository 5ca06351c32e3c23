package config

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// ErrNoSecret is returned by Source.Get if no place for the secret was set.
var ErrNoSecret = errors.New("no secret is set")

// ErrSecret is wrapped by every other error of Source.Get.
var ErrSecret = errors.New("the secret cannot be read")

const maxSecretOctets = 16 << 10 // OAuth tokens of several kB have been seen

// Store is the key store of the operating system. ok is false if it has no such entry. Errors must not hold a secret.
type Store interface {
	Get(ctx context.Context, entry string) (secret string, ok bool, err error)
	Set(ctx context.Context, entry, secret string) error
	Delete(ctx context.Context, entry string) error
}

// place is a way to give a secret.
type place struct {
	from   From
	suffix string
}

func places() []place {
	return []place{{FromEnv, ""}, {FromFile, "_FILE"}, {FromCommand, "_COMMAND"}}
}

func (v Var) allows(f From) bool { return v.From == 0 || v.From&f != 0 }

// placeNames lists the names under which a setting can be given: one, or up to three for a secret.
func (v Var) placeNames() []string {
	if v.Kind != KindSecret {
		return []string{v.Name}
	}
	var names []string
	for _, p := range places() {
		if v.allows(p.from) {
			names = append(names, v.Name+p.suffix)
		}
	}
	return names
}

// Source is a place where a secret is found when it is needed. It is safe for concurrent use.
type Source struct {
	base    string
	program string
	places  []string
	from    From   // 0 if none is set
	origin  Origin // of the place that is set
	name    string // of the variable or key that is set
	setting Secret // its value: the secret, a path or a command
	store   Store  // nil if the key store is not to be asked
	entry   string // of the key store

	mu   sync.Mutex
	kept *Secret       // output of the command
	busy chan struct{} // closed when the command that runs has ended
}

// IsSet says whether any place was configured. It reads nothing.
func (s *Source) IsSet() bool { return s.from != 0 }

// IsStored says whether the key store is asked for the secret: no other place is set, and there is a key store. Whether it
// has the secret shows when it is needed.
func (s *Source) IsStored() bool { return s.from == 0 && s.store != nil }

// Entry is the name of the secret in the key store, which is made of what the secret belongs to. It is empty if there is no
// key store, or if that is not known yet (no user, no host).
func (s *Source) Entry() string { return s.entry }

// Name returns the variable that configures the place (IMAP_PASSWORD_FILE). If none is set it returns the first possible one.
func (s *Source) Name() string {
	if s.name == "" && len(s.places) > 0 {
		return s.places[0]
	}
	return s.name
}

// Names returns all variables that could configure the secret, for a message that says what to set.
func (s *Source) Names() []string { return append([]string(nil), s.places...) }

// Get returns the secret. A file is read each time, so a changed one counts at once; a command runs once and its output
// is kept until Invalidate. It blocks for a file or a command (30 s at most) and ends early with ctx. Errors name the
// variable and say what to do; they never hold the secret, the path or the output. ErrNoSecret if no place is set, else
// ErrSecret.
func (s *Source) Get(ctx context.Context) (Secret, error) {
	var sec Secret
	var err error
	switch s.from {
	case FromEnv:
		return s.setting, nil
	case FromFile:
		sec, err = readFile(s.name, s.setting.Reveal())
	case FromCommand:
		sec, err = s.fromCommand(ctx)
	default:
		return s.fromStore(ctx)
	}
	if err != nil {
		return Secret{}, fmt.Errorf("%w: %s: %w", ErrSecret, s.name, err)
	}
	return sec, nil
}

// fromStore asks the key store, which is also read each time.
func (s *Source) fromStore(ctx context.Context) (Secret, error) {
	set := "set " + strings.Join(s.places, " or ")
	if s.store == nil {
		return Secret{}, fmt.Errorf("%w; %s", ErrNoSecret, set)
	}
	sec, ok, err := s.store.Get(ctx, s.entry)
	switch {
	case err != nil:
		return Secret{}, fmt.Errorf("%w; run %s login, or %s (key store: %w)", ErrNoSecret, s.program, set, err)
	case !ok:
		return Secret{}, fmt.Errorf("%w, and the key store has none for this user and host; run %s login, or %s", ErrNoSecret, s.program, set)
	}
	return NewSecret(sec), checkSecret(sec)
}

// Invalidate forgets the output of a command, after a server refused it. A command that is running is not stopped.
func (s *Source) Invalidate() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.kept = nil
}

// checkSetting refuses what can be refused without reading anything.
func (s *Source) checkSetting() error {
	switch s.from {
	case FromFile:
		_, err := parsePath(s.setting.Reveal())
		return err
	case FromCommand:
		_, err := SplitCommand(s.setting.Reveal())
		return err
	default:
		return checkSecret(s.setting.Reveal())
	}
}

// checkSecret refuses what no server takes as a password, and what is most likely a slip.
func checkSecret(s string) error {
	switch {
	case s == "":
		return errors.New("the secret is empty")
	case len(s) > maxSecretOctets:
		return fmt.Errorf("the secret is longer than %d octets", maxSecretOctets)
	case !utf8.ValidString(s) || strings.ContainsFunc(s, unicode.IsControl):
		return errors.New("the secret has a line break or another control character, or is not UTF-8")
	}
	return nil
}

// containerSecrets is where container runtimes mount secrets. They set the modes themselves (0444), inside a file system
// that belongs to the one container.
const containerSecrets = "/run/secrets/"

// readFile reads a secret from a file that nobody else may read. One line end is trimmed.
func readFile(name, setting string) (Secret, error) {
	path, err := parsePath(setting)
	if err != nil {
		return Secret{}, err
	}
	f, err := os.Open(path.text)
	if err != nil {
		return Secret{}, fileError(err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return Secret{}, fileError(err)
	}
	if !info.Mode().IsRegular() {
		return Secret{}, errors.New("it must name a regular file")
	}
	if runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 && !strings.HasPrefix(filepath.ToSlash(path.text), containerSecrets) {
		return Secret{}, fmt.Errorf(`others may read the file; run: chmod 600 "$%s"`, name)
	}
	data, err := io.ReadAll(io.LimitReader(f, maxSecretOctets+3))
	if err != nil {
		return Secret{}, fileError(err)
	}
	sec := trimLineEnd(string(data))
	if strings.Contains(sec, "\n") {
		return Secret{}, errors.New("the file has more than one line; it must hold the secret alone")
	}
	return NewSecret(sec), checkSecret(sec)
}

func trimLineEnd(s string) string { return strings.TrimSuffix(strings.TrimSuffix(s, "\n"), "\r") }

// fileError says what happened without the path that the system puts into its errors.
func fileError(err error) error {
	switch {
	case errors.Is(err, os.ErrNotExist):
		return errors.New("there is no such file")
	case errors.Is(err, os.ErrPermission):
		return errors.New("the file may not be read by this user")
	}
	return errors.New("the file cannot be read")
}
