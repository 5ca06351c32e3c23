package htmltext

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// hiddenWord stands in a wrapper that nothing after it can make visible.
const hiddenWord = "qzhiddenqz"

// FuzzConvert: whatever the source, there is no panic, text that was UTF-8 stays UTF-8, the output is bounded, starts and
// ends nest, indexes are valid, and the words in a hidden element before it are not shown.
func FuzzConvert(f *testing.F) {
	for _, dir := range []string{"hidden", "ordinary"} {
		for _, c := range readCases(f, dir, 40) {
			f.Add(c.input())
		}
	}
	for _, s := range []string{"", "<", "<!--", "<table><li><pre>\x00", "<style>@media{.a{b:c", "<svg><style>*{", strings.Repeat("<b><p>", 300), "\xff\xfe<p>", "<a href='x'><a href=y>z", "<p style='width:calc(1px + (2px * 3)) ; transform:matrix(1,2)'>", "<select><option selected>a<textarea>"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, src string) {
		if len(src) > 1<<16 || strings.Contains(strings.ToLower(src), hiddenWord) {
			t.Skip()
		}
		doc := `<div style="display:none !important">` + hiddenWord + `</div>` + src
		d, err := Convert(doc, Options{})
		if err != nil {
			return
		}
		checkBalanced(t, d)
		checkIndexes(t, d)
		out := Render(d)
		if strings.Contains(out, hiddenWord) {
			t.Errorf("hidden word is shown in %q", out)
		}
		if utf8.ValidString(src) && !utf8.ValidString(out) {
			t.Error("output is not UTF-8")
		}
		if limit := 40*len(doc) + 1000; len(out) > limit {
			t.Errorf("got %d octets out of %d", len(out), len(doc))
		}
	})
}

// checkIndexes fails if a segment points outside the lists of its Doc, or text has a line break where it must not.
func checkIndexes(t testing.TB, d Doc) {
	t.Helper()
	code := 0
	for i, s := range d.Segments {
		size := -1
		switch s.Kind {
		case CodeStart:
			code++
		case CodeEnd:
			code--
		case LinkStart, LinkEnd:
			size = len(d.Links)
		case ImageMark:
			size = len(d.Images)
		case HiddenMark, PreheaderMark, UncertainStart, UncertainEnd:
			size = len(d.Hidden)
		case Text:
			if s.Text == "" || code == 0 && strings.Contains(s.Text, "\n") {
				t.Errorf("segment %d: text %q", i, s.Text)
			}
		}
		if size >= 0 && (s.N < 0 || s.N >= size) {
			t.Errorf("segment %d of kind %d points to %d of %d", i, s.Kind, s.N, size)
		}
	}
}

// FuzzCSS: a style sheet never makes an important inline declaration void, and never fails.
func FuzzCSS(f *testing.F) {
	for _, s := range []string{".a{b:c}", "@media screen{.a{display:block!important}}", "*{all:initial!important}", "@layer x{.a{color:red}}", ".a{&.b{c:d}}", "\\", "'", "url(", "/*", "a:not(", "}{}{", "@supports(a:b){", ".a{display:var(--a,var(--b", "@keyframes q{to{display:block}}"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, sheet string) {
		if len(sheet) > 1<<14 || strings.Contains(strings.ToLower(sheet), "</style") {
			t.Skip()
		}
		d, err := Convert(`<!doctype html><style>`+sheet+`</style><p class="a" style="display:none!important">`+hiddenWord+`</p>`, Options{})
		if err == nil && strings.Contains(Render(d), hiddenWord) {
			t.Errorf("sheet %q shows hidden text", sheet)
		}
	})
}
