package config

import (
	"maps"
	"slices"
	"strings"
)

// strangers looks at names of the environment that are not declared.
func (l *loader) strangers() {
	for _, name := range slices.Sorted(maps.Keys(l.env.vals)) {
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
		names = append(names, v.placeNames()...)
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
