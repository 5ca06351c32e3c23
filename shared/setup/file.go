package setup

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"

	tomlfile "github.com/BurntSushi/toml"

	"mailgap/shared/config"
)

// existing is the settings file before.
type existing struct {
	path   string
	text   string
	there  bool
	names  []string // of its sections, or of the one account above all sections
	flat   bool     // the one account stands above all sections
	loaded config.Loaded
	tree   map[string]any
	spec   config.Spec
}

// readExisting reads the file, which need not be there. One with faults is ErrBroken: what it means is not known.
func readExisting(spec config.Spec, path string) (existing, error) {
	e := existing{path: path, spec: spec}
	data, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return e, nil
	}
	if err != nil {
		return e, fmt.Errorf("%w: it cannot be read", ErrBroken)
	}
	loaded, _, err := config.LoadAll(spec, config.Options{File: path})
	if err != nil {
		return e, fmt.Errorf("%w: %w", ErrBroken, err)
	}
	e.text, e.there, e.loaded = string(data), true, loaded
	if _, err := tomlfile.Decode(e.text, &e.tree); err != nil {
		return e, fmt.Errorf("%w: it is not TOML", ErrBroken)
	}
	if _, sections := e.tree[spec.Section].(map[string]any); sections {
		e.names = loaded.Names()
	} else if len(e.ownKeys()) > 0 {
		e.names, e.flat = loaded.Names(), true
	}
	return e, nil
}

// ownKeys lists the keys above all sections that belong to one account.
func (e existing) ownKeys() []string {
	var own []string
	for _, v := range e.spec.Vars {
		if v.Scope != config.ScopeOwn {
			continue
		}
		key := e.key(v.Name)
		for _, name := range []string{key, key + "_file", key + "_command"} {
			if _, ok := e.tree[name]; ok {
				own = append(own, name)
			}
		}
	}
	slices.Sort(own)
	return slices.Compact(own)
}

// key is the name of a setting in the file.
func (e existing) key(name string) string {
	return strings.ToLower(strings.TrimPrefix(name, e.spec.Prefix))
}

// sets says whether the file has a key above all sections.
func (e existing) sets(key string) bool { _, ok := e.tree[key]; return ok }

// has returns the name of the account with this user and host.
func (e existing) has(prefix, user, host string) (string, bool) {
	for _, name := range e.names {
		v, _ := e.loaded.Set(name)
		if strings.EqualFold(v.String(prefix+"USER"), user) && strings.EqualFold(v.String(prefix+"HOST"), host) {
			return name, true
		}
	}
	return "", false
}

// extend returns the text with the new section, and with entries above all sections. Everything else stays as it is, but for
// lines of one account that stood above all sections: they move into a section of their own, in their order.
func (e existing) extend(program string, top []entry, name string, own []entry) (string, error) {
	text := e.text
	if e.flat {
		var err error
		if text, err = e.divide(); err != nil {
			return "", err
		}
	}
	top = slices.DeleteFunc(slices.Clone(top), func(t entry) bool { return e.sets(t.key) })
	if !e.there {
		text = "# Settings of " + program + ", begun by " + program + " setup. All there are: " + program + " settings\n\n" + toml(top)
	} else if len(top) > 0 {
		text = aboveSections(text, toml(top))
	}
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	if !strings.HasSuffix(text, "\n\n") && text != "" {
		text += "\n"
	}
	return text + "[" + e.spec.Section + "." + name + "]\n" + toml(own), nil
}

// aboveSections puts lines where they hold for the program: below the comment that begins the file.
func aboveSections(text, lines string) string {
	rest := text
	for strings.HasPrefix(rest, "#") {
		_, rest, _ = strings.Cut(rest, "\n")
	}
	if !strings.HasPrefix(rest, "\n") { // the comment belongs to what follows it
		rest = text
	}
	head := text[:len(text)-len(rest)]
	if head != "" && !strings.HasSuffix(head, "\n") {
		head += "\n"
	}
	return head + lines + rest
}

var keyLine = regexp.MustCompile(`^[ \t]*([a-z0-9_]+)[ \t]*=`)

// divide moves the lines of the one account into a section, each with the comment right above it. It refuses values of
// several lines.
func (e existing) divide() (string, error) {
	own := e.ownKeys()
	var stay, move, comment []string
	moved := map[string]bool{}
	for _, line := range strings.SplitAfter(e.text, "\n") {
		m := keyLine.FindStringSubmatch(line)
		switch {
		case strings.HasPrefix(strings.TrimSpace(line), "#"):
			comment = append(comment, line)
			continue
		case m != nil && slices.Contains(own, m[1]):
			var one map[string]any
			if _, err := tomlfile.Decode(line, &one); err != nil {
				return "", fmt.Errorf("%w: %s spans several lines; put the account into a section [%s.NAME] first", ErrFile, m[1], e.spec.Section)
			}
			moved[m[1]] = true
			move = append(append(move, comment...), line)
		default:
			stay = append(append(stay, comment...), line)
		}
		comment = nil
	}
	stay = append(stay, comment...)
	if len(slices.Collect(maps.Keys(moved))) != len(own) {
		return "", fmt.Errorf("%w: put the account into a section [%s.NAME] first", ErrFile, e.spec.Section)
	}
	head := strings.TrimRight(strings.Join(stay, ""), "\n")
	if head != "" {
		head += "\n\n"
	}
	return head + "[" + e.spec.Section + "." + e.names[0] + "]\n" + strings.Join(move, ""), nil
}

// verify loads what would be written, from a file beside the old one, and compares: the new section is there, and nothing
// else means anything else than before.
func (e existing) verify(temp, name string) (after config.Loaded, err error) {
	after, _, err = config.LoadAll(e.spec, config.Options{File: temp, Required: true})
	if err != nil {
		return after, fmt.Errorf("%w: %w", ErrFile, err)
	}
	if want := append(slices.Clone(e.names), name); !slices.Equal(slices.Sorted(slices.Values(after.Names())), slices.Sorted(slices.Values(want))) {
		return after, fmt.Errorf("%w: the sections would be %s", ErrFile, strings.Join(after.Names(), ", "))
	}
	for _, old := range e.names {
		before, _ := e.loaded.Set(old)
		now, _ := after.Set(old)
		if e.meaning(old, before) != e.meaning(old, now) {
			return after, fmt.Errorf("%w: %s would change", ErrFile, old)
		}
	}
	return after, nil
}

// meaning is what an account's own settings say. Settings for the whole program are left out: sending may be switched on.
func (e existing) meaning(name string, v config.Values) string {
	spec := e.spec
	spec.Vars = slices.DeleteFunc(slices.Clone(spec.Vars), func(v config.Var) bool { return v.Scope == config.ScopeProgram || v.Name == spec.Selector })
	return strings.ReplaceAll(config.Effective(spec, v), "["+spec.Section+"."+name+"] ", "")
}
