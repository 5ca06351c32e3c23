package mcpserve

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// schema is a compiled JSON Schema (2020-12) together with its document, which is needed to say what was expected.
type schema struct {
	compiled *jsonschema.Schema
	doc      any
}

// schemaURL names the one schema that a compiler of ours holds.
const schemaURL = "mem:///schema.json"

// noLoader refuses every reference that leaves the schema: nothing is read from disk or network.
type noLoader struct{}

func (noLoader) Load(string) (any, error) {
	return nil, errors.New("a schema may refer to itself only")
}

// compile compiles raw. The meta-schemas are built into the library; formats are checked, not only noted.
func compile(raw json.RawMessage) (*schema, error) {
	if err := strictJSON(raw); err != nil {
		return nil, err
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		return nil, err
	}
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	c.AssertFormat()
	c.UseLoader(noLoader{})
	if err := c.AddResource(schemaURL, doc); err != nil {
		return nil, err
	}
	compiled, err := c.Compile(schemaURL)
	if err != nil {
		return nil, err
	}
	return &schema{compiled, doc}, nil
}

// at returns the subschema that a validation error points to.
func (s *schema) at(url string) map[string]any {
	_, pointer, _ := strings.Cut(url, "#")
	node := s.doc
	for tok := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		if tok == "" {
			continue
		}
		node = child(node, strings.NewReplacer("~1", "/", "~0", "~").Replace(tok))
	}
	m, _ := node.(map[string]any)
	return m
}

// child returns the member or element of a JSON value, or nil.
func child(node any, tok string) any {
	switch n := node.(type) {
	case map[string]any:
		return n[tok]
	case []any:
		var i int
		if _, err := fmt.Sscanf(tok, "%d", &i); err == nil && i >= 0 && i < len(n) {
			return n[i]
		}
	}
	return nil
}

// resolve follows $ref inside the document, at most a few steps.
func (s *schema) resolve(m map[string]any) map[string]any {
	for range 8 {
		ref, ok := m["$ref"].(string)
		if !ok {
			return m
		}
		next := s.at(ref)
		if next == nil {
			return m
		}
		m = next
	}
	return m
}

// checkInputSchema refuses an input schema that lets unknown keys through, or is not an object. It also returns the
// number of described properties, so that NewServer can ask for a description on each.
func checkInputSchema(doc any) error {
	root, _ := doc.(map[string]any)
	if root == nil || root["type"] != "object" {
		return errors.New(`the schema must have "type": "object"`)
	}
	return openObjects(doc, "")
}

// openObjects reports every object schema in doc that accepts unknown keys.
func openObjects(doc any, place string) error {
	var errs []error
	switch n := doc.(type) {
	case map[string]any:
		if isObjectSchema(n) && n["additionalProperties"] == nil && n["unevaluatedProperties"] == nil {
			errs = append(errs, fmt.Errorf("the object at %q needs additionalProperties", place))
		}
		for k, v := range n {
			if !slices.Contains([]string{"enum", "const", "default", "examples", "required"}, k) {
				errs = append(errs, openObjects(v, place+"/"+k))
			}
		}
	case []any:
		for i, v := range n {
			errs = append(errs, openObjects(v, fmt.Sprintf("%s/%d", place, i)))
		}
	}
	return errors.Join(errs...)
}

func isObjectSchema(m map[string]any) bool {
	if t, ok := m["type"].(string); ok && t == "object" {
		return true
	}
	types, _ := m["type"].([]any)
	return slices.Contains(types, any("object"))
}
