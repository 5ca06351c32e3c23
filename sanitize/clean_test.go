package sanitize

import (
	"encoding/json"
	"errors"
	"reflect"
	"testing"
	"time"
)

func TestSprintf(t *testing.T) {
	at := time.Date(2026, 5, 1, 10, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		name string
		got  Clean
		want string
	}{
		{"numbers", Sprintf("%d of %3d, %.1f, %t", 3, 40, 1.25, true), "3 of  40, 1.2, true"},
		{"clean stays", Sprintf("<%s>", Literal("[a](b)")), "<[a](b)>"},
		{"string is cleaned", Sprintf("%s!", "[a](https://e.example)\n"), `[a]\(hxxps[:]//e[.]example)!`},
		{"quoted string is cleaned", Sprintf("%q", "a\u202eb"), `"ab"`},
		{"error is cleaned", Sprintf("failed: %v", errors.New("![x](y)\x1b[2J")), "failed: [image: x]"},
		{"octets are cleaned", Sprintf("%v", struct{ A string }{"<img src=x>"}), `{<\img src=x>}`},
		{"time", Sprintf("%s %v", at, time.Minute), "2026-05-01 10:00:00 +0000 UTC 1m0s"},
		{"nil", Sprintf("%v.", nil), "."},
		{"named string is cleaned", Sprintf("%s", Kind("![a](b)")), "[image: a]"},
		{"width", Sprintf("%-5s|", Literal("a")), "a    |"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.got.String() != c.want {
				t.Errorf("got %q, want %q", c.got, c.want)
			}
		})
	}
}

func TestCleanJSON(t *testing.T) {
	got, err := json.Marshal(struct {
		A Clean
		B Clean `json:",omitzero"`
	}{A: Literal("a\n\"b\"")})
	if err != nil || string(got) != `{"A":"a\n\"b\""}` {
		t.Errorf("got %s, %v", got, err)
	}
	if c := Join([]Clean{Literal("a"), Line("b\nc", 0)}, ", "); c.String() != "a, b c" || c.Len() != 6 || c.IsZero() {
		t.Errorf("got %q", c)
	}
}

// TestCleanIsClosed: nothing outside the package can put a string of its choice into a Clean, by a field, a
// conversion, or an argument that is not a constant.
func TestCleanIsClosed(t *testing.T) {
	clean := reflect.TypeFor[Clean]()
	if clean.Kind() != reflect.Struct || clean.NumField() != 1 || clean.Field(0).IsExported() {
		t.Errorf("Clean can be made outside: %v", clean)
	}
	if reflect.TypeFor[string]().ConvertibleTo(clean) || reflect.PointerTo(clean).Implements(reflect.TypeFor[json.Unmarshaler]()) {
		t.Error("a string can become a Clean")
	}
	for name, f := range map[string]reflect.Type{"Literal": reflect.TypeOf(Literal).In(0), "Sprintf": reflect.TypeOf(Sprintf).In(0), "Join": reflect.TypeOf(Join).In(1)} {
		if f.Name() != "literal" || f.Kind() != reflect.String {
			t.Errorf("%s takes a %v, want the unexported constant type", name, f)
		}
	}
}

func TestWords(t *testing.T) {
	for name, list := range map[string][]string{"kind": Kind("").Words(), "signal": SignalName("").Words(), "verdict": Verdict("").Words()} {
		seen := map[string]bool{}
		for _, w := range list {
			if w == "" || seen[w] {
				t.Errorf("%s: %q is empty or listed twice", name, w)
			}
			seen[w] = true
		}
	}
	kinds := map[string]bool{}
	for _, w := range Kind("").Words() {
		kinds[w] = true
	}
	for _, v := range ownVectors() {
		for _, f := range ForModel(v, Options{}).Findings {
			if !kinds[string(f.Kind)] {
				t.Errorf("%q is not listed", f.Kind)
			}
		}
	}
}
