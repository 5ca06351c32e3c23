package mcpserve

import (
	"encoding/json"
	"strings"
	"testing"
)

const richSchema = `{
 "type":"object","additionalProperties":false,
 "oneOf":[{"required":["ref"]},{"required":["mailbox"]}],
 "dependentRequired":{"until":["since"]},
 "properties":{
  "ref":{"type":"string","pattern":"^imap://","examples":["imap://default/INBOX;UIDVALIDITY=1/;UID=2"]},
  "mailbox":{"type":"string","minLength":1},
  "mailboxes":{"type":"array","minItems":1,"maxItems":2,"uniqueItems":true,"items":{"type":"string","maxLength":5}},
  "since":{"type":"string","format":"date"},
  "until":{"type":"string","format":"date"},
  "size":{"type":"integer","minimum":0},
  "ratio":{"type":"number","exclusiveMinimum":0},
  "flag":{"type":"boolean"},
  "mode":{"enum":["fast","full"]},
  "fixed":{"const":"yes"},
  "code":{"type":"string","pattern":"^[a-z]+$"},
  "word":{"type":"string","pattern":"^[a-z]+$","description":"A word in lower case. Nothing else."},
  "when":{"anyOf":[{"type":"string","format":"date"},{"type":"integer","minimum":1}]},
  "gone":false,
  "map":{"type":"object","maxProperties":2,"additionalProperties":{"type":"integer"},"propertyNames":{"pattern":"^[a-z]+$"}},
  "tree":{"$ref":"#/$defs/node"},
  "no":{"type":"string","not":{"const":"x"},"description":"Anything but x."}
 },
 "$defs":{"node":{"type":"object","additionalProperties":false,"required":["op"],"properties":{
   "op":{"enum":["and","or"]},"args":{"type":"array","items":{"$ref":"#/$defs/node"}}}}}
}`

func TestExplain(t *testing.T) {
	s, err := compile(json.RawMessage(richSchema))
	if err != nil {
		t.Fatal(err)
	}
	if err := checkInputSchema(s.doc); err != nil {
		t.Fatal(err)
	}
	tool := &Tool{input: s}
	tests := []struct{ name, args, want string }{
		{"good", `{"ref":"imap://x","size":0,"tree":{"op":"and","args":[{"op":"or"}]},"map":{"a":1},"when":"2024-01-01"}`, ""},
		{"neither", `{}`, "give one of ref, mailbox"},
		{"both", `{"ref":"imap://x","mailbox":"x"}`, "give only one of ref, mailbox"},
		{"pattern with example", `{"ref":"SECRET"}`, "ref must be a string, such as imap://default/INBOX;UIDVALIDITY=1/;UID=2"},
		{"pattern with description", `{"mailbox":"a","word":"SECRET"}`, "word must be a string (A word in lower case)"},
		{"pattern alone", `{"mailbox":"a","code":"SECRET"}`, "code must be a string, matching the pattern ^[a-z]+$"},
		{"empty", `{"mailbox":""}`, "mailbox must be a string that is not empty"},
		{"no items", `{"mailbox":"a","mailboxes":[]}`, "mailboxes must be a list whose items are each a string of at most 5 characters (1 to 2 items)"},
		{"too many items", `{"mailbox":"a","mailboxes":["a","b","c"]}`, "(1 to 2 items)"},
		{"same item", `{"mailbox":"a","mailboxes":["a","a"]}`, "mailboxes must not list the same item twice (items 1 and 2)"},
		{"item too long", `{"mailbox":"a","mailboxes":["a","SECRET"]}`, "mailboxes[1] must be a string of at most 5 characters"},
		{"date", `{"mailbox":"a","since":"SECRET"}`, "since must be a date such as 2024-05-31"},
		{"impossible date", `{"mailbox":"a","since":"2024-02-30"}`, "since must be a date such as 2024-05-31"},
		{"dependent", `{"mailbox":"a","until":"2024-01-01"}`, "until also needs since"},
		{"below", `{"mailbox":"a","size":-1}`, "size must be a whole number of at least 0"},
		{"not above", `{"mailbox":"a","ratio":0}`, "ratio must be a number greater than 0"},
		{"boolean in quotes", `{"mailbox":"a","flag":"true"}`, "flag must be true or false; write true or false without quotes"},
		{"object in quotes", `{"mailbox":"a","map":"{}"}`, "map must be an object; write the object itself, not a string that holds it"},
		{"enumeration", `{"mailbox":"a","mode":"SECRET"}`, `mode must be one of "fast", "full"`},
		{"constant", `{"mailbox":"a","fixed":"SECRET"}`, `fixed must be "yes"`},
		{"alternatives", `{"mailbox":"a","when":true}`, "when must be a date such as 2024-05-31, or a whole number of at least 1"},
		{"not allowed", `{"mailbox":"a","gone":1}`, "gone is not allowed here"},
		{"value in a map", `{"mailbox":"a","map":{"k":"SECRET"}}`, "map.k must be a whole number"},
		{"key of a map", `{"mailbox":"a","map":{"K1":1}}`, "map has a key of the wrong form"},
		{"keys of a map", `{"mailbox":"a","map":{"a":1,"b":1,"c":1}}`, "map takes at most 2 keys"},
		{"deep", `{"mailbox":"a","tree":{"op":"and","args":[{"op":"SECRET"}]}}`, `tree.args[0].op must be one of "and", "or"`},
		{"deep missing", `{"mailbox":"a","tree":{"op":"and","args":[{}]}}`, `tree.args[0].op is missing: give one of "and", "or"`},
		{"deep unknown", `{"mailbox":"a","tree":{"op":"and","arg":[]}}`, "there is no argument arg in tree; did you mean args?"},
		{"not", `{"mailbox":"a","no":"x"}`, "no has a combination that is not allowed (Anything but x)"},
		{"list for one", `{"mailbox":["a"]}`, "mailbox must be a string that is not empty; give one value, not a list"},
		{"many problems", `{"mailbox":"a","size":-1,"mode":1,"flag":1,"fixed":1,"ratio":"x","since":1,"code":1}`, "and 2 more"},
		{"list, not object", `[]`, "the arguments must be an object"},
	}
	for _, tt := range tests {
		_, got := tool.accept(json.RawMessage(tt.args))
		if tt.want == "" && got != "" || !strings.Contains(got, tt.want) {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
		if strings.Contains(got, "SECRET") {
			t.Errorf("%s: the value is repeated: %q", tt.name, got)
		}
	}
}

// FuzzAccept: no input breaks the validation, and no long or unprintable part of it comes back.
func FuzzAccept(f *testing.F) {
	s, err := compile(json.RawMessage(richSchema))
	if err != nil {
		f.Fatal(err)
	}
	f.Add([]byte(`{"mailbox":"a","tree":{"op":"and","args":[{}]}}`))
	f.Add([]byte(`{"a\u0007b":1,"map":{"\u202e":{}}}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		tool := &Tool{input: s}
		args, complaint := tool.accept(raw)
		if (args == nil) == (complaint == "") {
			t.Fatalf("got %q and %q", args, complaint)
		}
		if len(complaint) > 4000 {
			t.Fatalf("complaint of %d octets", len(complaint))
		}
		for _, r := range complaint {
			if r < ' ' || r > '~' {
				t.Fatalf("complaint holds %U: %q", r, complaint)
			}
		}
	})
}

func TestNearest(t *testing.T) {
	known := []string{"mailbox", "from_address", "limit", "list_messages", "get_message"}
	tests := map[string]string{
		"mailbx": "mailbox", "Mailbox": "mailbox", "fromAddress": "from_address", "limti": "limit", "message": "get_message",
		"listMessages": "list_messages", "list": "list_messages", "getmessages": "get_message", "x": "",
		strings.Repeat("m", 1000): "",
	}
	for in, want := range tests {
		if got := nearest(in, known); got != want {
			t.Errorf("%.20q: got %q, want %q", in, got, want)
		}
	}
}
