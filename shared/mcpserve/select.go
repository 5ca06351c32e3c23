package mcpserve

import (
	"bytes"
	"context"
	"encoding/json"
)

// Spec returns the description of the tool.
func (t Tool) Spec() Spec { return t.spec }

// WithProperty returns s with one more property at the beginning of its input schema. required says whether a call must have
// it. name and schema are our own words.
func (s Spec) WithProperty(name, schema string, required bool) Spec {
	s.InputSchema = insert(s.InputSchema, `"properties":{`, `"`+name+`":`+schema, '}')
	if required {
		if !bytes.Contains(s.InputSchema, []byte(`"required":[`)) {
			s.InputSchema = insert(s.InputSchema, `{`, `"required":[]`, '}')
		}
		s.InputSchema = insert(s.InputSchema, `"required":[`, `"`+name+`"`, ']')
	}
	return s
}

// insert puts text after the first mark, with a comma unless end follows. A schema without mark stays as it is, and the test of
// its golden file shows that.
func insert(schema json.RawMessage, mark, text string, end byte) json.RawMessage {
	at := bytes.Index(schema, []byte(mark))
	if at < 0 {
		return schema
	}
	at += len(mark)
	if at < len(schema) && schema[at] != end {
		text += ","
	}
	return append(append(append(json.RawMessage(nil), schema[:at]...), text...), schema[at:]...)
}

// Select makes one tool of several that take the same arguments and return the same type, one for each account or identity.
// pick reads the validated arguments, names the one that is meant, and returns the arguments for it; s describes the tool that
// clients see. An error of pick is treated as one of a handler. tools must not be empty; a name that it does not have is a
// fault of ours.
func Select(s Spec, tools map[string]Tool, pick func(args json.RawMessage) (name string, rest json.RawMessage, err error)) Tool {
	merged := Tool{spec: s}
	for _, t := range tools {
		merged.out, merged.asks = t.out, t.asks
	}
	merged.run = func(ctx context.Context, c *Call, args json.RawMessage, a *Answer) (Outcome, error) {
		name, rest, err := pick(args)
		if err != nil {
			return Outcome{}, err
		}
		t, ok := tools[name]
		if !ok {
			return Outcome{}, errDecode
		}
		return t.run(ctx, c, rest, a)
	}
	return merged
}

// PickArgument returns a pick for Select that takes the argument named arg out of the arguments. A call without it means def.
func PickArgument(arg, def string) func(json.RawMessage) (string, json.RawMessage, error) {
	return func(args json.RawMessage) (string, json.RawMessage, error) {
		fields := map[string]json.RawMessage{}
		if err := json.Unmarshal(args, &fields); err != nil {
			return "", nil, errDecode
		}
		name := def
		if raw, ok := fields[arg]; ok {
			if err := json.Unmarshal(raw, &name); err != nil {
				return "", nil, errDecode
			}
			delete(fields, arg)
		}
		rest, err := json.Marshal(fields)
		return name, rest, err
	}
}
