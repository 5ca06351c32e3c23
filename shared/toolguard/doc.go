// Package toolguard is for people who write agents: two guards on the agent's side that do not ask a model anything.
//
// A server sees the calls that reach it and nothing else. It does not know what the user asked for. The program that runs the
// agent does, and can hold every call that the model makes against it:
//
//   - The list of tools: a call to a tool that the task does not need is refused, whatever the model says ([Plan.Tools]).
//   - The plan, once something foreign was read: the user's request was made before any mail, page or contact was read. What
//     it asked for can be written down then, as [Step]s. As soon as the output of an untrusted tool has entered the model's
//     context, the context is tainted, and only calls that a step covers are let through ([Guard.Check], [Guard.Saw]).
//
// A call counts as covered only if the tool is the step's, every argument in Fixed has exactly the planned value, and every other
// argument is named in Free. A step is used up after Times calls. Free is where trust goes: an argument that must come from
// what was read (the reference of the newest message) is free, and the attacker can choose it. Recipients, amounts and text
// that the user gave belong in Fixed.
//
// # What it refuses
//
// Everything else. The zero Plan lets no call through. There is no way to widen a plan after the first untrusted output;
// a new request of the user is a new Guard.
//
// # Security model
//
// Trusted: the user's request, the program that turned it into a Plan before anything was read, this package. Not trusted: the
// model from the first untrusted output on, and all tool output except that of the tools in [Plan.Trusted]. Promised: from then
// on no call leaves that the plan does not cover. Not promised: that a covered call is harmless (an answer that the user asked
// for can carry words that an attacker put into the model's mouth), that the request was wise, or anything about calls that
// do not go through Check.
//
// # Divergences
//
// This is the plan-then-execute pattern with taint, in its smallest form; there is no interpreter and no data flow. A task whose
// steps depend on what is read needs one Guard per round of the user's consent, or a person in front of the odd call.
//
// Read [Guard.Check] first; the example shows an agent loop.
package toolguard
