// Package decode turns the octets of mail into text the way mail clients do.
//
// Mail is written by thousands of programs and much of it breaks the standards it claims. A reader that answers
// a broken field with an error loses the message; a reader that guesses without saying so misleads. This package
// does neither: every function returns the best reading there is, in valid UTF-8, together with [Notes] that say
// what was repaired. Nothing here fails a whole message. Read [ParseMessage] and [Bodies] first; [Unstructured],
// [Addresses], [Text] and [TransferDecode] are what they stand on.
//
// # What it refuses
//
// It does no I/O, starts no goroutine, holds no state and follows no reference (external bodies, partial messages,
// remote charsets are listed, never fetched). It never writes mail. yEnc is named in a note and not decoded.
//
// # Security model
//
// Every octet handed in is chosen by a stranger. Promised for any input: no panic; time linear in the input (times the
// nesting limit); memory bounded by the limits; output in valid UTF-8 without NUL; one line, free of control
// characters and of every Unicode line break, where the comment says "one line". Not promised: that the text is
// safe to show. Bidirectional controls, invisible letters and look-alikes pass through except in [FileName].Safe, and it
// is package sanitize that makes text fit for a reader.
//
// # Notable divergences
//
//   - RFC 2047 §6.2: neighbouring encoded words of one charset are joined as octets before they are decoded, because
//     many writers split characters; an encoded word is also read inside a quoted string and inside parameters.
//   - RFC 5322 §3.6: repeated fields are kept, topmost first, and a line without a colon is skipped, not an error.
//   - RFC 2046 §5.1.1: a missing close delimiter ends a part quietly; a multipart without a usable boundary is read as text.
//   - RFC 2046 §4.1.2: charset labels mean what clients take them for (iso-8859-1 is windows-1252, gb2312 is gb18030),
//     and a label that the octets contradict is overruled with a note.
//   - RFC 2045 §6.4: message/rfc822 in base64 is opened.
package decode
