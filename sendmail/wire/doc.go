// Package wire is the only code on the SMTP socket. A [Conn] is a net.Conn under go-smtp's client.
//
// # What it refuses
//
// Outbound every line is parsed. EHLO, HELO, AUTH with its answers, MAIL, RCPT, DATA, RSET, NOOP and QUIT pass, one at a
// time and only where they make sense; STARTTLS is sent by [StartTLS] alone. MAIL, RCPT and the content pass only if they
// are those of the [Transaction] that was announced by [Conn.Expect]: same addresses, same number of octets, same
// SHA-256. A Conn carries one transaction.
//
// The final dot is special. It leaves in a write of its own, after everything before it was flushed, after the digest was
// compared, after Transaction.BeforeDot agreed, and after a flag was set (Record.DotSent). A library that writes the dot
// because it tidies up (net/textproto does before the next command) finds the digest wrong and the connection closed:
// a truncated message is never completed, and no command follows a broken DATA.
//
// Inbound, replies are bounded in line length, number of lines and octets, and must be well formed; a reply that nobody
// asked for ends the connection. Without that, a server that answers once too often would have the answer to some earlier command
// taken for the answer to the dot. Each write and each reply has a deadline; for replies it covers the reply as a whole, so
// that sending it octet by octet does not help.
//
// # Security model
//
// The server is not trusted: its words are kept raw, marked by Raw in the name. The library above is trusted not to be
// malicious, but not to be right. What is promised: if Record.DotSent is false the server cannot have the whole message; if it
// is true, exactly the announced octets went to exactly the announced recipients.
//
// # Divergences
//
// Lines of replies may have 1,998 octets (RFC 5321 §4.5.3.1.5 says 512). A reply of a code alone is taken
// (RFC 5321 §4.2 asks for that). EHLO keywords are put in upper case for the library, which compares them exactly;
// "AUTH=" is read as "AUTH " where no such line came. The lines of one reply must carry one code.
// PIPELINING (RFC 2920) and CHUNKING (RFC 3030) are not used.
//
// Read [Conn.Write] first, then body.go.
package wire
