package setup

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"reflect"
	"strings"
)

// jsonFile is the form of a client's JSON file: servers stand by name in the object key of its root.
type jsonFile struct {
	key   string
	typed bool // entries say that they use standard input and output
}

func jsonForm(key string, typed bool) jsonFile { return jsonFile{key, typed} }

func (f jsonFile) client(name, path, note string) client {
	return client{name, path, note, f.insert, f.snippet}
}

// entry is a server as the file has it.
type jsonEntry struct {
	Type    string   `json:"type,omitempty"`
	Command string   `json:"command"`
	Args    []string `json:"args"`
}

func (f jsonFile) entry(e server) jsonEntry {
	out := jsonEntry{Command: e.command, Args: append([]string{}, e.args...)}
	if f.typed {
		out.Type = "stdio"
	}
	return out
}

// snippet is a whole file with the entry.
func (f jsonFile) snippet(e server) string {
	return encode(map[string]any{f.key: map[string]any{e.name: f.entry(e)}}, "", "  ")
}

// encode writes value with an indentation. Nothing that is encoded here can fail.
func encode(value any, prefix, indent string) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent(prefix, indent)
	_ = enc.Encode(value)
	return strings.TrimSuffix(b.String(), "\n")
}

// insert adds the entry in place: every octet of text stays, but for blanks inside of an empty object. Comments, trailing commas
// and doubled keys are errForm.
func (f jsonFile) insert(text string, e server) (string, error) {
	if strings.Trim(text, " \t\r\n") == "" {
		return f.snippet(e) + "\n", nil
	}
	root, err := f.locate(text, e.name)
	if err != nil {
		return "", err
	}
	indent := indentation(text)
	var after string
	if root.servers.open == 0 {
		after = root.object.add(text, f.key, map[string]any{e.name: f.entry(e)}, indent, 1)
	} else {
		after = root.servers.add(text, e.name, f.entry(e), indent, 2)
	}
	if strings.Contains(text, "\r\n") {
		after = strings.ReplaceAll(strings.ReplaceAll(after, "\r\n", "\n"), "\n", "\r\n")
	}
	return after, f.verify(text, after, e)
}

// object is a part of a text: open is behind its {, end at its }.
type object struct {
	open, end int
	empty     bool
}

type jsonRoot struct{ object, servers object }

// locate finds the objects, and refuses what is not plain JSON.
func (f jsonFile) locate(text, name string) (r jsonRoot, err error) {
	d := json.NewDecoder(strings.NewReader(text))
	r.object, err = walk(d, func(key string) error {
		if key != f.key {
			return skip(d)
		}
		if r.servers.open != 0 {
			return errForm
		}
		r.servers, err = walk(d, func(key string) error {
			if key == name {
				return errTaken
			}
			return skip(d)
		})
		return err
	})
	if err != nil {
		return r, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return r, errForm
	}
	return r, nil
}

// walk reads an object; member reads the value of each key.
func walk(d *json.Decoder, member func(key string) error) (o object, err error) {
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return o, errForm
	}
	o.open, o.empty = int(d.InputOffset()), !d.More()
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return o, errForm
		}
		if err := member(key.(string)); err != nil {
			return o, err
		}
	}
	if _, err := d.Token(); err != nil {
		return o, errForm
	}
	o.end = int(d.InputOffset()) - 1
	return o, nil
}

func skip(d *json.Decoder) error {
	var raw json.RawMessage
	if d.Decode(&raw) != nil {
		return errForm
	}
	return nil
}

// indentation is what stands before the first key of the root; "" means that all is on one line.
func indentation(text string) string {
	_, rest, _ := strings.Cut(text, "{")
	line, found := strings.CutPrefix(strings.TrimLeft(rest, " \t\r"), "\n")
	if !found {
		return ""
	}
	if blanks := line[:len(line)-len(strings.TrimLeft(line, " \t"))]; blanks != "" && strings.HasPrefix(line[len(blanks):], `"`) {
		return blanks
	}
	return "  "
}

// add puts a member at the end of an object that stands level deep.
func (o object) add(text, key string, value any, indent string, level int) string {
	name, _ := json.Marshal(key)
	prefix := strings.Repeat(indent, level)
	body, newline, closing := encode(value, prefix, indent), "\n"+prefix, "\n"+strings.Repeat(indent, level-1)
	if indent == "" {
		compact, _ := json.Marshal(value)
		body, newline, closing = string(compact), "", ""
	}
	member := newline + string(name) + ": " + body
	if o.empty {
		return text[:o.open] + member + closing + text[o.end:]
	}
	last := len(strings.TrimRight(text[:o.end], " \t\r\n"))
	rest := text[last:]
	if !strings.Contains(rest[:o.end-last], "\n") && indent != "" {
		rest = closing + rest[o.end-last:]
	}
	return text[:last] + "," + member + rest
}

// verify compares what the file means before and after.
func (f jsonFile) verify(before, after string, e server) error {
	var old, now map[string]any
	if decode(before, &old) != nil || decode(after, &now) != nil {
		return errForm
	}
	servers, ok := now[f.key].(map[string]any)
	if !ok || servers[e.name] == nil {
		return errForm
	}
	delete(servers, e.name)
	if _, had := old[f.key]; !had {
		delete(now, f.key)
	}
	if !reflect.DeepEqual(old, now) {
		return errForm
	}
	return nil
}

func decode(text string, into any) error {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	return d.Decode(into)
}
