// Package submit hands one message to a submission server (RFC 6409) and tells the truth about what became of it.
//
// [Client.Send] goes through TLS, login, MAIL, RCPT, DATA on a connection of its own and never repeats anything. It ends in
// one of three states. Sent: a 2yz reply came to the final dot. Failed: the final dot never left, or a 4yz or 5yz reply
// came to it; the server must not deliver the message (RFC 5321 §4.2.5). Unknown: the dot may have left and no valid
// reply came. RFC 1047 describes that window; nothing closes it, so it has a name, and whoever calls decides with a person.
//
// # What it refuses
//
// Plain text to another machine; STARTTLS that is not offered; a login without encryption; content that is not in canonical form (a lone CR or
// LF could end the message early for some servers); addresses that could add a parameter or a command; a message that needs
// SIZE, 8BITMIME or SMTPUTF8 from a server without; a part of the recipients: all are accepted, or nothing is sent to
// anybody, because a person approved the whole list. After a refused login the same credentials are not tried again for
// a while.
//
// # Security model
//
// The configuration is trusted, and the caller for what is sent: approvals and policy come before. The server is not:
// what it says is bounded by mailgap/sendmail/wire, every text of its own sits in a field whose name ends in Raw and
// must be cleaned before it is shown, and [Explain] answers in our own words. Credentials are asked for when a login
// needs them, are not kept, and are part of no error, log line or formatted value. EHLO does not name this machine.
//
// An attacker on the network can make a message fail or its outcome unknown, never have it sent altered, to others, or
// reported as sent, as long as TLS holds. A lying server can do what it likes with what it was given; nobody can know. A
// reply out of turn ends the connection if it is heard before the dot leaves; one that crosses the dot on its way cannot be
// told from the answer to it.
//
// # Divergences
//
// The reverse path is never empty: this is no MTA. 421 in reply to the final dot counts as the 4yz that it is. A 3yz
// reply to the dot is unknown. PIPELINING, CHUNKING and DSN parameters are not used. BODY=8BITMIME is said whenever the server
// offers it, as go-smtp does.
//
// Read [Client.Send] first, then judge in send.go.
package submit
