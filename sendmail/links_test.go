package sendmail

import (
	"fmt"
	"strings"
	"testing"

	"mailgap/sanitize"
)

// questionOf sends a message and returns what the person was asked.
func questionOf(t *testing.T, w *world, tool string, fields map[string]any) string {
	t.Helper()
	_, p := w.sendDirect(t, tool, arguments(t, fields))
	return strings.ReplaceAll(p.questions()[0], "\n>> ", "")
}

// Each link is listed in the question with its host and its whole target, whatever part it stands in.
func TestLinksAsked(t *testing.T) {
	original := map[string]any{"message_id": "1@example.com", "from": "bob@example.com", "text": "Look: https://quoted.example/q", "subject": "Plan"}
	tests := []struct {
		name, tool string
		fields     map[string]any
		want, not  []string
	}{
		{"text", "send_mail", map[string]any{"text": "See https://shop.example/a?b=c#d, or www.other.example."},
			[]string{"Links: host – target, each on a line:\n> shop.example – https://shop.example/a?b=c#d\n> www.other.example – www.other.example\n\n2 links in all.\n"}, []string{"CAUTION"}},
		{"html", "send_mail", map[string]any{"html": `<p><a href="https://shop.example/a?b=c">our shop</a> <a href="mailto:bob@example.com">mail</a> <a href="tel:+123">call</a></p>`},
			[]string{"> shop.example – https://shop.example/a?b=c\n> (no host) – mailto:bob@example.com\n> (no host) – tel:+123\n\n3 links in all.\n"}, []string{"CAUTION"}},
		{"both parts, once", "send_mail", map[string]any{"text": "See https://shop.example/ and https://text.example/", "html": `<p>See <a href="https://shop.example/">us</a></p>`},
			[]string{"> shop.example – https://shop.example/\n> text.example – https://text.example/\n\n2 links in all.\n"}, nil},
		{"quoted original of an answer", "reply_mail", map[string]any{"text": "Fine.", "original": original}, []string{"> quoted.example – https://quoted.example/q\n\n1 link in all."}, nil},
		{"forwarded", "forward_mail", map[string]any{"html": `<p>Fine. <a href="https://new.example/">x</a></p>`, "original": original},
			[]string{"> new.example – https://new.example/\n> quoted.example – https://quoted.example/q\n\n2 links in all."}, nil},
		{"other site in HTML", "send_mail", map[string]any{"html": `<p><a href="https://a.example/">a</a> <a href="https://evil.example/login?x=1">https://bank.example/</a></p>`},
			[]string{"CAUTION: Links show another site than they lead to, or imitate one:\n> hxxps[:]//bank[.]example/ leads to evil[.]example\n",
				"CAUTION: Links that show their reader another site, or imitate one. Each is two lines: what its reader sees, then host – target:\n> https://bank.example/\n> evil.example – https://evil.example/login?x=1\n\n" +
					"Links: host – target, each on a line:\n> a.example – https://a.example/\n> bank.example – https://bank.example/\n\n3 links in all."}, nil},
		{"other site in text", "send_mail", map[string]any{"text": "[bank.example](https://evil.example/)"}, []string{"CAUTION: Links show another site", "> bank.example\n> evil.example – https://evil.example/\n"}, nil},
		{"user name before the host", "send_mail", map[string]any{"text": "https://bank.example@evil.example/"},
			[]string{"CAUTION: Links show another site", "> https://bank.example@evil.example/\n> evil.example – https://bank.example@evil.example/\n"}, nil},
		{"look-alike", "send_mail", map[string]any{"text": "https://аpple.com/"}, []string{"CAUTION: Links show another site", "> аpple.com\n> xn--pple-43d.com – https://аpple.com/\n"}, nil},
		{"sign-in link in full", "send_mail", map[string]any{"text": "Reset your password: https://a.example/reset?token=abcdef0123456789"}, []string{"> a.example – https://a.example/reset?token=abcdef0123456789\n"}, nil},
		{"no link", "send_mail", map[string]any{"text": "Nothing. bob@example.com, file.txt"}, nil, []string{"Link", "link"}},
		{"a mark by hand is no link", "send_mail", map[string]any{"text": "⟦link 1: a[.]example⟧"}, nil, []string{"in all"}},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			if tc.fields["subject"] == nil {
				tc.fields["subject"] = "A letter"
			}
			got := questionOf(t, newWorld(t), tc.tool, tc.fields)
			for _, want := range tc.want {
				if !strings.Contains(got, want) {
					t.Errorf("got %s\nwant %q", got, want)
				}
			}
			for _, not := range tc.not {
				if strings.Contains(got, not) {
					t.Errorf("got %s\nwant no %q", got, not)
				}
			}
		})
	}
}

// The question stays bounded, says how much it leaves out, and never leaves out a link that misleads before one that does not.
func TestLinksBounded(t *testing.T) {
	var b strings.Builder
	for i := range 900 {
		fmt.Fprintf(&b, "https://a.example/%d%s\n", i, strings.Repeat("x", 400))
	}
	b.WriteString("[bank.example](https://evil.example/)\n")
	got := questionOf(t, newWorld(t), "send_mail", map[string]any{"subject": "a", "text": b.String(), "html": `<p><a href="https://evil.example/2">pay.example</a></p>`})
	for _, want := range []string{"> pay.example\n> evil.example – https://evil.example/2\n", "872 further links are NOT shown.\n902 links in all.\n", "characters of these links are NOT shown; [cut] says where."} {
		if !strings.Contains(got, want) {
			t.Errorf("got %.3000s\nwant %q", got[max(0, strings.Index(got, "There is an HTML")):], want)
		}
	}
	if len(got) > 60_000 {
		t.Errorf("the question has %d octets", len(got))
	}
}

func TestLinksPreview(t *testing.T) {
	_, m := newWorld(t).server(t, nil)
	text := "[bank.example](https://evil.example/) https://b.example/" + strings.Repeat(" https://a.example/", 3)
	for i := range 120 {
		text += fmt.Sprintf(" https://c.example/%d", i)
	}
	out, _ := callTool(t, m, "preview_mail", arguments(t, map[string]any{"subject": "a", "text": text}))
	if got := string(out.Structured); !strings.Contains(got, `"host":"evil[.]example","shown_host":"bank[.]example","mismatch":true`) || !strings.Contains(got, `"links_not_listed":23`) {
		t.Errorf("structured: got %s", got)
	}
	for _, want := range []string{"Link that shows another site or imitates one: bank.example, leads to evil[.]example – hxxps[:]//evil[.]example/\n", "Link: b[.]example – hxxps[:]//b[.]example/\n", "103 further links."} {
		if !strings.Contains(out.Text, want) {
			t.Errorf("text: got %s\nwant %q", out.Text, want)
		}
	}
}

// fanged undoes Defang, so that a person sees what leaves.
func TestFanged(t *testing.T) {
	for _, url := range []string{"https://shop.example/a?b=c&d#e", "http://localhost:8080/x", "mailto:bob@example.com?subject=x", "https://xn--bcher-kva.example/ü", "hxxp://a.example/", "ftp://a.example/x.y"} {
		got := fanged(sanitize.Defang(url))
		if got != url && url != "hxxp://a.example/" {
			t.Errorf("got %q, want %q", got, url)
		}
	}
}
