package mcpserve

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

func TestWithProperty(t *testing.T) {
	for _, c := range []struct {
		name, schema, want string
		required           bool
	}{
		{"empty", `{"type":"object","properties":{},"additionalProperties":false}`, `{"type":"object","properties":{"a":{}},"additionalProperties":false}`, false},
		{"others", `{"properties":{"b":{}},"required":["b"]}`, `{"properties":{"a":{},"b":{}},"required":["a","b"]}`, true},
		{"required empty", `{"properties":{},"required":[]}`, `{"properties":{"a":{}},"required":["a"]}`, true},
		{"required absent", `{"properties":{}}`, `{"required":["a"],"properties":{"a":{}}}`, true},
		{"not required", `{"properties":{"b":{}},"required":["b"]}`, `{"properties":{"a":{},"b":{}},"required":["b"]}`, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := Spec{InputSchema: json.RawMessage(c.schema)}.WithProperty("a", "{}", c.required)
			if string(got.InputSchema) != c.want || !json.Valid(got.InputSchema) {
				t.Errorf("got %s, want %s", got.InputSchema, c.want)
			}
		})
	}
}

func TestSelect(t *testing.T) {
	type in struct {
		N int `json:"n"`
	}
	type out struct {
		N int `json:"n"`
	}
	spec := Spec{Name: "count_it", Description: "Counts.", InputSchema: json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer"}},"additionalProperties":false}`)}
	times := func(factor int) Tool {
		return Define(spec, func(_ context.Context, _ *Call, a in) (Result[out], error) {
			return Result[out]{Structured: out{a.N * factor}}, nil
		})
	}
	tool := Select(spec.WithProperty("by", `{"enum":["two","ten","lost"]}`, false), map[string]Tool{"two": times(2), "ten": times(10)}, PickArgument("by", "two"))
	s, err := NewServer(Config{Name: "x", Version: "1", Tools: []Tool{tool}})
	if err != nil {
		t.Fatal(err)
	}
	for args, want := range map[string]string{
		`{"n":3}`:               `{"n":6}`,
		`{"n":3,"by":"ten"}`:    `{"n":30}`,
		`{"n":3,"by":"eleven"}`: "by",
		`{"n":3,"by":"lost"}`:   "",
	} {
		got, err := s.CallTool(t.Context(), "count_it", json.RawMessage(args))
		if err != nil {
			t.Fatal(err)
		}
		failed := !strings.HasPrefix(want, "{")
		if got.IsError != failed || !failed && string(got.Structured) != want || failed && !strings.Contains(got.Text, want) {
			t.Errorf("%s: got %s, want %s", args, fmt.Sprint(got.Text, string(got.Structured)), want)
		}
	}
}
