// Package compose turns a Draft into the octets of one mail (RFC 5322, RFC 2045) and reads them back.
//
// The message is composed once. Its octets are frozen: they are what the person is asked about, by way of Facts read from
// them, and what leaves. This package is the only writer of header fields.
//
// # What it refuses
//
// Header values with a line break, NUL or another control character are refused, not repaired; so are malformed message ids,
// and text that is not UTF-8. HTML is written as it is given: cleaning it is the caller's part. The header holds Date, From, To, Cc,
// Subject, Message-ID, In-Reply-To, References, MIME-Version, Content-Type and Content-Transfer-Encoding, each at most
// once, and nothing else: no Bcc, no caller's field, no name or version of a tool, no host name.
//
// # Security model
//
// The attacker writes every field of a Draft but From, Signature and the clock. Promised: the octets read back, with
// go-message and with the standard library, to exactly the values of the Draft, and the header written again from those
// values is the same, or Compose fails; no value of a
// Draft can end its field, open another, or end its part; lines end in CRLF and have at most 998 octets without it; the text arrives with
// the same lines, trailing spaces and dots included. None of the defusing applied to text on its way to a model is applied here.
//
// # Structure
//
// text/plain, or multipart/mixed of text/plain and attachments. With HTML, a multipart/alternative takes the place of
// the text, and with images that the HTML shows a multipart/related (RFC 2387) takes the place of the HTML. With everything:
//
//	multipart/mixed
//	  multipart/alternative
//	    text/plain
//	    multipart/related; type="text/html"
//	      text/html
//	      image/png, inline, with a Content-ID …
//	  application/pdf, attachment …
//
// The Content-ID of an image is made of random octets (NewContentID), because it has to be unique in the world; Facts.Identity
// leaves it out. An image that the HTML does not refer to is refused: some readers would show it and others not.
//
// Signature and quote are added to the text alone; the HTML holds its own. The transfer encoding is 7bit where ASCII text needs no
// protection; otherwise quoted-printable or base64, whichever is shorter; 8bit only if Options.Allow8Bit says that
// the server takes it, since a frozen message cannot be converted later. Text with a line starting "From " goes in
// base64, because mail stores of the mbox family rewrite such lines. format=flowed is not used: it changes what a line is.
//
// # Traps of the libraries, and what is done about them
//
// go-message folds a field whose first word is too long for the line into one line of up to 998 octets, encodes file names
// as RFC 2047 words inside parameters, always picks the Q encoding, drops errors of part headers, takes boundaries from the
// system's random source and Message-IDs from the host name. Fields are therefore folded here and added raw (the
// way its documentation names for that), names are written as RFC 2231 says, boundary and Message-ID come from the
// injected random source, and every message is read back before it is used.
//
// # Divergences
//
// A message to Bcc recipients only has no destination field at all (RFC 5322 §3.6.3 allows it). message/rfc822 must not be
// encoded (RFC 2046 §5.2.1): an attached message that is not 7bit, while 8bit is not allowed, goes as
// application/octet-stream in base64 under its own name. References is limited to 998 octets in all.
//
// Read Compose first, then ReadBack.
package compose
