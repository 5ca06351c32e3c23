package sanitize

import (
	"strings"
	"testing"
)

// outgoingGroup are vectors of one kind, with the reason why they must not get through.
type outgoingGroup struct {
	why     string
	vectors []outgoingVector
}

// outgoingVector is one input and what must not survive, in the words of tokenHolds, separated by blanks.
type outgoingVector struct{ html, must string }

func outgoingVectors() []outgoingGroup { return append(loadingVectors(), valueVectors()...) }

// TestOutgoingOwnVectors: nothing survives, each input holds what it is about, and what went is in the report.
func TestOutgoingOwnVectors(t *testing.T) {
	n, refused := 0, 0
	for _, g := range outgoingVectors() {
		for _, v := range g.vectors {
			n++
			tokens := strings.Fields(v.must)
			out, err := OutgoingHTML(v.html, OutgoingOptions{ContentIDs: []string{"ok"}})
			if err != nil {
				refused++
				t.Logf("%s: refused: %v", v.html, err)
				continue
			}
			for _, bad := range survivors(t, out.HTML, tokens) {
				t.Errorf("%s:\n%s\n%s survives in\n%s", g.why, v.html, bad, out.HTML)
			}
			if len(out.Removals) == 0 {
				t.Errorf("%s:\n%s\nnothing is reported", g.why, v.html)
			}
			if again, err := OutgoingHTML(out.HTML, OutgoingOptions{ContentIDs: []string{"ok"}}); err != nil || again.HTML != out.HTML || len(again.Removals) > 0 {
				t.Errorf("cleaned again: %v\n%s\n%s\n%+v", err, out.HTML, again.HTML, again.Removals)
			}
			checkExplained(t, v.html, out)
		}
	}
	t.Logf("%d vectors in %d groups, %d refused", n, len(outgoingVectors()), refused)
	if n < 200 || refused > 2 {
		t.Errorf("got %d vectors, %d refused", n, refused)
	}
}
