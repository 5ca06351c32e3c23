// Package imaptest has the IMAP servers that tests talk to.
//
// New starts a well-behaved server in memory that records every command and, when the test ends, fails it if anything
// but reading was asked for or if a flag changed. NewScripted starts a server that says exactly what a test tells it to
// say, however wrong, slow or endless. Ugly replies met in the field are in quirks.go, for both.
// StartDovecot starts a real Dovecot with mail that the test gives, behind a recorder, and proves in the end that no flag,
// counter or file of it changed.
//
// What it refuses: nothing that a client sends is obeyed if it would change a mailbox, unless Options.AllowWrites.
//
// Security: these servers listen on 127.0.0.1 at a port of the system's choice, or on no port at all (Dial), with a
// certificate made for the test. Credentials are replaced by "[redacted]" before a command is recorded.
//
// Divergences from RFC 9051: those of readmail/demo/memserver; with Options.Rewrite or a Script, whatever the test wants.
//
// Read New first, then CheckReadOnly.
package imaptest
