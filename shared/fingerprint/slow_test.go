package fingerprint_test

import (
	"strings"
	"testing"
	"time"

	"mailgap/shared/fingerprint"
)

// hostile are texts that tempt a scanner to look at the same octets again and again.
func hostile() map[string]string {
	return map[string]string{
		"at signs": "@", "at words": " at ", "blanks and signs": "          @", "spaced letters": "a ", "spaced address": "a @ b . ", "brackets": "(((((", "ampersands": "&#",
		"entities": "&lt;", "dots": "a.", "commas": "a,", "digits": "1 2", "accounts": "GB82 ", "schemes": "http://", "long scheme": "a://", "percent": "%41", "soft breaks": "=\r\n",
		"marks": "\u0301", "ligatures": "\ufdfa", "zero width": "\u200b", "base64": "QUFB", "hex": "41", "0x": "0x", "quotes": "\n>", "addresses": "a@b.c ", "labels": "a@b.c.d.e.f.g.h.",
		"underscores": "_a@b.", "other script": "я@я.", "full width": "＠", "words": "word word1 ",
	}
}

// TestHostileTextIsLinear: twice the text takes about twice the time.
func TestHostileTextIsLinear(t *testing.T) {
	for name, piece := range hostile() {
		took := func(octets int) time.Duration {
			s := strings.Repeat(piece, octets/len(piece))
			start := time.Now()
			fingerprint.IdentifiersToAsk(s)
			fingerprint.NewQuery(s).Hash(fingerprint.TextKey{})
			fingerprint.NewIndex(s, fingerprint.TextKey{})
			return time.Since(start)
		}
		took(5_000)
		a, b := took(10_000), took(80_000)
		t.Logf("%-20s %8s %8s", name, a.Round(time.Millisecond), b.Round(time.Millisecond))
		for range 2 { // a busy machine makes one reading long, not all of them
			if b > 30*a+time.Second {
				b = min(b, took(80_000))
			}
		}
		if b > 30*a+time.Second {
			t.Errorf("%s: 10 kB take %s, 80 kB take %s", name, a, b)
		}
	}
}
