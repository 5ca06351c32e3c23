// Package provenance says where the recipients of a message and the passages in it come from, and how much that matters.
//
// It asks the ledger that the reader of mail keeps ([Book]); it has no state of its own, reads no mail, and sends none. Read
// [Resolve] first (who an answer goes to), then [Tracker.Assess] (what is to be said about a message that was composed).
//
// # What it says
//
// Positive provenance decides, the ledger explains. A recipient is good because it comes from a named good place: the operator's
// list by its exact address, the confirmed author or a participant of the message that is answered, somebody who was written to
// before. That an address is not in the ledger is no licence: it is first contact.
//
// Text of a message may go to the people who were on it. Anything else is a disclosure, and is shown as one with its
// length and the message it comes from. Text of a mailbox that the operator called confidential does not leave
// the organisation.
//
// # Levels
//
// Each finding has a code, and each code a level: a note, raised, or severe. A message with a severe finding is refused unless
// the operator lets a person decide about those too. The operator can give any code another level; no tool can.
//
// # Security model
//
// The attacker writes mail, and through it the proposals of the model. He does not write the ledger's facts about who wrote a
// message: those come from the results of the account's own server. Promised: an answer resolved here goes to the author
// of a header that has one plain author and nothing that contradicts it, or is said not to be confirmed; a recipient
// of any other origin is named as such; a refused candidate is not answered with the right one. Not promised: that a
// paraphrase, a translation or a summary is recognised, or what other programs told the model.
//
// # Divergences
//
// RFC 5322 §3.6.2 says that Reply-To names where answers should go. Here it is a wish of whoever wrote the message, taken only
// when the caller asks for it, from a confirmed author, and with a raised level.
package provenance
