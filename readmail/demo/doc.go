// Package demo is the mailbox behind imap-mcp --demo: about forty messages that show every tool something, in a server
// that runs inside the process.
//
// The messages are part of the binary (mail/*.eml, described by mail/index.json). They are all invented for this
// purpose: roles at reserved domains, fixed dates in the weeks before 30 November 2026. Some are ordinary, in several
// languages and charsets; some are damaged as real mail is; some are hostile, with hidden instructions, forged
// authentication results or deceiving links, so that it can be seen what a reader makes of them.
//
// What it refuses: the mailbox cannot be changed, and no port is opened. The server starts with the first connection
// and costs nothing before.
//
// Security: the texts are data. Whoever adds one keeps to reserved domains and leaves out anything that would work.
//
// Divergences: those of readmail/demo/memserver.
//
// Read Dialer first. The files are written by internal/gen, reproducibly.
package demo
