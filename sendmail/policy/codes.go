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
	CodeEmptyMessage        Code = "empty_message"
	CodeTextTooLarge        Code = "text_too_large"
	CodeHTMLTooLarge        Code = "html_too_large"
)

// Explanation documents a code for people: what causes it, an example, what to do.
type Explanation struct{ Cause, Example, Remedy string }

// Codes lists every code in a stable order.
func Codes() []Code { return nil }

// Explain returns the documentation of c; the zero value if c is unknown.
func Explain(c Code) Explanation { return Explanation{} }
