package htmltext

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// hostileShapes are documents that make careless code slow or large. Each is built to about size octets.
func hostileShapes(size int) map[string]string {
	rep := func(s string) string { return strings.Repeat(s, size/len(s)) }
	half := func(s string) string { return strings.Repeat(s, size/2/len(s)) }
	rules := func(format string, bytes int) string {
		var b strings.Builder
		for i := 0; b.Len() < bytes; i++ {
			fmt.Fprintf(&b, format, i)
		}
		return "<style>" + b.String() + "</style>"
	}
	return map[string]string{
		"list items":         rep("<li>x"),
		"empty items":        rep("<li>"),
		"links":              rep("<a href=x>y"),
		"rows":               "<table>" + rep("<tr><td>a<td>b"),
		"hidden and shown":   rep("<p hidden>x</p><p>y</p>"),
		"less-than signs":    rep("<"),
		"comments":           rep("<!-- some words that are long enough to be counted as prose in it -->"),
		"many complex rules": rules(".a b%d .c{color:red}", size/2) + half("<p class='a c'>x"),
		"equal classes":      rules(".a{color:#%06d}", size/2) + half("<p class='a c'>x"),
		"sibling selectors":  rules("p ~ p.c%d ~ p{display:none}", size/8) + half("<p class='a c1'>x"),
		"nth-child":          rules("p:nth-child(%dn+3){display:none}", size/8) + half("<p class='a'>x"),
		"has":                rules("div:has(.z%d){display:none}", size/8) + half("<div class=a>x</div>"),
		"backtracking":       rules(".a > .a .a > .a .a > .a .z%d > .q{color:red}", size/16) + strings.Repeat("<div class='a q'>", 400) + half("<p class=q>x</p>"),
		"long class":         rules(".k%d.k1 .x{color:red}", 2000) + "<div class='" + half("k1 ") + "'>" + strings.Repeat("<p class=x>y", size/40),
		"open braces":        "<style>" + rep("{"),
		"nested rules":       "<style>" + rep(".a{"),
		"at-rules":           "<style>" + rep("@media all{"),
		"functions":          "<style>" + rep("a("),
		"calc":               "<p style='width:" + rep("calc(") + "'>x",
		"long style":         "<p style='" + rep("color:red;") + "'>x",
		"references":         "<p style='--a:x;width:" + rep("var(--a)") + "'>x",
		"attributes":         "<p " + rep("a=b ") + ">x",
		"boxes in boxes":     strings.Repeat("<div style='height:90px;overflow:hidden'>", 400) + half("x<br>"),
	}
}

// TestHostileShapes: 300 kB of each take well under the generous limit; a quadratic step would take minutes. The output
// stays in proportion.
func TestHostileShapes(t *testing.T) {
	const size = 300_000
	for name, src := range hostileShapes(size) {
		t.Run(name, func(t *testing.T) {
			start := time.Now()
			d := mustConvert(t, src)
			if took := time.Since(start); took > 10*time.Second {
				t.Errorf("took %v", took)
			}
			checkBalanced(t, d)
			if len(d.Segments) > size || len(d.Hidden) > maxHiddenList || len(d.Links) > maxLinks {
				t.Errorf("got %d segments, %d hidden, %d links", len(d.Segments), len(d.Hidden), len(d.Links))
			}
		})
	}
}

// TestMatchingLimit: when the work for style rules runs out, text that a rule may hide is labelled.
func TestMatchingLimit(t *testing.T) {
	var b strings.Builder
	b.WriteString("<!doctype html><style>")
	for i := range 3000 {
		fmt.Fprintf(&b, "p ~ p.c%d ~ p.q{color:red}", i)
	}
	b.WriteString("div.late p.q{display:none}</style>" + strings.Repeat("<p class=q>x</p>", 4000) + "<div class=late><p class=q>after the limit</p></div>")
	d := mustConvert(t, b.String())
	if !slices.Contains(d.Notes, NoteMatchingCut) {
		t.Fatalf("got notes %q, want the matching limit", d.Notes)
	}
	ok := slices.ContainsFunc(d.Hidden, func(h Hidden) bool {
		return h.Uncertain && h.Technique == StyleDependent && strings.Contains(h.Text, "x")
	})
	if !ok && strings.Contains(shownText(d), "after the limit") {
		t.Error("text after the limit is shown without a label")
	}
}

// TestRuleLimit: beyond the number of rules all text is labelled.
func TestRuleLimit(t *testing.T) {
	var b strings.Builder
	b.WriteString("<!doctype html><style>")
	for i := range maxRules + 10 {
		fmt.Fprintf(&b, ".c%d{color:red}", i)
	}
	b.WriteString(".x{display:none}</style><p class=x>after the limit</p>")
	d := mustConvert(t, b.String())
	if !slices.Contains(d.Notes, NoteRulesCut) {
		t.Fatalf("got notes %q, want the rule limit", d.Notes)
	}
	if len(d.Hidden) == 0 || d.Hidden[0].Technique != StyleDependent || !d.Hidden[0].Uncertain {
		t.Errorf("got hidden %+v, want a label on the text", d.Hidden)
	}
}

// TestDeepNesting: beyond the parser's limit the flat reading still withholds what styles hide, in both spellings, and
// still finds text, links and headings.
func TestDeepNesting(t *testing.T) {
	deep := strings.Repeat("<div>", 600)
	d := mustConvert(t, `<!doctype html><title>T</title><style>.x{display:none} .o .y{font-size:0}</style>`+deep+
		`<h1>Head</h1><p>shown <a href="https://x.example/">here</a></p><p class=x>gone by rule</p><div class=o><p class=y>gone by two</p></div>`+
		`<p style="color:#fff">gone by colour</p><template>gone by template</template><ul><li>item</ul><!-- note -->`+
		`<div hidden><p>gone by attribute</div><img src=a alt="picture">end`)
	if !slices.Contains(d.Notes, NoteTooDeep) {
		t.Fatalf("got notes %q, want the depth note", d.Notes)
	}
	got := Render(d)
	if strings.Contains(got, "gone") {
		t.Errorf("hidden words are shown:\n%s", got)
	}
	for _, w := range []string{"# Head", "shown here [link 1]", "- item", "[image: picture]", "end"} {
		if !strings.Contains(got, w) {
			t.Errorf("lost %q:\n%s", w, got)
		}
	}
	if d.Title != "T" || len(d.Links) != 1 {
		t.Errorf("got title %q, links %+v", d.Title, d.Links)
	}
	checkBalanced(t, d)
}

// TestTextLimit: text is cut at the limit and the document says so.
func TestTextLimit(t *testing.T) {
	for _, c := range []struct{ limit, want int }{{1, 1}, {9, 9}, {10, 10}, {11, 10}} {
		d, err := Convert("<p>12345<p>67890", Options{MaxTextChars: c.limit})
		if err != nil {
			t.Fatal(err)
		}
		if d.VisibleChars != c.want || d.Truncated != (c.limit < 10) {
			t.Errorf("limit %d: got %d characters, truncated %v", c.limit, d.VisibleChars, d.Truncated)
		}
	}
}

// TestHiddenLimit: kept characters are bounded, the count is not.
func TestHiddenLimit(t *testing.T) {
	src := "<p>a<p hidden>" + strings.Repeat("word ", 1000)
	d := mustConvert(t, src)
	if h := d.Hidden[0]; h.Chars != 4999 || len(h.Text) != DefaultHiddenEach {
		t.Errorf("got %d characters, kept %d", h.Chars, len(h.Text))
	}
	none, err := Convert(src, Options{MaxHiddenChars: -1})
	if err != nil {
		t.Fatal(err)
	}
	if h := none.Hidden[0]; h.Chars != 4999 || h.Text != "" {
		t.Errorf("got %d characters, kept %q", h.Chars, h.Text)
	}
}

// TestBinary: what is not text is refused.
func TestBinary(t *testing.T) {
	if _, err := Convert(strings.Repeat("\x00\x00\x01", 100), Options{}); err != ErrNotText {
		t.Errorf("got %v, want %v", err, ErrNotText)
	}
}
