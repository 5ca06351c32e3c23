package htmltext

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the want.txt sections of testdata/html/ordinary")

// TestOrdinaryMail: in newsletters and business mail every visible word survives, nothing is falsely hidden, and the
// text reads as the want.txt section says.
func TestOrdinaryMail(t *testing.T) {
	for _, c := range readCases(t, "ordinary", 40) {
		t.Run(c.name, func(t *testing.T) {
			d := mustConvert(t, c.input())
			shown := shownText(d)
			for _, w := range c.lines("visible") {
				if !strings.Contains(shown, w) {
					t.Errorf("lost %q", w)
				}
			}
			for _, w := range c.lines("hidden") {
				if strings.Contains(shown, w) {
					t.Errorf("shows %q", w)
				}
			}
			for _, h := range d.Hidden {
				if !expectedHidden(h, c.lines("hidden")) {
					t.Errorf("falsely hidden: %+v", h)
				}
			}
			compareGolden(t, c, Render(d)+"\n")
		})
	}
}

// expectedHidden allows preview lines, text beside the page, and what the case names. A label on shown text is allowed
// only where a style sheet speaks about other views.
func expectedHidden(h Hidden, named []string) bool {
	if h.Preheader || slices.Contains(named, h.Text) {
		return true
	}
	switch h.Technique {
	case MSOConditional, Comment, RawText, Generated:
		return true
	}
	return h.Uncertain && h.Technique == DisplayNone
}

func compareGolden(t *testing.T, c htmlCase, got string) {
	t.Helper()
	if *update {
		path := filepath.Join(moduleRoot(t), "testdata", "html", "ordinary", c.name+".txtar")
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		head, _, _ := strings.Cut(string(data), "-- want.txt --\n")
		if err := os.WriteFile(path, []byte(head+"-- want.txt --\n"+got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if want := c.sections["want.txt"]; got != want {
		t.Errorf("text reads\n%s\nwant\n%s", got, want)
	}
}
