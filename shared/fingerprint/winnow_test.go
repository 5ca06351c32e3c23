package fingerprint_test

import (
	"encoding/binary"
	"encoding/hex"
	"math/rand/v2"
	"strings"
	"testing"

	"mailgap/shared/fingerprint"
)

// TestSipHash holds SipHash-2-4 against the vectors that its authors published: key 00 01 … 0f, input 00 01 … of length n.
func TestSipHash(t *testing.T) {
	vectors := map[int]string{
		0: "310e0edd47db6f72", 1: "fd67dc93c539f874", 2: "5a4fa9d909806c0d", 3: "2d7efbd796666785", 4: "b7877127e09427cf",
		5: "8da699cd64557618", 6: "cee3fe586e46c9cb", 7: "37d1018bf50002ab", 8: "6224939a79f5f593", 15: "e545be4961ca29a1",
	}
	var key fingerprint.TextKey
	input := make([]byte, 16)
	for i := range key {
		key[i], input[i] = byte(i), byte(i)
	}
	for n, want := range vectors {
		got := hex.EncodeToString(binary.LittleEndian.AppendUint64(nil, fingerprint.SipHash(key, input[:n])))
		if got != want {
			t.Errorf("length %d: got %s, want %s", n, got, want)
		}
	}
	// The hash of a run is the same function of the same sixteen octets.
	text := "abcefghkqrstuvxy"
	index := fingerprint.NewIndex(text, key)
	if len(index.Prints) != 1 || index.Prints[0].Hash != fingerprint.SipHash(key, []byte(fingerprint.Normalise(text))) {
		t.Errorf("NewIndex(%q) = %+v, want the one hash of %q", text, index, fingerprint.Normalise(text))
	}
}

// TestSharedRunIsFound: what winnowing promises. Every shared run of SharedOctets is found, wherever it stands.
func TestSharedRunIsFound(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	letters := func(n int) string {
		b := make([]byte, n)
		for i := range b {
			b[i] = "abcefghkopqrsuvxyz"[r.IntN(18)]
		}
		return string(b)
	}
	key := fingerprint.TextKey{9}
	for range 500 {
		passage := letters(fingerprint.SharedOctets)
		index := fingerprint.NewIndex(letters(r.IntN(60))+passage+letters(r.IntN(60)), key)
		hashed := fingerprint.NewQuery(letters(r.IntN(60)) + passage + letters(r.IntN(60))).Hash(key)
		found := 0
		for _, p := range index.Prints {
			if _, ok := hashed.Find(p.Hash); ok {
				found++
			}
		}
		if found == 0 {
			t.Fatalf("a shared run of %d octets was not found", len(passage))
		}
		if other := fingerprint.NewQuery(letters(200)).Hash(key); func() bool {
			for _, p := range index.Prints {
				if _, ok := other.Find(p.Hash); ok {
					return true
				}
			}
			return false
		}() {
			t.Fatal("a text that shares nothing was found")
		}
	}
}

// TestIndexSize: density, cap and what is said about it.
func TestIndexSize(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	b := make([]byte, 100_000)
	for i := range b {
		b[i] = "abcefghkopqrsuvxyz"[r.IntN(18)]
	}
	short := fingerprint.NewIndex(string(b[:2000]), fingerprint.TextKey{})
	if n := len(short.Prints); n < 230 || n > 340 || short.Partly || short.Octets != 2000 {
		t.Errorf("2000 octets: %d prints, %d octets, partly %t; want about 280, all", n, short.Octets, short.Partly)
	}
	long := fingerprint.NewIndex(string(b), fingerprint.TextKey{})
	if len(long.Prints) != fingerprint.MaxPrints || !long.Partly || long.Octets < 26_000 || long.Octets > 32_000 {
		t.Errorf("100000 octets: %d prints, %d octets, partly %t; want %d prints of about 29000 octets, partly", len(long.Prints), long.Octets, long.Partly, fingerprint.MaxPrints)
	}
	middle := fingerprint.NewIndex(string(b[:40_000]), fingerprint.TextKey{})
	if len(middle.Prints) != fingerprint.MaxPrints || !middle.Partly {
		t.Errorf("40000 octets: %d prints, partly %t; want %d, partly", len(middle.Prints), middle.Partly, fingerprint.MaxPrints)
	}
	same := fingerprint.NewIndex(strings.Repeat("a", 1_000_000), fingerprint.TextKey{})
	if !same.Partly {
		t.Error("a million octets are not said to be partly indexed")
	}
	for text, want := range map[string]int{"": 0, "abcefghkqrstuvx": 0, "abcefghkqrstuvxy": 1, "abcefghkqrstuvxyzabc": 1} {
		if got := len(fingerprint.NewIndex(text, fingerprint.TextKey{}).Prints); got != want {
			t.Errorf("%d octets: %d prints, want %d", len(text), got, want)
		}
	}
}

func TestNormalise(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"spacing and punctuation", " A, b.\r\n> C! ", "abc"},
		{"digits drawn like letters", "0134 57 @$|", "oleastasl"},
		{"letters drawn like others", "раураl", "paypal"},
		{"full width", "ＡＢｃ", "abc"},
		{"mathematical letters", "𝐚𝓫𝔠", "abc"},
		{"marks", "cafe\u0301 café \u0301\u0302\u0303", "cafecafe"},
		{"invisible", "a\u200b\u00ad\u2060\ufeff\U000e0061b\ufe0f", "ab"},
		{"bidi", "a\u202eb\u2066c", "abc"},
		{"two for one", "rn m vv w", "rnrnvvvv"},
		{"i, l, 1 and |", "il1|", "llll"},
		{"Han stays", "会议", "会议"},
		{"ligature", "ﬁ ﷺ"[:4], "fl"},
		{"no UTF-8", "a\xff\xc3b", "ab"},
		{"Hangul, composed or not", "\u1100\u1161", fingerprint.Normalise("가")},
	}
	for _, tt := range tests {
		if got := fingerprint.Normalise(tt.in); got != tt.want {
			t.Errorf("%s: Normalise(%q) = %q, want %q", tt.name, tt.in, got, tt.want)
		}
	}
}
