// Package adapt searches for what passes a guard: it changes attacks at random, and learns from what refused them.
//
// A [Surface] is one thing that must not happen, whoever approves: a message to somebody whom the list does not allow, HTML that
// loads, a file from outside the directory, a header field that nobody wrote, hidden text before the model, a message that the question
// did not show, an answer that is not quite a yes. Its seeds are changed by operators. A variant that got further than its parent
// (another guard refused it, or none did) joins the parents, and the operators that led there are used more often. So the search
// sees which guard fired, which is more than an attacker who sees no answer has.
//
// A person who approves everything sits in front, so that only the guard that is searched stands in the way.
//
// What it refuses: to stop at the first pass. Each is printed and kept as a case.
//
// Security: variants are attacks on the programs under test, in a world on loopback.
//
// Read [Search] first.
package adapt
