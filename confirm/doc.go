// Package confirm puts one question to a person about one frozen message, and gives the message out at most once, on a yes.
//
// It knows nothing of mail protocols: what is asked about is a [Question], whose values were read back from the composed
// octets; what is kept is any frozen payload. Read [Gate] first, then [Question.Render], then [FromElicitation].
//
// One send:
//
//	handle, err := gate.Open(binding, waiting, message) // one at a time
//	ask, err := confirm.Ask(question, handle, 0)        // handed to mcpserve, or Terminal.Ask
//	approval, err := gate.Redeem(handle, binding, confirm.FromElicitation(answer))
//	message, ok := approval.Payload()
//
// Three ways lead to an answer: the client's form ([Ask], [FromElicitation]), a page in a browser ([Page]), a terminal ([Terminal]).
// Page and terminal may be answered when no call waits: the answer is kept elsewhere as a [Record], bound to what was shown, and
// [Gate.RedeemRecord] checks that. The level of a question ([Question.Level]) says how much care it needs; at a higher one
// page and terminal have the recipient's domain typed. Who asks on which way is the caller's decision.
//
// # What it refuses
//
// Everything that is not exactly a yes. A failure to ask, an unknown action, an empty form, a boolean in place of the choice,
// a second use, another message, tool or principal, an approval older than five minutes (an hour for one that was kept): nothing is approved, and the reason
// is one of an enumerated list.
//
// # Security model
//
// The attacker controls the model, and so every tool argument, and through it what a client of revision 2026-07-28 sends back:
// the state and the answer. They see results. They do not see the dialog's answer before it is given, cannot read this
// process's memory, and cannot type at the machine. Promised:
//
//   - No tool argument is an approval. Where there is a state, it is a random 256-bit handle, kept as its hash, good for
//     one look whatever comes of it.
//   - What was shown is what the approval gives out: the payload is kept here, not taken from the second call, and the
//     digest of the second call must be the first one's.
//   - No value of the caller can make a line of ours: values stand on lines that begin with ">", are cut to a width, and
//     hold no character that acts or hides. What is not shown is counted.
//
// Not promised: that a person saw anything. A client can answer by itself (hooks, modes of full access), and a program with a
// shell can play the client, or give itself a terminal. The token path, for operators who switched asking off, proves only
// that a message did not change between two calls. Allow-list, caps and the switch for sending stand beside this package.
//
// # The page
//
// [Page] asks in a browser of this machine, on a port of the loopback interface that is open while the question is. Its address is
// handed to the browser by the program, works once, and leads to a second one that was never anywhere else, so the page can be loaded
// again while whoever comes late to the first address is noticed: the question is void then, and both are told. The first visit must be
// one that no page led to (Sec-Fetch-Site: none); an answer must come from the page itself. A browser that does not say where
// a request comes from is refused. The referrer policy is same-origin, not no-referrer, because forms send "Origin: null" under that.
//
// The page has no script. Its clock and the two seconds before the sending button shows are animations; the server holds its own
// times. The message is drawn in a sandboxed frame that inherits the policy. Not promised: that no program of the same user opens
// the page first, or drives the browser. The first is noticed, the second is what a second factor is for (package confirm/factor).
//
// # Divergences
//
// The question is not Markdown and no client is asked to draw it as such; a client that does shows values as quotations.
// Zero-width joiners are made visible too, which Persian and some Indic texts and emoji suffer from: exact beats pretty here.
package confirm
