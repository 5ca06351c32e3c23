package config

import (
	"errors"
	"time"
)

// Warning is a sentence about the environment that did not stop the start. It never holds a value.
type Warning string

// Values holds the settings that Load read. The zero value holds nothing. It is safe for concurrent use.
type Values struct{}

// Load reads environ (NAME=value lines). All faults are reported in one error, one line each; no line holds a value.
// Load reads no file and runs no command.
func Load(environ []string, s Spec) (Values, []Warning, error) {
	return Values{}, nil, errors.New("config: not implemented")
}

// LoadProcess is Load on the environment of this process. Secrets are removed from that environment, also when Load fails.
func LoadProcess(s Spec) (Values, []Warning, error) { return Load(nil, s) }

// IsSet says whether the environment set name to something other than the empty string.
func (v Values) IsSet(name string) bool { return false }

// String returns a KindString, KindEnum or KindPath setting. Like every getter it panics if the Spec does not declare name
// with that kind, which the first test that runs the line finds.
func (v Values) String(name string) string { return "" }

// Int returns a KindInt setting.
func (v Values) Int(name string) int { return 0 }

// Bool returns a KindBool setting.
func (v Values) Bool(name string) bool { return false }

// Duration returns a KindDuration setting.
func (v Values) Duration(name string) time.Duration { return 0 }

// Size returns a KindSize setting in octets.
func (v Values) Size(name string) int64 { return 0 }

// List returns a KindList setting. The caller owns the slice.
func (v Values) List(name string) []string { return nil }

// Secret returns where a KindSecret setting comes from. Never nil; see Source.IsSet.
func (v Values) Secret(name string) *Source { return &Source{} }
