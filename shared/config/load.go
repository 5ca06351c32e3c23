package config

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// Warning is a sentence about the environment that did not stop the start. It never holds a value.
type Warning string

// Values holds the settings that Load read. The zero value holds nothing. It is safe for concurrent use.
type Values struct {
	vars    map[string]Var
	values  map[string]value
	secrets map[string]*Source
}

// ErrSettings is wrapped by every error of Load.
var ErrSettings = errors.New("the settings are not usable")

// Load reads environ (NAME=value lines; of a repeated name the last counts). An empty value counts as not set. All faults
// are reported in one error (ErrSettings), one line each; no line holds a value. Load reads no file and runs no command.
func Load(environ []string, s Spec) (Values, []Warning, error) {
	env := parseEnviron(environ)
	l := loader{spec: s, env: env, known: s.names(), v: Values{
		vars: map[string]Var{}, values: map[string]value{}, secrets: map[string]*Source{},
	}}
	for _, v := range s.Vars {
		l.read(v)
	}
	l.strangers()
	if len(l.faults) == 0 {
		return l.v, l.warnings, nil
	}
	slices.Sort(l.faults)
	return Values{}, l.warnings, fmt.Errorf("%w:\n  %s", ErrSettings, strings.Join(l.faults, "\n  "))
}

type loader struct {
	spec     Spec
	env      map[string]string
	known    []string
	v        Values
	warnings []Warning
	faults   []string
}

func (l *loader) fault(name, format string, args ...any) {
	l.faults = append(l.faults, name+": "+fmt.Sprintf(format, args...))
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

// read takes one declared setting.
func (l *loader) read(v Var) {
	l.v.vars[v.Name] = v
	if v.Kind == KindSecret {
		l.readSecret(v)
		return
	}
	raw, set := l.env[v.Name]
	if !set {
		raw = v.Default
	}
	if raw == "" {
		return
	}
	val, err := v.parse(raw)
	if err != nil {
		l.fault(v.Name, "%v", err)
		return
	}
	val.set = set
	l.v.values[v.Name] = val
}

// readSecret notes where a secret comes from, and refuses more than one place.
func (l *loader) readSecret(v Var) {
	src := &Source{base: v.Name, places: v.placeNames()}
	var set []string
	for _, p := range places() {
		name := v.Name + p.suffix
		val, ok := l.env[name]
		if !ok || !v.allows(p.from) {
			continue
		}
		set = append(set, name)
		src.from, src.name, src.setting = p.from, name, NewSecret(val)
		if err := src.checkSetting(); err != nil {
			l.fault(name, "%v", err)
		}
	}
	if len(set) > 1 {
		l.fault(set[0], "%s are both set; set one of them", strings.Join(set, " and "))
	}
	l.v.secrets[v.Name] = src
}

// strangers looks at names that are not declared.
func (l *loader) strangers() {
	for _, name := range slices.Sorted(maps.Keys(l.env)) {
		if slices.Contains(l.known, name) || slices.Contains(l.spec.Ignore, name) {
			continue
		}
		if hint := l.spec.hint(name); hint != "" {
			l.foreign(name, hint)
			continue
		}
		if miss := l.nearMiss(name); miss != "" {
			l.fault(name, "is not read; write %s", miss)
			continue
		}
		if l.ours(name) {
			l.warn(name)
		}
	}
}

// foreign deals with a name of another program. With our prefix it was meant for us, and is refused; without, it may be
// there for that other program.
func (l *loader) foreign(name, hint string) {
	if l.ours(name) {
		l.fault(name, "is not read; %s", hint)
		return
	}
	l.warnings = append(l.warnings, Warning(name+": is not read by this program; if it was meant for it, "+hint))
}

// ours says whether a name carries one of our prefixes, in any case.
func (l *loader) ours(name string) bool {
	for _, p := range append([]string{l.spec.Prefix}, l.spec.ExtraPrefixes...) {
		if p != "" && len(name) > len(p) && strings.EqualFold(name[:len(p)], p) {
			return true
		}
	}
	return false
}

// nearMiss returns the declared name that name was most likely meant to be. Names without our prefix are left alone,
// unless it is only the prefix that is wrong by a slip (IMPA_HOST).
func (l *loader) nearMiss(name string) string {
	if !l.ours(name) && !l.slippedPrefix(name) {
		return ""
	}
	best, bestDist := "", 1<<30
	for _, k := range l.known {
		if d := distance(bare(name), bare(k)); nearMiss(l.tail(name), l.tail(k)) && d < bestDist {
			best, bestDist = k, d
		}
	}
	return best
}

// tail is the name without the prefix, so that the prefix does not make short names look alike.
func (l *loader) tail(name string) string {
	if _, rest, ok := strings.Cut(name, "_"); ok {
		return rest
	}
	return name
}

func (l *loader) slippedPrefix(name string) bool {
	head, _, ok := strings.Cut(name, "_")
	return ok && distance(strings.ToUpper(head), strings.TrimSuffix(l.spec.Prefix, "_")) == 1
}

func (l *loader) warn(name string) {
	w := name + ": is not a setting of this program and is ignored"
	if near := nearest(name, l.known); near != "" {
		w += "; the nearest setting is " + near
	}
	l.warnings = append(l.warnings, Warning(w))
}

// names lists every name that is read.
func (s Spec) names() []string {
	var names []string
	for _, v := range s.Vars {
		if v.Kind == KindSecret {
			names = append(names, v.placeNames()...)
			continue
		}
		names = append(names, v.Name)
	}
	return names
}

// hint returns the sentence for a foreign name.
func (s Spec) hint(name string) string {
	if h := s.Hints[name]; h != "" {
		return h
	}
	for _, v := range s.Vars {
		if slices.Contains(v.Aliases, name) {
			return "write " + v.placeNames()[0]
		}
	}
	return ""
}

// IsSet says whether the environment set name to something other than the empty string. For a secret: in any place.
func (v Values) IsSet(name string) bool {
	if src := v.secrets[name]; src != nil {
		return src.IsSet()
	}
	return v.values[name].set
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
