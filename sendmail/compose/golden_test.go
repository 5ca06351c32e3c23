package compose

import (
	"bytes"
	"flag"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the golden messages")

// TestGolden compares whole messages with testdata/mail/compose-*.eml.
func TestGolden(t *testing.T) {
	pdf := Attachment{"plan.pdf", "application/pdf", []byte("%PDF-1.7\n%%EOF\n")}
	tests := []struct {
		name  string
		draft func(*Draft)
		opt   func(*Options)
	}{
		{name: "plain", draft: func(*Draft) {}},
		{name: "cc-and-bcc", draft: func(d *Draft) {
			d.Cc, d.Bcc = addresses(t, "a@example.com", "b@bücher.example"), addresses(t, "hidden@example.org")
		}},
		{name: "bcc-only", draft: func(d *Draft) { d.To, d.Bcc = nil, d.To }},
		{name: "many-recipients", draft: func(d *Draft) {
			d.To = addresses(t, "anna.long-name@departments.example.com", "berta.long-name@departments.example.com", "carla.long-name@departments.example.com")
		}},
		{name: "subject-latin", draft: func(d *Draft) {
			d.Subject = "Grüße aus Köln und noch viel mehr Wörter, damit die Zeile gefaltet wird"
		}},
		{name: "subject-japanese", draft: func(d *Draft) {
			d.Subject, d.Text = "来週の会議についてのお知らせと資料の送付", "佐藤様\n\nよろしくお願いします。\n"
		}},
		{name: "reply", draft: func(d *Draft) {
			d.Subject, d.Text, d.Signature = ReplySubject("AW: SV: Plan"), "Fine with me.", "Jane Doe\nExample Ltd"
			d.Quote = &Quote{Attribution: "On 3 March 2026, john@example.net wrote:", Text: "Shall we?\n> Earlier\n\nJohn"}
			d.InReplyTo, d.References = "2@example.net", []string{"1@example.com", "2@example.net"}
		}},
		{name: "attachment", draft: func(d *Draft) { d.Attachments = []Attachment{pdf} }},
		{name: "attachment-names", draft: func(d *Draft) {
			d.Attachments = []Attachment{
				{"Überblick über das Jahr 2026, vollständige und sehr lange Fassung.pdf", "application/pdf", pdf.Octets},
				{`quote"d; semi=colon.txt`, "text/plain", []byte("x\n")}, {"データ.csv", "text/csv", []byte("日付,額\r\n")},
			}
		}},
		{name: "forwarded-message", draft: func(d *Draft) {
			d.Subject = ForwardSubject("Plan")
			d.Attachments = []Attachment{{"original.eml", "message/rfc822", []byte("From: a@example.com\nSubject: Plan\n\n.\nFrom here\n")}}
		}},
		{name: "protected-text", draft: func(d *Draft) {
			d.Text = "trailing space \ntrailing tab\t\n.\n..dots\n" + strings.Repeat("long ", 300) + "\n"
		}},
		{name: "from-line", draft: func(d *Draft) { d.Text = "From here on it is easy.\n" }},
		{name: "utf8-address", draft: func(d *Draft) { d.To = addresses(t, "jürgen@bücher.example") }},
		{name: "8bit", draft: func(d *Draft) { d.Text = "Grüße\n" }, opt: func(o *Options) { o.Allow8Bit = true }},
		{name: "display-name", draft: func(d *Draft) { d.From.DisplayName = `Doe, Jane "JD" (Example)` }},
		{name: "html", draft: func(d *Draft) { d.HTML, d.Attachments = "<p>Hello <b>John</b></p>\n", []Attachment{pdf} }},
		{name: "inline", draft: func(d *Draft) { withImages(d) }},
		{name: "inline-and-attachment", draft: func(d *Draft) { withImages(d); d.Attachments = []Attachment{pdf} }},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			d, o := draft(t), fixed()
			tc.draft(&d)
			if tc.opt != nil {
				tc.opt(&o)
			}
			got := mustCompose(t, d, o).Octets
			path := testdata(t, "compose-"+tc.name+".eml")
			if *update {
				if err := os.WriteFile(path, got, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got, want) {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}
