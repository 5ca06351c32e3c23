package config

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

const (
	commandTimeout   = 30 * time.Second // a password manager may ask a person to unlock it
	commandWaitDelay = time.Second      // for children of the command that keep its output open
)

var (
	errCommandTimeout = errors.New("the command did not end within 30 seconds")
	errCommandOutput  = errors.New("the command printed more than a secret can be long")
)

// fromCommand returns the kept output, or runs the command. Callers at the same time share one run.
func (s *Source) fromCommand(ctx context.Context) (Secret, error) {
	for {
		s.mu.Lock()
		if s.kept != nil {
			defer s.mu.Unlock()
			return *s.kept, nil
		}
		if s.busy == nil {
			s.busy = make(chan struct{})
			s.mu.Unlock()
			return s.runAndKeep(ctx)
		}
		busy := s.busy
		s.mu.Unlock()
		select {
		case <-busy:
		case <-ctx.Done():
			return Secret{}, ctx.Err()
		}
	}
}

// runAndKeep runs the command for all who wait. A failure is not kept: the next caller tries again.
func (s *Source) runAndKeep(ctx context.Context) (Secret, error) {
	sec, err := runCommand(ctx, s.setting.Reveal(), commandTimeout)
	s.mu.Lock()
	defer s.mu.Unlock()
	close(s.busy)
	s.busy = nil
	if err == nil {
		s.kept = &sec
	}
	return sec, err
}

// runCommand runs a command without a shell and takes the first line of its output, as password managers print it. The
// command has no input; what it writes to standard error is thrown away, because it may hold anything.
func runCommand(ctx context.Context, command string, timeout time.Duration) (Secret, error) {
	args, err := SplitCommand(command)
	if err != nil {
		return Secret{}, err
	}
	limited, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	out := &boundedBuffer{stop: cancel}
	cmd := exec.CommandContext(limited, args[0], args[1:]...)
	cmd.Stdout, cmd.WaitDelay = out, commandWaitDelay
	err = cmd.Run()
	switch {
	case out.full:
		return Secret{}, errCommandOutput
	case ctx.Err() != nil:
		return Secret{}, ctx.Err()
	case limited.Err() != nil:
		return Secret{}, errCommandTimeout
	case err != nil:
		return Secret{}, commandError(err)
	}
	line, _, _ := strings.Cut(out.b.String(), "\n")
	line = trimLineEnd(line)
	if line == "" {
		return Secret{}, errors.New("the first line of the command's output is empty")
	}
	return NewSecret(line), checkSecret(line)
}

// commandError says how the command failed. The text of the error would name the command.
func commandError(err error) error {
	var exit *exec.ExitError
	switch {
	case errors.Is(err, exec.ErrNotFound) || errors.Is(err, os.ErrNotExist):
		return errors.New("there is no such program; write its whole path")
	case errors.Is(err, os.ErrPermission):
		return errors.New("the program may not be run by this user")
	case errors.As(err, &exit):
		return fmt.Errorf("the command ended with status %d; run it in a terminal to see why", exit.ExitCode())
	}
	return errors.New("the command could not be run")
}

// boundedBuffer keeps up to maxSecretOctets and stops the command beyond.
type boundedBuffer struct {
	b    bytes.Buffer
	full bool
	stop func()
}

func (b *boundedBuffer) Write(p []byte) (int, error) {
	if b.b.Len()+len(p) > maxSecretOctets {
		b.full = true
		b.stop()
		return 0, errCommandOutput
	}
	return b.b.Write(p)
}

// SplitCommand splits a command into words without a shell. Words are separated by spaces. 'Single' and "double" quotes
// keep spaces; between double quotes \" and \\ stand for " and \. Everywhere else a backslash is a backslash, as in Windows
// paths. A first word that begins with ~/ is taken from the home directory. Nothing else is expanded.
func SplitCommand(s string) ([]string, error) {
	var words []string
	var w strings.Builder
	inWord, quote := false, byte(0)
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case c < ' ' || c == 0x7f:
			return nil, errors.New("the command has a line break or another control character")
		case quote == '"' && c == '\\' && i+1 < len(s) && (s[i+1] == '"' || s[i+1] == '\\'):
			i++
			w.WriteByte(s[i])
		case quote != 0 && c == quote:
			quote = 0
		case quote != 0:
			w.WriteByte(c)
		case c == '\'' || c == '"':
			quote, inWord = c, true
		case c == ' ' && inWord:
			words, inWord = append(words, w.String()), false
			w.Reset()
		case c == ' ':
		default:
			inWord = true
			w.WriteByte(c)
		}
	}
	if quote != 0 {
		return nil, fmt.Errorf("a quotation mark %c is not closed", quote)
	}
	if inWord {
		words = append(words, w.String())
	}
	return homeProgram(words)
}

// homeProgram expands ~/ in the name of the program.
func homeProgram(words []string) ([]string, error) {
	if len(words) == 0 || words[0] == "" {
		return nil, errors.New("the command is empty")
	}
	if rest, ok := strings.CutPrefix(words[0], "~/"); ok {
		home, err := os.UserHomeDir()
		if err != nil {
			return nil, errors.New("the home directory is not known; write the whole path")
		}
		words[0] = filepath.Join(home, rest)
	}
	return words, nil
}
