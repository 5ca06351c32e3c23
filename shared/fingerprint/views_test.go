package fingerprint_test

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"testing"

	"mailgap/shared/fingerprint"
)

const secret = "the parcel waits behind the green door"

func TestViews(t *testing.T) {
	b64 := base64.StdEncoding.EncodeToString([]byte(secret))
	tests := []struct{ name, text, view string }{
		{"as is", secret, ""},
		{"HTML references", "the&#32;parcel waits behind the green&nbsp;door &amp; more", "html"},
		{"percent", strings.ReplaceAll(secret, "e", "%65"), "percent"},
		{"quoted-printable", strings.ReplaceAll(secret, "e", "=65") + "=\r\n", "quoted-printable"},
		{"soft line breaks alone", "the parcel wai=\r\nts behind the green door", "quoted-printable"},
		{"base64", "x: " + b64, "base64"},
		{"base64 after a word", "please decode this now " + b64, "base64"},
		{"base64 in short lines", "x:\r\n> " + strings.Join(slices.Collect(pieces(b64, 10)), "\r\n> "), "base64"},
		{"base64 for URLs", base64.RawURLEncoding.EncodeToString([]byte("??>>" + secret)), "base64"},
		{"base64 without its first letter", b64[4:], "base64"},
		{"hex", hex.EncodeToString([]byte(secret)), "hex"},
		{"hex after a digit", "a" + hex.EncodeToString([]byte(secret)), "hex"},
		{"hex with colons", strings.Join(slices.Collect(pieces(hex.EncodeToString([]byte(secret)), 2)), ":"), "hex"},
		{"hex with 0x", "0x" + strings.Join(slices.Collect(pieces(hex.EncodeToString([]byte(secret)), 2)), ", 0x"), "hex"},
		{"base64 of base64", base64.StdEncoding.EncodeToString([]byte(b64)), "base64+base64"},
		{"hex of base64", hex.EncodeToString([]byte(b64)), "hex+base64"},
		{"percent of references", strings.ReplaceAll("the&#32;parcel waits behind the green&nbsp;door", "&", "%26"), "percent+html"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			views, cut := fingerprint.Views(tt.text)
			want := fingerprint.Normalise(secret)[12:]
			if cut || !slices.ContainsFunc(views, func(v fingerprint.View) bool {
				return v.Name == tt.view && strings.Contains(fingerprint.Normalise(v.Text), want)
			}) {
				t.Errorf("Views(%q) = %+v, %t, want the text in view %q", tt.text, views, cut, tt.view)
			}
		})
	}
}

func pieces(s string, n int) func(func(string) bool) {
	return func(yield func(string) bool) {
		for len(s) > 0 {
			k := min(n, len(s))
			if !yield(s[:k]) {
				return
			}
			s = s[k:]
		}
	}
}

// TestProseHasNoViews: ordinary text is not taken for an encoding.
func TestProseHasNoViews(t *testing.T) {
	for _, text := range ownTexts() {
		views, cut := fingerprint.Views(text)
		octets := 0
		for _, v := range views[1:] {
			octets += len(v.Text)
		}
		if cut || octets > len(text)/5 {
			t.Errorf("%q has %d octets of decoded views", text[:40], octets)
		}
	}
}

// TestViewsAreBounded: whatever is nested in what, the views stay small, and what was cut is said.
func TestViewsAreBounded(t *testing.T) {
	nested := strings.Repeat(secret, 2000)
	for range 3 {
		nested = base64.StdEncoding.EncodeToString([]byte(nested))
	}
	for name, text := range map[string]string{
		"base64 thrice": nested, "zeros": strings.Repeat("0", 300_000), "percent": strings.Repeat("%25", 100_000), "equals": strings.Repeat("=3D", 100_000),
		"references": strings.Repeat("&amp;", 100_000), "letters": strings.Repeat("QUFB", 100_000), "all": strings.Repeat("&#37;3D41=25QUFB ", 20_000),
	} {
		views, _ := fingerprint.Views(text)
		octets := 0
		for _, v := range views {
			octets += len(v.Text)
		}
		if octets > 9*len(text)+64<<10 || len(views) > 32 {
			t.Errorf("%s: %d octets in %d views of %d octets", name, octets, len(views), len(text))
		}
	}
	long := strings.Repeat("a", 50_000) + " %41 =41 &amp; " + hex.EncodeToString([]byte(secret))
	if _, cut := fingerprint.Views(strings.Repeat(long, 3)); cut {
		t.Log("cut") // either is right; the bound above is what counts
	}
}

// TestPassage: the longest piece is given back as it stands, with the way in which it was encoded.
func TestPassage(t *testing.T) {
	text := ownTexts()[0]
	key := fingerprint.TextKey{5}
	index := fingerprint.NewIndex(text, key)
	for view, out := range map[string]string{
		"": "Dear Lee, " + text[50:250] + " Bye", "base64": base64.StdEncoding.EncodeToString([]byte(text[50:250])), "rot13": rot13(text[50:250]),
	} {
		q := fingerprint.NewQuery(out)
		hashed := q.Hash(key)
		var hits []fingerprint.Hit
		for _, p := range index.Prints {
			if g, ok := hashed.Find(p.Hash); ok {
				hits = append(hits, fingerprint.Hit{Gram: g, Pos: p.Pos})
			}
		}
		cover := q.Cover(hits, nil)
		p, ok := cover.Passage(500)
		if !ok || p.View != view || len(p.Text) < 160 || !strings.Contains(text[40:260], strings.TrimSpace(p.Text)) {
			t.Errorf("view %q: passage %+v, %t", view, p, ok)
		}
		if short, _ := cover.Passage(20); len(short.Text) > 24 {
			t.Errorf("a passage of 20 octets has %d", len(short.Text))
		}
		if n := len(fingerprint.Normalise(text[50:250])); cover.Octets > n || cover.Octets < n-24 {
			t.Errorf("view %q: %d octets of %d", view, cover.Octets, n)
		}
	}
}

// TestSplitPassage: a passage of which each part is encoded in another way counts as one.
func TestSplitPassage(t *testing.T) {
	text, key := ownTexts()[0], fingerprint.TextKey{5}
	m := newMemory([]mail{{ID: "a", Kind: "inbound", Sender: "a@one.example", Text: text}})
	_ = key
	out := fmt.Sprintf("%s\n\n%s\n\n%s", text[:70], base64.StdEncoding.EncodeToString([]byte(text[70:140])), hex.EncodeToString([]byte(text[140:210])))
	found := m.ask(out, "", 80)
	if len(found) != 1 || found[0].Octets < 110 {
		t.Errorf("found %d sources, want one with more than any single part of 57 octets has: %+v", len(found), found)
	}
}

// TestQuotation: what is answered does not count, what else is in the text does.
func TestQuotation(t *testing.T) {
	texts := ownTexts()
	m := newMemory([]mail{
		{ID: "parent", Sender: "a@one.example", Text: texts[0]}, {ID: "earlier", Sender: "b@two.example", Text: "As I said: " + texts[0]}, {ID: "other", Sender: "c@three.example", Text: texts[1]},
	})
	answer := "Thank you!\n> " + texts[0]
	if found := m.ask(answer, "parent", 40); len(found) != 0 {
		t.Errorf("a quotation of the message answered: %d sources, want none, first %+v", len(found), found[0].Source.ID)
	}
	if found := m.ask(answer, "", 40); len(found) != 2 {
		t.Errorf("the same text in a new message: %d sources, want 2", len(found))
	}
	if found := m.ask(answer+"\n"+texts[1][:200], "parent", 40); len(found) != 1 || found[0].Source.ID != "other" {
		t.Errorf("a quotation and another passage: %+v, want the other message", found)
	}
}

// TestCommonText: what more than two domains say, or what the user wrote first, counts for confidential sources only.
func TestCommonText(t *testing.T) {
	q := fingerprint.NewQuery(ownTexts()[1])
	hashed := q.Hash(fingerprint.TextKey{})
	matches := func(domains int) []fingerprint.Match {
		var out []fingerprint.Match
		for _, p := range fingerprint.NewIndex(ownTexts()[1], fingerprint.TextKey{}).Prints {
			g, _ := hashed.Find(p.Hash)
			out = append(out, fingerprint.Match{Hit: fingerprint.Hit{Gram: g, Pos: p.Pos}, Domains: domains})
		}
		return out
	}
	tests := []struct {
		name    string
		sources []fingerprint.Source
		want    int
	}{
		{"two domains", []fingerprint.Source{{ID: "a", Matches: matches(2)}}, 1},
		{"three domains", []fingerprint.Source{{ID: "a", Matches: matches(3)}}, 0},
		{"three domains, confidential", []fingerprint.Source{{ID: "a", Strict: true, Matches: matches(3)}}, 1},
		{"the user wrote it before", []fingerprint.Source{{ID: "own", Own: true, When: 1, Matches: matches(1)}, {ID: "a", When: 2, Matches: matches(1)}}, 0},
		{"the user quoted it later", []fingerprint.Source{{ID: "own", Own: true, When: 3, Matches: matches(1)}, {ID: "a", When: 2, Matches: matches(1)}}, 1},
		{"the user wrote it before, confidential", []fingerprint.Source{{ID: "own", Own: true, When: 1, Matches: matches(1)}, {ID: "a", Strict: true, When: 2, Matches: matches(1)}}, 1},
	}
	for _, tt := range tests {
		if got := len(q.Sources(tt.sources, "", 80)); got != tt.want {
			t.Errorf("%s: %d sources, want %d", tt.name, got, tt.want)
		}
	}
}
