package fingerprint

import (
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"mailgap/shared/addr"
)

// normalised is text reduced to what a reader takes in: lower-case letters and digits, look-alikes as one.
type normalised struct {
	text  []byte
	limit int
	cut   bool // there was more than the limit
}

// Normalise reduces text to lower-case letters and digits in which look-alikes are one: compatibility forms are decomposed,
// format characters and combining marks dropped, letters drawn like Latin ones replaced by them, the digits and signs that
// stand for letters ("0", "1", "3", "4", "5", "7", "@", "$") folded. Spacing, punctuation and quote marks vanish. The
// result is for comparing only. Octets that are no UTF-8 are dropped. Linear in text.
func Normalise(text string) string { return string(normalise(text, -1).text) }

// maxGrowth bounds how many octets one octet of text becomes: the longest compatibility decomposition has 18 characters.
const maxGrowth = 32

// normalise stops after limit octets of result; -1 is no limit.
func normalise(text string, limit int) normalised {
	if limit < 0 {
		limit = maxGrowth * (len(text) + 1)
	}
	n := normalised{text: make([]byte, 0, min(limit, len(text)+len(text)/8)), limit: limit}
	for start := 0; start < len(text) && !n.cut; {
		end := start
		for end < len(text) && text[end] < utf8.RuneSelf && !n.cut {
			n.ascii(text[end])
			end++
		}
		start = end
		for end < len(text) && text[end] >= utf8.RuneSelf {
			end++
		}
		if end > start && !n.cut {
			n.unicode(text[start:end])
		}
		start = end
	}
	return n
}

// with returns n with one more character, whose octets are given; without a limit.
func (n normalised) with(octets string, r rune) normalised {
	n.limit = len(n.text) + maxGrowth*utf8.UTFMax
	if r < utf8.RuneSelf {
		n.ascii(byte(r))
	} else if r != utf8.RuneError {
		n.unicode(octets)
	}
	return n
}

// ascii appends what one ASCII character stands for.
func (n *normalised) ascii(c byte) {
	switch {
	case c >= 'A' && c <= 'Z':
		c += 'a' - 'A'
	case c >= 'a' && c <= 'z', c >= '0' && c <= '9', c == '@', c == '$', c == '|':
	default:
		return
	}
	second := byte(0) // of a letter that is read as two
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
		c, second = 'r', 'n'
	case 'w':
		c, second = 'v', 'v'
	}
	if len(n.text)+2 > n.limit {
		n.cut = true
		return
	}
	n.text = append(n.text, c)
	if second != 0 {
		n.text = append(n.text, second)
	}
}

// unicode appends what a run of other characters stands for. The run holds no ASCII, so a mark that would join an ASCII
// letter stands at its start; it is dropped like every other mark.
func (n *normalised) unicode(run string) {
	var it norm.Iter
	it.InitString(norm.NFKD, run)
	for !it.Done() {
		for piece := it.Next(); len(piece) > 0; {
			r, size := utf8.DecodeRune(piece)
			piece = piece[size:]
			n.rune(r)
			if n.cut {
				return
			}
		}
	}
}

func (n *normalised) rune(r rune) {
	switch {
	case r < utf8.RuneSelf:
		n.ascii(byte(r))
		return
	case r == utf8.RuneError, !unicode.IsLetter(r) && !unicode.IsNumber(r):
		return // spaces, punctuation, symbols, and the format characters and marks that draw nothing by themselves
	}
	like := addr.Prototype(unicode.ToLower(r))
	for _, p := range like {
		switch {
		case p < utf8.RuneSelf:
			n.ascii(byte(p))
		case len(n.text)+utf8.UTFMax > n.limit:
			n.cut = true
		default:
			n.text = utf8.AppendRune(n.text, p)
		}
	}
}
