package sanitize

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// mutant is the cleaner with one check taken out. Two checks are not here, because each stands behind another: a user
// name in a link is no host name either, and a link without slashes is written with them.
type mutant struct{ name, file, old, new string }

func mutants() []mutant {
	const walk, elements, attr, style, link, write = "outgoingwalk.go", "outgoingelements.go", "outgoingattr.go", "outgoingstyle.go", "outgoinglink.go", "outgoingwrite.go"
	return []mutant{
		{"elements of unknown names stay", elements, "return \"\", unwrapElement\n}", "return n.Data, keepElement\n}"},
		{"active elements stay", elements, "\t\"xml\", \"svg\", \"math\", \"selectedcontent\", \"layer\", \"ilayer\":\n\t\treturn \"\", dropElement", "\t\"xml\", \"svg\", \"math\", \"selectedcontent\", \"layer\", \"ilayer\":\n\t\treturn n.Data, keepElement"},
		{"foreign elements stay", elements, "return \"\", dropElement // svg and math", "return n.Data, keepElement // svg and math"},
		{"renamed elements keep their names", elements, "return \"div\", renameElement", "return n.Data, renameElement"},
		{"every attribute stays", attr, "if a.Namespace != \"\" || !attributeOf(name, a.Key) {", "if false {"},
		{"attribute values outside the grammar stay", attr, "if !ok {\n\t\treturn \"\", ReasonValue", "if !ok {\n\t\treturn a.Val, \"\""},
		{"every link target stays", attr, "if v = outgoingTarget(a.Val); v == \"\" {", "if v = a.Val; v == \"\" {"},
		{"every image stays", attr, "if ok && c.attached[id] && plainContentID(id) {", "if id = strings.TrimPrefix(src, \"cid:\"); ok || id != \"\" {"},
		{"an image needs no attachment", attr, "ok && c.attached[id] && plainContentID(id)", "ok && plainContentID(id)"},
		{"style attributes stay as they are", attr, "if v = c.style(n, a.Val); v == \"\" {", "if v = a.Val; v == \"\" {"},
		{"every property stays", style, "return propertyRule{}, false\n}", "return propertyRule{takesLength | takesColour | takesName | takesCommas, 24, nil}, true\n}"},
		{"every function stays", style, "if name != \"rgb(\" && name != \"rgba(\" && name != \"hsl(\" && name != \"hsla(\" {", "if false {"},
		{"negative lengths stay", style, "f > maxStyleNumber || f < leastNumber(kinds, unit)", "f > maxStyleNumber"},
		{"every word of display stays", style, "\"block\", \"inline\", \"inline-block\",", "\"none\", \"block\", \"inline\", \"inline-block\","},
		{"every font name stays", style, "func fontName(s string) bool {", "func fontName(s string) bool { return true; "},
		{"every scheme stays", link, "\t\treturn \"tel:\" + rest\n\t}\n\treturn \"\"", "\t\treturn \"tel:\" + rest\n\t}\n\treturn v"},
		{"the host is not canonical", link, "return scheme + \"://\" + ascii + encoded(path)", "return scheme + \"://\" + host + encoded(path)"},
		{"the path is not encoded", link, "ascii + encoded(path)", "ascii + path"},
		{"controls and overrides stay", walk, "if !strings.ContainsFunc(s, oddLetter) {", "if true {"},
		{"texts are not escaped", write, "_, _ = writeText.WriteString(b, n.text)", "b.WriteString(n.text)"},
		{"values are not escaped", write, "_, _ = writeValue.WriteString(b, a.value)", "b.WriteString(a.value)"},
		{"backticks are not escaped", write, ", \"`\", \"&#96;\"", ""},
		{"empty elements get end tags", write, "if voidElement(n.name) {", "if false {"},
		{"nesting is not settled", "outgoing.go", "if next == text {", "if true {"},
		{"the first line end of pre stays", write, "k.text = strings.TrimLeft(k.text, \"\\n\")", "k.text = \"\\n\" + k.text"},
		{"depth is not limited", walk, "c.depth > maxOutgoingDepth", "c.depth > 5*maxOutgoingDepth"},
	}
}

// mutationInputs are the inputs on which a mutant must be noticed.
func mutationInputs(t *testing.T) (list []string) {
	for _, v := range htmlVectors(t) {
		list = append(list, v.HTML)
	}
	for _, g := range outgoingVectors() {
		for _, v := range g.vectors {
			list = append(list, v.html)
		}
	}
	return append(list, `<p title="a" style="font-family:'a(b'">a</p>`, "<p><table><tr><td>a</table>", "<p>1 < 2 &amp;lt; 3", "<pre>\n\na</pre>", `<a href="https://a.example/é">a</a>`,
		`<img src="cid:ok" alt="a`+"`"+`b">`, strings.Repeat("<div>", 150)+"a", `<p style="margin:-3px">a</p>`, `<p><span style="display:none"></span>a</p>`,
		`<section>a</section>`, `<a href="https://BÜCHER.example/">a</a>`, `<table width="9;x"><tr><td>a</table>`, `<p width="5">a</p>`, `<p style="color:foo(1,2,3)">a</p>`,
		"<p><span style=\"display:\tnone\"></span>a</p>", "a<br>b<hr>")
}

// TestOutgoingMutant fails if the verifier refuses anything that the cleaner wrote. TestOutgoingMutation runs it in the build
// of each mutant, where it must fail.
func TestOutgoingMutant(t *testing.T) {
	for _, src := range mutationInputs(t) {
		if _, err := OutgoingHTML(src, OutgoingOptions{ContentIDs: []string{"ok"}}); errors.Is(err, ErrOutgoingVerify) {
			t.Fatalf("noticed: %v\n%s", err, src)
		}
	}
}

// TestOutgoingMutation: whichever check of the cleaner is taken out, the verifier refuses at least one input.
func TestOutgoingMutation(t *testing.T) {
	all := os.Getenv("MAILGAP_ALL") != ""
	if os.Getenv("CI") != "true" && !all {
		t.Skip("takes minutes: every third mutant in CI, each with MAILGAP_ALL=1")
	}
	t.Parallel()
	wd, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	run := func(t *testing.T, overlay string) (string, error) {
		cmd := exec.CommandContext(t.Context(), "go", "test", "-vet=off", "-overlay", overlay, "-run", "^TestOutgoingMutant$", "-count=1", ".")
		cmd.Env = append(os.Environ(), "MAILGAP_SHARED="+filepath.Dir(filepath.Dir(sharedPath(t, "vectors/html.json"))))
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	var survivors []string
	for i, m := range append([]mutant{{"nothing", "outgoing.go", "", ""}}, mutants()...) {
		if i%3 != 0 && !all {
			continue
		}
		data, err := os.ReadFile(m.file)
		if err != nil {
			t.Fatal(err)
		}
		source := string(data)
		if m.old != "" && strings.Count(source, m.old) == 0 {
			t.Errorf("%s: the check is not there any more", m.name)
			continue
		}
		dir := t.TempDir()
		mutated, overlay := filepath.Join(dir, m.file), filepath.Join(dir, "overlay.json")
		replace, err := json.Marshal(map[string]any{"Replace": map[string]string{filepath.Join(wd, m.file): mutated}})
		if err != nil {
			t.Fatal(err)
		}
		for name, text := range map[string]string{mutated: strings.Replace(source, m.old, m.new, 1), overlay: string(replace)} {
			if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		out, err := run(t, overlay)
		switch noticed := strings.Contains(out, "noticed: "); {
		case m.old == "" && err != nil:
			t.Fatalf("without a mutation: %v\n%s", err, out)
		case m.old != "" && !noticed && err != nil:
			t.Errorf("%s: %v\n%s", m.name, err, out)
		case m.old != "" && !noticed:
			survivors = append(survivors, m.name)
		}
	}
	t.Logf("%d mutants, %d survivors: %s", len(mutants()), len(survivors), strings.Join(survivors, "; "))
	if len(survivors) > 0 {
		t.Errorf("not noticed by the verifier: %s", strings.Join(survivors, "; "))
	}
}
