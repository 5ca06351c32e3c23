package fingerprint_test

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html"
	"math/rand/v2"
	"mime/quotedprintable"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"mailgap/shared/fingerprint"
)

// transformation is a way in which a passage is changed before it leaves.
type transformation struct {
	name  string
	apply func(*rand.Rand, string) string
}

func transformations() []transformation {
	plain := func(f func(string) string) func(*rand.Rand, string) string {
		return func(_ *rand.Rand, s string) string { return f(s) }
	}
	return []transformation{
		{"as is", plain(func(s string) string { return s })},
		{"re-wrapped and quoted", plain(rewrap)},
		{"upper case", plain(strings.ToUpper)},
		{"spaced letters", plain(func(s string) string { return strings.Join(strings.Split(s, ""), " ") })},
		{"zero width between letters", plain(func(s string) string { return strings.Join(strings.Split(s, ""), "\u200b") })},
		{"full width", plain(fullWidth)},
		{"half in look-alike letters", homoglyphs},
		{"look-alike digits", plain(strings.NewReplacer("o", "0", "i", "1", "l", "1", "e", "3", "a", "@", "s", "$", "t", "7").Replace)},
		{"HTML references", plain(references)},
		{"percent", plain(func(s string) string { return strings.ReplaceAll(url.QueryEscape(s), "+", "%20") })},
		{"quoted-printable", plain(quotedPrintable)},
		{"base64, wrapped", plain(func(s string) string { return wrap(base64.StdEncoding.EncodeToString([]byte(s)), 64) })},
		{"base64, for URLs", plain(func(s string) string { return base64.RawURLEncoding.EncodeToString([]byte(s)) })},
		{"base64 twice", plain(func(s string) string {
			return base64.StdEncoding.EncodeToString([]byte(base64.StdEncoding.EncodeToString([]byte(s))))
		})},
		{"hex", plain(func(s string) string { return hex.EncodeToString([]byte(s)) })},
		{"rot13", plain(rot13)},
		{"rot13 in base64", plain(func(s string) string { return base64.StdEncoding.EncodeToString([]byte(rot13(s))) })},
		{"reversed", plain(reverse)},
		{"words reversed", plain(func(s string) string {
			words := strings.Fields(s)
			for i, w := range words {
				words[i] = reverse(w)
			}
			return strings.Join(words, " ")
		})},
		{"one word in twelve changed", func(r *rand.Rand, s string) string { return changed(r, s, 12) }},
		{"one word in eight changed", func(r *rand.Rand, s string) string { return changed(r, s, 8) }},
	}
}

func rewrap(s string) string {
	var b strings.Builder
	n := 0
	for w := range strings.FieldsSeq(s) {
		if n == 0 || n+len(w) > 30 {
			b.WriteString("\n> ")
			n = 0
		}
		b.WriteString(w + " ")
		n += len(w) + 1
	}
	return b.String()
}

func wrap(s string, n int) string {
	var b strings.Builder
	for len(s) > n {
		b.WriteString(s[:n] + "\r\n")
		s = s[n:]
	}
	return b.String() + s
}

func fullWidth(s string) string {
	return strings.Map(func(r rune) rune {
		if r > ' ' && r < 0x7f {
			return r + 0xfee0
		}
		return r
	}, s)
}

func homoglyphs(r *rand.Rand, s string) string {
	like := map[rune]rune{'a': 'а', 'c': 'с', 'e': 'е', 'i': 'і', 'o': 'о', 'p': 'р', 's': 'ѕ', 'x': 'х', 'y': 'у', 'h': 'һ', 'n': 'ո', 'u': 'υ', 't': 'т', 'd': 'ԁ'}
	return strings.Map(func(c rune) rune {
		if l, ok := like[c]; ok && r.IntN(2) == 0 {
			return l
		}
		return c
	}, s)
}

func references(s string) string {
	var b strings.Builder
	for _, r := range s {
		fmt.Fprintf(&b, "&#%d;", r)
	}
	if html.UnescapeString(b.String()) != s {
		return html.EscapeString(s)
	}
	return b.String()
}

func quotedPrintable(s string) string {
	var b strings.Builder
	w := quotedprintable.NewWriter(&b)
	if _, err := w.Write([]byte(s)); err != nil {
		return s
	}
	if err := w.Close(); err != nil {
		return s
	}
	return strings.ReplaceAll(b.String(), "a", "=61")
}

func rot13(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z':
			return 'a' + (r-'a'+13)%26
		case r >= 'A' && r <= 'Z':
			return 'A' + (r-'A'+13)%26
		}
		return r
	}, s)
}

func reverse(s string) string {
	r := []rune(s)
	for i, j := 0, len(r)-1; i < j; i, j = i+1, j-1 {
		r[i], r[j] = r[j], r[i]
	}
	return string(r)
}

// changed replaces about one word in n by another.
func changed(r *rand.Rand, s string, n int) string {
	words := strings.Fields(s)
	for i := r.IntN(n); i < len(words); i += n {
		words[i] = "altered"
	}
	return strings.Join(words, " ")
}

// mail is one text of the set.
type mail struct {
	ID, Kind, Sender, Source, Subject, Text string
}

// template reports the synthetic mails that many senders write from the same sentences.
func (m mail) template() bool { return strings.Contains(m.ID, "workbench") }

// domain is the sender's. The notices of payments have lost their sender and are all of one bank.
func (m mail) domain() string {
	_, d, _ := strings.Cut(strings.Trim(m.Sender, "<> "), "@")
	switch {
	case d != "":
		return d
	case strings.HasPrefix(m.ID, "bipia"), strings.HasPrefix(m.ID, "derived"):
		return "mercury.com"
	}
	return m.ID + ".example"
}

// benign reads ordinary mails, and adds texts of our own.
func benign(t testing.TB) []mail {
	t.Helper()
	shared := os.Getenv("MAILGAP_SHARED")
	if shared == "" {
		shared = filepath.Join("..", "..", "..", "shared")
	}
	raw, err := os.ReadFile(filepath.Join(shared, "attacks", "benign.json"))
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatalf("the ordinary mails are missing: %v", err)
		}
		t.Skipf("the ordinary mails are not here (MAILGAP_SHARED): %v", err)
	}
	var out []mail
	if err := json.Unmarshal(raw, &out); err != nil {
		t.Fatal(err)
	}
	for i, text := range ownTexts() {
		out = append(out, mail{ID: fmt.Sprintf("own-%d", i), Kind: "inbound", Sender: fmt.Sprintf("a@own%d.example", i), Text: text})
	}
	return out
}

// memory is a ledger in memory, for one key.
type memory struct {
	key    fingerprint.TextKey
	mails  []mail
	prints map[uint64][]kept
}

// kept is one fingerprint of a mail.
type kept struct {
	mail int
	pos  uint32
}

func newMemory(mails []mail) *memory {
	m := &memory{key: fingerprint.TextKey{1, 2, 3}, mails: mails, prints: map[uint64][]kept{}}
	for i, x := range mails {
		for _, p := range fingerprint.NewIndex(x.Text, m.key).Prints {
			m.prints[p.Hash] = append(m.prints[p.Hash], kept{i, p.Pos})
		}
	}
	return m
}

// ask finds what covers at least least octets of text.
func (m *memory) ask(text string, except string, least int) []fingerprint.Found {
	q := fingerprint.NewQuery(text)
	found := map[int]*fingerprint.Source{}
	for g, hash := range q.Hash(m.key).Hashes {
		domains := map[string]bool{}
		for _, k := range m.prints[hash] {
			domains[m.mails[k.mail].domain()] = true
		}
		for _, k := range m.prints[hash] {
			if found[k.mail] == nil {
				found[k.mail] = &fingerprint.Source{ID: m.mails[k.mail].ID, When: int64(k.mail)}
			}
			hit := fingerprint.Hit{Gram: fingerprint.Gram(g), Pos: k.pos}
			found[k.mail].Matches = append(found[k.mail].Matches, fingerprint.Match{Hit: hit, Domains: len(domains)})
		}
	}
	var sources []fingerprint.Source
	for _, s := range found {
		sources = append(sources, *s)
	}
	return q.Sources(sources, except, least)
}

const cover = "Hello Kim,\n\nas promised on the phone, here is the part that you asked for:\n\n%s\n\nSee you on Thursday, and bring the folder.\nSam\n"

// TestCopiedPassages measures which copied passages are found.
func TestCopiedPassages(t *testing.T) {
	mails := benign(t)
	ledger := newMemory(mails)
	lengths := []int{60, 80, 120, 200, 400}
	t.Logf("found with 80 octets and more, in per cent of passages of so many characters: %v", lengths)
	named, total := 0, 0
	for _, tr := range transformations() {
		row := ""
		for _, n := range lengths {
			r := rand.New(rand.NewPCG(uint64(n), 7))
			tried, found, forty := 0, 0, 0
			for _, x := range mails {
				if x.template() || x.Kind != "inbound" {
					continue
				}
				for range 2 {
					piece, ok := cut(r, x.Text, n)
					if !ok {
						break
					}
					tried++
					all := ledger.ask(fmt.Sprintf(cover, tr.apply(r, piece)), "", 40)
					if len(all) == 0 {
						continue
					}
					forty++
					if all[0].Octets < 80 {
						continue
					}
					found++
					total++
					if slices.ContainsFunc(all, func(f fingerprint.Found) bool { return f.Octets == all[0].Octets && f.Source.ID == x.ID }) {
						named++
					}
				}
			}
			if tried < 20 {
				t.Fatalf("%s, %d characters: only %d passages", tr.name, n, tried)
			}
			row += fmt.Sprintf("  %4.0f (%3.0f)", 100*float64(found)/float64(tried), 100*float64(forty)/float64(tried))
			if least := wanted(tr.name, n); float64(found) < least*float64(tried) {
				t.Errorf("%s, %d characters: %d of %d found, want %.0f %%", tr.name, n, found, tried, 100*least)
			}
		}
		t.Logf("%-28s%s", tr.name, row)
	}
	t.Logf("right source named first: %d of %d", named, total)
	if float64(named) < 0.95*float64(total) {
		t.Errorf("right source named %d times of %d, want 95 %%", named, total)
	}
}

// wanted is the share that has to be found.
func wanted(name string, n int) float64 {
	switch {
	case strings.HasPrefix(name, "one word"):
		if n >= 200 {
			return 0.90
		}
		return 0
	case n >= 200:
		return 0.99
	case n >= 120:
		return 0.90
	}
	return 0
}

// cut takes a piece of n characters.
func cut(r *rand.Rand, text string, n int) (string, bool) {
	runes := []rune(strings.Join(strings.Fields(text), " "))
	if len(runes) < n || utf8.RuneCountInString(fingerprint.Normalise(string(runes))) < n/2 {
		return "", false
	}
	start := r.IntN(len(runes) - n + 1)
	return string(runes[start : start+n]), true
}

// TestUnrelatedTexts: no mail reaches the line against what others wrote.
func TestUnrelatedTexts(t *testing.T) {
	mails := benign(t)
	ledger := newMemory(mails)
	over, byID := map[int]int{}, map[string]mail{}
	for _, x := range mails {
		byID[x.ID] = x
	}
	for _, x := range mails {
		for _, f := range ledger.ask(x.Text, "", 40) {
			y := byID[f.Source.ID]
			if y.domain() == x.domain() || y.Text == x.Text || related(x, y) {
				continue
			}
			for _, n := range []int{40, 60, 80} {
				if f.Octets >= n {
					over[n]++
				}
			}
			if f.Octets >= 80 {
				p, _ := f.Passage(200)
				t.Errorf("%s has %d octets of %s: %q", x.ID, f.Octets, y.ID, p)
			}
		}
	}
	t.Logf("%d texts against the mails of other senders: %d pairs with 40 octets and more, %d with 60, %d with 80", len(mails), over[40], over[60], over[80])
}

// related: answers quote what they answer.
func related(x, y mail) bool {
	return x.Kind != "inbound" || y.Kind != "inbound"
}
