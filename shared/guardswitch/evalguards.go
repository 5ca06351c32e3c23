//go:build evalguards

package guardswitch

import (
	"os"
	"slices"
	"strings"
)

// Switchable says whether this build lets guards be switched off.
const Switchable = true

// Variable holds the guards to switch off, such as "G6,G7".
const Variable = "MAILGAP_EVAL_GUARDS_OFF"

// Off reports whether Variable names the guard. Safe for concurrent use.
func Off(g Guard) bool { return slices.Contains(strings.Split(os.Getenv(Variable), ","), string(g)) }
