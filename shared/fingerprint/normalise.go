package fingerprint

import (
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"mailgap/shared/addr"
)

// normalised is text reduced to what a reader takes in: lower-case letters and digits, look-alikes as one.
type normalised struct {
	text []byte
	cut  bool // there was more than the limit
}

// Normalise reduces text to lower-case letters and digits in which look-alikes are one: compatibility forms are decomposed,
// format characters and combining marks dropped, letters drawn like Latin ones replaced by them, the digits and signs that
// stand for letters ("0", "1", "3", "4", "5", "7", "@", "$") folded. Spacing, punctuation and quote marks vanish. The
// result is for comparing only. Octets that are no UTF-8 are dropped. Linear in text.
func Normalise(text string) string { return string(normalise(text, -1).text) }

// normalise stops after limit octets of result; -1 is no limit.
func normalise(text string, limit int) normalised {
	if limit < 0 {
		limit = 2*len(text) + utf8.UTFMax*32 // never reached by the folding of ASCII; other text only shrinks or is bounded by chunks
		limit = max(limit, 32*len(text))
	}
	n := normalised{text: make([]byte, 0, min(limit, len(text)+len(text)/8))}
	for start := 0; start < len(text) && !n.cut; {
		end := start
		for end < len(text) && text[end] < utf8.RuneSelf {
			n.ascii(text[end], limit)
			if n.cut {
				return n
			}
			end++
		}
		start = end
		for end < len(text) && text[end] >= utf8.RuneSelf {
			end++
		}
		if end > start {
			n.unicode(text[start:end], limit)
		}
		start = end
	}
	return n
}

// ascii appends what one ASCII character stands for.
func (n *normalised) ascii(c byte, limit int) {
	switch {
	case c >= 'A' && c <= 'Z':
		c += 'a' - 'A'
	case c >= 'a' && c <= 'z', c >= '0' && c <= '9', c == '@', c == '$', c == '|':
	default:
		return
	}
	folded := "" // of two letters
	switch c {
	case '0':
		c = 'o'
	case '1', 'i', '|':
		c = 'l'
	case '3':
		c = 'e'
	case '4', '@':
		c = 'a'
	case '5', '$':
		c = 's'
	case '7':
		c = 't'
	case 'm': // UTS #39: the prototype of m is rn
		folded = "rn"
	case 'w':
		folded = "vv"
	}
	if len(n.text)+2 > limit {
		n.cut = true
		return
	}
	if folded != "" {
		n.text = append(n.text, folded...)
		return
	}
	n.text = append(n.text, c)
}

// unicode appends what a run of other characters stands for. The run holds no ASCII, so a mark that would join an ASCII
// letter stands at its start; it is dropped like every other mark.
func (n *normalised) unicode(run string, limit int) {
	var it norm.Iter
	it.InitString(norm.NFKD, run)
	for !it.Done() {
		for piece := it.Next(); len(piece) > 0; {
			r, size := utf8.DecodeRune(piece)
			piece = piece[size:]
			n.rune(r, limit)
			if n.cut {
				return
			}
		}
	}
}

func (n *normalised) rune(r rune, limit int) {
	switch {
	case r < utf8.RuneSelf:
		n.ascii(byte(r), limit)
		return
	case r == utf8.RuneError, !unicode.IsLetter(r) && !unicode.IsNumber(r):
		return // spaces, punctuation, symbols, and the format characters and marks that draw nothing by themselves
	}
	like := addr.Prototype(unicode.ToLower(r))
	for _, p := range like {
		switch {
		case p < utf8.RuneSelf:
			n.ascii(byte(p), limit)
		case len(n.text)+utf8.UTFMax > limit:
			n.cut = true
		default:
			n.text = utf8.AppendRune(n.text, p)
		}
	}
}
