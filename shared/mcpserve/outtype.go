package mcpserve

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
)

// checkType refuses a result type through which a plain string, or something that can hold one, could leave the process.
// All faults are reported, each with its place.
func checkType(t reflect.Type) error {
	c := typeCheck{seen: map[reflect.Type]bool{}}
	if t.Kind() != reflect.Struct || isText(t) {
		return fmt.Errorf("the result type %s is not a plain struct", t)
	}
	c.walk(t, t.String())
	return errors.Join(c.faults...)
}

type typeCheck struct {
	seen   map[reflect.Type]bool
	faults []error
}

func (c *typeCheck) fault(place, why string) {
	c.faults = append(c.faults, fmt.Errorf("%s: %s", place, why))
}

// isText says whether values of t are written as JSON strings.
func isText(t reflect.Type) bool {
	return t == timeType || t.Implements(safeTextType) || t.Implements(wordType)
}

func (c *typeCheck) walk(t reflect.Type, place string) {
	if c.seen[t] {
		return
	}
	c.seen[t] = true
	if isText(t) {
		c.text(t, place)
		return
	}
	switch t.Kind() {
	case reflect.Bool, reflect.Float32, reflect.Float64,
		reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
	case reflect.Pointer:
		c.walk(t.Elem(), place)
	case reflect.Slice, reflect.Array:
		if t.Elem().Kind() == reflect.Uint8 {
			c.fault(place, "octets can hold any text")
			return
		}
		c.walk(t.Elem(), place+"[]")
	case reflect.Map:
		if !isText(t.Key()) {
			c.fault(place, "the keys of a map must be SafeText or a Word")
		}
		c.walk(t.Key(), place+" key")
		c.walk(t.Elem(), place+"[]")
	case reflect.Struct:
		c.fields(t, place)
	case reflect.String:
		c.fault(place, "a plain string can hold any text; use SafeText or a Word")
	default:
		c.fault(place, fmt.Sprintf("a %s cannot be part of a result", t.Kind()))
	}
}

// text checks a Word's list. A type that is both a Word and SafeText is ambiguous.
func (c *typeCheck) text(t reflect.Type, place string) {
	if !t.Implements(wordType) || t.Kind() == reflect.Interface {
		return
	}
	if t.Implements(safeTextType) || t.Kind() != reflect.String {
		c.fault(place, "a Word must be a named string type that is not SafeText")
		return
	}
	words := reflect.Zero(t).Interface().(Word).Words()
	if len(words) == 0 || slices.Contains(words, "") {
		c.fault(place, "a Word must list its values, and the empty string is not one")
	}
}

func (c *typeCheck) fields(t reflect.Type, place string) {
	names := map[string]bool{}
	c.members(t, place, names)
}

func (c *typeCheck) members(t reflect.Type, place string, names map[string]bool) {
	for _, f := range fieldsOf(t) {
		sf := t.Field(f.index)
		at := place + "." + sf.Name
		if f.flat {
			c.members(sf.Type, at, names)
			continue
		}
		if names[f.name] {
			c.fault(at, "the JSON name occurs twice")
		}
		names[f.name] = true
		if sf.Type.Kind() == reflect.Pointer && !isText(sf.Type) && !f.omit {
			c.fault(at, "a pointer needs omitempty, so that null is never written")
		}
		c.walk(sf.Type, at)
	}
}

// schemaOf derives a JSON Schema from a type that checkType accepted.
func schemaOf(t reflect.Type) (map[string]any, error) { return schemaFor(t, nil) }

func schemaFor(t reflect.Type, open []reflect.Type) (map[string]any, error) {
	if isText(t) {
		return textSchema(t), nil
	}
	switch t.Kind() {
	case reflect.Bool:
		return map[string]any{"type": "boolean"}, nil
	case reflect.Float32, reflect.Float64:
		return map[string]any{"type": "number"}, nil
	case reflect.Pointer:
		return schemaFor(t.Elem(), open)
	case reflect.Slice, reflect.Array:
		items, err := schemaFor(t.Elem(), open)
		return map[string]any{"type": "array", "items": items}, err
	case reflect.Map:
		values, err := schemaFor(t.Elem(), open)
		return map[string]any{"type": "object", "additionalProperties": values}, err
	case reflect.Struct:
		return structSchema(t, open)
	default:
		return map[string]any{"type": "integer"}, nil
	}
}

func textSchema(t reflect.Type) map[string]any {
	s := map[string]any{"type": "string"}
	switch {
	case t == timeType:
		s["format"] = "date-time"
	case t.Kind() == reflect.String && t.Implements(wordType):
		s["enum"] = append([]string(nil), reflect.Zero(t).Interface().(Word).Words()...)
	}
	return s
}

func structSchema(t reflect.Type, open []reflect.Type) (map[string]any, error) {
	if slices.Contains(open, t) {
		return nil, fmt.Errorf("%s contains itself; write OutputSchema by hand, with $defs", t)
	}
	s := map[string]any{"type": "object", "additionalProperties": false}
	props := map[string]any{}
	required, err := structMembers(t, append(open, t), props)
	if len(required) > 0 {
		s["required"] = required
	}
	s["properties"] = props
	return s, err
}

func structMembers(t reflect.Type, open []reflect.Type, props map[string]any) (required []string, err error) {
	for _, f := range fieldsOf(t) {
		ft := t.Field(f.index).Type
		if f.flat {
			inner, innerErr := structMembers(ft, open, props)
			required, err = append(required, inner...), errors.Join(err, innerErr)
			continue
		}
		member, memberErr := schemaFor(ft, open)
		if memberErr != nil {
			err = errors.Join(err, memberErr)
			continue
		}
		if f.desc != "" {
			member["description"] = f.desc
		}
		props[f.name] = member
		if !f.omit {
			required = append(required, f.name)
		}
	}
	return required, err
}
