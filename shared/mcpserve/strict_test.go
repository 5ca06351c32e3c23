package mcpserve

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
)

func TestStrictJSON(t *testing.T) {
	dup := &duplicateKeyError{}
	tests := []struct {
		name, in string
		want     error // nil for none; dup for a duplicate key
	}{
		{"empty object", `{}`, nil},
		{"same key in two objects", `{"a":{"b":1},"c":{"b":1},"d":[{"b":1},{"b":1}]}`, nil},
		{"key equal to a value", `{"a":"b","b":"a"}`, nil},
		{"duplicate", `{"a":1,"b":[{"x":1},2],"a":2}`, dup},
		{"duplicate in a list", `[[{"a":1,"a":1}]]`, dup},
		{"duplicate by escape", `{"a":1,"\u0061":2}`, dup},
		{"case counts", `{"a":1,"A":2}`, nil},
		{"high surrogate alone", `["\ud83d"]`, errSurrogate},
		{"high surrogate and text", `["\ud83dabcdef"]`, errSurrogate},
		{"two high surrogates", `["\ud83d\ud83d"]`, errSurrogate},
		{"low surrogate alone", `["\ude00"]`, errSurrogate},
		{"surrogate in a key", `{"\ud83d":1}`, errSurrogate},
		{"pair", `["\ud83d\ude00"]`, nil},
		{"escaped backslash before u", `["\\ud83d"]`, nil},
		{"NUL in a key", `{"a\u0000":1}`, errEscapedNull},
		{"NUL in a value", `{"a":"\u0000"}`, nil},
		{"not UTF-8", "[\"\xff\"]", errNotUTF8},
		{"not JSON", `{"a":1,}`, errNotJSON},
		{"two values", `{} {}`, errNotJSON},
		{"depth at the limit", strings.Repeat("[", maxDepth) + strings.Repeat("]", maxDepth), nil},
		{"depth past it", strings.Repeat("[", maxDepth+1) + strings.Repeat("]", maxDepth+1), errTooDeep},
		{"exponent at the limit", `1e400`, nil},
		{"exponent past it", `1e401`, errHugeNumber},
		{"negative exponent past it", `[-1E-401]`, errHugeNumber},
		{"exponent past int", `1e99999999999999999999`, errHugeNumber},
		{"long number", strings.Repeat("1", maxNumberOctets+1), errHugeNumber},
		{"longest number", strings.Repeat("1", maxNumberOctets), nil},
	}
	for _, tt := range tests {
		got := strictJSON([]byte(tt.in))
		var d *duplicateKeyError
		if tt.want == error(dup) {
			if !errors.As(got, &d) {
				t.Errorf("%s: got %v, want a duplicate key", tt.name, got)
			}
			continue
		}
		if !errors.Is(got, tt.want) {
			t.Errorf("%s: got %v, want %v", tt.name, got, tt.want)
		}
	}
}

// FuzzStrictJSON: what is accepted means the same to a decoder that keeps the first of two keys and to one that keeps the
// last, and survives being written and read again.
func FuzzStrictJSON(f *testing.F) {
	for _, s := range []string{`{"a":[1,2.5e3,"x\u0041\ud83d\ude00"],"b":{"a":null}}`, `{"a":1,"a":2}`, `["\ud800"]`, `"\\"`, `1e9`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if strictJSON(data) != nil {
			return
		}
		var v any
		if err := json.Unmarshal(data, &v); err != nil {
			if strings.Contains(err.Error(), "float64") {
				return // a number beyond float64, within our bound
			}
			t.Fatalf("accepted what encoding/json refuses: %v", err)
		}
		again, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		if err := strictJSON(again); err != nil {
			t.Fatalf("%s, written again: %v", again, err)
		}
		var w any
		if err := json.Unmarshal(again, &w); err != nil || !reflect.DeepEqual(v, w) {
			t.Fatalf("got %v (%v), want %v", w, err, v)
		}
		if n := strings.Count(string(data), `":`); countKeys(v) > n+strings.Count(string(data), `"`) {
			t.Fatalf("%d keys from %d", countKeys(v), n)
		}
	})
}

func countKeys(v any) int {
	n := 0
	switch x := v.(type) {
	case map[string]any:
		n += len(x)
		for _, m := range x {
			n += countKeys(m)
		}
	case []any:
		for _, m := range x {
			n += countKeys(m)
		}
	}
	return n
}

func FuzzParseMessage(f *testing.F) {
	for _, m := range messages {
		f.Add([]byte(call("1", m.args, modernMeta)))
	}
	f.Add([]byte(`{"jsonrpc":"2.0","id":null,"method":"x"}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		if len(line) == 0 {
			return
		}
		m, fault := parseMessage(line)
		if (m == nil) && (fault == nil) {
			t.Fatal("neither message nor fault")
		}
		if fault != nil || m.isReply || m.id == nil || m.name == "" {
			return
		}
		raw, err := m.rebuild()
		if err != nil {
			t.Fatal(err)
		}
		again, fault := parseMessage(raw)
		if fault != nil || again.params["arguments"] != nil || again.method != m.method || again.era != m.era || again.name != m.name || string(again.id) != string(m.id) {
			t.Fatalf("rebuilt %s: got %+v, %+v", raw, again, fault)
		}
	})
}

func FuzzPlainEscapes(f *testing.F) {
	for _, s := range []string{`a<b>&\u003c`, "\\", `\\u003c`, "\u2028", "\"<"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		escaped, err := json.Marshal([]string{s})
		if err != nil {
			t.Fatal(err)
		}
		plain := plainEscapes(escaped)
		var got, want []string
		if err := json.Unmarshal(plain, &got); err != nil {
			t.Fatalf("%s: %v", plain, err)
		}
		if err := json.Unmarshal(escaped, &want); err != nil {
			t.Fatal(err)
		}
		if got[0] != want[0] || len(plain) > len(escaped) {
			t.Fatalf("got %q, want %q", got[0], want[0])
		}
	})
}
