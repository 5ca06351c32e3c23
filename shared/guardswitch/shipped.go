//go:build !evalguards

package guardswitch

// Switchable says whether this build lets guards be switched off.
const Switchable = false

// Off reports whether a guard is switched off: never in this build.
func Off(Guard) bool { return false }
