package readmail

import (
	"strings"
	"unicode"
)

// replyPrefixes are the marks that clients put before the subject of a reply or forward, in the languages in which they are
// common, lower case and without the colon.
func replyPrefixes() []string {
	return []string{"re", "fw", "fwd", "aw", "wg", "sv", "vs", "vb", "antw", "doorst", "r", "i", "rif", "tr", "réf", "rép", "res",
		"enc", "rv", "odp", "pd", "ynt", "ilt", "továbbá", "vá", "отв", "пересл", "απ", "πρθ", "回复", "转发", "回覆", "轉寄", "返信", "転送", "답장", "전달", "השב", "رد"}
}

// baseSubject removes reply and forward marks and list tags in front of a subject, as RFC 5256 §2.1 does for the English
// ones.
func baseSubject(s string) string {
	s, _ = stripPrefixes(s)
	return s
}

// isReply reports whether a subject has a reply or forward mark.
func isReply(s string) bool {
	_, marked := stripPrefixes(s)
	return marked
}

func stripPrefixes(s string) (rest string, marked bool) {
	s = strings.Join(strings.Fields(s), " ")
	for {
		if tag, after, ok := strings.Cut(s, "] "); ok && strings.HasPrefix(tag, "[") && len(tag) < 40 && after != "" {
			s = after
			continue
		}
		after, ok := cutPrefixMark(s)
		if !ok {
			return s, marked
		}
		s, marked = after, true
	}
}

// cutPrefixMark removes one mark such as "Re:", "RE[2]:" or "回复：".
func cutPrefixMark(s string) (string, bool) {
	i := strings.IndexAny(s, ":：")
	if i <= 0 || i > 24 {
		return s, false
	}
	mark := strings.ToLower(strings.TrimSpace(s[:i]))
	if j := strings.IndexAny(mark, "[("); j > 0 {
		mark = mark[:j]
	}
	after := strings.TrimSpace(strings.TrimPrefix(strings.TrimPrefix(s[i:], ":"), "："))
	for _, p := range replyPrefixes() {
		if mark == p {
			return after, after != ""
		}
	}
	return s, false
}

// subjectWeight is the length of a subject in letters, where one that stands for a word or syllable counts three: 会议通知
// says more than four Latin letters do.
func subjectWeight(s string) int {
	n := 0
	for _, r := range s {
		if n++; unicode.In(r, unicode.Han, unicode.Hangul, unicode.Hiragana, unicode.Katakana) {
			n += 2
		}
	}
	return n
}
