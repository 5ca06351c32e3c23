package fingerprint_test

import (
	"testing"
	"unicode/utf8"

	"mailgap/shared/fingerprint"
)

// FuzzText: nothing panics, everything is bounded, and a text holds itself.
func FuzzText(f *testing.F) {
	for _, s := range ownTexts() {
		f.Add(s)
	}
	f.Add("kim (at) example,org k i m @ e x . o r g http://[.]@:/?#%41=41&#65; GB82 WEST 1234 5698 7654 32 +44(0)20")
	f.Add("\xff\xfe\u0301\u0301\u0301\ufdfa\ufdfa 0x0x0x\\x\\x =\r\n==%%%25%32%35")
	f.Fuzz(func(t *testing.T, s string) {
		n := fingerprint.Normalise(s)
		if !utf8.ValidString(n) || len(n) > 32*(len(s)+1) {
			t.Fatalf("Normalise(%q) = %q", s, n)
		}
		ids, _ := fingerprint.IdentifiersToAsk(s)
		if len(ids) > fingerprint.MaxIdentifiers {
			t.Fatalf("%d identifiers", len(ids))
		}
		key := fingerprint.TextKey{1}
		index, q := fingerprint.NewIndex(s, key), fingerprint.NewQuery(s)
		hashed := q.Hash(key)
		var hits []fingerprint.Hit
		for i, p := range index.Prints {
			if i > 0 && p.Pos <= index.Prints[i-1].Pos {
				t.Fatalf("print %d at %d after %d", i, p.Pos, index.Prints[i-1].Pos)
			}
			g, ok := hashed.Find(p.Hash)
			if !ok {
				t.Fatalf("the text does not hold its own print at %d", p.Pos)
			}
			hits = append(hits, fingerprint.Hit{Gram: g, Pos: p.Pos})
		}
		cover := q.Cover(hits, nil)
		if p, ok := cover.Passage(100); ok != (len(hits) > 0) || len(p.Text) > 104 {
			t.Fatalf("%d hits, passage %q, %t", len(hits), p.Text, ok)
		}
		if rest := q.Cover(hits, cover); rest.Octets != 0 {
			t.Fatalf("%d octets are left after the text was taken from itself", rest.Octets)
		}
	})
}
