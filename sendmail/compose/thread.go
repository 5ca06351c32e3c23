package compose

import "strings"

// Parent is what a reply needs to know of the message answered. Ids may come with or without angle brackets.
type Parent struct {
	MessageID  string
	InReplyTo  []string
	References []string
}

// Threading derives In-Reply-To and References of a reply (RFC 5322 §3.6.4): the parent's References, or else its single
// In-Reply-To, then the parent's id. Malformed and repeated ids of the chain are left out; a chain whose field would
// exceed 998 octets is trimmed in the middle (RFC 5537 §3.4.4): the first and the last ids stay. A malformed parent id is ErrMessageID.
func Threading(p Parent) (inReplyTo string, references []string, err error) {
	parent := bareID(p.MessageID)
	if !ValidMessageID(parent) {
		return "", nil, ErrMessageID
	}
	chain := p.References
	if len(chain) == 0 && len(p.InReplyTo) == 1 {
		chain = p.InReplyTo
	}
	seen := map[string]bool{parent: true}
	for _, id := range chain {
		if id = bareID(id); ValidMessageID(id) && !seen[id] {
			seen[id] = true
			references = append(references, id)
		}
	}
	return parent, trimChain(append(references, parent)), nil
}

// trimChain keeps the first id and as many of the last as fit; if not even the first fits beside the last, only the last.
func trimChain(ids []string) []string {
	if referencesOctets(ids) <= maxLineOctets {
		return ids
	}
	first := ids[0]
	for k := 1; k < len(ids); k++ {
		if kept := append([]string{first}, ids[k:]...); referencesOctets(kept) <= maxLineOctets {
			return kept
		}
	}
	return ids[len(ids)-1:]
}

// referencesOctets is the length of the whole field, unfolded.
func referencesOctets(ids []string) int {
	n := len("References:")
	for _, id := range ids {
		n += len(" <") + len(id) + len(">")
	}
	return n
}

func bareID(id string) string {
	id = strings.TrimSpace(id)
	if rest, ok := strings.CutPrefix(id, "<"); ok {
		if inner, ok := strings.CutSuffix(rest, ">"); ok {
			return inner
		}
	}
	return id
}

// ValidMessageID reports whether id, without angle brackets, can be written into a header field: at most 512 printable ASCII
// octets with one @ between two parts. RFC 5322 §3.6.4 wants dot-atoms there; real ids hold more, and a reply that
// did not carry them would leave its thread, so all but white space, brackets of addresses, quotes, comments and list marks pass.
func ValidMessageID(id string) bool {
	left, right, found := strings.Cut(id, "@")
	if !found || left == "" || right == "" || strings.Contains(right, "@") || len(id) > maxMessageIDBytes {
		return false
	}
	for k := range len(id) {
		if c := id[k]; c <= ' ' || c > '~' || strings.IndexByte(`<>()",;\`, c) >= 0 {
			return false
		}
	}
	return !strings.Contains(id, "=?")
}
