package mcpserve

import (
	"fmt"
	"regexp"
	"slices"
	"sort"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

const (
	maxProblems     = 5  // named in one refusal; a model repairs a few at a time
	maxWordsShown   = 20 // of an enumeration
	maxNameShown    = 40 // characters of a key that the client wrote
	maxPatternShown = 80 // characters of a pattern that is shown for want of a description
)

// explainer turns the validator's error tree into sentences. It never repeats a value, only names.
type explainer struct {
	schema *schema
	value  any // the instance, for hints about its kind
	out    []string
}

// explain says what is wrong with value in at most maxProblems clauses.
func (s *schema) explain(value any, err *jsonschema.ValidationError) string {
	e := explainer{schema: s, value: value}
	e.walk(err)
	if len(e.out) == 0 {
		return "the arguments do not fit the input schema"
	}
	slices.Sort(e.out)
	e.out = slices.Compact(e.out)
	if n := len(e.out) - maxProblems; n > 0 {
		e.out = append(e.out[:maxProblems], fmt.Sprintf("and %d more", n))
	}
	return strings.Join(e.out, "; ")
}

func (e *explainer) say(format string, args ...any) {
	e.out = append(e.out, fmt.Sprintf(format, args...))
}

// walk visits the tree. Alternatives are described as a whole, because their leaves contradict one another.
func (e *explainer) walk(err *jsonschema.ValidationError) {
	switch k := err.ErrorKind.(type) {
	case *kind.AnyOf:
		e.alternatives(err, "anyOf")
	case *kind.OneOf:
		if len(k.Subschemas) > 0 {
			e.tooMany(err)
			return
		}
		e.alternatives(err, "oneOf")
	case *kind.Schema, *kind.Group, *kind.AllOf, *kind.Reference:
		for _, c := range err.Causes {
			e.walk(c)
		}
	default:
		e.leaf(err)
	}
}

// keyHolder names the object that has a key of the wrong form, by its place in the schema.
//
// Quirk: of this one kind of error, the library's place in the arguments shares memory with those of later errors, which
// overwrite it (jsonschema v6, validator.go).
func (e *explainer) keyHolder(err *jsonschema.ValidationError) string {
	if len(err.InstanceLocation) == 0 {
		return e.name(nil)
	}
	_, pointer, _ := strings.Cut(err.SchemaURL, "#")
	at := strings.Split(strings.TrimSuffix(pointer, "/propertyNames"), "/")
	if n := len(at); n >= 2 && at[n-2] == "properties" {
		return shownKey(strings.NewReplacer("~1", "/", "~0", "~").Replace(at[n-1]))
	}
	return "an object"
}

// leaf describes one failed keyword.
func (e *explainer) leaf(err *jsonschema.ValidationError) {
	name, sub := e.name(err.InstanceLocation), e.schema.at(parentOf(err))
	switch k := err.ErrorKind.(type) {
	case *kind.Required:
		for _, m := range k.Missing {
			e.missing(err.InstanceLocation, sub, m)
		}
	case *kind.AdditionalProperties:
		for _, p := range k.Properties {
			e.unknown(err.InstanceLocation, sub, p)
		}
	case *kind.FalseSchema:
		e.say("%s is not allowed here", name)
	case *kind.Type:
		e.say("%s must be %s%s", name, e.expected(sub), e.typeHint(err.InstanceLocation, k))
	case *kind.DependentRequired:
		e.say("%s also needs %s", shownKey(k.Prop), strings.Join(k.Missing, " and "))
	case *kind.PropertyNames:
		e.say("%s has a key of the wrong form", e.keyHolder(err))
	case *kind.UniqueItems:
		e.say("%s must not list the same item twice (items %d and %d)", name, k.Duplicates[0]+1, k.Duplicates[1]+1)
	case *kind.Not:
		e.say("%s has a combination that is not allowed%s", name, e.described(sub))
	case *kind.MinProperties:
		e.say("%s needs at least %s", name, count(k.Want, "key"))
	case *kind.MaxProperties:
		e.say("%s takes at most %s", name, count(k.Want, "key"))
	case *kind.Pattern:
		e.say("%s must be %s%s", name, e.expected(sub), e.form(sub, k.Want))
	default:
		e.say("%s must be %s", name, e.expected(sub))
	}
}

// parentOf returns the schema whose keyword failed. The library reports the schema itself; the keyword is apart.
func parentOf(err *jsonschema.ValidationError) string { return err.SchemaURL }

func (e *explainer) missing(at []string, sub map[string]any, key string) {
	props, _ := sub["properties"].(map[string]any)
	want, _ := props[key].(map[string]any)
	full := e.name(append(slices.Clone(at), key))
	if want == nil {
		e.say("%s is missing", full)
		return
	}
	e.say("%s is missing: give %s", full, e.expected(want))
}

func (e *explainer) unknown(at []string, sub map[string]any, key string) {
	props, _ := sub["properties"].(map[string]any)
	known := make([]string, 0, len(props))
	for k := range props {
		known = append(known, k)
	}
	sort.Strings(known)
	where := ""
	if len(at) > 0 {
		where = " in " + e.name(at)
	}
	near := nearest(key, known)
	switch {
	case near != "":
		e.say("there is no argument %s%s; did you mean %s?", shownKey(key), where, near)
	case len(known) == 0:
		e.say("there is no argument %s%s; none is taken", shownKey(key), where)
	default:
		e.say("there is no argument %s%s; known are %s", shownKey(key), where, list(known))
	}
}

// alternatives names what would have been right, if no branch fits.
func (e *explainer) alternatives(err *jsonschema.ValidationError, keyword string) {
	sub := e.schema.at(err.SchemaURL)
	branches, _ := sub[keyword].([]any)
	if keys := requiredOnly(branches); keys != nil {
		e.say("give one of %s%s", strings.Join(keys, ", "), e.inside(err.InstanceLocation))
		return
	}
	var forms []string
	for _, b := range branches {
		if m, ok := b.(map[string]any); ok {
			forms = append(forms, e.expected(m))
		}
	}
	slices.Sort(forms)
	if forms = slices.Compact(forms); len(forms) == 0 {
		e.say("%s is not of an allowed form", e.name(err.InstanceLocation))
		return
	}
	e.say("%s must be %s", e.name(err.InstanceLocation), strings.Join(forms, ", or "))
}

// tooMany says that alternatives exclude each other.
func (e *explainer) tooMany(err *jsonschema.ValidationError) {
	branches, _ := e.schema.at(err.SchemaURL)["oneOf"].([]any)
	if keys := requiredOnly(branches); keys != nil {
		e.say("give only one of %s%s", strings.Join(keys, ", "), e.inside(err.InstanceLocation))
		return
	}
	e.say("%s fits more than one of its forms; give only one", e.name(err.InstanceLocation))
}

func (e *explainer) inside(at []string) string {
	if len(at) == 0 {
		return ""
	}
	return " in " + e.name(at)
}

// requiredOnly returns the keys if every branch does no more than require keys.
func requiredOnly(branches []any) []string {
	var keys []string
	for _, b := range branches {
		m, _ := b.(map[string]any)
		req, _ := m["required"].([]any)
		if len(req) == 0 || len(m) > 1 {
			return nil
		}
		var names []string
		for _, r := range req {
			names = append(names, fmt.Sprint(r))
		}
		keys = append(keys, strings.Join(names, " with "))
	}
	return keys
}

// typeHint recognises the usual slips of a model: a value in quotes, a single value where a list is wanted.
func (e *explainer) typeHint(at []string, k *kind.Type) string {
	v := e.value
	for _, tok := range at {
		v = child(v, tok)
	}
	s, isString := v.(string)
	wants := func(t string) bool { return slices.Contains(k.Want, t) }
	switch {
	case isString && (wants("integer") || wants("number")) && numeric.MatchString(s):
		return "; write the number without quotes"
	case isString && wants("boolean"):
		return "; write true or false without quotes"
	case isString && wants("array"):
		return "; a single value needs brackets too"
	case isString && wants("object"):
		return "; write the object itself, not a string that holds it"
	case k.Got == "null":
		return "; leave it out instead of null"
	case k.Got == "array" && !wants("array"):
		return "; give one value, not a list"
	}
	return ""
}

var numeric = regexp.MustCompile(`^-?[0-9]+(\.[0-9]+)?$`)

// form describes a pattern: by the example or the description of the schema, or by the pattern itself.
func (e *explainer) form(sub map[string]any, pattern string) string {
	if ex, _ := sub["examples"].([]any); len(ex) > 0 {
		return fmt.Sprintf(", such as %v", ex[0])
	}
	if d := e.described(sub); d != "" {
		return d
	}
	if len(pattern) > maxPatternShown {
		return ", in the form that its description gives"
	}
	return ", matching the pattern " + pattern
}

func (e *explainer) described(sub map[string]any) string {
	d, _ := sub["description"].(string)
	if d == "" {
		return ""
	}
	first, _, _ := strings.Cut(d, ". ")
	return " (" + strings.TrimSuffix(first, ".") + ")"
}

// name writes an instance location: criteria[0].from. The root is "the arguments".
func (e *explainer) name(at []string) string {
	if len(at) == 0 {
		return "the arguments"
	}
	var b strings.Builder
	v := e.value
	for i, tok := range at {
		_, isList := v.([]any)
		v = child(v, tok)
		switch {
		case isList:
			b.WriteString("[" + tok + "]")
		case i == 0:
			b.WriteString(shownKey(tok))
		default:
			b.WriteString("." + shownKey(tok))
		}
	}
	return b.String()
}

var plainKey = regexp.MustCompile(`^[A-Za-z0-9_.$-]+$`)

// shownKey repeats a key of the client only if it is short and plain.
func shownKey(k string) string {
	if len(k) > maxNameShown || !plainKey.MatchString(k) {
		return "(a key that is not a plain name)"
	}
	return k
}
