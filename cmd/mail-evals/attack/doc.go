// Package attack holds the cases: attacks and ordinary tasks, as data, and what a case needs to be put into a world and judged.
//
// A [Case] says what the user asks, which messages and records wait, and what the attacker wants to see happen ([Goal]). The
// project's own cases are in testdata/attacks; [Foreign] reads further ones in the format of a public collection.
//
// What it refuses: cases without a reason, with an unknown goal, or with a name that occurs twice.
//
// Security: the texts are attacks and stay data. Nothing here acts on them.
//
// Read [Case] first, then [Case.Octets], then [Goal.Reached].
package attack
