// Package desk keeps messages that wait for a person's answer, on disk, so that the server that asks, the approval page and
// "smtp-mcp approve" in a terminal agree, whatever process each lives in, and though any of them may be killed at any moment.
// Read Desk.Put first, then Desk.Answer, then Desk.Take.
//
// # Promise
//
// What is put down does not change: octets, envelope, the question as it was shown, level and binding are written once, and
// Shown is a SHA-256 over all of them. An answer names that digest, and is refused for any other. It is written once: of two
// answers, from page and terminal at once, the first is kept and the second is told. It is taken once: Take returns it and
// marks it taken in one transaction that is on the disk before it returns, so of two servers, or of one that was killed and its
// successor, one gets it at most. If that one dies before the message left, the approval is lost and the person is asked
// again; the journal (package outbox) sees to it that it never leaves twice.
//
// Nothing here sends, and nothing here asks.
//
// # Why a database
//
// First answer wins, taken once, gone when over: each is one conditional update in a transaction, among processes that come and
// go, and with a file system that may fill up. One file per message would need locks, and renames that mean something, to
// get the same. It is a database of its own and not a table of the journal, because what it holds is short-lived and secret: it can
// be deleted at any time, and that costs questions, not memory of what was sent.
//
// # What is stored, and for how long
//
// Octets, envelope and question are kept in clear until the message is taken, ended or expired (Options.Lifetime), and overwritten
// then (secure_delete, and the write-ahead log is cut). If no process is left to do it, the next one that uses the desk does. A
// row without content stays for a day, so that a person who answers late is told what became of it. Journalling file
// systems, snapshots and flash memory may keep old blocks; encrypt the disk if that matters.
//
// # Trust
//
// The directory is 0700 and belongs to the user, the files are 0600, and both are checked. Whoever can write there as this user
// can write an answer: this keeps a model without a shell out, not a program of the same user. The question was made safe
// for terminals before it was put down; Desk.Show checks that it still is.
package desk
