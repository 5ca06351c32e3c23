package mcpserve

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
)

// maxValueDepth bounds the nesting of a result value, so that a cycle of pointers ends in an error.
const maxValueDepth = 48

// errUnlistedWord is returned if a Word value is not in its list. It says nothing of the value.
var errUnlistedWord = errors.New("mcpserve: a word is not in its list")

var (
	safeTextType = reflect.TypeFor[SafeText]()
	wordType     = reflect.TypeFor[Word]()
	timeType     = reflect.TypeFor[time.Time]()
)

// field is one member of a result struct.
type field struct {
	index int
	name  string
	desc  string
	omit  bool // omitempty or omitzero: left out if empty
	flat  bool // an embedded struct, whose members belong to the outer one
}

// fieldsOf lists the members of a struct that are written.
func fieldsOf(t reflect.Type) []field {
	var fs []field
	for i := range t.NumField() {
		sf := t.Field(i)
		name, opts, _ := strings.Cut(sf.Tag.Get("json"), ",")
		flat := sf.Anonymous && name == "" && sf.Type.Kind() == reflect.Struct && !isText(sf.Type)
		if name == "-" && opts == "" || !sf.IsExported() && !flat {
			continue
		}
		f := field{index: i, name: cmp.Or(name, sf.Name), desc: sf.Tag.Get("desc"), flat: flat}
		f.omit = slices.ContainsFunc(strings.Split(opts, ","), func(o string) bool { return o == "omitempty" || o == "omitzero" })
		fs = append(fs, f)
	}
	return fs
}

// encode writes v as JSON. It knows only the kinds of values that checkType allows, and asks no type how it wants to be
// written: SafeText is the only way for text to get out.
func encode(v reflect.Value) (json.RawMessage, error) {
	var b bytes.Buffer
	if err := encodeValue(&b, v, 0); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

func encodeValue(b *bytes.Buffer, v reflect.Value, depth int) error {
	if depth > maxValueDepth {
		return errors.New("mcpserve: result is nested too deeply")
	}
	if text, ok, err := textOf(v); ok {
		if err == nil {
			writeString(b, text)
		}
		return err
	}
	switch v.Kind() {
	case reflect.Bool:
		b.WriteString(strconv.FormatBool(v.Bool()))
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		b.WriteString(strconv.FormatInt(v.Int(), 10))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		b.WriteString(strconv.FormatUint(v.Uint(), 10))
	case reflect.Float32, reflect.Float64:
		return writeFloat(b, v.Float())
	case reflect.Pointer:
		if v.IsNil() {
			b.WriteString("null")
			return nil
		}
		return encodeValue(b, v.Elem(), depth+1)
	case reflect.Slice, reflect.Array:
		return encodeList(b, v, depth)
	case reflect.Map:
		return encodeMap(b, v, depth)
	case reflect.Struct:
		b.WriteByte('{')
		if err := encodeFields(b, v, depth, new(bool)); err != nil {
			return err
		}
		b.WriteByte('}')
	default:
		return fmt.Errorf("mcpserve: result holds a %s", v.Kind())
	}
	return nil
}

// textOf returns the text of v, if v is of a kind that is written as a JSON string.
func textOf(v reflect.Value) (text string, ok bool, err error) {
	t := v.Type()
	switch {
	case t == timeType:
		return v.Interface().(time.Time).Format(time.RFC3339), true, nil
	case t.Implements(safeTextType):
		if isNil(v) {
			return "", true, nil
		}
		return v.Interface().(SafeText).SafeText(), true, nil
	case t.Implements(wordType):
		if isNil(v) {
			return "", true, nil
		}
		text, err = wordOf(v.Interface().(Word))
		return text, true, err
	}
	return "", false, nil
}

func isNil(v reflect.Value) bool {
	return (v.Kind() == reflect.Interface || v.Kind() == reflect.Pointer) && v.IsNil()
}

// wordOf returns the string behind w. The empty string stands for "none" and is always allowed.
func wordOf(w Word) (string, error) {
	v := reflect.ValueOf(w)
	if v.Kind() != reflect.String {
		return "", errUnlistedWord
	}
	if s := v.String(); s == "" || slices.Contains(w.Words(), s) {
		return s, nil
	}
	return "", errUnlistedWord
}

func encodeList(b *bytes.Buffer, v reflect.Value, depth int) error {
	b.WriteByte('[')
	for i := range v.Len() {
		if i > 0 {
			b.WriteByte(',')
		}
		if err := encodeValue(b, v.Index(i), depth+1); err != nil {
			return err
		}
	}
	b.WriteByte(']')
	return nil
}

func encodeMap(b *bytes.Buffer, v reflect.Value, depth int) error {
	type entry struct {
		key   string
		value reflect.Value
	}
	var entries []entry
	for it := v.MapRange(); it.Next(); {
		k, _, err := textOf(it.Key())
		if err != nil {
			return err
		}
		entries = append(entries, entry{k, it.Value()})
	}
	slices.SortFunc(entries, func(a, b entry) int { return cmp.Compare(a.key, b.key) })
	b.WriteByte('{')
	for i, e := range entries {
		if i > 0 {
			b.WriteByte(',')
		}
		writeString(b, e.key)
		b.WriteByte(':')
		if err := encodeValue(b, e.value, depth+1); err != nil {
			return err
		}
	}
	b.WriteByte('}')
	return nil
}

// encodeFields writes the members of a struct; started says whether one was written before.
func encodeFields(b *bytes.Buffer, v reflect.Value, depth int, started *bool) error {
	for _, f := range fieldsOf(v.Type()) {
		fv := v.Field(f.index)
		if f.flat {
			if err := encodeFields(b, fv, depth+1, started); err != nil {
				return err
			}
			continue
		}
		if f.omit && isEmpty(fv) {
			continue
		}
		if *started {
			b.WriteByte(',')
		}
		*started = true
		writeString(b, f.name)
		b.WriteByte(':')
		if err := encodeValue(b, fv, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// isEmpty decides for both omitempty and omitzero.
func isEmpty(v reflect.Value) bool {
	if v.Type() == timeType {
		return v.Interface().(time.Time).IsZero()
	}
	if text, ok, err := textOf(v); ok {
		return err == nil && text == ""
	}
	switch v.Kind() {
	case reflect.Slice, reflect.Map:
		return v.Len() == 0
	default:
		return v.IsZero()
	}
}

func writeFloat(b *bytes.Buffer, f float64) error {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return errors.New("mcpserve: result holds a number that JSON cannot express")
	}
	b.WriteString(strconv.FormatFloat(f, 'g', -1, 64))
	return nil
}

// writeString writes s as a JSON string. Octets that are not UTF-8 become U+FFFD.
func writeString(b *bytes.Buffer, s string) {
	enc := json.NewEncoder(b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s)       // a string always encodes
	b.Truncate(b.Len() - 1) // the newline that Encode adds
}
