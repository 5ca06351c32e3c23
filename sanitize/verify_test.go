package sanitize

import (
	"errors"
	"strings"
	"testing"
)

// TestVerify: the verifier alone takes the grammar and nothing beside it.
func TestVerify(t *testing.T) {
	for _, c := range []struct {
		name, body string
		ok         bool
	}{
		{"nothing", "", true},
		{"paragraph", "<p>a</p>", true},
		{"style", `<p style="color:#fff;background-color:rgb(1,2,3)">a</p>`, true},
		{"font", `<p style="font:bold 12px/1.5 &#39;Segoe UI&#39;,Arial,sans-serif">a</p>`, true},
		{"link", `<a href="https://a.example/?a=1&amp;b=2">a</a>`, true},
		{"image of a part", `<img src="cid:one" alt="a">`, true},
		{"preview line", `<div style="display:none">a</div><p>b</p>`, true},
		{"table", `<table><tbody><tr><td>a</td></tr></tbody></table>`, true},
		{"image of no part", `<img src="cid:two">`, false},
		{"image from elsewhere", `<img src="https://a.example/">`, false},
		{"script", "<script>a</script>", false},
		{"style element", "<style>a</style>", false},
		{"comment", "<!-- a -->", false},
		{"declaration", "<!doctype html>", false},
		{"instruction", "<?a?>", false},
		{"drawing", "<svg></svg>", false},
		{"upper case", "<P>a</P>", false},
		{"handler", `<p onclick="a">a</p>`, false},
		{"attribute of another element", `<p href="https://a.example/">a</p>`, false},
		{"attribute twice", `<p lang="a" lang="b">a</p>`, false},
		{"no quotes", `<p lang=a>a</p>`, false},
		{"single quotes", `<p lang='a'>a</p>`, false},
		{"blank in a tag", `<p  lang="a">a</p>`, false},
		{"blank at the end of a tag", `<p >a</p>`, false},
		{"self-closing", `<br/>`, false},
		{"open element", `<p>a`, false},
		{"wrong end tag", `<p>a</b>`, false},
		{"end tag without start", `a</p>`, false},
		{"end of the document inside", `a</body></html>` + "\n", false},
		{"bare ampersand", `a & b`, false},
		{"other reference", `a&nbsp;b`, false},
		{"numeric reference", `a&#106;b`, false},
		{"reference in a text that is for values", `a&#34;b`, false},
		{"bare greater-than", `a > b`, false},
		{"carriage return", "a\rb", false},
		{"control", "a\x01b", false},
		{"override", "a\u202eb", false},
		{"backtick in a value", "<img src=\"cid:one\" alt=\"`\">", false},
		{"script link", `<a href="javascript:a">a</a>`, false},
		{"data link", `<a href="data:text/html,a">a</a>`, false},
		{"upper-case scheme", `<a href="HTTPS://a.example/">a</a>`, false},
		{"user name", `<a href="https://a.example@b.example/">a</a>`, false},
		{"percent-encoded host", `<a href="https://%61.example/">a</a>`, false},
		{"no host", `<a href="https:///a">a</a>`, false},
		{"relative", `<a href="/a">a</a>`, false},
		{"blank in a link", `<a href="https://a.example/ b">a</a>`, false},
		{"backslash in a link", `<a href="https://a.example\b">a</a>`, false},
		{"url", `<p style="background-color:url(a)">a</p>`, false},
		{"expression", `<p style="width:expression(a)">a</p>`, false},
		{"escape", `<p style="color:\72 ed">a</p>`, false},
		{"style comment", `<p style="color:red/**/">a</p>`, false},
		{"position", `<p style="position:fixed">a</p>`, false},
		{"background shorthand", `<p style="background:red">a</p>`, false},
		{"negative margin", `<p style="margin:-1px">a</p>`, false},
		{"negative margin later", `<p style="margin:1px -9px">a</p>`, false},
		{"hanging first line", `<p style="text-indent:-18pt">a</p>`, true},
		{"first line far outside", `<p style="text-indent:-999px">a</p>`, false},
		{"first line outside in another unit", `<p style="text-indent:-9ch">a</p>`, false},
		{"two first lines", `<p style="text-indent:-1px -1px">a</p>`, false},
		{"upper-case numbers of a list", `<ol type="I"><li>a</li></ol>`, true},
		{"important", `<p style="color:red!important">a</p>`, false},
		{"empty declaration", `<p style="color:red;">a</p>`, false},
		{"quote where no font is", `<p style="color:&#39;a&#39;">a</p>`, false},
		{"open quote", `<p style="font-family:&#39;a">a</p>`, false},
		{"hidden", `<p>a</p><div style="display:none">b</div>`, false},
		{"two preview lines", `<div style="display:none">a</div><div style="display:none">b</div>`, false},
		{"long preview line", `<div style="display:none">` + strings.Repeat("a", 201) + `</div>`, false},
		{"markup in the preview line", `<div style="display:none"><b>a</b></div>`, false},
		{"paragraph in a paragraph", `<p><p>a</p></p>`, false},
		{"table in a paragraph", `<p><table></table></p>`, false},
		{"text in a table", `<table>a</table>`, false},
		{"row without a body", `<table><tr><td>a</td></tr></table>`, false},
		{"link in a link", `<a href="https://a.example/"><a href="https://b.example/">a</a></a>`, false},
		{"heading in a heading", `<h1><h2>a</h2></h1>`, false},
		{"item in an item", `<ul><li><li>a</li></li></ul>`, false},
		{"line end at the start of preformatted text", "<pre>\na</pre>", false},
		{"formatting across a block", `<b><p>a</b></p>`, false},
		{"cell outside a table", `<td>a</td>`, false},
		{"too deep", strings.Repeat("<div>", 130) + strings.Repeat("</div>", 130), false},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := verifyOutgoing("<!DOCTYPE html><html><body>"+c.body+"</body></html>\n", []string{"one"})
			if (err == nil) != c.ok {
				t.Errorf("got %v, want accepted %t", err, c.ok)
			}
			if err != nil && !errors.Is(err, errGrammar) && !errors.Is(err, errReadings) {
				t.Errorf("got %v, want a typed reason", err)
			}
		})
	}
}

// TestVerifyFrame: the frame of the document is fixed.
func TestVerifyFrame(t *testing.T) {
	for _, text := range []string{"", "<p>a</p>", "<html><body></body></html>\n", "<!doctype html><html><body></body></html>\n", "<!DOCTYPE html><html><body></body></html>",
		"<!DOCTYPE html><html><head></head><body></body></html>\n", `<!DOCTYPE html><html manifest="a"><body></body></html>` + "\n", "<!DOCTYPE html><html><body></body></html>\n<p>",
		`<!DOCTYPE html><html style="color:red"><body></body></html>` + "\n", `<!DOCTYPE html><html><body onload="a"></body></html>` + "\n", " <!DOCTYPE html><html><body></body></html>\n"} {
		if err := verifyOutgoing(text, nil); err == nil {
			t.Errorf("accepted: %q", text)
		}
	}
	if err := verifyOutgoing(`<!DOCTYPE html><html lang="de" dir="ltr"><body style="color:#000" bgcolor="#fff">a</body></html>`+"\n", nil); err != nil {
		t.Error(err)
	}
}
