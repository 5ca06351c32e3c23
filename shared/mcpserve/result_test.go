package mcpserve

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"
)

type (
	inner struct {
		Note SafeText `json:"note"`
	}
	tree struct {
		Kids []tree `json:"kids"`
	}
	rawWord   string
	emptyWord string
	bothWord  string
	marshaler struct{ Hidden int }
)

func (emptyWord) Words() []string              { return nil }
func (bothWord) Words() []string               { return []string{"a"} }
func (bothWord) SafeText() string              { return "anything" }
func (marshaler) MarshalJSON() ([]byte, error) { return []byte(`"` + secretText + `"`), nil }

// TestResultTypes is the wall between strings and clients.
func TestResultTypes(t *testing.T) {
	tests := []struct {
		name  string
		value any
		want  string // part of the complaint; empty if accepted
	}{
		{"string", struct{ A string }{}, "plain string"},
		{"named string", struct{ A rawWord }{}, "plain string"},
		{"pointer to string", struct {
			A *string `json:",omitempty"`
		}{}, "plain string"},
		{"slice of strings", struct{ A []string }{}, "plain string"},
		{"string deep inside", struct {
			A map[verdict][]struct{ B struct{ C string } }
		}{}, "plain string"},
		{"string in an embedded struct", struct{ embedded }{}, "plain string"},
		{"string key", struct{ A map[string]int }{}, "keys of a map"},
		{"octets", struct{ A []byte }{}, "octets"},
		{"octets in an array", struct{ A [4]byte }{}, "octets"},
		{"raw JSON", struct{ A json.RawMessage }{}, "octets"},
		{"any", struct{ A any }{}, "interface"},
		{"error", struct{ A error }{}, "interface"},
		{"function", struct{ A func() }{}, "func"},
		{"channel", struct{ A chan int }{}, "chan"},
		{"pointer that may be null", struct{ A *int }{}, "omitempty"},
		{"word without a list", struct{ A emptyWord }{}, "must list its values"},
		{"word that is also text", struct{ A bothWord }{}, "not SafeText"},
		{"name twice", struct {
			flatPart
			B int `json:"a"`
		}{}, "twice"},
		{"not a struct", []int{}, "not a plain struct"},
		{"safe text", struct{ A SafeText }{}, ""},
		{"word", struct{ A verdict }{}, ""},
		{"numbers, time, bool", struct {
			A int64
			B float64
			C time.Time
			D bool
		}{}, ""},
		{"nested", struct{ A []map[verdict]inner }{}, ""},
		{"recursive", tree{}, ""},
		{"hidden field", struct {
			a string
			B string `json:"-"`
			C int
		}{a: ""}, ""},
	}
	for _, tt := range tests {
		err := checkType(reflect.TypeOf(tt.value))
		if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got %v, want %q", tt.name, err, tt.want)
		}
	}
}

type embedded struct{ A string }

func TestEncode(t *testing.T) {
	when := time.Date(2024, 5, 31, 12, 0, 0, 0, time.FixedZone("", 7200))
	n := 3
	tests := []struct {
		name  string
		value any
		want  string
	}{
		{"nil slice and map", struct {
			A []int            `json:"a"`
			B map[verdict]bool `json:"b"`
		}{}, `{"a":[],"b":{}}`},
		{"left out if empty", struct {
			A []int     `json:"a,omitempty"`
			B SafeText  `json:"b,omitempty"`
			C time.Time `json:"c,omitzero"`
			D *int      `json:"d,omitempty"`
			E verdict   `json:"e,omitempty"`
			F int       `json:"f,omitempty"`
		}{B: Constant("")}, `{}`},
		{"in full", struct {
			A SafeText
			B time.Time `json:"b"`
			C *int      `json:"c,omitempty"`
			D float64   `json:"d"`
			E uint8     `json:"e"`
		}{Constant("<a>\n"), when, &n, 2.5, 255}, `{"A":"<a>\n","b":"2024-05-31T12:00:00+02:00","c":3,"d":2.5,"e":255}`},
		{"embedded", struct {
			flatPart
			B int `json:"b"`
		}{flatPart{1}, 2}, `{"a":1,"b":2}`},
		{"map in order", struct {
			A map[SafeText]int `json:"a"`
		}{map[SafeText]int{Constant("z"): 1, Constant("b"): 2}}, `{"a":{"b":2,"z":1}}`},
		{"octets that are not UTF-8", struct {
			A SafeText `json:"a"`
		}{constant("a\xffb")}, `{"a":"a\ufffdb"}`},
		{"nil safe text", struct {
			A SafeText `json:"a"`
		}{}, `{"a":""}`},
		{"own marshaler is not asked", struct {
			A marshaler `json:"a"`
		}{}, `{"a":{"Hidden":0}}`},
	}
	for _, tt := range tests {
		got, err := encode(reflect.ValueOf(tt.value))
		if err != nil || !jsonEqual(t, got, []byte(tt.want)) {
			t.Errorf("%s: got %s (%v), want %s", tt.name, got, err, tt.want)
		}
	}
}

type flatPart struct {
	A int `json:"a"`
}

func jsonEqual(t *testing.T, a, b []byte) bool {
	t.Helper()
	var x, y any
	if json.Unmarshal(a, &x) != nil || json.Unmarshal(b, &y) != nil {
		return false
	}
	return reflect.DeepEqual(x, y)
}

func TestEncodeRefuses(t *testing.T) {
	loop := &ring{}
	loop.Next = loop
	tests := []struct {
		name  string
		value any
	}{
		{"word not listed", struct{ A verdict }{secretText}},
		{"word not listed, in a map key", struct{ A map[verdict]int }{map[verdict]int{secretText: 1}}},
		{"word behind an interface", struct{ A Word }{verdict(secretText)}},
		{"word that is a struct", struct{ A Word }{structWord{}}},
		{"not a number", struct{ A float64 }{math.NaN()}},
		{"cycle", loop},
		{"string", struct{ A string }{secretText}},
	}
	for _, tt := range tests {
		got, err := encode(reflect.ValueOf(tt.value))
		if err == nil {
			t.Errorf("%s: got %s, want an error", tt.name, got)
		} else if strings.Contains(err.Error(), secretText) {
			t.Errorf("%s: the error repeats the value: %v", tt.name, err)
		}
	}
}

type ring struct {
	Next *ring `json:",omitempty"`
}

type structWord struct{}

func (structWord) Words() []string { return []string{"a"} }

// TestDerivedSchema: what encode writes fits the schema that is derived from the type.
func TestDerivedSchema(t *testing.T) {
	type part struct {
		Name SafeText  `json:"name" desc:"what it is called"`
		When time.Time `json:"when,omitzero"`
		V    verdict   `json:"v"`
		Vs   []verdict `json:"vs"`
		M    map[verdict]float64
		N    *int `json:"n,omitempty"`
		flatPart
	}
	type out struct {
		Parts []part `json:"parts"`
		Ok    bool   `json:"ok"`
	}
	doc, err := schemaOf(reflect.TypeFor[out]())
	if err != nil {
		t.Fatal(err)
	}
	raw, _ := json.Marshal(doc)
	if !bytes.Contains(raw, []byte("what it is called")) {
		t.Errorf("description: got %s", raw)
	}
	if err := openObjects(doc, ""); err != nil {
		t.Errorf("additionalProperties: got %v", err)
	}
	s, err := compile(raw)
	if err != nil {
		t.Fatal(err)
	}
	n := 1
	tool := Tool{output: s}
	for _, v := range []out{{}, {Parts: []part{{V: "pass"}, {V: "fail", When: time.Unix(0, 0), Vs: []verdict{"pass"}, M: map[verdict]float64{"pass": .5}, N: &n}}}} {
		enc, err := encode(reflect.ValueOf(v))
		if err != nil {
			t.Fatal(err)
		}
		if err := tool.checkOutput(enc); err != nil {
			t.Errorf("%s: got %v", enc, err)
		}
	}
	if _, err := schemaOf(reflect.TypeFor[tree]()); err == nil {
		t.Error("recursive type: got a schema, want an error that asks for one by hand")
	}
}

func TestToolFailures(t *testing.T) {
	s := testServer(t, &lockedBuffer{}, gates{})
	_, err := s.CallTool(t.Context(), "echo_texts", nil)
	if !errors.Is(err, ErrNoTool) || !strings.Contains(err.Error(), "echo_text") {
		t.Errorf("unknown tool: got %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	o, err := s.CallTool(ctx, "echo_text", json.RawMessage(`{"text":"wait"}`))
	if err != nil || !o.IsError || o.Text != textCancelled {
		t.Errorf("cancelled call: got %+v, %v", o, err)
	}
	ctx, cancel = context.WithTimeout(t.Context(), 1)
	defer cancel()
	if o, _ = s.CallTool(ctx, "echo_text", json.RawMessage(`{"text":"wait"}`)); o.Text != textDeadline {
		t.Errorf("call past its deadline: got %+v", o)
	}
	o, err = s.CallTool(t.Context(), "echo_text", json.RawMessage(`{"text":"toolerror"}`))
	if err != nil || !o.IsError || o.Code != "fail" || o.Text != "not done. hint: try again" {
		t.Errorf("tool error: got %+v, %v", o, err)
	}
	if o, _ = s.CallTool(t.Context(), "echo_text", json.RawMessage(`{"text":"a"} x`)); !o.IsError {
		t.Errorf("arguments that are not JSON: got %+v", o)
	}
}

func TestOutcome(t *testing.T) {
	s := testServer(t, &lockedBuffer{}, gates{})
	o, err := s.CallTool(t.Context(), "echo_text", json.RawMessage(`{"text":"image"}`))
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := o.Pretty(&b); err != nil || b.String() != "see\n[image, image/png, 3 octets]\n" {
		t.Errorf("pretty: got %q, %v", b.String(), err)
	}
	data, err := o.JSON()
	if want := `"images":[{"mediaType":"image/png","octets":3}]`; err != nil || !bytes.Contains(data, []byte(want)) || !json.Valid(data) {
		t.Errorf("JSON: got %s, %v, want %s", data, err, want)
	}
	o, _ = s.CallTool(t.Context(), "echo_text", json.RawMessage(`{"text":"a"}`))
	b.Reset()
	if err := o.Pretty(&b); err != nil || !strings.HasPrefix(b.String(), "{\n  \"text\": \"a\"") {
		t.Errorf("pretty structure: got %q, %v", b.String(), err)
	}
}

func TestNewServerRefuses(t *testing.T) {
	define := func(s Spec) Tool {
		return Define(s, func(context.Context, *Call, struct{}) (Result[struct{}], error) { return Result[struct{}]{}, nil })
	}
	closed := json.RawMessage(`{"type":"object","additionalProperties":false}`)
	good := Spec{Name: "a_b", Description: "d", InputSchema: closed}
	with := func(change func(*Spec)) Tool { s := good; change(&s); return define(s) }
	tests := []struct {
		name string
		c    Config
		want string
	}{
		{"good", Config{Tools: []Tool{define(good)}}, ""},
		{"twice", Config{Tools: []Tool{define(good), define(good)}}, "twice"},
		{"name", Config{Tools: []Tool{with(func(s *Spec) { s.Name = "Get-X" })}}, "lower case"},
		{"description", Config{Tools: []Tool{with(func(s *Spec) { s.Description = "" })}}, "no description"},
		{"hints", Config{Tools: []Tool{with(func(s *Spec) { s.Hints = Hints{ReadOnly: true, Destructive: true} })}}, "read-only and destructive"},
		{"no schema", Config{Tools: []Tool{with(func(s *Spec) { s.InputSchema = nil })}}, "input schema"},
		{"schema with a fault", Config{Tools: []Tool{with(func(s *Spec) { s.InputSchema = json.RawMessage(`{"type":"objekt"}`) })}}, "input schema"},
		{"open schema", Config{Tools: []Tool{with(func(s *Spec) { s.InputSchema = json.RawMessage(`{"type":"object"}`) })}}, "additionalProperties"},
		{"open schema inside", Config{Tools: []Tool{with(func(s *Spec) {
			s.InputSchema = json.RawMessage(`{"type":"object","additionalProperties":false,"properties":{"a":{"type":"array","items":{"type":"object"}}}}`)
		})}}, "/properties/a/items"},
		{"schema that reads a file", Config{Tools: []Tool{with(func(s *Spec) {
			s.InputSchema = json.RawMessage(`{"type":"object","additionalProperties":false,"properties":{"a":{"$ref":"file:///etc/passwd"}}}`)
		})}}, "refer to itself"},
		{"not made by Define", Config{Tools: []Tool{{spec: good}}}, "Define"},
		{"raw result", Config{Tools: []Tool{Define(good, func(context.Context, *Call, struct{}) (Result[embedded], error) { return Result[embedded]{}, nil })}}, "plain string"},
		{"resource template", Config{Resources: []Resource{DefineResource(ResourceSpec{URITemplate: "x{", Name: "x", Description: "d"}, thing().read)}}, "URI template"},
		{"filter typo", Config{Tools: []Tool{define(good)}, Filter: Filter{Deny: []string{"a_c"}}}, "write a_b"},
		{"filter unknown", Config{Tools: []Tool{define(good)}, Filter: Filter{Allow: []string{"zzzzzz"}}}, "there are a_b"},
		{"filter leaves nothing", Config{Tools: []Tool{define(good)}, Filter: Filter{Deny: []string{"a_b"}}}, "leaves no tool"},
	}
	for _, tt := range tests {
		tt.c.Name, tt.c.Version = "x", "1"
		_, err := NewServer(tt.c)
		if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got %v, want %q", tt.name, err, tt.want)
		}
		if err != nil && strings.Contains(err.Error(), "zzzzzz") {
			t.Errorf("%s: the error repeats a value: %v", tt.name, err)
		}
	}
}

func TestFilter(t *testing.T) {
	named := func(n string) Tool { return Tool{spec: Spec{Name: n}} }
	all := []Tool{named("a"), named("b"), named("c")}
	tests := []struct {
		f    Filter
		want string
	}{
		{Filter{}, "a b c"},
		{Filter{Allow: []string{"c", "a"}}, "a c"},
		{Filter{Deny: []string{"b"}}, "a c"},
		{Filter{Allow: []string{"a", "b"}, Deny: []string{"b"}}, "a"},
	}
	for _, tt := range tests {
		left, err := tt.f.apply(all)
		var names []string
		for _, l := range left {
			names = append(names, l.Name())
		}
		if got := strings.Join(names, " "); err != nil || got != tt.want {
			t.Errorf("%+v: got %q, %v, want %q", tt.f, got, err, tt.want)
		}
	}
}

// TestLogHoldsNoContent runs every failing call and looks at the whole log.
func TestLogHoldsNoContent(t *testing.T) {
	var log lockedBuffer
	s := testServer(t, &log, gates{})
	for _, m := range messages {
		if m.args == "null" || strings.Contains(m.name, "print") {
			continue
		}
		o, err := s.CallTool(t.Context(), "echo_text", json.RawMessage(m.args))
		if err != nil || strings.Contains(o.Text, secretText) {
			t.Errorf("%s: got %+v, %v", m.name, o, err)
		}
	}
	for _, word := range []string{secretText, "a<b>", "blue", "try again"} {
		if strings.Contains(log.String(), word) {
			t.Errorf("log holds %q: %s", word, log.String())
		}
	}
	if !strings.Contains(log.String(), "errors.errorString") || !strings.Contains(log.String(), "fixture_test") && !strings.Contains(log.String(), "echo") {
		t.Errorf("log: want the class of the error and the place of the panic, got %s", log.String())
	}
}
