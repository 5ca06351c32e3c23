// Package audit keeps a log of what was sent, refused and declined: JSON lines, hash-chained, one record per outcome.
// Read Log.Append first, then Verify.
//
// # Form
//
// Every line is one JSON object with its own sequence number and the SHA-256 of the line before (without line end); the
// first line has a hash of zeros. When a file is full it is renamed after its last sequence number, and the next file
// starts with a record that goes on with the chain and says from which number on files are kept, so deleting old files
// is part of the chain too. Beside the log lies a head file with the number and hash of the last line; its lock is the
// turn that several processes take. An append is one write to a file opened for appending, flushed before Append
// returns.
//
// A crash may cut the last line short. The next append changes none of it: it ends the line and adds a record with
// length and SHA-256 of what was cut, so a line that is no record is accounted for or is a finding. The same record says
// when a head file was missing.
//
// # What is detected
//
// Verify finds a record that was edited, removed, inserted, doubled or moved, and a missing file, without any
// anchor. It finds records missing at the end, a rewritten last record and a rewritten chain against the head file, and
// Open and Append refuse to go on in such a log, so the evidence is not written over.
//
// # What is not detected
//
// There is no key: whoever may write as this user can rewrite the whole log together with its head file, or delete
// both. Only a copy of Report.LastHash kept where that user cannot write, compared later, shows that. Records that were
// never written (by a changed program) leave no gap. A head file may lag behind the log after a power cut, so
// records after the one that it names are protected by the chain alone. Times are those of the machine's clock.
//
// # What it refuses and leaves out
//
// Record has no field for a body or a secret, and every field is bounded. Recipients are stored, because a record of
// what was sent to nobody in particular is none; Subject is the caller's choice. The file is 0600 in a directory where
// nobody else may write; links and files of others are refused. A log that cannot be written is a typed error at Open or
// Append, and the caller sends nothing.
//
// Values come from callers and servers. Control, format, bidi and other characters that a terminal would not show, and
// those with a meaning in HTML, are \u escapes in the file and in Format, so neither cat nor a browser is fooled.
// Entries returned by Read hold the values as they were: clean them before anything but Format shows them.
package audit
