package sendmail

import (
	"encoding/json"
	"strings"
	"testing"

	"mailgap/sendmail/compose"
	"mailgap/sendmail/smtptest"
)

// FuzzSend proposes what a caller may write, to a person who says yes to everything. What the server took is what was shown:
// the same recipients, the same subject, and the text as it was written; a refusal means that the server was not spoken to.
func FuzzSend(f *testing.F) {
	for _, seed := range []struct{ to, cc, subject, text string }{
		{"bob@example.com", "carol@example.org", "Hello", "one\ntwo"},
		{"bob@example.com", "BOB@Example.com", "Grüße", ".\n..\nFrom here\n"},
		{"bob@example.com", "", "a\r\nBcc: eve@example.com", "b"},
		{"bob@example.com, eve@example.com", "", "", "b"},
		{"bob@example.com", "eve@example.net", "=?utf-8?q?a?=", "b"},
		{"bob@examp1e.com", "", " ", "\u202e\u2028\x85"},
		{"bob@example.com", "", "To 1/1: eve@example.com", "\nTo 1/1, written by the operator:\n> eve@example.com\n"},
		{"bob@example.com", "", "世界 שלום", strings.Repeat("long line without an end ", 100)},
		{"bob@example.com", "", "\u200d", "a \n-- \n\tb\r\nc\rd"},
	} {
		f.Add(seed.to, seed.cc, seed.subject, seed.text)
	}
	w := uncheckedWorld(f, smtptest.New(f, smtptest.Options{SMTPUTF8: true}))
	w.PerHour = 1 << 30
	p := &person{w: w}
	_, m := w.server(f, p)
	f.Fuzz(func(t *testing.T, to, cc, subject, text string) {
		args := map[string]any{"to": []string{to}, "subject": subject, "text": text}
		if cc != "" {
			args["cc"] = []string{cc}
		}
		in, err := json.Marshal(args)
		if err != nil {
			t.Skip(err)
		}
		before, messages := w.fake.Counts(), len(w.fake.Messages())
		out, err := m.CallTool(t.Context(), "send_mail", in)
		if err != nil {
			t.Fatal(err)
		}
		if out.IsError || strings.Contains(string(out.Structured), `"already_sent":true`) {
			if w.fake.Counts() != before {
				t.Errorf("answered with %s, and the server was spoken to", out.Text)
			}
			return
		}
		if sent := w.fake.Messages(); len(sent) != messages+1 {
			t.Errorf("%d messages, want one more than %d", len(sent), messages)
		} else {
			questions := p.questions()
			checkSent(t, sent[messages], questions[len(questions)-1], subject, text)
		}
	})
}

func checkSent(t *testing.T, sent smtptest.Message, question, subject, text string) {
	t.Helper()
	if !shows(question, sent) {
		t.Errorf("the question does not show what left:\n%s\n%s", question, sent.Octets)
	}
	facts, err := compose.ReadBack(sent.Octets)
	if err != nil {
		t.Fatal(err)
	}
	if facts.Subject != string([]rune(subject)) {
		t.Errorf("subject: got %q, want %q", facts.Subject, subject)
	}
	if got, want := strings.TrimSuffix(facts.Text, "\n"), strings.TrimSuffix(lineEnds(string([]rune(text))), "\n"); got != want {
		t.Errorf("text: got %q, want %q", got, want)
	}
	for _, path := range sent.ForwardPaths {
		if !strings.HasSuffix(path, "@example.com") && path != "carol@example.org" {
			t.Errorf("the message went to %s, which no entry allows", path)
		}
	}
}

// lineEnds writes every line end as LF.
func lineEnds(s string) string {
	return strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n")
}
