// Package wire is the only code on the IMAP socket. A [Conn] is a net.Conn between a (TLS) connection and go-imap's
// client. It lets only commands out that cannot change a mailbox, and lets only bounded, strict IMAP in.
//
// # What it promises
//
// Outbound: each command is parsed whole before an octet of it leaves. The verbs CAPABILITY, ID, ENABLE, NOOP, LOGOUT,
// LOGIN, AUTHENTICATE, LIST, STATUS, NAMESPACE, EXAMINE, UNSELECT, FETCH, SEARCH, SORT, THREAD (the last four also with
// UID), IDLE and DONE pass; FETCH only with items that cannot set \Seen. Anything else, and any octets that could be
// read in two ways, end the connection with ErrForbidden. This holds whatever the code above does, and whatever stands
// in a search word or mailbox name.
//
// Inbound: each response is read whole within Limits, parsed into a token tree without recursion, repaired, and written
// on in strict form. The client above never meets nesting deeper than Limits.Depth, a literal or line without bound, a
// response it does not know, or a value that its grammar does not allow. An oddity costs at most the item concerned
// of the one message concerned, and is reported as a [Repair]. Only lost framing, a limit, a deadline, a BYE or a
// forbidden command end the connection; [Conn.Err] says which.
//
// Time: every command has deadlines, restarted by progress, none while nothing is awaited or the caller is slow.
//
// # Security model
//
// The server is not trusted to be correct, well-meaning or finite. It can still lie: about counts, flags, structures,
// sender names. The sender of a message controls what stands in strings; raw line breaks in them are joined back, so
// that a server that decodes names before sending them does not let a sender write responses (see Conn.parse; a sender
// who also controls the quotes of such a server is not stopped). Texts of a server are handed out raw: clean them.
// The code above is trusted not to be malicious but not to be right: it cannot write what it should not.
//
// # Divergences
//
//   - Synchronising literals: the client is told to go on at once, the server is asked when the command is complete.
//     A refused literal is then an ordinary NO instead of a lost connection.
//   - IMAP4rev2 beside IMAP4rev1 is hidden until enabled. RECENT, METADATA, QUOTA, ACL, VANISHED and unknown responses,
//     unknown FETCH items and arguments of most response codes are dropped.
//   - FETCH responses begin with UID; one that only tells flags while more was asked for has no UID, so that
//     go-imap does not take it for the answer. A body section is named as it was asked for.
//   - INTERNALDATE that is no date is dropped: the client has the zero time. A multipart without parts becomes a single
//     part of type multipart/*, what is not understood [UnknownMediaType].
//   - SEARCH results are sorted, sequence sets merged. A result over Limits.Numbers turns the OK into NO [LIMIT].
//   - Mailbox names that are not modified UTF-7 are encoded for the client and sent back with the server's own octets.
//
// # What the caller must do
//
// Drain every FETCH (Collect does): go-imap's Client.Close waits for ever for a literal that nobody reads. Close
// or Abort on the Conn never blocks on that. After a failed command ask [Conn.Err]. Fetch large parts in partial ranges
// of at most Limits.PartialOctets: a literal that nobody limited is cut at Limits.LiteralOctets.
//
// Read first: [New], then parseCommand (verbs.go) for the way out and Conn.handle (handle.go) for the way in.
package wire
