package compose

import "strings"

// ReplySubject is the subject of a reply: "Re: " once, whatever reply and forward marks (in some twenty languages) stood in
// front; a forward mark is kept once behind it. The words themselves are not changed.
func ReplySubject(subject string) string {
	base, _, forwarded := cutMarks(subject)
	if forwarded {
		base = "Fwd: " + base
	}
	return "Re: " + base
}

// ForwardSubject is the subject of a forward: "Fwd: " once; a reply mark is kept once behind it.
func ForwardSubject(subject string) string {
	base, replied, _ := cutMarks(subject)
	if replied {
		base = "Re: " + base
	}
	return "Fwd: " + base
}

// cutMarks takes all marks from the front and says which kinds there were.
func cutMarks(s string) (base string, replied, forwarded bool) {
	s = strings.TrimSpace(s)
	for {
		mark, rest, found := cutMark(s)
		switch {
		case !found:
			return s, replied, forwarded
		case isReplyMark(mark):
			replied = true
		case isForwardMark(mark):
			forwarded = true
		default:
			return s, replied, forwarded
		}
		s = strings.TrimSpace(rest)
	}
}

// cutMark splits at the first colon (ASCII or full-width) and drops a counter: "Re[2]:", "Re(3):", "Re^2:", "Re*4:", "Re 2:".
func cutMark(s string) (mark, rest string, found bool) {
	k := strings.IndexAny(s, ":：")
	if k < 0 || k > maxMarkOctets {
		return "", s, false
	}
	rest = strings.TrimPrefix(strings.TrimPrefix(s[k:], ":"), "：")
	mark = strings.TrimRight(s[:k], " \u00a0")
	mark = strings.TrimRight(mark, "0123456789[]()^* ")
	return strings.ToLower(strings.TrimRight(mark, " ")), rest, true
}

const maxMarkOctets = 24 // Limit: the longest mark with a counter

// isReplyMark: what mailers and people write for a reply, by language of the mailer.
func isReplyMark(mark string) bool {
	switch mark {
	case "re", "aw", "antw", "sv", "vs", "ynt", "odp", "ris", "rif", "res", "rép", "rep", "bls", "atb", "vá", "vst", "απ", "σχετ",
		"на", "отв", "ответ", "відп", "отг", "回复", "回覆", "答复", "答覆", "回應", "返信", "답장", "회신", "الرد", "رد", "השב", "תשובה", "ตอบ", "ตอบกลับ", "उत्तर", "पुनः", "पुन":
		return true
	}
	return false
}

// isForwardMark is the same for a forward.
func isForwardMark(mark string) bool {
	switch mark {
	case "fwd", "fw", "wg", "vb", "vl", "rv", "tr", "doorst", "ilt", "iltd", "enc", "pd", "podaj", "továbbítás", "tov", "fs", "πρθ", "пересл", "переслано", "пер", "прос",
		"转发", "轉寄", "轉發", "転送", "전달", "إعادة توجيه", "העבר", "הועבר", "ส่งต่อ", "अग्रे":
		return true
	}
	return false
}
