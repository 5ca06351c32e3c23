package config

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Warning is a sentence about the environment that did not stop the start. It never holds a value.
type Warning string

// ErrSettings is wrapped by every error of Load and LoadAll.
var ErrSettings = errors.New("the settings are not usable")

// Load reads environ (NAME=value lines; of a repeated name the last counts). An empty value counts as not set. All faults
// are reported in one error (ErrSettings), one line each; no line holds a value. Load reads no file and runs no command.
func Load(environ []string, s Spec) (Values, []Warning, error) {
	all, warnings, err := LoadAll(s, Options{Environ: environ})
	if err != nil {
		return Values{}, warnings, err
	}
	return all.Default(), warnings, nil
}

// layer is one place that gives settings: the environment, a section of the file, the top of the file.
type layer struct {
	origin Origin
	place  string            // for messages: "" or such as "[account.work] "
	vals   map[string]string // by the name of the variable, in the notation of the environment
}

// label names a setting as it is written in this layer.
func (l layer) label(s Spec, name string) string {
	if l.origin == OriginEnv {
		return name
	}
	return l.place + s.key(name)
}

type loader struct {
	spec     Spec
	env      layer
	known    []string
	store    Store
	warnings []Warning
	faults   []string
}

func (l *loader) fault(label, format string, args ...any) {
	l.faults = append(l.faults, label+": "+fmt.Sprintf(format, args...))
}

// err joins the faults. The same fault of the environment shows up once for each section.
func (l *loader) err() error {
	if len(l.faults) == 0 {
		return nil
	}
	slices.Sort(l.faults)
	return fmt.Errorf("%w:\n  %s", ErrSettings, strings.Join(slices.Compact(l.faults), "\n  "))
}

// parseEnviron drops names without a value.
func parseEnviron(environ []string) map[string]string {
	env := map[string]string{}
	for _, line := range environ {
		if name, val, ok := strings.Cut(line, "="); ok && name != "" {
			env[name] = val
		}
	}
	maps.DeleteFunc(env, func(_, val string) bool { return val == "" })
	return env
}

// set reads every declared setting from layers, of which the first that has a value counts.
func (l *loader) set(layers []layer) Values {
	v := newValues()
	v.store = l.store
	for _, decl := range l.spec.Vars {
		v.vars[decl.Name] = decl
		if decl.Kind == KindSecret {
			v.secrets[decl.Name] = l.readSecret(decl, layers)
		} else {
			l.read(v, decl, layers)
		}
	}
	l.bindToStore(v)
	return v
}

// read takes one declared setting.
func (l *loader) read(v Values, decl Var, layers []layer) {
	raw, from, label := decl.Default, OriginDefault, decl.Name
	for _, at := range layers {
		if val, ok := at.vals[decl.Name]; ok {
			raw, from, label = val, at.origin, at.label(l.spec, decl.Name)
			break
		}
	}
	if raw == "" {
		return
	}
	val, err := decl.parse(raw)
	if err != nil {
		l.fault(label, "%v", err)
		return
	}
	val.origin = from
	v.values[decl.Name] = val
}

// readSecret notes where a secret comes from, and refuses more than one place in a layer. The places of a layer replace
// those of the later ones.
func (l *loader) readSecret(decl Var, layers []layer) *Source {
	src := &Source{base: decl.Name, program: l.spec.Program, places: decl.placeNames()}
	for i, at := range layers {
		var set []string
		for _, p := range places() {
			name := decl.Name + p.suffix
			val, ok := at.vals[name]
			if !ok || !decl.allows(p.from) {
				continue
			}
			label := at.label(l.spec, name)
			set = append(set, label)
			src.from, src.name, src.setting, src.origin = p.from, label, NewSecret(val), at.origin
			if err := src.checkSetting(); err != nil {
				l.fault(label, "%v", err)
			}
		}
		if len(set) > 1 {
			l.fault(set[0], "%s are both set; set one of them", strings.Join(set, " and "))
		}
		if len(set) > 0 {
			l.bound(set[0], layers[:i], layers[i:])
			break
		}
	}
	return src
}

// bound refuses a secret that a layer gives for one server and user, and an earlier layer gives others.
//
// Security: a password that was written down beside one server must not be shown to another.
func (l *loader) bound(label string, before, from []layer) {
	for _, name := range l.spec.Bound {
		mine, ok := firstOf(from, name)
		theirs, overridden := firstOf(before, name)
		if ok && overridden && mine != theirs {
			l.fault(label, "belongs to the %s of the file, and the environment sets %s to something else; give both in the same place", l.spec.key(name), name)
		}
	}
}

func firstOf(layers []layer, name string) (string, bool) {
	for _, at := range layers {
		if val, ok := at.vals[name]; ok {
			return val, true
		}
	}
	return "", false
}

// bindToStore names the entries of the key store after what the secrets belong to.
func (l *loader) bindToStore(v Values) {
	var parts []string
	for _, name := range l.spec.Bound {
		parts = append(parts, strings.ToLower(v.values[name].text))
	}
	if l.store == nil || len(parts) == 0 || slices.Contains(parts, "") {
		return
	}
	for name, src := range v.secrets {
		if v.vars[name].allows(FromStore) {
			src.store, src.entry = l.store, l.spec.key(name)+" "+strings.Join(parts, "@")
		}
	}
}
