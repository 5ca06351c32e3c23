package sanitize

import (
	"os"
	"path/filepath"
	"testing"
)

// TestRealMail puts whole messages of the shared collection, undecoded, through every entry point: header fields, MIME
// boundaries, base64 and broken octets are as foreign as text gets.
func TestRealMail(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(sharedPath(t, "testmail"), "*.eml"))
	if err != nil || len(files) < 50 {
		t.Fatalf("got %d messages, %v", len(files), err)
	}
	for _, name := range files {
		t.Run(filepath.Base(name), func(t *testing.T) {
			raw, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			r := ForModel(string(raw), Options{MaxChars: -1})
			checkProperties(t, "text", r.Text)
			if again := ForModel(r.Text.s, Options{MaxChars: -1}).Text; again != r.Text {
				t.Error("not idempotent")
			}
			for _, l := range r.Links {
				checkProperties(t, "target", l.Target)
				checkProperties(t, "text", l.Text)
			}
			checkProperties(t, "html", HTML(string(raw), Options{ShowHidden: true}).Text)
			checkProperties(t, "folded", ForModel(string(raw), Options{FoldQuotes: true}).Text)
			checkProperties(t, "line", Line(string(raw), 2000))
		})
	}
}

// TestAttackMail: the collected attacks are inert and idempotent too, and their fences hold.
func TestAttackMail(t *testing.T) {
	var attacks, benign []attackMail
	readJSON(t, sharedPath(t, "attacks/attacks.json"), &attacks)
	readJSON(t, sharedPath(t, "attacks/benign.json"), &benign)
	for _, a := range append(attacks, benign...) {
		r := ForModel(a.Text, Options{})
		checkProperties(t, a.ID, r.Text)
		checkFence(t, r.Text)
		if again := ForModel(r.Text.s, Options{}).Text; again != r.Text {
			t.Errorf("%s: not idempotent", a.ID)
		}
	}
	masked := 0
	for _, b := range benign {
		masked += ForModel(b.Text, Options{}).Secrets
	}
	t.Logf("%d masks in %d ordinary mails", masked, len(benign))
	if masked > 3 {
		t.Errorf("got %d masks in %d ordinary mails, want at most 3", masked, len(benign))
	}
}
