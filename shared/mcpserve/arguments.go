package mcpserve

import (
	"bytes"
	"encoding/json"
	"errors"
	"math/big"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// accept validates arguments. It returns them in the form that is decoded, or a complaint for the model.
func (t *Tool) accept(raw json.RawMessage) (args json.RawMessage, complaint string) {
	if len(bytes.TrimSpace(raw)) == 0 || bytes.Equal(bytes.TrimSpace(raw), []byte("null")) {
		raw = json.RawMessage("{}")
	}
	if err := strictJSON(raw); err != nil {
		return nil, complaintOf(err)
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		return nil, complaintOf(errNotJSON)
	}
	if err := t.input.compiled.Validate(value); err != nil {
		var ve *jsonschema.ValidationError
		if errors.As(err, &ve) {
			return nil, t.input.explain(value, ve)
		}
		return nil, "the arguments do not fit the input schema"
	}
	args, err = json.Marshal(wholeNumbers(value))
	if err != nil {
		return nil, complaintOf(errNotJSON)
	}
	return args, ""
}

// complaintOf words an error of strictJSON for a model.
func complaintOf(err error) string {
	var dup *duplicateKeyError
	if errors.As(err, &dup) {
		key := dup.path[len(dup.path)-1]
		return "the key " + shownKey(key) + " is given twice; give it once"
	}
	return strings.Replace(err.Error(), "the message", "the text of the arguments", 1)
}

// wholeNumbers writes 5.0 and 5e0 as 5. JSON Schema counts them as integers, Go's decoder does not.
func wholeNumbers(v any) any {
	switch n := v.(type) {
	case map[string]any:
		for k, x := range n {
			n[k] = wholeNumbers(x)
		}
	case []any:
		for i, x := range n {
			n[i] = wholeNumbers(x)
		}
	case json.Number:
		if !strings.ContainsAny(n.String(), ".eE") {
			return n
		}
		if r, ok := new(big.Rat).SetString(n.String()); ok && r.IsInt() && r.Num().BitLen() < 64 {
			return json.Number(r.Num().String())
		}
	}
	return v
}

// errOutput says that a result does not fit the output schema that clients were told.
var errOutput = errors.New("mcpserve: result does not fit the output schema")

// outputError says where a result does not fit: places in the schema, nothing of the result.
type outputError struct{ places []string }

func (e *outputError) Error() string {
	return errOutput.Error() + " at " + strings.Join(e.places, ", ")
}
func (e *outputError) Unwrap() error { return errOutput }

// checkOutput validates a result. A mismatch refuses the result in production too: clients that validate would drop it
// anyway, with a worse message, and clients that do not would be handed something nobody has thought about.
func (t *Tool) checkOutput(raw json.RawMessage) error {
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		return errOutput
	}
	err = t.output.compiled.Validate(value)
	var ve *jsonschema.ValidationError
	if errors.As(err, &ve) {
		return &outputError{places: leafPlaces(ve, nil)}
	}
	return err
}

// leafPlaces lists the failed keywords by their place in the schema.
func leafPlaces(ve *jsonschema.ValidationError, places []string) []string {
	if len(ve.Causes) == 0 && len(places) < maxProblems {
		_, at, _ := strings.Cut(ve.SchemaURL, "#")
		return append(places, at+"/"+strings.Join(ve.ErrorKind.KeywordPath(), "/"))
	}
	for _, c := range ve.Causes {
		places = leafPlaces(c, places)
	}
	return places
}
