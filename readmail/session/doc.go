// Package session keeps logged-in, read-only IMAP connections and offers the narrow set of operations that reading needs.
//
// It dials, negotiates TLS, logs in, identifies itself (RFC 2971), and lends connections from a small [Pool]. Under the
// IMAP library lies mailgap/readmail/wire: it lets read verbs pass, bounds and repairs what the server says, and keeps
// deadlines. This package itself reads no more than the greeting, to tell a wrong port from a wrong server, and puts it
// back. No type of the IMAP library appears in the interface of this package.
//
// # What it refuses
//
// There is no operation that changes a mailbox: no STORE, APPEND, COPY, MOVE, DELETE, EXPUNGE, CLOSE, SELECT. A mailbox is
// opened by EXAMINE and every body item is a PEEK. Plain text connections leave this machine only if the operator
// said so. Search words with CR, LF or NUL are refused. After a rejected login the same credentials are not tried again
// for a while, so that a caller that repeats its question cannot lock the account.
//
// # Security model
//
// The operator's configuration is trusted. The server is not: its replies are bounded below, and every text of its own
// that reaches an error or a result sits in a field whose name ends in Raw, or is a mailbox name, header octets or part
// octets, all of which are untrusted and must be cleaned before they are shown. Credentials are asked for when a
// login needs them, are not kept, and are part of no error, log line or formatted value.
//
// # Divergences
//
// ENVELOPE is not used: header fields are fetched as raw octets and parsed elsewhere, because servers disagree about
// ENVELOPE and parse errors in it vanish. Nothing is ENABLEd, so mailbox names travel in modified UTF-7
// (RFC 3501 §5.1.3). Sequence numbers do not outlive the call that returned them.
//
// Read [Pool.Do] first, then [Conn.ExamineFetchNewest] and [Conn.Search].
package session
