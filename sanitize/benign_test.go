//lint:file-ignore ST1018 the texts stand here as they stand in mail, joiners and marks included

package sanitize

import "testing"

type benignText struct{ name, text string }

// benignTexts are ordinary passages. They hold no URL, because URLs become marks by design; everything else must stay
// as it is to the eye.
func benignTexts() []benignText {
	return []benignText{
		{"brackets", "See appendix [B] and footnote [3]; the set (a, b] is half open (see [4], p. 12)."},
		{"go code", "func main() {\n\tx := []int{1, 2, 3}\n\tfor i, v := range x {\n\t\tfmt.Println(i, v, x[i] < 2 && v > 1)\n\t}\n}"},
		{"c code", "#include <stdio.h>\nint main(void) { /* a */ return a[0](b) ? *p : !q[1]; } // end"},
		{"python", "def f(x: dict[str, list[int]]) -> None:\n    return [y for y in x[\"a\"] if y % 2 == 0]  # comment"},
		{"javascript", "const f = (a) => a?.b ?? `t ${a[0]}`; if (!x[1] || y) { return /[a-z]+/.test(s) }"},
		{"html in prose", "Use <b>bold</b> and <br> sparingly; <div class=\"x\"> is fine."},
		{"xml", "<?xml version=\"1.0\"?>\n<note><to>A</to></note>"},
		{"generics", "Map<String, List<Integer>> m = new HashMap<>();"},
		{"shell", "$ grep -rn \"foo\" . | sort | uniq -c > out.txt 2>&1 && echo $? ; ls ~/tmp"},
		{"diff", "--- a/x.go\n+++ b/x.go\n@@ -1,3 +1,4 @@\n-old\n+new"},
		{"fenced code", "Try this:\n\n```go\nfmt.Println(\"hi\")\n```\n\nor ~~~ as a line:\n~~~\nx\n~~~"},
		{"inline code", "Set `x = y[0]` and ``a`b`` please."},
		{"sql", "SELECT a.b, c FROM t WHERE d <> 3 AND e <= 4;"},
		{"json", "{\"a\": [1, 2, {\"b\": null}], \"c\": \"d\"}"},
		{"regexp", `^\[(\d+)\]\s*(.*)$ and \w+@\w+`},
		{"windows path", `C:\Users\anna\Documents\report (final).docx and \\server\share\x`},
		{"unix path", "/usr/local/bin/x, ./a/b/c.txt, ../d"},
		{"tex", `Let $x^2 + y_1 = \frac{a}{b}$ and \( \alpha \leq \beta \), \[ \sum_{i=0}^n i \]`},
		{"maths", "a < b, c > d, x ≤ y, 2 * 3 = 6, f'(x) = |x|, 5! = 120, {x | x ∈ ℝ}, [0, 1)(2, 3]"},
		{"prices", "It is $1,299.00 (or 1.199,00 €), down 20% from £1,050; ¥12,800; ₹1,25,000."},
		{"order numbers", "Order #2026-0417-88, tracking 1Z999AA10123456784, invoice INV_0091."},
		{"dates and times", "From 2026-04-01 09:30 to 04/05/2026 at 5:15 pm (UTC+02:00)."},
		{"phone", "Call +49 (0)30 901820-12 or 020 7946 0991 ext. 12."},
		{"list", "- one\n* two\n+ three\n1. four\n2) five\n[ ] open\n[x] done"},
		{"markdown table", "| a | b |\n|---|---|\n| 1 | 2 |"},
		{"ascii table", "+-----+-----+\n| a   | b   |\n+=====+=====+"},
		{"heading", "# Title\n\nSubtitle\n--------\n\nText\n===="},
		{"emphasis", "This is *really* _important_ and ~~wrong~~ **very** wrong!!!"},
		{"quote", "> You wrote:\n>> Something\n> And more\n\nMy answer."},
		{"signature", "Best regards,\nAnna\n\n-- \nAnna Example | Example GmbH | Hauptstr. 1 | 10115 Berlin\nTel.: +49 30 1234567"},
		{"addresses", "Write to anna@example.org, \"Bob\" <bob.b@mail.example.com> or team+help@example.net."},
		{"host names", "Reports from google.com and mail.example.org; see also README.md, main.go, node.js."},
		{"abbreviations", "e.g. this, i.e. that, a.k.a. X, U.S., Ph.D., No. 5, v1.2.3, 192.0.2.10"},
		{"smileys", "Great :-) :/ <3 ;) :D \\o/ ¯\\_(ツ)_/¯ :[ :] =]"},
		{"time with colon", "Agenda: 9:00 intro; 9:30 demo; Q&A: open. Note: bring ID."},
		{"ampersands", "R&D, AT&T, a &amp; b, x && y, &nbsp;, 1&2;"},
		{"question marks", "Really?! Yes! [Sure] (maybe) {no}"},
		{"emoji", "Party 🎉🎂 👩🏽‍💻 👨‍👩‍👧‍👦 🏳️‍🌈 🏴󠁧󠁢󠁥󠁮󠁧󠁿 1️⃣ ❤️ ☎︎ 🇩🇪🇫🇷"},
		{"persian", "می‌خواهم به خانه‌ی شما بیایم؛ قیمت ۱۲٬۵۰۰ تومان است."},
		{"arabic", "مرحبا، الاجتماع يوم الأحد الساعة ١٠:٣٠ (قاعة ٤)."},
		{"hindi", "नमस्ते, कृपया बैठक में आइए। क्‍ष और र्‌य। ₹१,२५०"},
		{"bengali and tamil", "আপনি কেমন আছেন? র‍্যাব। வணக்கம், நலமா?"},
		{"hebrew", "שלום, הפגישה ביום א׳ בשעה 10:30 (חדר 4).‏ מע״מ 17%"},
		{"hebrew with isolate", "הקובץ ⁦report.pdf⁩ מצורף."},
		{"thai", "สวัสดีครับ ราคา ๑๒๕ บาท น้ำใส ก็ดี"},
		{"khmer", "សួស្តី​អ្នក​ទាំងអស់​គ្នា"},
		{"korean", "안녕하세요, 회의는 3시입니다. [공지] (필독) 한글"},
		{"japanese", "会議は10時です。【重要】（必読）「はい」葛󠄀城市 ｶﾀｶﾅ"},
		{"chinese", "您好！会议时间：上午10点（三楼）。《说明》【通知】"},
		{"cyrillic", "Здравствуйте! Встреча в 10:30, кабинет №4 (2-й этаж)."},
		{"greek", "Καλημέρα, η συνάντηση είναι στις 10:30. α < β"},
		{"vietnamese", "Xin chào, hẹn gặp lại bạn vào thứ Hai. Phở ệ ộ"},
		{"decomposed", "Cafe\u0301 na\u0131\u0308ve A\u030angstro\u0308m"},
		{"ipa and marks", "[ˈbeːtə] /ˈkæt/ a̰ ɔ̃ː"},
		{"typography", "“Quotes” ‘single’ «guillemets» – dash — … • · ° § ¶ † ½ ² ™"},
		{"latin ligatures", "ﬁnance, oﬃce, ĳ, œuvre, straße"},
		{"box drawing", "┌──┬──┐\n│a │b │\n└──┴──┘"},
		{"poem", "Roses are red,\n  Violets are blue,\n\n\tTabs are fine\n"},
		{"long rule", "----------------------------------------------------------------------------------------------------\nx"},
	}
}

// TestBenign: ordinary text is unchanged to the eye, which means equal once the escape character is taken out, and
// nothing is found in it that should alarm anyone.
func TestBenign(t *testing.T) {
	if n := len(benignTexts()); n < 40 {
		t.Fatalf("got %d texts, want at least 40", n)
	}
	same := 0
	for _, b := range benignTexts() {
		t.Run(b.name, func(t *testing.T) {
			r := ForModel(b.text, Options{})
			if unescape(r.Text.String()) != unescape(b.text) {
				t.Errorf("got  %q\nwant %q", r.Text, b.text)
			}
			if r.Text.String() == b.text {
				same++
			}
			for _, f := range r.Findings {
				switch f.Kind {
				case KindMarkup, KindFenceRun, KindReference:
				default:
					t.Errorf("false finding: %v", f)
				}
			}
			if len(r.Signals) > 0 {
				t.Errorf("false signals: %v", r.Signals)
			}
		})
	}
	t.Logf("%d of %d texts have no escape in them at all", same, len(benignTexts()))
}
