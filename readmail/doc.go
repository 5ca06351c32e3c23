// Package readmail is the reading half of mailgap: it turns one mailbox account into eight MCP tools that can look and
// do nothing else.
//
// # The story
//
// A tool call names mailboxes, filters or a message. The engines here (list.go, message.go, thread.go, attachment.go,
// watch.go) ask the server through readmail/session, decode what comes back with readmail/decode, and hand every octet
// that somebody else wrote to package sanitize. Only sanitize.Clean fits into a tool result, so text that skipped that
// door does not compile. Start reading at Server.Tools in tools.go; each tool has one handler file.
//
// Every result leaves through the door in door.go: what strangers wrote in it is put on record (Config.Ledger) before it goes,
// found by the place tag of each text field, and a result that cannot be recorded is withheld.
//
// # The IMAP commands it may issue
//
// CAPABILITY, ID, ENABLE, NOOP, LOGOUT, LOGIN, AUTHENTICATE, LIST, STATUS, NAMESPACE, EXAMINE, UNSELECT, FETCH with every
// body item in its PEEK form, SEARCH, SORT, THREAD, IDLE, DONE and COMPRESS, and the UID forms of these. readmail/wire
// parses each command before it leaves and closes the connection at any other verb; the interface that readmail/session
// offers has no operation that could want one. A mailbox is opened by EXAMINE only, so a server that sets \Seen in spite
// of PEEK has nothing to set it on.
//
// # Security model
//
// Trusted: the operator's configuration and the local machine. Not trusted: every octet of every message, and the mail
// server. Whoever can write to the mailbox controls subjects, names, file names, structure, character sets and the text
// itself; a hostile server controls all replies besides. Promised against both: bounded memory and time, one bad message
// costs that message, nothing in the mailbox changes, nothing is sent anywhere, and text reaches the model only through
// sanitize. Not promised: that the text is true, or that a model will not believe it.
//
// # Divergences
//
//   - A message reference is modelled on RFC 5092 and is not one: the authority is the configured account name, never a
//     host or user name, and UIDVALIDITY is required.
//   - Lists are ordered by INTERNALDATE, newest first. Sequence numbers and UIDs follow arrival on most servers, not on all
//     (bridges and migrated mailboxes), so order is checked before it is relied on.
//   - since and before are instants with a zone; RFC 9051 SINCE and BEFORE compare days in the server's zone. The server is
//     asked for a wider range and the exact instants are applied here.
//   - ENVELOPE is not used: header fields are fetched as they are and parsed by readmail/decode, because servers disagree
//     on what they do with malformed ones.
package readmail
