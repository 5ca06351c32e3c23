package sanitize

import (
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

// forbidden is the first code point that must not come out, 0 if there is none. It shares no code with the passes.
func forbidden(s string) rune {
	for _, r := range s {
		switch {
		case r < ' ' && r != '\n' && r != '\t', r >= 0x7F && r < 0xA0, r == 0x2028, r == 0x2029,
			r == 0x202D, r == 0x202E, r >= 0x2060 && r <= 0x2065, r == 0xFEFF, r == 0xAD, r >= 0x206A && r <= 0x206F,
			r >= 0xFFF0 && r <= 0xFFFB, r >= 0xFDD0 && r <= 0xFDEF, r&0xFFFE == 0xFFFE, r == 0x3164, r == 0xFFA0,
			r == 0x17B4, r == 0x17B5, r == 0xE0001, r >= 0xE0080 && r <= 0xE00FF, r >= 0x1D173 && r <= 0x1D17A, r >= 0x1BCA0 && r <= 0x1BCA3:
			return r
		}
	}
	return 0
}

// unescape takes out the documented escape character.
func unescape(s string) string { return strings.ReplaceAll(s, `\`, "") }

// TestVectors checks the tokens of the shared vectors that need no renderer; TestPanel checks the others.
func TestVectors(t *testing.T) {
	for _, v := range mdVectors(t) {
		t.Run(v.ID, func(t *testing.T) {
			r := ForModel(v.Text, Options{})
			for _, out := range []string{r.Text.String(), Line(v.Text, 4000).String()} {
				for _, token := range v.Bad {
					checkToken(t, token, v.Text, out, r)
				}
				if len(v.Bad) == 0 && unescape(out) != unescape(v.Text) {
					t.Errorf("control changed: got %q, want %q", out, v.Text)
				}
			}
		})
	}
}

func checkToken(t *testing.T, token, in, out string, r Result) {
	t.Helper()
	kind, arg, _ := strings.Cut(token, ":")
	switch kind {
	case "fetch", "link":
		if strings.Contains(out, "://"+arg) || strings.Contains(out, "](") || strings.Contains(out, "![") {
			t.Errorf("%s: %q", token, out)
		}
	case "url":
		if strings.Contains(out, "://") || strings.Contains(strings.ToLower(out), "www."+arg) {
			t.Errorf("%s: %q", token, out)
		}
	case "scheme":
		if strings.Contains(out, "]("+arg) || strings.Contains(out, "<"+arg) {
			t.Errorf("%s: %q", token, out)
		}
	case "cp", "ctl":
		lo, hi := codePoints(t, arg)
		for _, c := range out {
			if c >= lo && c <= hi {
				t.Errorf("%s: %q holds %U", token, out, c)
			}
		}
		if len(r.Findings) == 0 {
			t.Errorf("%s: nothing reported", token)
		}
	case "raw":
		if strings.Contains(out, arg) {
			t.Errorf("%s: %q", token, out)
		}
	case "frame-close":
		checkFence(t, r.Text)
	default:
		t.Errorf("unknown token %q", token)
	}
}

func codePoints(t *testing.T, s string) (lo, hi rune) {
	t.Helper()
	m := regexp.MustCompile(`U\+([0-9A-F]+)(?:-U\+([0-9A-F]+))?`).FindStringSubmatch(s)
	if m == nil {
		t.Fatalf("no code point in %q", s)
	}
	a, _ := strconv.ParseInt(m[1], 16, 32)
	b := a
	if m[2] != "" {
		b, _ = strconv.ParseInt(m[2], 16, 32)
	}
	return rune(a), rune(b)
}

func TestNormalise(t *testing.T) {
	const zwj, zwnj, zwsp = "\u200d", "\u200c", "\u200b"
	for _, c := range []struct {
		name, in, want string
		kind           Kind
	}{
		{"plain", "a b\tc\nd", "a b\tc\nd", ""},
		{"crlf", "a\r\nb", "a\nb", ""},
		{"bare cr", "a\rb", "a\nb", KindLineBreak},
		{"eight line breaks", "a\nb\vc\fd\re\u0085f\u2028g\u2029h\r\ni", "a\nb\nc\nd\ne\nf\ng\nh\ni", KindLineBreak},
		{"invalid octets", "a\xff\xfeb", "a\ufffd\ufffdb", KindInvalidUTF8},
		{"overlong and surrogate", "\xc0\xafx\xed\xa0\x80", "\ufffd\ufffdx\ufffd\ufffd\ufffd", KindInvalidUTF8},
		{"nul and bell", "a\x00b\x07c\x7fd", "abcd", KindControl},
		{"c1", "a\u0086b", "ab", KindControl},
		{"sgr", "a\x1b[31;1mb\x1b[0m", "ab", KindTerminalEscape},
		{"cursor and clear", "x\x1b[2J\x1b[1;1Hy", "xy", KindTerminalEscape},
		{"osc 8", "\x1b]8;;https://e.example\x07text\x1b]8;;\x1b\\", "text", KindTerminalEscape},
		{"osc 52 in c1", "a\u009d52;c;QQ==\u009cb", "ab", KindTerminalEscape},
		{"dcs and apc", "a\x1bPq#0\x1b\\b\x1b_Gx\x1b\\c", "abc", KindTerminalEscape},
		{"unterminated osc keeps the text", "a\x1b]0;title and all the rest", "a0;title and all the rest", KindTerminalEscape},
		{"c1 csi", "a\u009b2Jb", "ab", KindTerminalEscape},
		{"charset switch", "a\x1b(Bb", "ab", KindTerminalEscape},
		{"escape at the end", "a\x1b", "a", KindTerminalEscape},
		{"override", "a\u202egpj.exe\u202c", "agpj.exe", KindBidi},
		{"isolate in latin", "a\u2066b\u2069", "ab", KindBidi},
		{"marks in latin", "a\u200e\u200fb", "ab", KindBidi},
		{"unbalanced isolate in hebrew", "\u05d0\u2067\u05d1", "\u05d0\u05d1", KindBidi},
		{"balanced isolate in hebrew", "\u05d0 \u2066abc\u2069 \u05d1", "\u05d0 \u2066abc\u2069 \u05d1", ""},
		{"override in hebrew", "\u05d0 \u202eabc\u202c", "\u05d0 abc", KindBidi},
		{"override alone in hebrew", "\u05d0 \u202eabc", "\u05d0 abc", KindBidi},
		{"too many ideographic variants", strings.Repeat("葛\U000E0100", 40), strings.Repeat("葛\U000E0100", maxIdeographVariants) + strings.Repeat("葛", 40-maxIdeographVariants), KindVariationSelector},
		{"mark in hebrew", "\u05d0 (1)\u200f \u05d1", "\u05d0 (1)\u200f \u05d1", ""},
		{"zero width space in a word", "pass" + zwsp + "word", "password", KindZeroWidth},
		{"joiners in latin", "a" + zwj + zwnj + "b", "ab", KindZeroWidth},
		{"bom", "\ufeffa", "a", KindZeroWidth},
		{"soft hyphen", "exam\u00adple", "example", KindZeroWidth},
		{"invisible operators", "a\u2061\u2062\u2063\u2064b", "ab", KindZeroWidth},
		{"grapheme joiner run", "\u034f\u034f\u034fx", "x", KindZeroWidth},
		{"zwnj in persian", "می" + zwnj + "خواهم", "می" + zwnj + "خواهم", ""},
		{"zwnj run in persian", "می" + zwnj + zwnj + zwnj + "خواهم", "می" + zwnj + "خواهم", KindZeroWidth},
		{"zwj in hindi", "क्" + zwj + "ष", "क्" + zwj + "ष", ""},
		{"zwnj in hindi", "क्" + zwnj + "ष", "क्" + zwnj + "ष", ""},
		{"zwsp in thai", "สวัสดี" + zwsp + "ครับ", "สวัสดี" + zwsp + "ครับ", ""},
		{"family emoji", "👨" + zwj + "👩" + zwj + "👧", "👨" + zwj + "👩" + zwj + "👧", ""},
		{"rainbow flag", "🏳\ufe0f" + zwj + "🌈", "🏳\ufe0f" + zwj + "🌈", ""},
		{"skin tone", "👩🏽" + zwj + "💻", "👩🏽" + zwj + "💻", ""},
		{"keycap", "1\ufe0f\u20e3", "1\ufe0f\u20e3", ""},
		{"heart", "❤\ufe0f", "❤\ufe0f", ""},
		{"joiner run between emoji", "👨" + zwj + zwj + zwj + "👩", "👨" + zwj + "👩", KindZeroWidth},
		{"flag of Scotland", "\U0001F3F4\U000E0067\U000E0062\U000E0073\U000E0063\U000E0074\U000E007F!", "\U0001F3F4\U000E0067\U000E0062\U000E0073\U000E0063\U000E0074\U000E007F!", ""},
		{"text after a flag", "\U0001F3F4\U000E0067\U000E0062\U000E0073\U000E0063\U000E0074\U000E007F\U000E0069\U000E0067", "\U0001F3F4\U000E0067\U000E0062\U000E0073\U000E0063\U000E0074\U000E007F", KindTag},
		{"flag of nowhere", "\U0001F3F4\U000E0068\U000E0069\U000E007F", "\U0001F3F4", KindTag},
		{"tags alone", "a\U000E0069\U000E0067\U000E006Eb", "ab", KindTag},
		{"selectors as data", "😀\ufe0f\U000E0155\U000E0168\ufe03", "😀\ufe0f", KindVariationSelector},
		{"selector after a letter", "a\ufe0fb\ufe01", "ab", KindVariationSelector},
		{"selector after a digit", "7\ufe0f7", "77", KindVariationSelector},
		{"ideographic variant", "葛\U000E0100", "葛\U000E0100", ""},
		{"selector run after an ideograph", "葛\U000E0100\U000E0101\U000E0102", "葛\U000E0100", KindVariationSelector},
		{"mongolian", "\u1820\u180b\u1821", "\u1820\u180b\u1821", ""},
		{"hangul filler", "a\u3164\u3164b\uffa0", "ab", KindFiller},
		{"hangul jamo", "\u1100\u1160\u11a8", "\u1100\u1160\u11a8", ""},
		{"hangul", "한국어 \u1112\u1161\u11ab", "한국어 \u1112\u1161\u11ab", ""},
		{"braille blanks", "a\u2800\u2800\u2800b", "a b", KindFiller},
		{"braille", "\u2801\u2800\u2803", "\u2801\u2800\u2803", ""},
		{"interlinear", "\ufff9a\ufffab\ufffb", "ab", KindAnnotation},
		{"deprecated format", "\u206a\u206fa", "a", KindFormat},
		{"musical format", "\U0001D173a", "a", KindFormat},
		{"noncharacter", "a\ufdd0b\uffff", "ab", KindNoncharacter},
		{"combining marks", "e\u0301o\u0308", "e\u0301o\u0308", ""},
		{"zalgo", "a" + strings.Repeat("\u0301", 40) + "b", "a" + strings.Repeat("\u0301", maxMarks) + "b", KindCombiningRun},
		{"full width is kept", "！［Ａ］", "！［Ａ］", ""},
		{"ligature is kept", "ﬁne ½ ²", "ﬁne ½ ²", ""},
		{"no-break space is kept", "10\u00a0km", "10\u00a0km", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			n := &counts{}
			got := normalise(c.in, n)
			if got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
			if again := normalise(got, nil); again != got {
				t.Errorf("again: got %q, want %q", again, got)
			}
			if c.kind == "" && len(n.n) > 0 || c.kind != "" && n.n[c.kind] == 0 {
				t.Errorf("got findings %v, want %q", n.n, c.kind)
			}
		})
	}
}

func TestWeave(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"image", "a ![b](https://e.example/x) c", "a [image: b] c"},
		{"image without text", "![](x.png)", "[image]"},
		{"reference image", "![b][1]", "[image: b]"},
		{"unclosed image", "![b](x", `!\[b]\(x`},
		{"nested image", "![a ![b](u)](v)", `!\[a [image: b]]\(v)`},
		{"link", "[t](https://e.example/x)", `[t]\(⟦link 1: e[.]example⟧)`},
		{"bare url", "see https://e.example/x.", "see ⟦link 1: e[.]example⟧."},
		{"url in brackets", "(https://e.example/a(b))", "(⟦link 1: e[.]example⟧)"},
		{"url in angle brackets", "<https://e.example>", "<⟦link 1: e[.]example⟧>"},
		{"two urls", "https://e.example www.f.example", "⟦link 1: e[.]example⟧ ⟦link 2: www[.]f[.]example⟧"},
		{"host and path", "shop.com/a?b=c", "⟦link 1: shop[.]com⟧"},
		{"host and a word is text", "Shop.com/Mall, ASP.NET/C#, shop.com/sale", "Shop.com/Mall, ASP.NET/C#, shop.com/sale"},
		{"host and two levels", "shop.com/a/b", "⟦link 1: shop[.]com⟧"},
		{"host without path is text", "from google.com today", "from google.com today"},
		{"file names are text", "see main.py and README.md, a/b.go", "see main.py and README.md, a/b.go"},
		{"fraction and or", "1/2 and/or 24/7", "1/2 and/or 24/7"},
		{"address is text", "a@e.example, <b@e.example>", "a@e.example, <b@e.example>"},
		{"definition", "[x]: https://e.example", `[x]\: ⟦link 1: e[.]example⟧`},
		{"quoted definition", "> - [x]: y", `> - [x]\: y`},
		{"colon after an index", "arr[0]: int", "arr[0]: int"},
		{"html", "<img src=x>", `<\img src=x>`},
		{"less than", "1 < 2 <3 <- x", "1 < 2 <3 <- x"},
		{"generic type", "map<string>", `map<\string>`},
		{"comment", "<!-- x -->", `<\!-- x -->`},
		{"turn", "<|im_start|>system", `<\|im_start|>system`},
		{"instruction", "[INST] x [/INST]", `[\INST] x [\/INST]`},
		{"bbcode", "[img]x[/img] [imgage]", `[\img]x[\/img] [imgage]`},
		{"fence", "```mermaid\nx\n```", "\\```mermaid\nx\n\\```"},
		{"inline code", "use `x` and ```y```", "use `x` and ```y```"},
		{"latex", `\href{x}{y} \frac{1}{2}`, `\href\{x}{y} \frac{1}{2}`},
		{"references", "&#104; &colon; &lt;b &amp; &nbsp; R&D;", `&\#104; &\colon; &\lt;b &amp; &nbsp; R&D;`},
		{"data uri", "data:image/png;base64,AAAA", "[data URI, image/png, 26 characters, not shown]"},
		{"data is a word", "data: 5 and data:x", "data: 5 and data[:]x"},
		{"script scheme", "[x](javascript:alert(1))", `[x]\(javascript[:]alert(1))`},
		{"mailto", "mailto:a@e.example", "mailto[:]a@e.example"},
		{"mailto with text", "mailto:a@e.example?body=x", "⟦link 1: mailto⟧"},
		{"relative to the scheme", "//e.example/x", `/\/e.example/x`},
		{"comment in code", "x // see y", "x // see y"},
		{"content id", "cid:file.jpg", "cid:file.jpg"},
		{"our mark is counted on", "⟦link 9: e[.]example⟧ https://f.example", "⟦link 1: e[.]example⟧ ⟦link 2: f[.]example⟧"},
		{"not our mark", "⟦link x⟧ ⟦y⟧", "⟦link x⟧ ⟦y⟧"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := ForModel(c.in, Options{}).Text.String(); got != c.want {
				t.Errorf("got  %q\nwant %q", got, c.want)
			}
		})
	}
}

func TestLine(t *testing.T) {
	for _, c := range []struct {
		name, in, want string
		max            int
	}{
		{"line ends", "a\r\nb\tc\u2028d", "a b c d", 0},
		{"trim", "  a  ", "a", 0},
		{"url", "see https://e.example/x", "see hxxps[:]//e[.]example/x", 0},
		{"bracketed tag", "[Fwd: Re: x] y", "[Fwd: Re: x] y", 0},
		{"list tag", "[list] RE: [EXTERNAL] Re: Lorem /40", "[list] RE: [EXTERNAL] Re: Lorem /40", 0},
		{"report id", "Report-ID: <2022.09.15T00.00.00Z+test.xmox.nl@lists.example.org>", "Report-ID: <2022.09.15T00.00.00Z+test.xmox.nl@lists.example.org>", 0},
		{"file name", "Rechnung (1) [final].pdf", "Rechnung (1) [final].pdf", 0},
		{"cut", "abcdefgh", "abcd…", 5},
		{"cut keeps a pair whole", "ab👩🏽\u200d💻cd", "ab…", 4},
		{"code in a subject", "123456 is your verification code", "[one-time code hidden] is your verification code", 0},
		{"image", "![x](https://e.example/y)", "[image: x]", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := Line(c.in, c.max)
			if got.String() != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
			if c.max > 0 && got.Len() > c.max {
				t.Errorf("got %d characters, want at most %d", got.Len(), c.max)
			}
		})
	}
}

func TestAddress(t *testing.T) {
	for in, want := range map[string]string{
		"alice.b-c+tag_x@mail.example.org": "alice.b-c+tag_x@mail.example.org",
		"2022.09.15T00.00.00Z+t@l.example": "2022.09.15T00.00.00Z+t@l.example",
		"a@b\u202e.example":                "a@b.example",
		"www.e.example@f.example":          "www[.]e[.]example[at]f[.]example",
		"\"![x](y)\"@e.example":            "\"[image: x]\"@e.example",
		"a\r\nBcc: b@e.example":            "a Bcc: b@e.example",
	} {
		if got := Address(in).String(); got != want {
			t.Errorf("Address(%q): got %q, want %q", in, got, want)
		}
	}
}

func TestSlice(t *testing.T) {
	text := ForModel("Grüße 👩🏽\u200d💻 e\u0301 <img> see https://e.example/x and 한국어.\nYour code is 123456 thanks\n", Options{}).Text
	for n := 1; n < 40; n++ {
		var whole strings.Builder
		for at := 0; ; {
			page := Slice(text, at, n)
			if page.IsZero() {
				break
			}
			if page.Len() > n {
				t.Fatalf("page of %d: got %d characters", n, page.Len())
			}
			whole.WriteString(page.String())
			at += page.Len()
		}
		if whole.String() != text.String() {
			t.Fatalf("pages of %d: got %q, want %q", n, whole.String(), text)
		}
	}
	if got := Slice(text, -5, 5).String(); got != "Grüße" {
		t.Errorf("negative offset: got %q", got)
	}
	if got := Slice(text, 0, 1<<30); got != text {
		t.Errorf("all: got %q", got)
	}
	if got := Slice(text, 7, 3).String(); got != "👩🏽"[:0]+Slice(text, 7, 3).String() || !utf8.ValidString(got) {
		t.Errorf("got %q", got)
	}
	if got := Slice(Clean{"ab ⟦link 1: e[.]example⟧"}, 0, 10).String(); got != "ab " {
		t.Errorf("mark divided: got %q, want %q", got, "ab ")
	}
}

func TestMaxChars(t *testing.T) {
	r := ForModel(strings.Repeat("word ", 100), Options{MaxChars: 42})
	if !r.Truncated || r.Text.Len() != 42 || r.TotalChars != 500 {
		t.Errorf("got truncated %v, %d of %d characters, want true, 42 of 500", r.Truncated, r.Text.Len(), r.TotalChars)
	}
	if r := ForModel(strings.Repeat("x y ", 100000), Options{}); r.Text.Len() != DefaultMaxChars {
		t.Errorf("default: got %d characters, want %d", r.Text.Len(), DefaultMaxChars)
	}
	if r := ForModel(strings.Repeat("x y ", 100000), Options{MaxChars: -1}); r.Truncated || r.Text.Len() != 400000 {
		t.Errorf("no limit: got %d characters", r.Text.Len())
	}
}

func TestBlobs(t *testing.T) {
	data := strings.Repeat("QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVo0NTY3ODkw", 8) // 352 characters
	wrapped := strings.Repeat(data[:76]+"\n", 5) + data[:40]
	for _, c := range []struct{ name, in, want string }{
		{"one run", "a " + data + " b", "a [encoded data, 352 characters, not shown] b"},
		{"wrapped", "key:\n" + wrapped + "\nend", "key:\n[encoded data, 425 characters, not shown]\nend"},
		{"hex", strings.Repeat("0123456789abcdef", 20), "[encoded data, 320 characters, not shown]"},
		{"two runs", data + "\n\n" + data, "[encoded data, 352 characters, not shown]\n\n[encoded data, 352 characters, not shown]"},
		{"digest", "sha256: " + strings.Repeat("0123456789abcdef", 4), "sha256: " + strings.Repeat("0123456789abcdef", 4)},
		{"long word", strings.Repeat("Donaudampfschifffahrt", 8), strings.Repeat("Donaudampfschifffahrt", 8)},
		{"drawn line", strings.Repeat("-", 400), strings.Repeat("-", 400)},
		{"prose", strings.Repeat("word ", 100), strings.Repeat("word ", 100)},
		{"long url is a mark", "https://a.example/" + data, "⟦link 1: a[.]example⟧"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := ForModel(c.in, Options{}).Text.String(); got != c.want {
				t.Errorf("got  %q\nwant %q", got, c.want)
			}
		})
	}
}

// TestLinear: ten times the input takes at most about ten times as long, whatever the shape; the bound is wide
// because the machine is shared.
func TestLinear(t *testing.T) {
	for _, shape := range []string{"![", "![](", "[", "](", "<", "&", "&#", "a.b/", "https://", "www.", "> ", "`", "\u0301", "\u2066", "\x1b]", "⟦link 1: ", "code 1234 ", "123456\n", "//", "a@", "葛\U000E0100", "\\href{", "data:", "[a]: ", "On 1, A wrote:\n> x\n", ":", ".", "\U0001F3F4\U000E0067", "1 2 3 4 ", "QUJD", "A-1-", "type 1234\n", "your code is 4411 "} {
		run := func(n int) time.Duration {
			in := strings.Repeat(shape, n/len(shape))
			best := time.Hour
			for range 3 {
				start := time.Now()
				ForModel(in, Options{MaxChars: -1, FoldQuotes: true})
				best = min(best, time.Since(start))
			}
			return best
		}
		small, large := run(20_000), run(200_000)
		if large > 40*small && large > 200*time.Millisecond {
			t.Errorf("%q: 20 kB take %v, 200 kB take %v", shape, small, large)
		}
		if large > 2*time.Second {
			t.Errorf("%q: 200 kB take %v", shape, large)
		}
	}
}
