package config

import (
	"fmt"
	"io"
	"log/slog"
)

// redacted is what every formatting of a Secret gives.
const redacted = "[redacted]"

// Secret is a value that prints as [redacted] in every way Go knows. The zero value is the empty secret.
//
// The value sits behind a function, not in a field: formatting a struct with an unexported Secret in it calls none of
// the methods below, and would print a field.
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

// IsEmpty says whether the secret is the empty string.
func (s Secret) IsEmpty() bool { return s.Reveal() == "" }

// Format implements fmt.Formatter for every verb.
func (Secret) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, redacted) }

// String implements fmt.Stringer.
func (Secret) String() string { return redacted }

// GoString implements fmt.GoStringer.
func (Secret) GoString() string { return redacted }

// MarshalText implements encoding.TextMarshaler, and so JSON, TOML and XML.
func (Secret) MarshalText() ([]byte, error) { return []byte(redacted), nil }

// LogValue implements slog.LogValuer.
func (Secret) LogValue() slog.Value { return slog.StringValue(redacted) }
