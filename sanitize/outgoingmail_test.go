package sanitize

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestOutgoingOwnMail: mails with attached pictures and other things that only outgoing mail has keep their words and what
// the keeps section names.
func TestOutgoingOwnMail(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(repoRoot(t), "testdata", "html", "outgoing", "*.txtar"))
	if err != nil || len(files) < 8 {
		t.Fatalf("got %d files, %v", len(files), err)
	}
	for _, f := range files {
		t.Run(strings.TrimSuffix(filepath.Base(f), ".txtar"), func(t *testing.T) {
			data, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			_, rest, _ := strings.Cut(string(data), "-- input.html --\n")
			source, keeps, _ := strings.Cut(rest, "\n-- keeps --\n")
			o := OutgoingOptions{ContentIDs: []string{"logo", "hero", "portrait"}}
			out, err := OutgoingHTML(source, o)
			if err != nil {
				t.Fatal(err)
			}
			for line := range strings.Lines(keeps) {
				if line = strings.TrimSpace(line); !strings.Contains(out.HTML, line) {
					t.Errorf("lost %s in\n%s", line, out.HTML)
				}
			}
			if got, want := strings.Join(visibleWords(t, out.HTML), ""), strings.Join(visibleWords(t, source), ""); got != want {
				t.Errorf("shows\n%s\nwant\n%s", got, want)
			}
			again, err := OutgoingHTML(out.HTML, o)
			if err != nil || again.HTML != out.HTML || len(again.Removals) > 0 {
				t.Errorf("cleaned again: %v, %+v", err, again.Removals)
			}
			checkExplained(t, source, out)
		})
	}
}
