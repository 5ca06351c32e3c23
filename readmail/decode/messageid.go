package decode

import "strings"

const (
	maxMessageIDs      = 1000 // Limit: References of the longest threads hold some hundreds
	maxMessageIDOctets = 998  // RFC 5322 §2.1.1: one line
)

// MessageIDs reads the ids of Message-ID, In-Reply-To or References in order, without angle brackets and without repetition.
// Words around them are skipped. If there is no id in angle brackets, bare words that look like one count. At most 1,000.
func MessageIDs(body string) []string {
	body = replaceInvalid(body)
	ids := idList{seen: map[string]bool{}}
	rest := body
	for {
		_, after, ok := strings.Cut(rest, "<")
		if !ok {
			break
		}
		end := strings.IndexAny(after, "<>")
		if end < 0 {
			ids.add(strings.Fields(after))
			break
		}
		ids.add([]string{after[:end]})
		rest = after[end:]
		if rest[0] == '>' {
			rest = rest[1:]
		}
	}
	if len(ids.out) == 0 {
		for w := range strings.FieldsFuncSeq(body, func(r rune) bool { return r <= ' ' || strings.ContainsRune(",;<>\"()", r) }) {
			if at := strings.IndexByte(w, '@'); at > 0 && at < len(w)-1 {
				ids.add([]string{w})
			}
		}
	}
	return ids.out
}

type idList struct {
	out  []string
	seen map[string]bool
}

// add takes the first of words, white space inside it removed: it comes from folding in the middle of an id.
func (l *idList) add(words []string) {
	if len(words) == 0 || len(l.out) >= maxMessageIDs {
		return
	}
	id := strings.Join(strings.Fields(oneLine(words[0])), "")
	if id == "" || len(id) > maxMessageIDOctets || l.seen[id] {
		return
	}
	l.seen[id] = true
	l.out = append(l.out, id)
}
