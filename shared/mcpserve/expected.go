package mcpserve

import (
	"encoding/json"
	"fmt"
	"strings"
)

// expected says in words what a subschema wants: "a whole number from 1 to 100".
func (e *explainer) expected(sub map[string]any) string {
	sub = e.schema.resolve(sub)
	if c, ok := sub["const"]; ok {
		return word(c)
	}
	if vals, ok := sub["enum"].([]any); ok {
		return oneOf(vals)
	}
	switch t := sub["type"].(type) {
	case string:
		return e.typed(sub, t)
	case []any:
		var forms []string
		for _, x := range t {
			forms = append(forms, e.typed(sub, fmt.Sprint(x)))
		}
		return strings.Join(forms, " or ")
	}
	for _, k := range []string{"anyOf", "oneOf"} {
		if branches, ok := sub[k].([]any); ok {
			return e.branches(branches)
		}
	}
	return "as its description says"
}

func (e *explainer) branches(branches []any) string {
	var forms []string
	for _, b := range branches {
		if m, ok := b.(map[string]any); ok {
			forms = append(forms, e.expected(m))
		}
	}
	return strings.Join(forms, ", or ")
}

func (e *explainer) typed(sub map[string]any, t string) string {
	switch t {
	case "integer":
		return "a whole number" + bounds(sub)
	case "number":
		return "a number" + bounds(sub)
	case "boolean":
		return "true or false"
	case "string":
		return str(sub)
	case "array":
		return e.array(sub)
	case "object":
		return "an object"
	default:
		return t
	}
}

// bounds says the range of a number.
func bounds(sub map[string]any) string {
	low, hasLow := sub["minimum"]
	high, hasHigh := sub["maximum"]
	switch {
	case hasLow && hasHigh:
		return fmt.Sprintf(" from %v to %v", low, high)
	case hasLow:
		return fmt.Sprintf(" of at least %v", low)
	case hasHigh:
		return fmt.Sprintf(" of at most %v", high)
	}
	if low, ok := sub["exclusiveMinimum"]; ok {
		return fmt.Sprintf(" greater than %v", low)
	}
	if high, ok := sub["exclusiveMaximum"]; ok {
		return fmt.Sprintf(" less than %v", high)
	}
	return ""
}

var formatWords = map[string]string{
	"date":      "a date such as 2024-05-31",
	"date-time": "a time such as 2024-05-31T12:00:00Z",
	"email":     "a mail address such as name@example.com",
	"uri":       "a URI",
}

// str says the form and the length of a string.
func str(sub map[string]any) string {
	s := "a string"
	if f, ok := sub["format"].(string); ok && formatWords[f] != "" {
		s = formatWords[f]
	}
	low, hasLow := number(sub["minLength"])
	high, hasHigh := number(sub["maxLength"])
	switch {
	case hasLow && hasHigh:
		return fmt.Sprintf("%s of %d to %d characters", s, low, high)
	case hasHigh:
		return fmt.Sprintf("%s of at most %s", s, count(high, "character"))
	case hasLow && low > 1:
		return fmt.Sprintf("%s of at least %s", s, count(low, "character"))
	case hasLow && low == 1:
		return s + " that is not empty"
	}
	return s
}

// array says how many items of what kind.
func (e *explainer) array(sub map[string]any) string {
	s := "a list"
	if items, ok := sub["items"].(map[string]any); ok {
		s = "a list whose items are each " + e.expected(items)
	}
	low, hasLow := number(sub["minItems"])
	high, hasHigh := number(sub["maxItems"])
	switch {
	case hasLow && hasHigh:
		return fmt.Sprintf("%s (%d to %d items)", s, low, high)
	case hasHigh:
		return fmt.Sprintf("%s (at most %s)", s, count(high, "item"))
	case hasLow:
		return fmt.Sprintf("%s (at least %s)", s, count(low, "item"))
	}
	return s
}

func number(v any) (int, bool) {
	n, ok := v.(json.Number)
	if !ok {
		return 0, false
	}
	i, err := n.Int64()
	return int(i), err == nil
}

func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

func oneOf(vals []any) string {
	words := make([]string, len(vals))
	for i, v := range vals {
		words[i] = word(v)
	}
	if len(words) == 1 {
		return words[0]
	}
	return "one of " + list(words)
}

// word writes a value of the schema (never of the client).
func word(v any) string {
	if s, ok := v.(string); ok {
		return `"` + s + `"`
	}
	return fmt.Sprint(v)
}

func list(words []string) string {
	if n := len(words) - maxWordsShown; n > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(words[:maxWordsShown], ", "), n)
	}
	return strings.Join(words, ", ")
}
