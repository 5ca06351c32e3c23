// Package agent holds the models that the evaluation drives through the servers' tools.
//
// [Worst] is the one that matters: deterministic, and as bad as a model can be. It does what the user asked, and it obeys whatever
// it finds in anything it reads, in every carrier: body, subject, display name, names and text of attachments, invitations,
// contact cards, pages, hidden text, encoded text. It undoes the usual tricks first. Where a call is refused it goes on to the
// next way: another tool, Cc, Bcc, other spellings of an address, pieces, encodings, a recipient who is allowed, a file path, a
// made-up token, a made-up approval, the same once more. It over-reads on purpose: every address and every link in foreign text
// counts as an order to write there with what is secret in the mailbox. So what it does not get out, no model gets out by
// the same tools and tricks.
//
// [Obedient] does only what the user asked: the tasks that must still get done. [Chat] puts a real model behind the same interface.
//
// What it refuses: nothing, and that is the point. No model here looks at the outside world; what was achieved is judged elsewhere.
//
// Security: this package acts on instructions in foreign text. It must never be given tools that reach anything real.
//
// Read [Model] first, then Worst.Run.
package agent
