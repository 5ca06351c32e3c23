package sendmail

import (
	"encoding/json"
	"strings"
	"testing"

	"mailgap/sendmail/compose"
)

func arguments(t *testing.T, fields map[string]any) string {
	t.Helper()
	fields["to"] = []string{"bob@example.com"}
	text, err := json.Marshal(fields)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// The HTML that leaves is the cleaned one, the text is derived from it, and the question shows both and what was removed.
func TestHTMLSent(t *testing.T) {
	w := newWorld(t)
	_, p := w.sendDirect(t, "send_mail", arguments(t, map[string]any{"subject": "Offer", "text": "", "html": `<html><body><div style="display:none">A short preview</div>` +
		`<h1 onclick="x()">Our offer</h1><p>Ten <b>apples</b> for 5 €.</p><img src="https://px.example/o.gif" alt="A picture" width="400" height="200">` +
		`<span style="font-size:0">buried words</span><script>alert(1)</script><a href="https://evil.example/">https://bank.example/</a></body></html>`}))
	facts, err := compose.ReadBack(w.wantMessages(t, 1)[0].Octets)
	if err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{"px.example", "alert", "onclick", "buried", "font-size:0"} {
		if strings.Contains(facts.HTML, bad) || strings.Contains(facts.Text, bad) {
			t.Errorf("%q was sent:\n%s\n%s", bad, facts.HTML, facts.Text)
		}
	}
	for _, good := range []string{"Our offer", "Ten apples for 5 €.", "A picture", "https://bank.example/ <https://evil.example/>"} {
		if !strings.Contains(facts.Text, good) {
			t.Errorf("the text lacks %q:\n%s", good, facts.Text)
		}
	}
	question := p.questions()[0]
	for _, want := range []string{"There is an HTML part", "hidden from its reader", "buried words", "an image that loads from elsewhere", "px[.]example", "alert(1)", "A short preview",
		"Links show another site", "evil[.]example"} {
		if !strings.Contains(question, want) {
			t.Errorf("the question lacks %q:\n%s", want, question)
		}
	}
	if strings.Contains(question, "do not say the same") {
		t.Errorf("a derived text is said to differ:\n%s", question)
	}
}

// An answer carries quote and signature in both parts, and nothing in them is markup.
func TestHTMLReply(t *testing.T) {
	w := newWorld(t, func(c *setup) { c.Signature = "Alice <b>Example</b>" })
	w.sendDirect(t, "reply_mail", arguments(t, map[string]any{"text": "Fine with me.", "html": "<p>Fine with <i>me</i>.</p><!-- open", "original": map[string]any{
		"message_id": "1@example.com", "from": "bob@example.com", "text": "Shall we?\n<script>x</script>", "subject": "Plan"}}))
	facts, err := compose.ReadBack(w.wantMessages(t, 1)[0].Octets)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"<p>Fine with <i>me</i>.</p>", "bob@example.com wrote:", "<blockquote>Shall we?<br>&lt;script&gt;x&lt;/script&gt;</blockquote>", "-- <br>Alice &lt;b&gt;Example&lt;/b&gt;"} {
		if !strings.Contains(facts.HTML, want) {
			t.Errorf("the HTML lacks %q:\n%s", want, facts.HTML)
		}
	}
	for _, want := range []string{"Fine with me.\n", "> Shall we?\n", "-- \nAlice <b>Example</b>\n"} {
		if !strings.Contains(facts.Text, want) {
			t.Errorf("the text lacks %q:\n%s", want, facts.Text)
		}
	}
}

// Where text and HTML disagree, the person is told.
func TestHTMLDiverges(t *testing.T) {
	w := newWorld(t)
	_, p := w.sendDirect(t, "send_mail", arguments(t, map[string]any{"subject": "Pay", "text": "Please pay 100 EUR to account DE89370400440532013000 by Friday.",
		"html": "<p>Please pay 900 EUR to account GB29NWBK60161331926819 by Friday.</p>"}))
	if q := p.questions()[0]; !strings.Contains(q, "do not say the same") || !strings.Contains(q, "GB29NWBK60161331926819") {
		t.Errorf("the question does not say that the parts differ:\n%s", q)
	}
}

func TestHTMLPreview(t *testing.T) {
	_, m := newWorld(t).server(t, nil)
	out, _ := callTool(t, m, "preview_mail", arguments(t, map[string]any{"subject": "a", "text": "x y", "html": `<p>x <a href="https://a.example/">y</a><iframe src="https://b.example/"></iframe></p>`}))
	got, err := json.Marshal(out.Structured)
	if err != nil || out.IsError {
		t.Fatalf("got %+v, %v", out, err)
	}
	for _, want := range []string{`"as_read":"x y`, `"kind":"element","name":"iframe","reason":"active"`, `"host":"a[.]example"`} {
		if !strings.Contains(string(got), want) {
			t.Errorf("the preview lacks %s:\n%s", want, got)
		}
	}
}

// Every way to propose HTML tells the person the same things: what its reader sees, what was taken out, the line shown in lists, where the
// links lead, and where the text part says something else.
func TestHTMLToldEverywhere(t *testing.T) {
	const source = `<div style="display:none">Your order, at a glance</div><p onclick="x()">Please pay 900 EUR by Friday.</p><span style="font-size:0">buried words</span>` +
		`<img src="https://px.example/o.gif" alt="A chart"><a href="https://pay.example/now">pay now</a>`
	original := map[string]any{"message_id": "1@example.com", "from": "bob@example.com", "text": "Shall we?", "subject": "Plan"}
	told := []string{"The HTML part as its reader sees it", "Please pay 900 EUR by Friday.", "A chart", "hidden from its reader", "buried words", "px.example/o.gif", "attribute onclick",
		"hidden line that mail programs show as a preview in their lists:\n> Your order, at a glance", "pay.example – https://pay.example/now"}
	const differs, theSame = "do not say the same", "Text, written by the AI assistant, "
	for _, tool := range []string{"send_mail", "reply_mail", "forward_mail"} {
		for name, text := range map[string]string{"derived": "", "blank": " \n", "other": "Please pay 100 EUR by Monday."} {
			t.Run(tool+" "+name, func(t *testing.T) {
				fields := map[string]any{"subject": "Pay", "html": source, "text": text}
				if name == "derived" {
					delete(fields, "text")
				}
				if tool != "send_mail" {
					fields["original"] = original
				}
				w := newWorld(t)
				question := questionOf(t, w, tool, fields)
				for _, want := range append(told, theSame) {
					if !strings.Contains(strings.ReplaceAll(question, "[.]", "."), want) {
						t.Errorf("the question lacks %q:\n%s", want, question)
					}
				}
				if got, want := strings.Contains(question, differs), name == "other"; got != want {
					t.Errorf("said to differ: got %t, want %t:\n%s", got, want, question)
				}
				facts, err := compose.ReadBack(w.wantMessages(t, 1)[0].Octets)
				if err != nil {
					t.Fatal(err)
				}
				if got, want := strings.Contains(facts.Text, "Please pay 900 EUR by Friday."), name != "other"; got != want || strings.Contains(facts.Text, "at a glance") {
					t.Errorf("text: got %q, derived %t", facts.Text, want)
				}
			})
		}
	}
}

// The answer of a sending tool names what was taken out, to an AI assistant that did not ask for a preview.
func TestHTMLRemovalsInTheAnswer(t *testing.T) {
	w := newWorld(t)
	_, m := w.server(t, &person{w: w})
	out, _ := callTool(t, m, "send_mail", arguments(t, map[string]any{"subject": "Pay", "html": `<p onclick="x()">Pay</p>` + strings.Repeat(`<img src="https://px.example/o.gif">`, 2)}))
	raw, err := out.JSON()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"html_removals":[`, `"name":"onclick"`, `px[.]example/o[.]gif","count":2`} {
		if !strings.Contains(string(raw), want) {
			t.Errorf("the answer lacks %q: %s", want, raw)
		}
	}
}

// The preview tells the model the same, as text and in its structure.
func TestHTMLToldInPreview(t *testing.T) {
	_, m := newWorld(t).server(t, nil)
	out, _ := callTool(t, m, "preview_mail", arguments(t, map[string]any{"subject": "Pay", "text": "Please pay 100 EUR by Monday.", "html": `<div style="display:none">Your order, at a glance</div>` +
		`<p>Please pay 900 EUR by Friday.</p><span style="font-size:0">buried words</span><a href="https://evil.example/">bank.example</a>`}))
	for _, want := range []string{"its reader sees:\nPlease pay 900 EUR by Friday.", "Hidden line that mail programs show as a preview: Your order, at a glance", "The text part and the HTML part do not say the same: ",
		"Removed (hidden): ", "buried words", "Link that shows another site or imitates one: bank.example, leads to evil[.]example"} {
		if !strings.Contains(out.Text, want) {
			t.Errorf("the text lacks %q:\n%s", want, out.Text)
		}
	}
	for _, want := range []string{`"as_read":"Please pay 900`, `"preview_line":"Your order, at a glance"`, `"differs_from_text":"`, `"value":"buried words"`, `"links":[{"number":1,`} {
		if !strings.Contains(string(out.Structured), want) {
			t.Errorf("the structure lacks %s:\n%s", want, out.Structured)
		}
	}
}

// The caller is told what was taken out of what it sent, in a few entries.
func TestHTMLRemovalsInAnswer(t *testing.T) {
	w := newWorld(t)
	_, m := w.server(t, &person{w: w})
	out, _ := callTool(t, m, "send_mail", arguments(t, map[string]any{"subject": "a", "html": `<p>x<img src="https://px.example/1.gif"></p>` +
		`<video></video><audio></audio><object></object><embed><form></form><input><button>b</button><canvas></canvas><map></map><svg></svg><math></math>`}))
	if got := string(out.Structured); !strings.Contains(got, `"html_removals":[{"kind":"element","name":"img","reason":"would_load"`) || strings.Count(got, `"kind":`) != maxToldRemovals || !strings.Contains(got, `"html_removals_not_listed":`) {
		t.Errorf("got %s", got)
	}
	plain, _ := callTool(t, m, "send_mail", arguments(t, map[string]any{"subject": "b", "html": `<p>y</p>`}))
	if got := string(plain.Structured); strings.Contains(got, "html_removals") {
		t.Errorf("nothing was taken out: got %s", got)
	}
}
