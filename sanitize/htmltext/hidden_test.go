package htmltext

import (
	"slices"
	"strings"
	"testing"
)

// TestHiddenTechniques: hidden words never reach the visible text, what stands beside them does, the technique is named,
// and the hidden words can be asked for.
func TestHiddenTechniques(t *testing.T) {
	for _, c := range readCases(t, "hidden", 80) {
		t.Run(c.name, func(t *testing.T) {
			d := mustConvert(t, c.input())
			shown := shownText(d)
			for _, w := range c.lines("visible") {
				if !strings.Contains(shown, w) {
					t.Errorf("visible text lost %q:\n%s", w, Render(d))
				}
			}
			for _, w := range c.lines("hidden") {
				if strings.Contains(Render(d), w) {
					t.Errorf("hidden words %q are shown:\n%s", w, Render(d))
				}
			}
			checkTechnique(t, c, d)
		})
	}
}

func checkTechnique(t *testing.T, c htmlCase, d Doc) {
	t.Helper()
	want := c.lines("technique")
	if len(want) == 0 {
		return
	}
	ok := slices.ContainsFunc(d.Hidden, func(h Hidden) bool {
		return string(h.Technique) == want[0] && strings.Contains(h.Text, c.lines("hidden")[0]) && !h.Uncertain
	})
	if !ok {
		t.Errorf("got hidden %+v, want technique %q", d.Hidden, want[0])
	}
}

// TestHiddenTwins: with the property made harmless the same words are shown, without any doubt. Without this, a rule that
// hides everything would pass TestHiddenTechniques.
func TestHiddenTwins(t *testing.T) {
	for _, c := range readCases(t, "hidden", 80) {
		t.Run(c.name, func(t *testing.T) {
			d := mustConvert(t, twin(t, c))
			for _, w := range c.lines("hidden") {
				if !strings.Contains(shownText(d), w) {
					t.Errorf("twin hides %q: %+v\n%s", w, d.Hidden, Render(d))
				}
			}
			for _, h := range d.Hidden {
				if h.Uncertain {
					t.Errorf("twin is labelled uncertain: %+v", h)
				}
			}
		})
	}
}

// twin applies the replacement of the twin section: its first line is replaced by its second one.
func twin(t testing.TB, c htmlCase) string {
	t.Helper()
	old, new, ok := strings.Cut(strings.TrimRight(c.sections["twin"], "\n"), "\n")
	if !ok {
		old, new = strings.TrimRight(c.sections["twin"], "\n"), ""
	}
	if old == "" || !strings.Contains(c.input(), old) {
		t.Fatalf("twin %q is not in the input", old)
	}
	return strings.ReplaceAll(c.input(), old, new)
}
