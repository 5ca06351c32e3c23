// Package ledger is the record of what the reader of mail handed out, and what the sender of mail may learn from it. It
// holds the types that both sides share. Package writer adds to the record and takes from it; package reader consults it;
// neither does the other's work, and the program that sends links only the reader. Read [Record] first, then writer.Writer.Record
// and reader.Reader.
//
// # What is kept
//
// Of each message of which a word was handed out: its reference, Message-ID, mailbox and label, author and what is known of the
// author, participants, subject, dates and References, all encrypted; keyed hashes of the identifiers in it with the place
// where each was seen first; and winnowed keyed fingerprints of the text handed out. No text. What leaves the mailbox in a
// tool result is on the disk here before the result leaves.
//
// # How it is kept
//
// The book is one SQLite file in WAL mode that several processes write and read. Its truth is a log: numbered entries without a
// gap, each bound to the one before it by HMAC-SHA256 over number, week, time, kind and a digest of its content. Entries are never
// changed, but for one thing: the content of a forgotten one is taken away, its digest stays, and a later entry says that this
// was done. Retention cuts the log at its old end and says so in an entry as well. Sorted runs of the fingerprints with filters
// serve the questions; they are a cache in which each block is sealed, and what they do not cover is read from the log.
//
// Without the key, who reads the files learns how many entries there are, when they were made, how large they are and which
// belong to one message of one week; nothing else.
//
// Each week has a random key of its own, wrapped by a master key that lies in the key store of the operating system or in a
// file with mode 0600. What a week holds cannot be read, nor compared with anything, once its key is gone.
//
// # What is detected
//
// A missing, reordered, altered or foreign entry breaks the chain. A log cut at its new end, or an older copy of the file put
// back, is behind the head that the sender remembers in its own directory. Content that was altered or exchanged does not
// open, since number and week are sealed with it. A book that is gone although a key or a remembered head exists is
// "missing".
//
// # What is not
//
// Who has the master key and may write all files, the remembered head too, can write a history of his own: that is the user,
// and programs that run as the user. A clock set forward ends retention early. Journalling file systems, snapshots and flash
// memory may keep what was overwritten; encrypt the disk if that matters.
package ledger
