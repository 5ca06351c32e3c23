package compose

// Parent is what a reply needs to know of the message answered. Ids may come with or without angle brackets.
type Parent struct {
	MessageID  string
	InReplyTo  []string
	References []string
}

// Threading derives In-Reply-To and References of a reply (RFC 5322 §3.6.4): the parent's References, or else its single
// In-Reply-To, then the parent's id. Malformed and repeated ids of the chain are left out; a chain whose field would
// exceed 998 octets is trimmed in the middle (RFC 5537 §3.4.4). A malformed parent id is ErrMessageID.
func Threading(p Parent) (inReplyTo string, references []string, err error) { return "", nil, nil }

// ValidMessageID reports whether id, without angle brackets, can be written into a header field.
func ValidMessageID(id string) bool { return false }

// ReplySubject is the subject of a reply: "Re: " once, whatever reply and forward marks (in some twenty languages) stood in
// front; a forward mark is kept once behind it.
func ReplySubject(subject string) string { return subject }

// ForwardSubject is the subject of a forward: "Fwd: " once; a reply mark is kept once behind it.
func ForwardSubject(subject string) string { return subject }

// QuoteText prefixes every line with "> ", or ">" where the line is empty or quoted already.
func QuoteText(text string) string { return text }
