package config

import (
	"slices"
	"strings"
)

// Options say where settings are read.
type Options struct {
	// Environ holds NAME=value lines. It wins over the file.
	Environ []string
	// File is the path of the file; empty means none. A file that is not there is a fault only if Required is set.
	File     string
	Required bool
	// Store is the key store; nil means none.
	Store Store
}

// Loaded holds one set of settings for each section of the file, or the only one. It is safe for concurrent use.
type Loaded struct {
	names    []string
	sets     map[string]Values
	file     string
	sections bool
}

// Names returns the names of the sets, in the order of the file; the first is the default. Without sections it is the one
// name that the Selector gives.
func (l Loaded) Names() []string { return slices.Clone(l.names) }

// Set returns the settings of a section. ok is false if there is none of that name.
func (l Loaded) Set(name string) (v Values, ok bool) {
	v, ok = l.sets[name]
	return v, ok
}

// Default returns the first set.
func (l Loaded) Default() Values { return l.sets[l.names[0]] }

// HasSections says whether the names are those of sections of the file.
func (l Loaded) HasSections() bool { return l.sections }

// File returns the path of the file that was read, or "".
func (l Loaded) File() string { return l.file }

// LoadAll reads the environment and the file. All faults are reported in one error (ErrSettings), one line each; no line
// holds a value. It runs no command and reads nothing else. With sections in the file there is a set for each; settings of
// the environment count before those of the section, and those before the top of the file.
func LoadAll(s Spec, o Options) (Loaded, []Warning, error) {
	l := loader{spec: s, known: s.names(), store: o.Store, env: layer{origin: OriginEnv, vals: parseEnviron(o.Environ)}}
	l.strangers()
	f, err := readSettings(s, o)
	if err != nil {
		return Loaded{}, l.warnings, err
	}
	l.faults = append(l.faults, f.faults...)
	all := Loaded{sets: map[string]Values{}, file: f.path, sections: len(f.sections) > 0}
	if len(f.sections) == 0 {
		l.single(&all, f.top)
	} else {
		l.sections(&all, f)
	}
	if err := l.err(); err != nil {
		return Loaded{}, l.warnings, err
	}
	return all, l.warnings, nil
}

// single reads the only set.
func (l *loader) single(all *Loaded, top layer) {
	v := l.set([]layer{l.env, top})
	name := v.values[l.spec.Selector].text
	all.names, all.sets[name] = []string{name}, v
}

// sections reads a set for each section, or for the one that the environment picks.
func (l *loader) sections(all *Loaded, f settingsFile) {
	picked := l.env.vals[l.spec.Selector]
	for _, section := range f.sections {
		if picked == "" || picked == section.name {
			all.names = append(all.names, section.name)
		}
	}
	if len(all.names) == 0 {
		l.fault(l.spec.Selector, "names no [%s.NAME] of the file", l.spec.Section)
		return
	}
	l.ownInEnv(len(all.names))
	for _, section := range f.sections {
		if !slices.Contains(all.names, section.name) {
			continue
		}
		section.vals[l.spec.Selector] = section.name
		all.sets[section.name] = l.set([]layer{l.env, section.layer, f.top})
	}
}

// ownInEnv refuses what would give several sections the same server or password.
func (l *loader) ownInEnv(sections int) {
	if sections < 2 {
		return
	}
	for _, decl := range l.spec.Vars {
		for _, name := range decl.placeNames() {
			if _, set := l.env.vals[name]; set && decl.Scope == ScopeOwn {
				l.fault(name, "the file has several [%s.NAME]: write it into one of them, or pick one with %s", l.spec.Section, l.spec.Selector)
			}
		}
	}
}

// key is the name of a setting in the file.
func (s Spec) key(name string) string {
	return strings.ToLower(strings.TrimPrefix(name, s.Prefix))
}
