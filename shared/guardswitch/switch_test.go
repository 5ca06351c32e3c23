package guardswitch_test

import (
	"testing"

	"mailgap/shared/deptest"
	"mailgap/shared/guardswitch"
)

func TestDependencies(t *testing.T) {
	deptest.Check(t, []string{"mailgap/shared/guardswitch"}, map[string]string{
		"os":      "the shipped programs have no way to ask for a guard to be off",
		"testing": "it is part of the programs",
	})
}

// The tests run in the ordinary build, where nothing switches a guard off.
func TestNothingSwitchesAGuardOff(t *testing.T) {
	t.Setenv("MAILGAP_EVAL_GUARDS_OFF", "G2,G3,G4,G5,G6,G7,G8,G9,G10,G11,G12")
	for _, g := range []guardswitch.Guard{guardswitch.Recipients, guardswitch.ReplyTarget, guardswitch.Readers, guardswitch.Origins, guardswitch.Content,
		guardswitch.Files, guardswitch.Limits, guardswitch.Once, guardswitch.Policy, guardswitch.Reading} {
		if got := guardswitch.Off(g); got != guardswitch.Switchable {
			t.Errorf("%s off: got %v, want %v", g, got, guardswitch.Switchable)
		}
	}
}
