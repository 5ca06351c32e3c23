package sanitize

import (
	"path/filepath"
	"strings"
	"testing"
)

type secretMail struct {
	Name string   `json:"name"`
	Text string   `json:"text"`
	Hide []string `json:"hide"`
	Keep []string `json:"keep"`
}

func secretMails(t testing.TB) map[string][]secretMail {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(repoRoot(t), "testdata/text/secrets/*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no labelled mails: %v", err)
	}
	all := map[string][]secretMail{}
	for _, f := range files {
		var mails []secretMail
		readJSON(t, f, &mails)
		all[strings.TrimSuffix(filepath.Base(f), ".json")] = mails
	}
	return all
}

// TestSecretRates states precision and recall on the labelled mails. Precision counts masks; a mask is right if the
// mail has a secret left to hide, wrong otherwise, and wrong as well when something to keep is gone.
func TestSecretRates(t *testing.T) {
	mails, secrets, found, wrong := 0, 0, 0, 0
	for lang, list := range secretMails(t) {
		for _, m := range list {
			mails++
			r := ForModel(m.Text, Options{})
			all := shownText(r)
			hidden := 0
			for _, h := range m.Hide {
				secrets++
				if strings.Contains(all, h) {
					t.Errorf("%s, %s: %q is readable in %q", lang, m.Name, h, all)
					continue
				}
				hidden++
			}
			found += hidden
			if r.Secrets > hidden {
				wrong += r.Secrets - hidden
				t.Errorf("%s, %s: got %d masks, want %d: %q", lang, m.Name, r.Secrets, hidden, all)
			}
			for _, k := range m.Keep {
				if !strings.Contains(all, k) {
					t.Errorf("%s, %s: %q is gone from %q", lang, m.Name, k, all)
				}
			}
			if open := shownText(ForModel(m.Text, Options{RevealSecrets: true})); !containsAll(open, m.Hide) {
				t.Errorf("%s, %s: not revealed on request: %q", lang, m.Name, open)
			}
		}
	}
	t.Logf("%d mails, %d secrets: recall %.3f, precision %.3f", mails, secrets, ratio(found, secrets), ratio(found, found+wrong))
	if mails < 120 {
		t.Errorf("got %d labelled mails, want at least 120", mails)
	}
}

func ratio(a, b int) float64 { return float64(a) / float64(max(b, 1)) }

func containsAll(s string, parts []string) bool {
	for _, p := range parts {
		if !strings.Contains(s, p) {
			return false
		}
	}
	return true
}

// shownText is everything of a result that a model reads, with the backslashes taken out.
func shownText(r Result) string {
	var b strings.Builder
	b.WriteString(r.Text.String())
	for _, l := range r.Links {
		b.WriteString("\n" + l.Target.String() + " " + l.Text.String())
	}
	return strings.ReplaceAll(b.String(), `\`, "")
}
