package sanitize

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func seeds(f *testing.F) {
	f.Helper()
	for _, v := range ownVectors() {
		f.Add(v)
	}
	for _, list := range benignTexts() {
		f.Add(list.text)
	}
	for _, s := range []string{"\x1b]8;;x\x07y", "a\u202eb\u2066", "\U0001F3F4\U000E0067\U000E007F", "code: 123456\n789012", "> a\n> b\n> c\n> d\n> e\nx", "On 1 May, A wrote:\n> x\n", strings.Repeat("QUJD", 90), "⟦link 1: a[.]b⟧", "&#x68;", "\xff\xfe"} {
		f.Add(s)
	}
}

// checkProperties states what must hold for every text that comes out.
func checkProperties(t *testing.T, name string, c Clean) {
	t.Helper()
	s := c.String()
	if !utf8.ValidString(s) {
		t.Fatalf("%s: invalid UTF-8: %q", name, s)
	}
	if r := forbidden(s); r != 0 {
		t.Fatalf("%s: %U in %q", name, r, s)
	}
	low := strings.ToLower(s)
	for _, bad := range []string{"![", "](", "://", "<|", "<img", "<a ", "<svg", "<!--", "</"} {
		if strings.Contains(low, bad) {
			t.Fatalf("%s: %q in %q", name, bad, s)
		}
	}
	for _, r := range goldmarkPanel(t, []panelText{{name, s}}) {
		if len(r.Fetch) > 0 {
			t.Fatalf("%s: %q would fetch %q", name, s, r.Fetch)
		}
		for _, l := range r.Link {
			if !strings.HasPrefix(l, "mailto:") || strings.Contains(l, "?") {
				t.Fatalf("%s: %q links to %q", name, s, l)
			}
		}
	}
}

func FuzzForModel(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, in string) {
		for name, o := range map[string]Options{"default": {}, "strict": {Strict: true}, "open": {RevealSecrets: true, FoldQuotes: true}} {
			r := ForModel(in, o)
			checkProperties(t, name, r.Text)
			if len(r.Text.s) > 12*len(in)+200 {
				t.Fatalf("%s: %d octets from %d", name, len(r.Text.s), len(in))
			}
			for _, l := range r.Links {
				for _, c := range append([]Clean{l.Text, l.Target, l.Host, l.UnicodeHost, l.ShownHost, l.LooksLike}, l.Tracking...) {
					checkProperties(t, name+" link", c)
				}
			}
			if again := ForModel(r.Text.s, o); again.Text != r.Text && !r.Truncated {
				t.Fatalf("%s: not idempotent\n in  %q\n got %q\n then %q", name, in, r.Text, again.Text)
			}
		}
		checkFence(t, ForModel(in, Options{}).Text)
	})
}

func FuzzLine(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, in string) {
		for name, c := range map[string]Clean{"line": Line(in, 60), "long": Line(in, 5000), "address": Address(in), "defang": Defang(in), "sprintf": Sprintf("%s", in)} {
			checkProperties(t, name, c)
			if strings.ContainsAny(c.s, "\n\t") && name != "defang" {
				t.Fatalf("%s: more than one line: %q", name, c)
			}
		}
		if c := Line(in, 60); c.Len() > 60 {
			t.Fatalf("got %d characters", c.Len())
		}
		if c := Line(in, 5000); Line(c.s, 5000) != c {
			t.Fatalf("not idempotent: %q, %q, %q", in, c, Line(c.s, 5000))
		}
	})
}

func FuzzHTML(f *testing.F) {
	seeds(f)
	for _, s := range []string{"<p>a<a href='https://e.example'>b</a>", "<div style='display:none'>x</div>y", "<table><tr><td>a<td>b</table>", "<blockquote>q<blockquote>r", "<pre>a\n b</pre>", "<img alt='![x](y)'>", "<a href='javascript:x'>[a](b)</a>"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, in string) {
		r := HTML(in, Options{ShowHidden: true, FoldQuotes: true})
		checkProperties(t, "html", r.Text)
		if again := ForModel(r.Text.s, Options{}); again.Text != r.Text && !r.Truncated && r.FoldedChars == 0 {
			t.Fatalf("not idempotent\n in  %q\n got %q\n then %q", in, r.Text, again.Text)
		}
		for _, h := range r.Hidden {
			checkProperties(t, "hidden", h.Text)
			checkProperties(t, "technique", h.Technique)
		}
	})
}

// FuzzJudgements: what says something about a text never fails, is bounded, and sees one text as the same as itself.
func FuzzJudgements(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, in string) {
		if got := Signals(in, Literal("body")); len(got) > len(SignalName("").Words()) {
			t.Fatalf("got %d signals", len(got))
		}
		c := ForModel(in, Options{MaxChars: -1}).Text
		if got := Compare(c, c); got.Verdict != VerdictSame && got.Verdict != VerdictHTMLStub || got.OnlyPlain != 0 || got.OnlyHTML != 0 {
			t.Fatalf("compared with itself: %+v", got)
		}
		for k := range 4 {
			if s := Slice(c, k, 20); s.Len() > 20 || !utf8.ValidString(s.s) {
				t.Fatalf("got %q for 20 characters", s)
			}
		}
		for name, c := range map[string]Clean{"reference": Reference(in), "opaque": Opaque(in), "one line": OneLine(c), "ellipsis": Ellipsis(c, 30)} {
			checkProperties(t, name, c)
		}
	})
}
