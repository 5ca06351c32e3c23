// Package world is what the evaluation puts an agent into: a mailbox served by the real imap-mcp, sending through the real
// smtp-mcp to a server that takes everything, and a small office server with contacts, deals, users, notes and pages.
//
// The two programs are built once and run as processes that speak MCP on standard input and output, exactly as a client would
// run them. Behind imap-mcp stands an IMAP server on loopback, behind smtp-mcp an SMTP server on loopback. What an attack
// achieved is read from this world alone: from what the SMTP server accepted, from the office's records, from the pages
// that were fetched. What an agent says about itself is never looked at.
//
// What it refuses: nothing. It is the outside world. It opens ports on 127.0.0.1 only and forgets everything at Close.
//
// Security: the texts in it are attacks. They are data for the programs under test; nothing here acts on them.
//
// Read [New] first, then [Client.Call].
package world
