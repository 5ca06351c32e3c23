// Package mutant breaks guards on purpose, one change at a time, to see whether the attacks notice.
//
// All changes are planted into copies of the guards' files at once, each behind its own name, and both programs are built from
// those with the go command's overlay: the source tree is not touched. A process then runs with one name in its
// environment, so that hundreds of mutants cost one build. The kinds: a condition negated, a condition dropped, one operand of a
// compound dropped, a limit off by one, a comparison turned round, a function that returns at once.
//
// A mutant is killed if an attack reaches its goal, a message leaves without a yes, a question does not name whom its message
// went to, or an ordinary task is no longer done. Unit tests are not run: the question is what the attacks see.
//
// What it refuses: to count a mutant that does not build or whose run broke as killed.
//
// Security: mutants have fewer guards. They are built into a scratch directory and thrown away.
//
// Read [Plant] first.
package mutant
