package config

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/BurntSushi/toml"
)

const (
	maxFileOctets  = 256 << 10 // of a settings file; ten accounts need 5 kB
	maxSections    = 32        // a model sees their names in every schema
	maxQuotedChars = 40        // of an unknown key in a message
)

// DefaultFile is where a program looks for its file if it is told nothing else: mailgap/NAME in the user's configuration
// directory. It is empty if that is not known.
func DefaultFile(name string) string {
	dir, err := os.UserConfigDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "mailgap", name)
}

// settingsFile is a file that was read.
type settingsFile struct {
	path     string
	top      layer
	sections []section // in the order of the file
	faults   []string
	inline   bool // it holds a secret itself
}

type section struct {
	name string
	layer
}

// readSettings reads the file of o, if there is one.
func readSettings(s Spec, o Options) (settingsFile, error) {
	var f settingsFile
	if o.File == "" {
		return f, nil
	}
	data, mode, err := readChecked(o.File)
	switch {
	case errors.Is(err, os.ErrNotExist) && !o.Required:
		return f, nil
	case errors.Is(err, os.ErrNotExist):
		return f, fmt.Errorf("%w: there is no such file as --config names", ErrSettings)
	case err != nil:
		return f, fmt.Errorf("%w: the file %s: %w", ErrSettings, filepath.Base(o.File), err)
	}
	f, err = parseSettings(s, data)
	if err != nil {
		return f, fmt.Errorf("%w: the file %s: %w", ErrSettings, filepath.Base(o.File), err)
	}
	f.path = o.File
	if f.inline && runtime.GOOS != "windows" && mode.Perm()&0o077 != 0 {
		return f, fmt.Errorf("%w: the file %s holds a password and others may read it; run: chmod 600 on it, or name a password_file", ErrSettings, filepath.Base(o.File))
	}
	return f, nil
}

// errLoose: whoever can write to the file decides which programs are run for secrets and who may be written to.
var errLoose = errors.New("others may write to it, or it belongs to another user; run: chmod go-w on it, and own it")

// readChecked reads a file that nobody but its owner can change, who is this user or root.
func readChecked(path string) ([]byte, os.FileMode, error) {
	f, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, 0, os.ErrNotExist
	}
	if err != nil {
		return nil, 0, fileError(err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, 0, fileError(err)
	}
	if !info.Mode().IsRegular() {
		return nil, 0, errors.New("it must be a regular file")
	}
	if runtime.GOOS != "windows" && (info.Mode().Perm()&0o022 != 0 || !ownedByUs(info)) {
		return nil, 0, errLoose
	}
	data, err := io.ReadAll(io.LimitReader(f, maxFileOctets+1))
	if err != nil {
		return nil, 0, fileError(err)
	}
	if len(data) > maxFileOctets {
		return nil, 0, fmt.Errorf("it is larger than %s octets", sizeText(maxFileOctets))
	}
	return data, info.Mode(), nil
}

// parseSettings reads the text of a file. Faults of single settings are collected; an error means that it is not TOML.
func parseSettings(s Spec, data []byte) (settingsFile, error) {
	var f settingsFile
	var tree map[string]any
	meta, err := toml.Decode(string(data), &tree)
	if err != nil {
		return f, tomlError(err)
	}
	p := fileParser{spec: s, file: &f, keys: s.keys()}
	f.top = layer{origin: OriginFile, vals: map[string]string{}}
	for _, name := range p.sectionNames(meta, tree) {
		p.section(name, tree[s.Section].(map[string]any)[name])
	}
	for _, key := range slices.Sorted(maps.Keys(tree)) {
		if s.Section == "" || key != s.Section {
			p.take(f.top, key, tree[key], false)
		} else if _, ok := tree[key].(map[string]any); !ok {
			p.notSection(key, tree[key], f.top)
		}
	}
	return f, nil
}

// tomlError says where the file is not TOML. The library's own text quotes the line, which may hold a password.
func tomlError(err error) error {
	var at toml.ParseError
	if !errors.As(err, &at) {
		return errors.New("it is not TOML")
	}
	what := "is not TOML; text stands in quotation marks, lists in brackets"
	if strings.Contains(at.Message, "has already been defined") {
		what = "sets a key or a section a second time"
	}
	return fmt.Errorf("line %d %s", at.Position.Line, what)
}

// fileParser turns a tree into layers.
type fileParser struct {
	spec Spec
	file *settingsFile
	keys map[string]fileKey
}

// fileKey is a setting as the file names it.
type fileKey struct {
	decl Var
	name string // of the variable, with _FILE or _COMMAND
}

// keys lists what a file may hold.
func (s Spec) keys() map[string]fileKey {
	keys := map[string]fileKey{}
	for _, decl := range s.Vars {
		for _, name := range decl.placeNames() {
			keys[s.key(name)] = fileKey{decl, name}
		}
	}
	return keys
}

func (p *fileParser) fault(label, format string, args ...any) {
	p.file.faults = append(p.file.faults, label+": "+fmt.Sprintf(format, args...))
}

// sectionNames lists the sections in the order of the file. The Selector of a spec may be its section's name too: account =
// "work" is that setting, [account.work] a section.
func (p *fileParser) sectionNames(meta toml.MetaData, tree map[string]any) []string {
	tables, ok := tree[p.spec.Section].(map[string]any)
	if !ok || p.spec.Section == "" {
		return nil
	}
	var names []string
	for _, key := range meta.Keys() {
		if len(key) > 1 && key[0] == p.spec.Section && !slices.Contains(names, key[1]) {
			if _, ok := tables[key[1]]; ok {
				names = append(names, key[1])
			}
		}
	}
	if len(names) > maxSections {
		p.fault(p.spec.Section, "there are more than %d sections", maxSections)
		return names[:maxSections]
	}
	return names
}

// notSection deals with a key named like the section that is no table: the Selector, or a slip.
func (p *fileParser) notSection(key string, val any, top layer) {
	if k, ok := p.keys[key]; ok && k.name == p.spec.Selector {
		p.take(top, key, val, false)
		return
	}
	p.fault(quoteKey(key), "write the settings of each under a line of its own, [%s.NAME]", key)
}

// section reads one table.
func (p *fileParser) section(name string, tree any) {
	table, ok := tree.(map[string]any)
	place := fmt.Sprintf("[%s.%s]", p.spec.Section, quoteKey(name))
	if !ok {
		p.fault(place, "write the settings of each %s under a line of its own, [%s.NAME]", p.spec.Section, p.spec.Section)
		return
	}
	if err := p.checkName(name); err != nil {
		p.fault(place, "the name: %v", err)
		return
	}
	at := layer{origin: OriginFile, place: place + " ", vals: map[string]string{}}
	for _, key := range slices.Sorted(maps.Keys(table)) {
		p.take(at, key, table[key], true)
	}
	p.file.sections = append(p.file.sections, section{name, at})
}

func (p *fileParser) checkName(name string) error {
	k, ok := p.keys[p.spec.key(p.spec.Selector)]
	if !ok || name == "" {
		return errors.New("write one")
	}
	_, err := k.decl.parse(name)
	return err
}

// take reads one key into a layer.
func (p *fileParser) take(at layer, key string, val any, inSection bool) {
	label := at.place + quoteKey(key)
	k, ok := p.keys[key]
	switch {
	case !ok:
		p.fault(label, "%s", p.unknown(key))
		return
	case inSection && k.name == p.spec.Selector:
		p.fault(label, "the section is named by its first line")
		return
	case inSection && k.decl.Scope == ScopeProgram:
		p.fault(label, "holds for the whole program; write it above the first section")
		return
	case !inSection && k.decl.Scope == ScopeOwn && len(p.file.sections) > 0:
		p.fault(label, "belongs to one %s; move it into its section", p.spec.Section)
		return
	}
	text, err := k.decl.notation(val)
	if err != nil {
		p.fault(label, "%v", err)
		return
	}
	p.file.inline = p.file.inline || k.decl.Kind == KindSecret && k.name == k.decl.Name
	at.vals[k.name] = text
}

// unknown says what to write instead of a key.
func (p *fileParser) unknown(key string) string {
	if hint := p.spec.hint(p.spec.Prefix + strings.ToUpper(key)); hint != "" {
		return "is not read; " + p.inFile(hint)
	}
	known := slices.Collect(maps.Keys(p.keys))
	if p.spec.Section != "" {
		known = append(known, p.spec.Section)
	}
	slices.Sort(known)
	bare := p.spec.key(strings.ToUpper(key)) // the name of the variable was written
	if near := nearest(bare, known); near != "" {
		return "is not a setting of this file; the nearest is " + near
	}
	return "is not a setting of this file"
}

// inFile turns the names of variables in a hint into those of the file.
func (p *fileParser) inFile(hint string) string {
	for _, decl := range p.spec.Vars {
		for _, name := range slices.Backward(decl.placeNames()) {
			hint = strings.ReplaceAll(hint, name, p.spec.key(name))
		}
	}
	return hint
}

// quoteKey makes a key of the file fit for a message: it may hold anything.
func quoteKey(key string) string {
	if strings.Trim(key, "abcdefghijklmnopqrstuvwxyz0123456789_-") == "" && key != "" && len(key) <= maxQuotedChars {
		return key
	}
	if r := []rune(key); len(r) > maxQuotedChars {
		key = string(r[:maxQuotedChars])
	}
	return strconv.QuoteToASCII(key)
}

// notation writes a value of the file as the environment has it. Errors say what to write and never repeat the value.
func (v Var) notation(val any) (string, error) {
	switch v.Kind {
	case KindInt:
		if n, ok := val.(int64); ok {
			return strconv.FormatInt(n, 10), nil
		}
		return "", errors.New("write a whole number without quotation marks")
	case KindBool:
		if yes, ok := val.(bool); ok {
			return strconv.FormatBool(yes), nil
		}
		return "", errors.New("write true or false without quotation marks")
	case KindList:
		return listNotation(val)
	case KindSize:
		if n, ok := val.(int64); ok {
			return strconv.FormatInt(n, 10), nil
		}
	}
	text, ok := val.(string)
	switch {
	case !ok:
		return "", errors.New("write a text in quotation marks")
	case text == "":
		return "", errors.New("it is empty; leave the line out")
	}
	return text, nil
}

// listNotation joins a list at commas, which no item holds.
func listNotation(val any) (string, error) {
	list, ok := val.([]any)
	if !ok {
		return "", errors.New(`write a list: ["one", "two"]`)
	}
	var items []string
	for i, item := range list {
		text, ok := item.(string)
		if !ok || text == "" || strings.Contains(text, ",") {
			return "", fmt.Errorf("item %d: write a text in quotation marks, without a comma", i+1)
		}
		items = append(items, text)
	}
	if len(items) == 0 {
		return "", errors.New("the list is empty; leave the line out")
	}
	return strings.Join(items, ", "), nil
}
