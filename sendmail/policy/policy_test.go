package policy_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"mailgap/sendmail/policy"
	"mailgap/shared/addr"
)

func allowlist(t testing.TB, entries ...string) policy.Allowlist {
	t.Helper()
	a, err := policy.ParseAllowlist(entries)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestParseAllowlistRefuses(t *testing.T) {
	tests := []struct {
		name    string
		entries []string
		want    string // part of the advice
	}{
		{"nothing", nil, "no entry allows anybody"},
		{"empty entry", []string{"a@example.com", ""}, "leave out the comma"},
		{"blank entry", []string{"  "}, "leave out the comma"},
		{"bare domain", []string{"secret.example"}, "write @example.com for all of a domain"},
		{"star and an address", []string{"*", "a@example.com"}, "write * alone"},
		{"star and a domain", []string{"@secret.example", "*"}, "write * alone"},
		{"star twice", []string{"*", "*"}, "write * alone"},
		{"wildcard domain", []string{"*@secret.example"}, "no wildcard"},
		{"wildcard subdomain", []string{"@*.secret.example"}, "no wildcard"},
		{"wildcard local part", []string{"jane*@secret.example"}, "no wildcard"},
		{"denying everybody", []string{"!*"}, "switched off"},
		{"denying nothing", []string{"!"}, "leave out the comma"},
		{"only denying", []string{"!a@example.com"}, "no entry allows anybody"},
		{"denied bare domain", []string{"a@example.com", "!secret.example"}, "write @example.com for all of a domain"},
		{"denied twice", []string{"!!a@secret.example"}, "without a route"},
		{"space behind the mark", []string{"! a@secret.example"}, "bare address only"},
		{"at sign alone", []string{"@"}, "write name@example.com"},
		{"display name", []string{"Jane <jane@secret.example>"}, "bare address only"},
		{"two in one entry", []string{"a@secret.example;b@secret.example"}, "one address per entry"},
		{"trailing dot", []string{"@secret.example."}, "leave out the dot"},
		{"single label", []string{"@secret"}, "full domain name"},
		{"IP address", []string{"@[192.0.2.1]"}, "domain name instead"},
		{"mixed scripts", []string{"@sеcret.example"}, "one alphabet"},
		{"line break", []string{"a@secret.example\nb@secret.example"}, "type the address again"},
		{"local part with two dots", []string{"a..b@secret.example"}, "letters, digits"},
		{"bad A-label", []string{"@xn--secret-.example"}, "owner registered"},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			_, err := policy.ParseAllowlist(tc.entries)
			if !errors.Is(err, policy.ErrAllowlist) || !strings.Contains(err.Error(), tc.want) {
				t.Fatalf("got %v, want advice with %q", err, tc.want)
			}
			if strings.Contains(err.Error(), "secret") || strings.Contains(err.Error(), "jane") {
				t.Errorf("the error repeats the entry: %v", err)
			}
		})
	}
}

func TestAllowlistCheck(t *testing.T) {
	tests := []struct {
		name    string
		entries []string
		to      string
		want    policy.Code
		rule    policy.Rule
	}{
		{"exact", []string{"jane@example.com"}, "jane@example.com", "", policy.RuleAddress},
		{"case is folded", []string{"Jane@Example.COM"}, "jANE@eXAMPLE.com", "", policy.RuleAddress},
		{"space around an entry", []string{" jane@example.com "}, "jane@example.com", "", policy.RuleAddress},
		{"another local part", []string{"jane@example.com"}, "john@example.com", policy.CodeRecipientNotAllowed, ""},
		{"sub-address of an allowed address", []string{"jane@example.com"}, "jane+x@example.com", policy.CodeRecipientNotAllowed, ""},
		{"domain", []string{"@example.com"}, "anybody@example.com", "", policy.RuleDomain},
		{"subdomain is another domain", []string{"@example.com"}, "a@mail.example.com", policy.CodeRecipientNotAllowed, ""},
		{"domain as a suffix", []string{"@example.com"}, "a@notexample.com", policy.CodeRecipientNotAllowed, ""},
		{"star", []string{"*"}, "a@anywhere.test", "", policy.RuleEveryone},
		{"star with a denied address", []string{"*", "!boss@example.com"}, "boss@example.com", policy.CodeRecipientNotAllowed, policy.RuleDenied},
		{"star with a denied domain", []string{"!@example.com", "*"}, "a@example.com", policy.CodeRecipientNotAllowed, policy.RuleDenied},
		{"deny wins over the same address", []string{"boss@example.com", "!boss@example.com"}, "boss@example.com", policy.CodeRecipientNotAllowed, policy.RuleDenied},
		{"deny wins over the domain", []string{"@example.com", "!boss@example.com"}, "Boss@example.com", policy.CodeRecipientNotAllowed, policy.RuleDenied},
		{"denied domain wins over an address", []string{"boss@example.com", "!@example.com"}, "boss@example.com", policy.CodeRecipientNotAllowed, policy.RuleDenied},
		{"deny covers sub-addresses", []string{"@example.com", "!boss@example.com"}, "boss+x@example.com", policy.CodeRecipientNotAllowed, policy.RuleDenied},
		{"deny covers subdomains", []string{"*", "!@example.com"}, "a@mail.example.com", policy.CodeRecipientNotAllowed, policy.RuleDenied},
		{"others beside a denied one", []string{"@example.com", "!boss@example.com"}, "bossy@example.com", "", policy.RuleDomain},
		{"U-label listed, A-label asked", []string{"@bücher.example"}, "a@xn--bcher-kva.example", "", policy.RuleDomain},
		{"A-label listed, U-label asked", []string{"@XN--BCHER-KVA.example"}, "a@BÜCHER.example", "", policy.RuleDomain},
		{"A-label denied, U-label asked", []string{"*", "!@xn--bcher-kva.example"}, "a@bücher.example", policy.CodeRecipientNotAllowed, policy.RuleDenied},
		{"look-alike of a domain", []string{"@example.com"}, "a@examp1e.com", policy.CodeLookAlike, ""},
		{"look-alike of an address's domain", []string{"jane@example.com"}, "jane@exarnple.com", policy.CodeLookAlike, ""},
		{"look-alike in Cyrillic", []string{"@apple.com"}, "a@аррӏе.com", policy.CodeLookAlike, ""},
		{"listed name as leading labels", []string{"@example.com"}, "a@example.com.attacker.test", policy.CodeLookAlike, ""},
		{"look-alike that is listed itself", []string{"@example.com", "@examp1e.com"}, "a@examp1e.com", "", policy.RuleDomain},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			a, err := addr.ParseSpec(tc.to)
			if err != nil {
				t.Fatal(err)
			}
			got := allowlist(t, tc.entries...).Check(a)
			if got.Code != tc.want || got.Allowed != (tc.want == "") || got.Rule != tc.rule || (got.LookAlikeOf != "") != (got.Code == policy.CodeLookAlike) {
				t.Errorf("got %+v, want %q by %q", got, tc.want, tc.rule)
			}
		})
	}
	if got := (policy.Allowlist{}).Check(addr.Address{LocalPart: "a", Domain: "example.com"}); got.Allowed {
		t.Error("the zero list allows somebody")
	}
	if allow, deny := allowlist(t, "*", "!a@example.com", "!@example.net").Len(); allow != 1 || deny != 2 {
		t.Errorf("Len: got %d, %d", allow, deny)
	}
}

func request() policy.Request {
	return policy.Request{To: []string{"jane@example.com"}, Subject: "Hello", Text: "Text\n"}
}

func TestCheck(t *testing.T) {
	rules := policy.Rules{Allowlist: allowlist(t, "@example.com", "!boss@example.com"), Limits: policy.Limits{MaxRecipients: 3, MaxSubjectChars: 20, MaxTextBytes: 100, MaxHTMLBytes: 100}}
	tests := []struct {
		name   string
		change func(*policy.Request)
		want   policy.Code
		field  string
	}{
		{"fine", func(*policy.Request) {}, "", ""},
		{"nobody", func(r *policy.Request) { r.To = nil }, policy.CodeNoRecipient, ""},
		{"only Bcc is enough", func(r *policy.Request) { r.To, r.Bcc = nil, r.To }, "", ""},
		{"at the limit over all three", func(r *policy.Request) { r.Cc, r.Bcc = []string{"b@example.com"}, []string{"c@example.com"} }, "", ""},
		{"duplicates do not count", func(r *policy.Request) {
			r.Cc, r.Bcc = []string{"JANE@example.com", "b@example.com"}, []string{"c@example.com", "b@EXAMPLE.com"}
		}, "", ""},
		{"one too many over all three", func(r *policy.Request) {
			r.Cc, r.Bcc = []string{"b@example.com"}, []string{"c@example.com", "d@example.com"}
		}, policy.CodeTooManyRecipients, ""},
		{"thousands", func(r *policy.Request) { r.Bcc = slices.Repeat([]string{"a@example.com"}, 2000) }, policy.CodeTooManyRecipients, ""},
		{"stranger", func(r *policy.Request) { r.Cc = []string{"x@example.net"} }, policy.CodeRecipientNotAllowed, "cc"},
		{"denied", func(r *policy.Request) { r.Bcc = []string{"boss@example.com"} }, policy.CodeRecipientNotAllowed, "bcc"},
		{"look-alike", func(r *policy.Request) { r.To = []string{"a@examp1e.com"} }, policy.CodeLookAlike, "to"},
		{"display name", func(r *policy.Request) { r.To = []string{"Jane <jane@example.com>"} }, policy.CodeDisplayName, "to"},
		{"malformed", func(r *policy.Request) { r.To = []string{"jane@localhost"} }, policy.CodeRecipientMalformed, "to"},
		{"smuggled command", func(r *policy.Request) { r.To = []string{"jane@example.com\r\nRCPT TO:<x@example.net>"} }, policy.CodeRecipientMalformed, "to"},
		{"percent routing", func(r *policy.Request) { r.To = []string{"x%example.net@example.com"} }, policy.CodeRecipientMalformed, "to"},
		{"encoded-word", func(r *policy.Request) { r.Subject = "=?utf-8?B?SGk=?=" }, policy.CodeEncodedWord, "subject"},
		{"encoded-word in the middle", func(r *policy.Request) { r.Subject = "a =?x?q?b?= c" }, policy.CodeEncodedWord, "subject"},
		{"encoded-word with spaces", func(r *policy.Request) { r.Subject = "=?utf-8?q?a b?=" }, policy.CodeEncodedWord, "subject"},
		{"arithmetic", func(r *policy.Request) { r.Subject = "2+2=? ok?" }, "", ""},
		{"questions", func(r *policy.Request) { r.Subject = "=? a? b? c?" }, "", ""},
		{"subject at the limit", func(r *policy.Request) { r.Subject = strings.Repeat("ж", 20) }, "", ""},
		{"subject too long", func(r *policy.Request) { r.Subject = strings.Repeat("ж", 21) }, policy.CodeSubjectTooLong, "subject"},
		{"subject not UTF-8", func(r *policy.Request) { r.Subject = "caf\xe9" }, policy.CodeNotUTF8, "subject"},
		{"override in the subject", func(r *policy.Request) { r.Subject = "a\u202eb" }, policy.CodeDirectionCharacter, "subject"},
		{"isolate in the subject", func(r *policy.Request) { r.Subject = "a\u2067b" }, policy.CodeDirectionCharacter, "subject"},
		{"Hebrew with a mark", func(r *policy.Request) { r.Subject = "שלום\u200f!" }, "", ""},
		{"NUL in the subject", func(r *policy.Request) { r.Subject = "a\x00b" }, policy.CodeControlCharacter, "subject"},
		{"escape in the subject", func(r *policy.Request) { r.Subject = "a\x1b[2Jb" }, policy.CodeControlCharacter, "subject"},
		{"tab in the subject", func(r *policy.Request) { r.Subject = "a\tb" }, policy.CodeControlCharacter, "subject"},
		{"C1 control in the subject", func(r *policy.Request) { r.Subject = "a\u009bb" }, policy.CodeControlCharacter, "subject"},
		{"file name with a break", func(r *policy.Request) { r.HeaderValues = []string{"a.txt", "b\r\nX: y.txt"} }, policy.CodeLineBreak, "header value"},
		{"long header value", func(r *policy.Request) { r.HeaderValues = []string{strings.Repeat("a", 999)} }, policy.CodeHeaderValueTooLong, "header value"},
		{"empty", func(r *policy.Request) { r.Subject, r.Text = " ", "\n" }, policy.CodeEmptyMessage, ""},
		{"empty with a file", func(r *policy.Request) { r.Subject, r.Text, r.HasAttachments = "", "", true }, "", ""},
		{"text at the limit", func(r *policy.Request) { r.Text = strings.Repeat("a", 100) }, "", ""},
		{"text too large", func(r *policy.Request) { r.Text = strings.Repeat("a", 101) }, policy.CodeTextTooLarge, "text"},
		{"html too large", func(r *policy.Request) { r.HTML = strings.Repeat("a", 101) }, policy.CodeHTMLTooLarge, "html"},
		{"text not UTF-8", func(r *policy.Request) { r.Text = "\xff" }, policy.CodeNotUTF8, "text"},
		{"NUL in the text", func(r *policy.Request) { r.Text = "a\x00" }, policy.CodeControlCharacter, "text"},
		{"escape in the text", func(r *policy.Request) { r.Text = "a\x1b[31m" }, policy.CodeControlCharacter, "text"},
		{"tabs and line ends in the text", func(r *policy.Request) { r.Text = "a\tb\r\nc\u2028d" }, "", ""},
		{"tool call left behind", func(r *policy.Request) { r.Text = "Regards\n</parameter>\n</invoke>" }, policy.CodeToolMarkup, "text"},
		{"tool call with a prefix", func(r *policy.Request) { r.Text = "x </function_calls>" }, policy.CodeToolMarkup, "text"},
		{"chat template token", func(r *policy.Request) { r.Text = "Regards<|im_end|>" }, policy.CodeToolMarkup, "text"},
		{"tool call list", func(r *policy.Request) { r.Text = "[TOOL_CALLS] [{}]" }, policy.CodeToolMarkup, "text"},
		{"talk about parameters", func(r *policy.Request) { r.Text = "invoke the <parameters> [tool calls] a < b > c <param>" }, "", ""},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			req := request()
			tc.change(&req)
			v, err := policy.Check(req, rules)
			if tc.want == "" {
				if err != nil || len(v.Refusals) != 0 {
					t.Fatalf("got %v", err)
				}
				return
			}
			var r *policy.Refusal
			if !errors.As(err, &r) || r.Code != tc.want || r.Field != tc.field {
				t.Fatalf("got %v, want %s in %q", err, tc.want, tc.field)
			}
			if !errors.Is(err, &policy.Refusal{Code: tc.want}) {
				t.Error("errors.Is by code")
			}
		})
	}
}

// TestEightLineBreaks: every mandatory break, at every place of a subject and of another header value.
func TestEightLineBreaks(t *testing.T) {
	rules := policy.Rules{Allowlist: allowlist(t, "*")}
	for _, br := range []string{"\n", "\v", "\f", "\r", "\r\n", "\u0085", "\u2028", "\u2029"} {
		for _, shape := range []string{"%s", "%sBcc: x@example.net", "Hello%s", "Hello%s there", "Hello%s%s"} {
			value := strings.ReplaceAll(shape, "%s", br)
			req := request()
			req.Subject = value
			if _, err := policy.Check(req, rules); !errors.Is(err, &policy.Refusal{Code: policy.CodeLineBreak}) {
				t.Errorf("subject %q: got %v", value, err)
			}
			req = request()
			req.HeaderValues = []string{value}
			if _, err := policy.Check(req, rules); !errors.Is(err, &policy.Refusal{Code: policy.CodeLineBreak}) {
				t.Errorf("header value %q: got %v", value, err)
			}
			req = request()
			req.To = []string{"jane@example.com" + br}
			if _, err := policy.Check(req, rules); err == nil {
				t.Errorf("address with %q passed", br)
			}
		}
	}
}

func TestRecipients(t *testing.T) {
	rules := policy.Rules{Allowlist: allowlist(t, "@example.com", "x@example.net")}
	req := policy.Request{To: []string{"a@example.com", "A@EXAMPLE.com"}, Cc: []string{"b@example.com", "nobody@example.org"}, Bcc: []string{"a@example.com", "x@example.net"}}
	v := policy.CheckRecipients(req, rules)
	var got []string
	for _, r := range v.Recipients {
		got = append(got, fmt.Sprintf("%s %s %s", r.Kind, r.Address.AddrSpec(), r.Rule))
	}
	want := []string{"to a@example.com listed by its domain", "cc b@example.com listed by its domain", "bcc x@example.net listed by exact address"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if v.Duplicates != 2 || len(v.Answers) != 6 || v.Answers[3].Allowed || v.Answers[3].Code != policy.CodeRecipientNotAllowed {
		t.Errorf("got %d duplicates, answers %+v", v.Duplicates, v.Answers)
	}
	if got := v.Of(policy.Bcc); len(got) != 1 || got[0].AddrSpec() != "x@example.net" {
		t.Errorf("Bcc: got %v", got)
	}
}

// TestNothingIsDisclosed: whatever is asked, no text meant for a model names an entry, the right address, or the value refused.
func TestNothingIsDisclosed(t *testing.T) {
	rules := policy.Rules{Allowlist: allowlist(t, "@hidden-one.example", "jane.hidden@two.example", "!boss@hidden-one.example")}
	for _, to := range []string{"jane.hiden@two.example", "a@hidden-0ne.example", "boss@hidden-one.example", "wrong@nowhere.example", "Mallory <mallory@hidden-one.example>", "mallory@hidden-one.example."} {
		req := request()
		req.To = []string{to}
		v, err := policy.Check(req, rules)
		if err == nil {
			t.Fatalf("%s passed", to)
		}
		texts := []string{err.Error(), fmt.Sprint(v.Answers), fmt.Sprint(policy.Explain(v.Refusals[0].Code))}
		for _, text := range texts {
			for _, secret := range []string{"hidden", "two.example", "mallory", "nowhere", "boss"} {
				if strings.Contains(strings.ToLower(text), secret) {
					t.Errorf("%s: %q tells %q", to, text, secret)
				}
			}
		}
	}
	ask := func(to string) string {
		req := request()
		req.To = []string{to}
		_, err := policy.Check(req, rules)
		return err.Error()
	}
	if listed, denied := ask("wrong@nowhere.example"), ask("boss@hidden-one.example"); listed != denied {
		t.Errorf("a denied address answers %q, an unlisted one %q", denied, listed)
	}
	many := request()
	for k := range 50 {
		many.To = append(many.To, fmt.Sprintf("guess%d@hidden-one.example", k))
	}
	if v, err := policy.Check(many, rules); err == nil || len(v.Answers) != 0 || len(v.Recipients) != 0 {
		t.Errorf("bulk probing is answered: %d answers", len(v.Answers))
	}
}

func TestOwnDomainIsProtected(t *testing.T) {
	rules := policy.Rules{Allowlist: allowlist(t, "*"), OwnDomain: "mycompany.example"}
	for to, want := range map[string]policy.Code{"a@mycompany.example": "", "a@rnycompany.example": policy.CodeLookAlike, "a@other.example": "", "a@mail.mycompany.example": ""} {
		req := request()
		req.To = []string{to}
		v, _ := policy.Check(req, rules)
		if got := v.Answers[0].Code; got != want {
			t.Errorf("%s: got %q, want %q", to, got, want)
		}
	}
}

func TestEveryCodeIsExplained(t *testing.T) {
	seen := map[policy.Code]bool{}
	for _, c := range policy.Codes() {
		e := policy.Explain(c)
		if e.Cause == "" || e.Example == "" || e.Remedy == "" || seen[c] {
			t.Errorf("%s: %+v", c, e)
		}
		seen[c] = true
	}
	if (policy.Explain("nonsense") != policy.Explanation{}) {
		t.Error("an unknown code is explained")
	}
}

func FuzzCheck(f *testing.F) {
	f.Add("jane@example.com", "Hello", "Text", "a.txt")
	f.Add("Jane <jane@example.com>", "a\r\nb", "<|im_end|>", "=?a?b?c?=")
	f.Add("a@еxample.com", "=?utf-8?q?x?=", "\x1b", "\u2028")
	rules := policy.Rules{Allowlist: allowlist(f, "@example.com", "*@example.net"[1:]), OwnDomain: "example.org"}
	f.Fuzz(func(t *testing.T, to, subject, text, value string) {
		v, err := policy.Check(policy.Request{To: []string{to}, Subject: subject, Text: text, HeaderValues: []string{value}}, rules)
		if (err == nil) != (len(v.Refusals) == 0) {
			t.Fatalf("%v beside %d refusals", err, len(v.Refusals))
		}
		if err == nil {
			if strings.ContainsAny(subject+value+to, "\r\n\v\f\x00\u0085\u2028\u2029\u202e") {
				t.Fatalf("a break passed: %q %q %q", to, subject, value)
			}
			if d := v.Recipients[0].Address.Domain; d != "example.com" && d != "example.net" {
				t.Fatalf("%q passed as %q", to, d)
			}
			return
		}
		for _, r := range v.Refusals {
			if policy.Explain(r.Code).Remedy == "" || len(to) > 15 && strings.Contains(r.Error(), to) {
				t.Fatalf("refusal %v", r)
			}
		}
	})
}

func FuzzParseAllowlist(f *testing.F) {
	for _, s := range []string{"a@example.com", "@example.com", "*", "!a@example.com", "!@example.com", "example.com", "*@x.y"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, entry string) {
		a, err := policy.ParseAllowlist([]string{entry})
		if err != nil {
			if len(entry) > 20 && strings.Contains(err.Error(), entry) {
				t.Fatalf("%q is repeated: %v", entry, err)
			}
			return
		}
		stranger := a.Check(addr.Address{LocalPart: "someone", Domain: "stranger.test"})
		if stranger.Allowed && !a.Everyone() && !strings.HasSuffix(strings.ToLower(strings.TrimSpace(entry)), "stranger.test") {
			t.Fatalf("%q allows a stranger", entry)
		}
	})
}

func BenchmarkCheck(b *testing.B) {
	entries := []string{"@example.com"}
	for k := range 500 {
		entries = append(entries, fmt.Sprintf("@company%d.example", k))
	}
	rules := policy.Rules{Allowlist: allowlist(b, entries...), OwnDomain: "example.org"}
	req := request()
	req.Text, req.Cc = strings.Repeat("a line of text\n", 7000), []string{"x@company77.example", "y@example.com"}
	b.SetBytes(int64(len(req.Text)))
	for b.Loop() {
		if _, err := policy.Check(req, rules); err != nil {
			b.Fatal(err)
		}
	}
}
