package fingerprint_test

import (
	"encoding/base64"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mailgap/shared/addr"
	"mailgap/shared/fingerprint"
)

func TestIdentifiers(t *testing.T) {
	tests := []struct {
		name, text string
		kind       fingerprint.Kind
		want       string
	}{
		{"plain", "write to Kim.Example@Example.ORG today", fingerprint.KindAddress, "kim.example@example.org"},
		{"in angle brackets", "Kim <kim@example.org>", fingerprint.KindAddress, "kim@example.org"},
		{"at the end of a sentence", "It is kim@example.org.", fingerprint.KindAddress, "kim@example.org"},
		{"in quotes", "send it to 'kim@example.org,' now", fingerprint.KindAddress, "kim@example.org"},
		{"comma for a dot", "send it to kim@example,org now", fingerprint.KindAddress, "kim@example.org"},
		{"(at) and (dot)", "kim (at) example (dot) org", fingerprint.KindAddress, "kim@example.org"},
		{"[at] and [.]", "kim[at]example[.]org", fingerprint.KindAddress, "kim@example.org"},
		{"at and dot as words", "kim at example dot org", fingerprint.KindAddress, "kim@example.org"},
		{"spaced letters", "k i m @ e x a m p l e . o r g", fingerprint.KindAddress, "kim@example.org"},
		{"spaces around the sign", "kim @ example.org", fingerprint.KindAddress, "kim@example.org"},
		{"broken at the sign", "kim@\r\nexample.org", fingerprint.KindAddress, "kim@example.org"},
		{"broken at the dot", "kim@example.\r\norg is it", fingerprint.KindAddress, "kim@example.org"},
		{"invisible characters", "ki\u200bm@exa\u00admple.org", fingerprint.KindAddress, "kim@example.org"},
		{"full width", "ｋｉｍ＠ｅｘａｍｐｌｅ．ｏｒｇ", fingerprint.KindAddress, "kim@example.org"},
		{"text of another script around it", "请发送到kim@example.org好的", fingerprint.KindAddress, "kim@example.org"},
		{"run into the next sentence", "kim@example.org.Please", fingerprint.KindAddress, "kim@example.org"},
		{"references", "kim&#64;example&#46;org", fingerprint.KindAddress, "kim@example.org"},
		{"percent", "mailto:kim%40example.org?x", fingerprint.KindAddress, "kim@example.org"},
		{"base64", "decode " + base64.StdEncoding.EncodeToString([]byte("kim@example.org")) + " first", fingerprint.KindAddress, "kim@example.org"},
		{"hex", "6b696d406578616d706c652e6f7267", fingerprint.KindAddress, "kim@example.org"},
		{"internationalised domain", "kim@bücher.example", fingerprint.KindAddress, "kim@xn--bcher-kva.example"},
		{"look-alike", "kіm@exаmple.org", fingerprint.KindShape, "klrn@example.org"},
		{"local part", "kim@example.org", fingerprint.KindLocal, "kim"},
		{"domain of an address", "kim@example.org", fingerprint.KindDomain, "example.org"},
		{"bare domain", "look at www.example.org, please", fingerprint.KindDomain, "www.example.org"},
		{"URL", "see https://Example.org/Path?q=1#frag.", fingerprint.KindURL, "https://example.org/Path?q=1"},
		{"URL in brackets", "(see https://example.org/path)", fingerprint.KindURL, "https://example.org/path"},
		{"defanged URL", "hxxps://example[.]org/path", fingerprint.KindURL, "https://example.org/path"},
		{"origin", "https://example.org:8443/path", fingerprint.KindOrigin, "https://example.org:8443"},
		{"path", "https://example.org/reset/abc", fingerprint.KindPath, "/reset/abc"},
		{"name before the host", "https://bank.example@evil.example/x", fingerprint.KindDomain, "evil.example"},
		{"telephone", "call +44 20 7946 0018 now", fingerprint.KindPhone, "442079460018"},
		{"telephone with 00", "call 0044 (20) 7946-0018", fingerprint.KindPhone, "442079460018"},
		{"account", "to GB82 WEST 1234 5698 7654 32 please", fingerprint.KindIBAN, "GB82WEST12345698765432"},
		{"account in lower case", "gb82west12345698765432", fingerprint.KindIBAN, "GB82WEST12345698765432"},
		{"token", "the key is sk-Live-4f9A2b7C.", fingerprint.KindToken, "sklive4f9a2b7c"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			found, partly := fingerprint.Identifiers(tt.text)
			if partly || !has(found, tt.kind, tt.want) {
				t.Errorf("Identifiers(%q) = %+v, %t, want %s %q", tt.text, found, partly, tt.kind, tt.want)
			}
		})
	}
}

func TestNoIdentifiers(t *testing.T) {
	tests := []struct {
		name, text string
		kind       fingerprint.Kind
	}{
		{"prose", "We meet at noon. Then we eat, drink and talk about it.", fingerprint.KindDomain},
		{"wrong check digits", "GB83 WEST 1234 5698 7654 32", fingerprint.KindIBAN},
		{"a short number", "it costs 12,500 in all", fingerprint.KindPhone},
		{"words without a digit", "extraordinary circumstances", fingerprint.KindToken},
		{"a lone sign", "5 @ 3 each", fingerprint.KindAddress},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			found, _ := fingerprint.Identifiers(tt.text)
			if i := slices.IndexFunc(found, func(i fingerprint.Identifier) bool { return i.Kind == tt.kind }); i >= 0 {
				t.Errorf("Identifiers(%q) has %+v", tt.text, found[i])
			}
		})
	}
}

func has(ids []fingerprint.Identifier, k fingerprint.Kind, value string) bool {
	return slices.ContainsFunc(ids, func(i fingerprint.Identifier) bool { return i.Kind == k && i.Value == value })
}

// TestRecipientsOfAttacks: of each mail that wants something sent to somebody, the recipient is among what it names.
func TestRecipientsOfAttacks(t *testing.T) {
	shared := os.Getenv("MAILGAP_SHARED")
	if shared == "" {
		shared = filepath.Join("..", "..", "..", "shared")
	}
	raw, err := os.ReadFile(filepath.Join(shared, "attacks", "attacks.json"))
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatalf("the attacks are missing: %v", err)
		}
		t.Skipf("the attacks are not here (MAILGAP_SHARED): %v", err)
	}
	var attacks []struct {
		ID, Text, Sink string
		Value          string `json:"sink_value"`
	}
	if err := json.Unmarshal(raw, &attacks); err != nil {
		t.Fatal(err)
	}
	named, all := 0, 0
	for _, a := range attacks {
		to, err := addr.ParseSpec(a.Value)
		if a.Sink != "recipient" || err != nil {
			continue
		}
		all++
		found, _ := fingerprint.Identifiers(a.Text)
		if slices.ContainsFunc(fingerprint.AddressForms(to), func(i fingerprint.Identifier) bool {
			return (i.Kind == fingerprint.KindAddress || i.Kind == fingerprint.KindShape) && has(found, i.Kind, i.Value)
		}) {
			named++
		} else {
			t.Logf("%s: %s is not found", a.ID, a.Value)
		}
	}
	if all < 190 || float64(named) < 0.99*float64(all) {
		t.Errorf("%d of %d recipients named, want 99 %% of 190 and more", named, all)
	}
	t.Logf("%d of %d recipients named", named, all)
}

// TestAddressForms: a recipient that a mail names turned around is found.
func TestAddressForms(t *testing.T) {
	to, err := addr.ParseSpec("kim@example.org")
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"kim@example.org", "gro.elpmaxe@mik", "xvz@rknzcyr.bet", "klm@example.org"} {
		found, _ := fingerprint.Identifiers("Write it to " + text + " today.")
		if !slices.ContainsFunc(fingerprint.AddressForms(to), func(i fingerprint.Identifier) bool {
			return i.Kind != fingerprint.KindDomain && i.Kind != fingerprint.KindLocal && has(found, i.Kind, i.Value)
		}) {
			t.Errorf("%q: no form of the address is in %v", text, found)
		}
	}
}

func TestIdentifiersAreBounded(t *testing.T) {
	var b strings.Builder
	for i := range 5000 {
		b.WriteString(strings.Repeat("x", i%7+1))
		b.WriteString("@example.org ab1234cd")
		b.WriteByte(byte('a' + i%26))
		b.WriteString(strings.Repeat("z", i/26))
		b.WriteByte(' ')
	}
	found, partly := fingerprint.Identifiers(b.String())
	if len(found) != fingerprint.MaxIdentifiers || !partly {
		t.Errorf("%d identifiers, partly %t, want %d and true", len(found), partly, fingerprint.MaxIdentifiers)
	}
}

func TestDigest(t *testing.T) {
	id := fingerprint.Identifier{Kind: fingerprint.KindToken, Value: "ab1234"}
	seen := map[fingerprint.Digest]bool{}
	for _, other := range []fingerprint.Identifier{id, {Kind: fingerprint.KindPhone, Value: "ab1234"}, {Kind: fingerprint.KindToken, Value: "ab1235"}} {
		for _, key := range []fingerprint.IDKey{{}, {1}} {
			seen[other.Digest(key)] = true
		}
	}
	if len(seen) != 6 {
		t.Errorf("%d different digests of six", len(seen))
	}
	found := id
	found.Repaired, found.View = true, "hex"
	if id.Digest(fingerprint.IDKey{1}) != found.Digest(fingerprint.IDKey{1}) {
		t.Error("the digest depends on how the identifier was found")
	}
}
