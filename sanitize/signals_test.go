package sanitize

import "testing"

type attackMail struct {
	ID      string `json:"id"`
	Kind    string `json:"kind"`
	Subject string `json:"subject"`
	Text    string `json:"text"`
	Family  string `json:"family"`
}

// TestSignalRates measures both sides on the shared mails. The false-alarm bound is a promise; the detection bound
// keeps a broken table from passing.
func TestSignalRates(t *testing.T) {
	var attacks, benign []attackMail
	readJSON(t, sharedPath(t, "attacks/attacks.json"), &attacks)
	readJSON(t, sharedPath(t, "attacks/benign.json"), &benign)
	hits := 0
	for _, a := range attacks {
		if len(ForModel(a.Text, Options{}).Signals) > 0 {
			hits++
		} else {
			t.Logf("not seen: %s (%s)", a.ID, a.Family)
		}
	}
	false_ := 0
	for _, b := range benign {
		if s := ForModel(b.Subject+"\n\n"+b.Text, Options{}).Signals; len(s) > 0 {
			false_++
			t.Logf("false alarm: %s: %v", b.ID, s)
		}
	}
	t.Logf("seen %d of %d attacks (%.1f %%), false alarms %d of %d (%.1f %%)", hits, len(attacks), 100*float64(hits)/float64(len(attacks)),
		false_, len(benign), 100*float64(false_)/float64(len(benign)))
	if false_*50 > len(benign) {
		t.Errorf("got %d false alarms of %d, want at most 2 %%", false_, len(benign))
	}
	if hits*4 < len(attacks)*3 {
		t.Errorf("saw %d of %d attacks, want at least 75 %%", hits, len(attacks))
	}
}
