// Package memserver is an in-memory IMAP server that keeps its promises about reading.
//
// It stands on go-imap's memory server and adds what that one lacks: special-use attributes, mailboxes that cannot be
// selected, envelopes with the words as they came, structures of broken multiparts, updates while idling that are never
// lost, and a policy under which nothing can be changed. go-imap's memory server answers EXAMINE but enforces
// nothing: STORE, and FETCH without PEEK, change flags all the same. A session made by NewSession with Policy.ReadOnly
// refuses each of them, so a mistake in a reader shows instead of passing unnoticed.
//
// The demo mailbox and the test servers are built on it. It opens no port: Listener hands out net.Pipe connections.
// It links no testing package.
//
// Security: the only party that speaks to this server is our own process. It is not made to meet strangers: no rate
// limits, one user, and the password is compared but not hashed.
//
// Divergences from RFC 9051: flags and keywords are answered in lower case (they are case-insensitive); names of files
// come decoded in BODYSTRUCTURE; a malformed Date is NIL in ENVELOPE; no SORT, THREAD or CONDSTORE.
//
// Read NewStore first, then session.Select.
package memserver
