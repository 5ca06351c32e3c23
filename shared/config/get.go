package config

import (
	"slices"
	"time"
)

// Origin says where a setting comes from.
type Origin int

// The origins.
const (
	OriginDefault Origin = iota // what the program does if nothing is set
	OriginEnv                   // the environment
	OriginFile                  // the file, at its top or in a section
	OriginStore                 // the key store
)

// String is one word for a person.
func (o Origin) String() string {
	switch o {
	case OriginEnv:
		return "environment"
	case OriginFile:
		return "file"
	case OriginStore:
		return "key store"
	}
	return "default"
}

// Values holds one set of settings. The zero value holds nothing. It is safe for concurrent use.
type Values struct {
	vars    map[string]Var
	values  map[string]value
	secrets map[string]*Source
	store   Store
}

func newValues() Values {
	return Values{vars: map[string]Var{}, values: map[string]value{}, secrets: map[string]*Source{}}
}

// IsSet says whether name was set to something. For a secret: in any place but the key store, which is not asked.
func (v Values) IsSet(name string) bool {
	if src := v.secrets[name]; src != nil {
		return src.IsSet()
	}
	return v.values[name].origin != OriginDefault
}

// get returns the value of a declared setting.
func (v Values) get(name string, kinds ...Kind) value {
	decl, ok := v.vars[name]
	if !ok || !slices.Contains(kinds, decl.Kind) {
		panic("config: " + name + " is not declared with this kind")
	}
	return v.values[name]
}

// String returns a KindString, KindEnum or KindPath setting. Like every getter it panics if the Spec does not declare name
// with that kind, which the first test that runs the line finds.
func (v Values) String(name string) string {
	return v.get(name, KindString, KindEnum, KindPath).text
}

// Int returns a KindInt setting.
func (v Values) Int(name string) int { return int(v.get(name, KindInt).num) }

// Bool returns a KindBool setting.
func (v Values) Bool(name string) bool { return v.get(name, KindBool).yes }

// Duration returns a KindDuration setting.
func (v Values) Duration(name string) time.Duration {
	return time.Duration(v.get(name, KindDuration).num)
}

// Size returns a KindSize setting in octets.
func (v Values) Size(name string) int64 { return v.get(name, KindSize).num }

// List returns a KindList setting. The caller owns the slice.
func (v Values) List(name string) []string { return slices.Clone(v.get(name, KindList).list) }

// Secret returns where a KindSecret setting comes from. Never nil; see Source.IsSet.
func (v Values) Secret(name string) *Source {
	v.get(name, KindSecret)
	return v.secrets[name]
}

// Store returns the key store that the settings were loaded with; nil if there is none.
func (v Values) Store() Store { return v.store }
