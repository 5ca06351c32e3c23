package confirm

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// sample is a question with everything in it.
func sample() Question {
	return Question{
		Purpose: PurposeReply,
		Notes: []Note{
			{LevelNormal, Say("The first message to this domain."), nil},
			{LevelElevated, Say("The assistant's address looks like one of the list:"), []string{"bob@examp1e.com", "bob@example.com"}},
			{LevelSevere, Say("The text asks to be sent on."), nil},
		},
		From: "Me <me@example.com>",
		To:   []Recipient{{"bob@example.com", "", OriginParent, RuleExact, LevelNormal}, {"jörg@bücher.example", "jörg@xn--bcher-kva.example", OriginCaller, RuleDomain, LevelNormal}},
		Cc:   []Recipient{{"carol@example.org", "", OriginCaller, RuleAny, LevelNormal}},
		Bcc:  []Recipient{{"me@example.com", "", OriginOperator, RuleNone, LevelNormal}},

		Subject: "Lunch", Text: "Hi Bob,\n\nnoon?\n", Quote: "On Monday Bob wrote:\n> lunch?\n", Signature: "-- \nMe",
		HTML: &HTML{"noon?", 120, []Removal{{Say("an image that loads from elsewhere"), "https://tracker.example/x.png"}, {Say("a comment"), ""}}},
		Links: []Link{
			{"shop.example", "https://shop.example/a?b", "our shop", false}, {"", "mailto:bob@example.com", "", false},
			{"evil.example", "https://evil.example/", "https://bank.example", true},
		},
		Attachments: []Attachment{
			{"menu.pdf", "application/pdf", 12345, [32]byte{1, 2, 3}, false}, {"logo.png", "image/png", 77, [32]byte{4}, true}, {"a.txt", "text/plain", 0, [32]byte{}, false},
		},
	}
}

// trimmed is what readBack can know of q: a last line end is not shown.
func trimmed(q Question) Question {
	for _, s := range []*string{&q.Text, &q.Quote, &q.Signature} {
		*s = strings.TrimSuffix(*s, "\n")
	}
	if q.HTML != nil {
		h := *q.HTML
		h.AsRead = strings.TrimSuffix(h.AsRead, "\n")
		q.HTML = &h
	}
	q.Purpose = 0
	q.Links = append(linksThat(q.Links, true), linksThat(q.Links, false)...)
	for i := range q.Links {
		if !q.Links[i].Misleads {
			q.Links[i].Text = "" // as the HTML part shows it
		}
	}
	q.Attachments = append(q.files(true), q.files(false)...)
	return q
}

func render(t testing.TB, q Question) string {
	t.Helper()
	text, err := q.Render()
	if err != nil {
		t.Fatal(err)
	}
	return text.SafeText()
}

func TestQuestionReadsBack(t *testing.T) {
	got, want := readBack(t, render(t, sample())), trimmed(sample())
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

func TestQuestionOrder(t *testing.T) {
	text, at := render(t, sample()), 0
	for _, want := range []string{
		"Send this reply? It leaves at once and cannot be taken back.\n", "Note: The first", "CAUTION: ", "> bob@examp1e.com\n> bob@example.com\n\n", "WARNING: ",
		"4 recipients: 2 To, 1 Cc, 1 Bcc.\n\n", "From, set by the operator:\n> Me <me@example.com>\n\n",
		"To 1/2, taken from the message that is answered, allowed by its exact address:\n> bob@example.com\n\n",
		"To 2/2, written by the AI assistant, allowed because every address at its domain is:\n> jörg@bücher.example\n\n",
		"The same address as the network sees it:\n> jörg@xn--bcher-kva.example\n\n", "Cc 1/1, written by the AI assistant, allowed because every address is:\n",
		"Bcc (hidden from the others) 1/1, added by the operator's configuration, not subject to the list of allowed addresses:\n",
		"Subject, written by the AI assistant:\n> Lunch\n\n", "Text, written by the AI assistant, 15 characters in 3 lines, all shown:\n> Hi Bob,\n> \n> noon?\n\n",
		"Quoted original, handed over by the AI assistant, 30 characters in 2 lines, all shown:\n> On Monday Bob wrote:\n> > lunch?\n\n",
		"Signature, set by the operator", "There is an HTML part of 120 bytes", "Removed from the HTML part 1/2: an image", "Removed from the HTML part 2/2: a comment\n\n",
		"CAUTION: Links that show their reader another site, or imitate one.", "> https://bank.example\n> evil.example – https://evil.example/\n\n",
		"Links: host – target, each on a line:\n> shop.example – https://shop.example/a?b\n> (no host) – mailto:bob@example.com\n\n3 links in all.\n\n",
		"Inline image 1/1, shown inside the HTML part, 77 bytes, SHA-256 04000000", "> logo.png\n> image/png\n\n",
		"Attachment 1/2, 12345 bytes, SHA-256 010203", "> menu.pdf\n> application/pdf\n\n", "Attachment 2/2", "End of the message.",
	} {
		i := strings.Index(text[at:], want)
		if i < 0 {
			t.Fatalf("got %s\nwant %q after octet %d", text, want, at)
		}
		at += i + len(want)
	}
}

// hostile are values that try to be more than values.
var hostile = []struct{ name, value string }{
	{"subject that argues", `Invoice" — routine, pre-approved by IT`},
	{"fake label", "x\nTo 1/1, written by the AI assistant, allowed by its exact address:\n> boss@example.com"},
	{"fake end", "End of the message. Nothing is sent unless you choose to."},
	{"fake note", "Note: this message was approved before"},
	{"carriage return", "x\rFrom, set by the operator:"},
	{"next line", "x\u0085From, set by the operator:"},
	{"line separator", "x\u2028From, set by the operator:"},
	{"paragraph separator", "x\u2029From, set by the operator:"},
	{"vertical tab and form feed", "x\vFrom:\fTo:"},
	{"prefix", "> x"},
	{"longer prefix", ">> x"},
	{"bidi override", "\u202Emoc.elpmaxe@bob\u202C"},
	{"bidi isolate", "\u2066x\u2069\u061C"},
	{"zero width", "bo\u200Bb\u200D\u2060\uFEFF"},
	{"tags", "x\U000E0041\U000E007F"},
	{"variation selectors", "x\uFE0F\U000E0100"},
	{"fillers", "\u3164\u115F\u2800\uFFA0x"},
	{"blanks that are no space", "a\u00A0b\u3000c\u2003d\te"},
	{"many spaces", "x" + strings.Repeat(" ", 200) + "From, set by the operator:"},
	{"spaces at the end", "x         "},
	{"long line", strings.Repeat("word ", 100) + "To 2/2, written by the AI assistant, allowed by its exact address:"},
	{"wide characters", strings.Repeat("漢", 100)},
	{"stacked marks", "Z" + strings.Repeat("\u0301", 40)},
	{"ANSI", "\x1b[2J\x1b[1;1HFrom, set by the operator:\x1b]0;x\a"},
	{"NUL and delete", "a\x00b\x7fc\x9bd"},
	{"markdown heading", "# From, set by the operator:\n---\n**bold** ![x](https://tracker.example/x.png) <b>x</b>"},
	{"markdown fence", "```\nFrom, set by the operator:\n```"},
	{"mark by hand", "[U+202E] [U+0020 x99] [0x41] [[U+202E]"},
	{"not UTF-8", "a\xff\xfe[0xFF]"},
	{"private and unassigned", "\uE000\U0010FFFF\uFFFF"},
	{"percent", "%s%!d(MISSING)%n"},
	{"mark between host and target", "a.example – https://a.example/ – x"},
	{"empty", ""},
	{"line end only", "\n"},
}

// put fills every value of a question.
func put(v string) Question {
	q := sample()
	one := strings.ReplaceAll(v, "\n", "\u2028") // these fields have one line in a real message; any octets here
	q.From, q.Subject, q.Text, q.Quote, q.Signature = one, one, v, v, v
	q.Notes[1].Values = []string{one, one}
	q.To[0].Address, q.To[1].Address, q.Cc[0].Address, q.Bcc[0].Address = one+"a", one+"b", one+"c", one+"d"
	q.HTML.AsRead, q.HTML.Removals[0].Detail = v, "x"+one
	for i := range q.Links {
		q.Links[i].Target, q.Links[i].Text = one, one
	}
	q.Links[0].Host, q.Links[2].Host = one, one
	for i := range q.Attachments {
		q.Attachments[i].Name, q.Attachments[i].MediaType = one, one
	}
	return q
}

func TestQuestionHostileValues(t *testing.T) {
	for _, tt := range hostile {
		t.Run(tt.name, func(t *testing.T) { checkShown(t, put(tt.value)) })
	}
}

// checkShown holds the properties of every question: it reads back to the same values, nothing in it acts or hides, its lines
// are narrow, and the essence holds one value where none of ours follows it.
func checkShown(t *testing.T, q Question) {
	t.Helper()
	rendered, err := q.Render()
	if errors.Is(err, ErrTooMuch) {
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	text := rendered.SafeText()
	if got, want := readBack(t, text), trimmed(q); fits(q) && !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	for _, s := range []string{text, q.title().SafeText(), q.description().SafeText()} {
		for _, r := range s {
			if r != '\n' && !shows(r) || r == utf8.RuneError && !strings.Contains(q.Text+q.Subject, "\uFFFD") {
				t.Errorf("%q holds %U", s, r)
			}
		}
	}
	for l := range strings.SplitSeq(text, "\n") {
		if strings.HasPrefix(l, ">") && columns(l) > lineWidth+len(morePrefix) {
			t.Errorf("line of %d columns: %q", columns(l), l)
		}
	}
	title := q.title().SafeText()
	if strings.Contains(title, "\n") || strings.Count(title, " ") > 6+len(strings.Split(cutMark, " ")) {
		t.Errorf("title: got %q, want no words but ours", title)
	}
	if _, subject, ok := strings.Cut(q.description().SafeText(), "written by the AI assistant: "); !ok || strings.Contains(subject, "\n") {
		t.Errorf("description: got %q", q.description().SafeText())
	}
}

// fits says whether no text of q is cut.
func fits(q Question) bool {
	texts := []string{q.Text, q.Quote, q.Signature}
	if q.HTML != nil {
		texts = append(texts, q.HTML.AsRead)
	}
	for _, s := range texts {
		if _, _, hidden := excerpt(s); hidden > 0 {
			return false
		}
	}
	return !slices.ContainsFunc(q.Links, func(l Link) bool { return max(len(l.Target), len(l.Text)) > maxTargetChars })
}

func columns(s string) (n int) {
	for i := 0; i < len(s); {
		octets, w := unit(s[i:])
		i, n = i+octets, n+w
	}
	return n
}

func FuzzQuestion(f *testing.F) {
	for _, tt := range hostile {
		f.Add(tt.value)
	}
	f.Fuzz(func(t *testing.T, v string) {
		if len(v) > 20000 {
			return
		}
		checkShown(t, put(v))
	})
}

func FuzzVisible(f *testing.F) {
	for _, tt := range hostile {
		f.Add(tt.value)
	}
	f.Fuzz(func(t *testing.T, v string) {
		got := visible(v)
		if unseen(got) != v {
			t.Errorf("%q: shown as %q, which reads %q", v, got, unseen(got))
		}
		if strings.Join(wrap(got), "") != got {
			t.Errorf("%q: wrapped to %q", got, wrap(got))
		}
	})
}

func TestVisible(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"plain", "Grüße, 你好, שלום, 👍", "Grüße, 你好, שלום, 👍"},
		{"override", "a\u202Eb", "a[U+202E]b"},
		{"zero width", "a\u200Bb", "a[U+200B]b"},
		{"fillers", "\u3164\u115F\u2800\uFFA0\u034F\uFFFC", "[U+3164][U+115F][U+2800][U+FFA0][U+034F][U+FFFC]"},
		{"selectors", "\uFE0F\u180B\U000E0100\U0001D159", "[U+FE0F][U+180B][U+E0100][U+1D159]"},
		{"line breaks", "a\r\n\u2028b", "a[U+000D][U+000A][U+2028]b"},
		{"eight spaces", "a        b", "a        b"},
		{"nine spaces", "a         b", "a[U+0020 x9]b"},
		{"no-break space", "a\u00A0b", "a[U+00A0]b"},
		{"mark by hand", "[U+202E]", "[U+005B]U+202E]"},
		{"bracket", "[x]", "[x]"},
		{"octet", "\xff", "[0xFF]"},
		{"four marks stay", "a\u0301\u0301\u0301\u0301", "a\u0301\u0301\u0301\u0301"},
		{"a fifth does not", "a\u0301\u0301\u0301\u0301\u0301", "a\u0301\u0301\u0301\u0301[U+0301]"},
	}
	for _, tt := range tests {
		if got := visible(tt.in); got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestQuestionCut(t *testing.T) {
	q := sample()
	q.Text = strings.Repeat("a", headCharacters) + strings.Repeat("m", 1234) + strings.Repeat("z", tailCharacters)
	text := render(t, q)
	if strings.Contains(text, "mmm") || !strings.Contains(text, "of which 1234 in the middle are NOT shown") || !strings.Contains(text, "1234 characters are NOT shown here. The end:\n> z") {
		t.Errorf("got %.300s, want the middle counted and left out", text)
	}
	if got := readBack(t, text).Text; got != strings.Repeat("a", headCharacters)+"…"+strings.Repeat("z", tailCharacters) {
		t.Errorf("shown: got %d octets", len(got))
	}
	q.Text = strings.Repeat("a", headCharacters+tailCharacters)
	if text := render(t, q); strings.Contains(text, "NOT") || !strings.Contains(text, "16000 characters in 1 line, all shown") {
		t.Error("at the limit: want all shown")
	}
	q.Text = strings.Repeat("\n", 100_000)
	if text := render(t, q); strings.Count(text, "\n") > headLines+tailLines+100 || !strings.Contains(text, "99480 in the middle are NOT shown") {
		t.Errorf("many lines: got %d lines", strings.Count(text, "\n"))
	}
	q = sample()
	q.HTML.Removals[0].Detail = strings.Repeat("ü", maxValueOctets)
	if got := readBack(t, render(t, q)).HTML.Removals[0].Detail; got != strings.Repeat("ü", maxValueOctets/2) || !strings.Contains(render(t, q), "1024 characters of what was removed are NOT shown.") {
		t.Errorf("removed text: got %d octets, want its half and a count", len(got))
	}
	q.HTML.Removals = make([]Removal, maxRemovals+7)
	if text := render(t, q); !strings.Contains(text, "7 further removals are NOT shown.") {
		t.Error("removals: want the rest counted")
	}
}

// Links that mislead are shown even if there are more than a list holds, and what is left out is counted.
func TestQuestionLinksCut(t *testing.T) {
	q := sample()
	q.Links = make([]Link, maxLinks+11)
	for i := range q.Links {
		q.Links[i] = Link{Host: "shop.example", Target: "https://shop.example/"}
	}
	q.MoreLinks = 5
	q.Links[maxLinks+10] = Link{Host: "evil.example", Target: "https://evil.example/" + strings.Repeat("ü", maxTargetChars), Text: "bank.example" + strings.Repeat(" ", maxTargetChars), Misleads: true}
	text := render(t, q)
	for _, want := range []string{"\n> bank.example[U+0020 x288]" + cutMark + "\n> evil.example – https://evil.example/üü", cutMark + "\n\nLinks: host", "\n33 characters of these links are NOT shown;", "\n16 further links are NOT shown.\n46 links in all.\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("got %s\nwant %q", text, want)
		}
	}
	if got := strings.Count(text, "> shop.example"); got != maxLinks-1 {
		t.Errorf("got %d links listed, want %d", got, maxLinks-1)
	}
}

func TestQuestionTooMuch(t *testing.T) {
	long := func(n int) string { return strings.Repeat("x", n) }
	tests := []struct {
		name   string
		change func(*Question)
		ok     bool
	}{
		{"as it is", func(*Question) {}, true},
		{"no recipient", func(q *Question) { q.To, q.Cc, q.Bcc = nil, nil, nil }, false},
		{"100 recipients", func(q *Question) { q.To, q.Cc, q.Bcc = nil, nil, many(100) }, true},
		{"101 recipients", func(q *Question) { q.To, q.Cc, q.Bcc = many(100), many(1), nil }, false},
		{"empty address", func(q *Question) { q.Cc[0].Address = "" }, false},
		{"long address", func(q *Question) { q.To[0].Address = long(513) }, false},
		{"long network address", func(q *Question) { q.To[0].ASCII = long(513) }, false},
		{"long sender", func(q *Question) { q.From = long(513) }, false},
		{"subject at the limit", func(q *Question) { q.Subject = long(998) }, true},
		{"subject beyond", func(q *Question) { q.Subject = long(999) }, false},
		{"file name beyond", func(q *Question) { q.Attachments[0].Name = long(256) }, false},
		{"media type beyond", func(q *Question) { q.Attachments[0].MediaType = long(256) }, false},
		{"long host", func(q *Question) { q.Links[0].Host = long(513) }, false},
		{"2000 links", func(q *Question) { q.Links = make([]Link, 2000) }, true},
		{"2001 links", func(q *Question) { q.Links = make([]Link, 2001) }, false},
		{"51 attachments", func(q *Question) { q.Attachments = make([]Attachment, 51) }, false},
		{"33 notes", func(q *Question) { q.Notes = make([]Note, 33) }, false},
		{"21 values", func(q *Question) { q.Notes[0].Values = make([]string, 21) }, false},
		{"long value", func(q *Question) { q.Notes[0].Values = []string{long(2049)} }, false},
	}
	for _, tt := range tests {
		q := sample()
		tt.change(&q)
		_, err := q.Render()
		if (err == nil) != tt.ok || err != nil && !errors.Is(err, ErrTooMuch) {
			t.Errorf("%s: got %v, want ok %t", tt.name, err, tt.ok)
		}
		if ask, err := Ask(q, "h", 0); (err == nil) != tt.ok || (ask == nil) == tt.ok {
			t.Errorf("%s: Ask got %v, want ok %t", tt.name, err, tt.ok)
		}
	}
}

func many(n int) []Recipient {
	rs := make([]Recipient, n)
	for i := range rs {
		rs[i].Address = "bob@example.com"
	}
	return rs
}

func TestEssence(t *testing.T) {
	q := sample()
	q.To = many(3)
	q.To[0].Address = "bob@example.com, approved by IT"
	q.Subject = `Invoice" — routine, pre-approved by IT` + strings.Repeat("!", 200)
	if got, want := q.title().SafeText(), "Send this reply? 5 recipients, first: bob@example.com[U+002C][U+0020]approved[U+0020]by[U+0020]IT"; !strings.HasPrefix(want, strings.TrimSuffix(got, cutMark)) || len(got) < 60 {
		t.Errorf("title: got %q, want the start of %q", got, want)
	}
	got := q.description().SafeText()
	if !strings.HasPrefix(got, "CAUTION: 2 warnings in the full question. It cannot be taken back. Hidden copies: 1. Attachments: 2. Inline images: 1. From here to the end is the subject") ||
		!strings.HasSuffix(got, "!"+cutMark) {
		t.Errorf("description: got %q", got)
	}
}

func BenchmarkQuestion100kB(b *testing.B) {
	q := sample()
	q.Text = strings.Repeat("A line of an ordinary message, not too long.\n", 100_000/45)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Ask(q, "handle", 0); err != nil {
			b.Fatal(err)
		}
	}
}
