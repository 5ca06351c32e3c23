package sanitize

import (
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"
)

// ledger counts what one document holds, or what a report names, by what a person would call it.
type ledger map[string]int

// checkExplained: what the input has and the output lacks is in the report: each element, attribute with its value, comment,
// text, and declaration of a style attribute.
func checkExplained(t *testing.T, src string, out Outgoing) {
	t.Helper()
	in, err := html.ParseWithOptions(strings.NewReader(src), html.ParseOptionEnableScripting(false))
	if err != nil {
		t.Fatal(err)
	}
	result, err := html.Parse(strings.NewReader(out.HTML))
	if err != nil {
		t.Fatal(err)
	}
	have, styles := reported(out.Removals)
	have.addDocument(result, out.Preheader, nil)
	want := ledger{}
	want.addDocument(in, out.Preheader, styles)
	for name, n := range want {
		if n > have[name] {
			t.Errorf("%d vanished without an entry in the report: %s\nof %.1500s\n%.1500s\n%.3000s", n-have[name], name, src, out.HTML, fmt.Sprint(out.Removals))
		}
	}
	checkTexts(t, in, result, out)
}

// checkPlaces: each entry of the report stands where it says, or has a tag there.
func checkPlaces(t *testing.T, src string, out Outgoing) {
	t.Helper()
	for _, r := range out.Removals {
		if r.Offset < 0 || r.Offset > len(src) || !placed(src, r) && r.Offset > 0 && src[r.Offset] != '<' {
			t.Errorf("%+v does not stand there: %.80q", r, src[min(max(r.Offset, 0), len(src)):])
		}
	}
}

// reported is what the report names. The style attributes that went as a whole are given apart, by place and value: their
// entry explains what was in them.
func reported(list []Removal) (have, styles ledger) {
	have, styles = ledger{}, ledger{}
	for _, r := range list {
		switch r.Kind {
		case RemovedElement:
			have["element "+r.Name.String()] += r.Count
			if to, action := outgoingElement(&html.Node{Type: html.ElementNode, Data: r.Name.String()}); r.Reason == ReasonRenamed && action == renameElement {
				have["element "+to] -= r.Count
			}
		case RemovedAttribute:
			if r.Name.String() == "style" {
				have["attribute style"] += r.Count
				styles[r.Where.String()+" "+r.Value.String()] += r.Count
				continue
			}
			have["attribute "+r.Name.String()+"="+r.Value.String()] += r.Count
		case RemovedComment:
			have["comment "+r.Value.String()] += r.Count
		case RemovedDeclaration:
			if !strings.HasSuffix(r.Name.String(), "!important") { // it stays, with less weight
				have["declaration "+plainDeclaration(r.Value.String())] += r.Count
			}
		}
	}
	return have, styles
}

// addDocument counts what root holds, without one element around the preview line as the cleaner makes it.
func (l ledger) addDocument(root *html.Node, preview string, styles ledger) {
	whole := map[string]string{} // what the report shows of a style attribute, to all of it
	for n := range root.Descendants() {
		key := styleKey(n)
		if other, ok := whole[key]; ok && other != nodeAttr(n, "style") && styles[key] > 0 {
			styles[key] = math.MaxInt // two that begin alike: which one went cannot be told
		}
		whole[key] = nodeAttr(n, "style")
	}
	for n := range root.Descendants() {
		switch {
		case n.Type == html.CommentNode:
			l["comment "+Line(strings.TrimSpace(n.Data), maxRemovedValueChars).String()]++
		case n.Type != html.ElementNode:
		case preview != "" && n.Data == "div" && len(n.Attr) == 1 && n.Attr[0].Val == "display:none" && n.FirstChild != nil && n.FirstChild.Data == preview:
			preview = ""
		default:
			l["element "+Line(n.Data, 60).String()]++
			for _, a := range n.Attr {
				l.addAttribute(n, a, styles)
			}
		}
	}
}

func (l ledger) addAttribute(n *html.Node, a html.Attribute, styles ledger) {
	shown := Line(a.Val, maxRemovedValueChars).String()
	if attrName(a) != "style" {
		l["attribute "+Line(attrName(a), 60).String()+"="+shown]++
		return
	}
	l["attribute style"]++
	if key := styleKey(n); styles[key] > 0 {
		styles[key]--
		return
	}
	for _, d := range declarations(a.Val) {
		l["declaration "+plainDeclaration(Line(d, maxRemovedValueChars).String())]++
	}
}

// styleKey is a style attribute as the report shows it.
func styleKey(n *html.Node) string {
	return elementPath(n) + " " + Line(nodeAttr(n, "style"), maxRemovedValueChars).String()
}

// declarations splits a style attribute at the semicolons outside of quotes, brackets and comments.
func declarations(style string) (list []string) {
	depth, quote, start := 0, byte(0), 0
	add := func(d string) {
		if d = strings.TrimSpace(d); d != "" {
			list = append(list, d)
		}
	}
	for i := 0; i < len(style); i++ {
		switch c := style[i]; {
		case c == '\\':
			i++
		case quote != 0:
			if c == quote || c == '\n' {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case strings.HasPrefix(style[i:], "/*"):
			end := strings.Index(style[i+2:], "*/")
			if end < 0 {
				end = len(style) - i - 3
			}
			i += end + 3
		case c == '(' || c == '[' || c == '{':
			depth++
		case c == ')' || c == ']' || c == '}':
			depth--
		case c == ';' && depth == 0:
			add(style[start:i])
			start = i + 1
		}
	}
	add(style[start:])
	return list
}

var (
	writtenNumber = regexp.MustCompile(`[0-9]*\.?[0-9]+(e[0-9]+)?`)
	writtenWeight = regexp.MustCompile(`!\s*important`)
)

// plainDeclaration is d without what may be spelled in several ways.
func plainDeclaration(d string) string {
	d = writtenWeight.ReplaceAllString(strings.ToLower(d), "")
	d = strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || strings.ContainsRune(`"',/+`, r) {
			return -1
		}
		return r
	}, d)
	if name, value, _ := strings.Cut(d, ":"); name == "background" {
		d = "background-color:" + value
	}
	return writtenNumber.ReplaceAllStringFunc(d, func(s string) string {
		f, err := strconv.ParseFloat(s, 64)
		if err != nil {
			return s
		}
		return strconv.FormatFloat(f, 'f', 3, 64)
	})
}

// checkTexts: each text of the input stands in the output, letter by letter, or in the report.
func checkTexts(t *testing.T, in, result *html.Node, out Outgoing) {
	t.Helper()
	shown := ""
	for n := range result.Descendants() {
		if n.Type == html.TextNode {
			shown += letters(n.Data)
		}
	}
	gone := ledger{}
	for _, r := range out.Removals {
		if r.Kind == RemovedText {
			gone[r.Value.String()] += r.Count
		}
	}
	for n := range in.Descendants() {
		if n.Type != html.TextNode {
			continue
		}
		value := Line(strings.TrimSpace(n.Data), maxRemovedValueChars).String()
		if gone[value] > 0 {
			gone[value]--
			continue
		}
		if !strings.Contains(shown, letters(n.Data)) {
			t.Errorf("text vanished without an entry in the report: %q", n.Data)
		}
	}
}

// letters are the characters of a text that mean something.
func letters(s string) string {
	return strings.Map(func(r rune) rune {
		if blankRune(r) || oddLetter(r) {
			return -1
		}
		return r
	}, s)
}

// placed reports whether what r is about stands exactly at its offset.
func placed(src string, r Removal) bool {
	rest := src[r.Offset:]
	begins := func(s string) bool { return len(rest) >= len(s) && strings.EqualFold(rest[:len(s)], s) }
	switch r.Kind {
	case RemovedElement:
		return begins("<"+r.Name.String()) || r.Name.String() == "img" && begins("<image")
	case RemovedComment:
		return begins("<!") || begins("<?") || begins("</")
	case RemovedDoctype:
		return begins("<!")
	case RemovedAttribute:
		return begins(r.Name.String())
	case RemovedDeclaration:
		return begins(strings.TrimSuffix(r.Name.String(), " !important"))
	case RemovedText:
		value := []rune(r.Value.String())
		return len(value) == 0 || begins(string(value[:1])) || begins("&") || oddLetter(firstRune(rest))
	}
	return true
}

func firstRune(s string) rune {
	r, _ := utf8.DecodeRuneInString(s)
	return r
}

// TestOutgoingPlaces: in ordinary mail and in the vectors, what is reported stands where the report says.
func TestOutgoingPlaces(t *testing.T) {
	var sources []string
	for _, m := range ordinaryMails(t) {
		sources = append(sources, m.html)
	}
	ordinary := len(sources)
	for _, g := range outgoingVectors() {
		for _, v := range g.vectors {
			sources = append(sources, v.html)
		}
	}
	for _, v := range htmlVectors(t) {
		sources = append(sources, v.HTML)
	}
	exact, all := [2]int{}, [2]int{}
	for i, src := range sources {
		out, err := OutgoingHTML(src, OutgoingOptions{ContentIDs: []string{"ok"}})
		if err != nil {
			continue
		}
		checkPlaces(t, src, out)
		k := min(i/ordinary, 1)
		for _, r := range out.Removals {
			all[k]++
			if placed(src, r) {
				exact[k]++
			} else {
				t.Logf("not exact: %s %s (%s), at %d: %.40q", r.Kind, r.Name, r.Value, r.Offset, src[r.Offset:])
			}
		}
	}
	t.Logf("exact: %d of %d entries of ordinary mail, %d of %d of the vectors", exact[0], all[0], exact[1], all[1])
	if exact[0]*1000 < all[0]*999 || exact[1]*100 < all[1]*95 {
		t.Error("too few are exact")
	}
}

// TestOutgoingPlacesOfEqualTags: the second of two equal tags is not taken for the first.
func TestOutgoingPlacesOfEqualTags(t *testing.T) {
	for _, c := range []struct {
		name, html, find string
		kind             RemovalKind
	}{
		{"second of a kind", `<p>a</p><b onclick="x">b</b><table><tr><td><b onclick="x">c</b></td></tr></table><i onclick="x">`, "onclick", RemovedAttribute},
		{"raw text that looks like a tag", `<style><q onclick=x></style><q onclick=x>a</q>`, `onclick=x>a`, RemovedAttribute},
		{"noscript", `<noscript><q onclick=x>a</q></noscript><p style="left:1px;color:red">b</p>`, "left", RemovedDeclaration},
		{"title in a drawing", `<svg><title><q onclick=x></title></svg><h4 onclick=y>a</h4>`, "onclick=y", RemovedAttribute},
		{"value with a reference", `<p style="font-family:&quot;a&quot;;left:1px">b</p>`, "left", RemovedDeclaration},
		{"upper case", `<P TITLE=a>b</P>`, "TITLE", RemovedAttribute},
		{"moved out of a table", `<table><tr><x-y>a</x-y><td>b</td></tr></table>`, "<x-y>", RemovedElement},
		{"comment", `<!-- a --><p>b</p><!-- c -->`, "<!-- a", RemovedComment},
		{"hidden text", `<p>a</p><p style="display:none"> b</p>`, "b</p>", RemovedText},
		{"doctype", "\n<!DOCTYPE html SYSTEM 'about:legacy-compat'><p>a", "<!DOCTYPE", RemovedDoctype},
	} {
		t.Run(c.name, func(t *testing.T) {
			out, err := OutgoingHTML(c.html, OutgoingOptions{})
			if err != nil {
				t.Fatal(err)
			}
			want := strings.Index(c.html, c.find)
			if !slices.ContainsFunc(out.Removals, func(r Removal) bool { return r.Kind == c.kind && r.Offset == want }) {
				t.Errorf("nothing of kind %s at %d: %+v", c.kind, want, out.Removals)
			}
		})
	}
}

// randomMail writes a document of about n tags, not all of them closed, in an order that no person would write.
func randomMail(r *rand.Rand, n int) string {
	pick := func(list []string) string { return list[r.IntN(len(list))] }
	names := strings.Fields("p p div div span a a b i u s font font h1 h2 ul ol li table table tbody tr tr td td th caption col center pre blockquote img img br hr section " +
		"form button marquee applet object template svg math select option textarea noscript details dir nobr x-tag v:rect q code iframe address dd dl dt title style")
	attrs := []string{` style="color:#fff;background:url(x) #123"`, ` style="display:none"`, ` style="position:absolute;margin:-5px 1px"`, ` style="background:#fff;color:#000 !important"`,
		` style="font:bold 12px/1.5 'Segoe UI',Arial;left:1px"`, ` style='a;b:c;color:RED'`, ` onclick=a`, ` class="a"`, ` id=b`, ` align=center`, ` align=odd`, ` bgcolor=#FFF`,
		` bgcolor=x;y`, ` width=100%`, ` width=9x`, ` href="https://a.example/"`, ` href=javascript:a`, ` src=cid:ok`, ` src=https://a.example/b`, ` alt="c d"`, ` dir=rtl`, ` color=red`,
		` face="Arial, b"`, ` hidden`, ` title='e'`, ` lang=de`, ` size=+1`, ` colspan=2`, ` background=x`}
	var b strings.Builder
	var open []string
	for range n {
		switch k := r.IntN(10); {
		case k < 5:
			name := pick(names)
			b.WriteString("<" + name)
			seen := map[string]bool{}
			for range r.IntN(4) {
				a := pick(attrs)
				if key, _, _ := strings.Cut(strings.TrimSpace(a), "="); !seen[key] {
					seen[key] = true
					b.WriteString(a)
				}
			}
			b.WriteString(">")
			open = append(open, name)
		case k < 7 && len(open) > 0:
			i := len(open) - 1
			if r.IntN(5) == 0 {
				i = r.IntN(len(open))
			}
			b.WriteString("</" + open[i] + ">")
			open = slices.Delete(open, i, i+1)
		case k == 7:
			b.WriteString(pick([]string{"<!-- f -->", "<![CDATA[g]]>", "<?h?>", "\u202ei", "&nbsp;&zwnj;", "\n"}))
		default:
			b.WriteString(pick([]string{"jot", "kin lot", "&lt;m&gt;", "n\u200bo"}))
		}
	}
	return b.String()
}

// TestOutgoingRandomTrees: the report is complete and the result is its own result, whatever the tree looks like.
func TestOutgoingRandomTrees(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	cleaned, refused := 0, ledger{}
	o := OutgoingOptions{ContentIDs: []string{"ok"}}
	for range 4000 {
		src := randomMail(r, 3+r.IntN(30))
		out, err := OutgoingHTML(src, o)
		if err != nil {
			refused[err.Error()]++
			continue
		}
		cleaned++
		checkExplained(t, src, out)
		checkPlaces(t, src, out)
		if again, err := OutgoingHTML(out.HTML, o); err != nil || again.HTML != out.HTML || len(again.Removals) > 0 {
			t.Errorf("cleaned again: %v\n%s\n%s\n%s\n%+v", err, src, out.HTML, again.HTML, again.Removals)
		}
		if t.Failed() {
			return
		}
	}
	t.Logf("%d cleaned, refused: %v", cleaned, refused)
	if cleaned < 3000 {
		t.Errorf("got %d cleaned", cleaned)
	}
}
