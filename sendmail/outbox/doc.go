// Package outbox is the durable memory of what was sent: a journal that makes a message leave at most once, keeps the
// hourly cap, and locks sending after refusals. Read Outbox.Begin first, then Ticket.Sending, then closeAttempt.
//
// # Promise
//
// An attempt goes from reserved (a person is being asked) to sending, and from there to sent, failed or unknown. Sending
// is on the disk before an octet of the message may leave, so whatever happens afterwards (a crash, a lost connection,
// kill -9) the journal is never more optimistic than the truth: an attempt left in sending by a process that is gone
// becomes unknown, and unknown does not repeat by itself. A caller that puts the final dot on record too, before it leaves
// (Ticket.Dot), makes the window of doubt as narrow as it really is: before the dot such an attempt has failed. The next identical message gets a ticket that
// names the earlier attempt and carries its Message-ID and octets, so the person is told and a receiver can drop the
// duplicate. An identical message that was accepted within the replay window is answered, not sent. A unique index in
// the database keeps two open attempts of one message apart even if the code above it were wrong.
//
// Look-up, lock, cap and reservation are one write transaction before the question, and are checked again in the
// transaction that moves to sending. Several processes may use one directory.
//
// # What a slot costs
//
// A slot is spent when the question is reserved. It stays spent if the person declines, nobody answers, the server
// refuses, or the process dies: a client that restarts the server must not gain questions by it. Only a replay, and a
// refusal before the reservation, is free.
//
// # Clock
//
// The wall clock rules, because it is the only clock that processes and restarts share; it is read while the write lock
// is held. A clock that goes back frees nothing early: slots, acceptances, locks and reservations dated ahead of it
// count until it has caught up; for slots, Unlock (a person) shortens the wait. A clock set forward by N frees slots,
// ends the replay window and a cooling period up to N early, and no more than that: whoever can set it can also delete
// the journal.
//
// # Life and death
//
// Each open Outbox holds an operating-system lock on a file of its own, which ends with the process however it ends.
// That decides whether an open attempt still has somebody behind it; process numbers, which are used again, do not.
//
// # What is stored, and for how long
//
// Octets are kept while an attempt is sending or unknown, because a retry repeats them. Subject and recipients (Bcc too)
// are kept in clear as long as that, and while the question is open, because a person who settles an unknown attempt
// must know what to look for. When an attempt is settled all three are overwritten (secure_delete, and the write-ahead
// log is cut); the number of recipients, the domain of the first, Message-ID and times stay for the retention, 30 days
// by default. Octets of an unknown attempt are dropped after the retention, its row never by itself. Journalling file
// systems, snapshots and flash memory may keep old blocks; encrypt the disk if that matters.
//
// # Trust
//
// The directory is 0700 and belongs to the user, the files are 0600, and both are checked. Whoever can write there can
// rewrite the past; the audit log is the other record. Strings in a row come from a caller and are bounded but not made
// safe for a terminal or a model: that is the reader's work. A journal that is damaged, of a newer schema, full or
// read-only refuses with a typed error, and nothing is sent; List still shows what can be read.
package outbox
