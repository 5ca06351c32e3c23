package policy

// Code is an enumerated reason for a refusal. Explain documents each.
type Code string

// Codes. Their spelling is part of the tools' contract.
const (
	CodeNoRecipient         Code = "no_recipient"
	CodeTooManyRecipients   Code = "too_many_recipients"
	CodeRecipientMalformed  Code = "recipient_malformed"
	CodeDisplayName         Code = "display_name_refused"
	CodeRecipientNotAllowed Code = "recipient_not_allowed"
	CodeLookAlike           Code = "recipient_looks_like_another"
	CodeLineBreak           Code = "line_break_in_header"
	CodeControlCharacter    Code = "control_character"
	CodeDirectionCharacter  Code = "direction_character"
	CodeNotUTF8             Code = "not_utf8"
	CodeEncodedWord         Code = "encoded_word_subject"
	CodeSubjectTooLong      Code = "subject_too_long"
	CodeHeaderValueTooLong  Code = "header_value_too_long"
	CodeEmptyMessage        Code = "empty_message"
	CodeTextTooLarge        Code = "text_too_large"
	CodeHTMLTooLarge        Code = "html_too_large"
	CodeToolMarkup          Code = "tool_call_markup"
)

// Explanation documents a code for people: what causes it, an example, what to do.
type Explanation struct{ Cause, Example, Remedy string }

// Codes lists every code in a stable order.
func Codes() []Code {
	return []Code{CodeNoRecipient, CodeTooManyRecipients, CodeRecipientMalformed, CodeDisplayName, CodeRecipientNotAllowed,
		CodeLookAlike, CodeLineBreak, CodeControlCharacter, CodeDirectionCharacter, CodeNotUTF8, CodeEncodedWord, CodeSubjectTooLong,
		CodeHeaderValueTooLong, CodeEmptyMessage, CodeTextTooLarge, CodeHTMLTooLarge, CodeToolMarkup}
}

// Explain returns the documentation of c; the zero value if c is unknown.
func Explain(c Code) Explanation {
	switch c {
	case CodeNoRecipient:
		return Explanation{"To, Cc and Bcc are all empty.", `to: []`, "name at least one recipient in to"}
	case CodeTooManyRecipients:
		return Explanation{"To, Cc and Bcc together, duplicates folded, exceed the operator's limit.", "eleven addresses where ten are allowed",
			"send to fewer people; the operator can raise SMTP_MAX_RECIPIENTS"}
	case CodeRecipientMalformed:
		return Explanation{"A recipient is not a bare, valid address.", `"jane@localhost", "jane%relay@example.com"`, "write the bare address only, such as name@example.com"}
	case CodeDisplayName:
		return Explanation{"A recipient has a name or angle brackets around the address. Names are refused because they can say one thing while the address says another.",
			`"Jane <jane@example.com>"`, "write the bare address only, such as name@example.com"}
	case CodeRecipientNotAllowed:
		return Explanation{"The operator's list does not let this address through. The answer does not say what would be.", `"stranger@example.net"`,
			"do not try other spellings; ask the person whether this recipient is right, and only the operator can change SMTP_ALLOWED_RECIPIENTS"}
	case CodeLookAlike:
		return Explanation{"The domain is easily mistaken for one that is allowed, or for the sender's own.", `"jane@examp1e.com" with the digit 1`,
			"treat the address as a possible forgery; tell the person where it came from and take the address from a trusted place"}
	case CodeLineBreak:
		return Explanation{"A one-line value holds one of CR, LF, CRLF, VT, FF, NEL, LINE SEPARATOR, PARAGRAPH SEPARATOR. Such values are how header fields are smuggled in.",
			`subject: "Hello\r\nBcc: x@example.net"`, "write the value on one line"}
	case CodeControlCharacter:
		return Explanation{"A value holds NUL or another control character (in text, tab and line ends are allowed).", `subject: "a\u0000b"`, "remove the control characters"}
	case CodeDirectionCharacter:
		return Explanation{"A one-line value holds a character that turns or isolates the direction of text, which makes it read differently from what it is.",
			`attachment "invoice\u202Efdp.exe"`, "remove the direction characters; right-to-left text does not need them"}
	case CodeNotUTF8:
		return Explanation{"A value is not valid UTF-8.", `subject: "caf\xe9"`, "send the value as UTF-8"}
	case CodeEncodedWord:
		return Explanation{"The subject holds an RFC 2047 encoded-word, which would be shown to the person in one form and to the recipient in another.",
			`subject: "=?utf-8?B?SGVsbG8=?="`, "write the subject in plain words; any script is fine"}
	case CodeSubjectTooLong:
		return Explanation{"The subject exceeds the limit.", "a subject of 300 characters", "shorten the subject; put the rest into the text"}
	case CodeHeaderValueTooLong:
		return Explanation{"A message id, file name or other one-line value exceeds 998 octets.", "a file name of 1,000 letters", "shorten the value"}
	case CodeEmptyMessage:
		return Explanation{"Subject, text and html are all empty.", `subject: "", text: " "`, "write a subject or a text"}
	case CodeTextTooLarge:
		return Explanation{"The text exceeds the limit.", "two megabytes of text", "shorten the text, or send it as an attachment"}
	case CodeHTMLTooLarge:
		return Explanation{"The html exceeds the limit.", "two megabytes of html", "shorten the html, or send it as an attachment"}
	case CodeToolMarkup:
		return Explanation{"Subject, text or html holds the markup of a tool call, which a model leaves there by mistake.", `text: "Regards\n</parameter></invoke>"`,
			"remove the markup and send the words only; if it is meant, put it into an attachment"}
	}
	return Explanation{}
}
