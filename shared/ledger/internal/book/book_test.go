package book

import (
	"bytes"
	"crypto/rand"
	"errors"
	"reflect"
	"slices"
	"testing"

	"mailgap/shared/fingerprint"
	"mailgap/shared/ledger"
)

func testKeys(t testing.TB, fill byte) *Keys {
	t.Helper()
	k, err := NewKeys(bytes.Repeat([]byte{fill}, MasterOctets), bytes.Repeat([]byte{9}, IDOctets))
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func testEpoch(t testing.TB, k *Keys, n int64) (*Epoch, []byte) {
	t.Helper()
	e, wrapped, err := k.NewEpoch(n, rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return e, wrapped
}

// A wrapped key opens for its week and its book alone.
func TestEpochKeys(t *testing.T) {
	k := testKeys(t, 1)
	e, wrapped := testEpoch(t, k, 7)
	again, err := k.OpenEpoch(7, wrapped)
	if err != nil || again.Text != e.Text || again.ID != e.ID || again.About("x") != e.About("x") || !again.Wraps(wrapped) {
		t.Errorf("OpenEpoch = %v, want the same keys", err)
	}
	other, _ := testEpoch(t, k, 7)
	if other.Text == e.Text || other.About("x") == e.About("x") || e.About("x") == e.MessageID("x") || e.MessageID("") != 0 || e.About("") == 0 {
		t.Error("names of different weeks, kinds or messages are the same")
	}
	for name, f := range map[string]func() (*Epoch, error){
		"other week": func() (*Epoch, error) { return k.OpenEpoch(8, wrapped) },
		"other key":  func() (*Epoch, error) { return testKeys(t, 2).OpenEpoch(7, wrapped) },
		"cut":        func() (*Epoch, error) { return k.OpenEpoch(7, wrapped[:20]) },
		"empty":      func() (*Epoch, error) { return k.OpenEpoch(7, nil) },
	} {
		if e, err := f(); !errors.Is(err, ledger.ErrCorrupt) {
			t.Errorf("%s: %v, %v; want ErrCorrupt", name, e, err)
		}
	}
	if _, err := NewKeys([]byte("short"), k.ID); !errors.Is(err, ledger.ErrKey) {
		t.Errorf("NewKeys = %v, want ErrKey", err)
	}
}

func TestSealIsBoundToItsPlace(t *testing.T) {
	e, _ := testEpoch(t, testKeys(t, 1), 7)
	sealed, err := e.Seal(rand.Reader, []byte("plain"), FactsName(3))
	if err != nil {
		t.Fatal(err)
	}
	if plain, err := e.Open(sealed, FactsName(3)); err != nil || string(plain) != "plain" {
		t.Errorf("Open = %q, %v", plain, err)
	}
	for _, name := range [][]byte{FactsName(4), BodyName(3), nil} {
		if _, err := e.Open(sealed, name); !errors.Is(err, ledger.ErrCorrupt) {
			t.Errorf("Open as %q = %v, want ErrCorrupt", name, err)
		}
	}
	for i := range sealed {
		bad := bytes.Clone(sealed)
		bad[i] ^= 1
		if _, err := e.Open(bad, FactsName(3)); !errors.Is(err, ledger.ErrCorrupt) {
			t.Fatalf("octet %d altered: %v, want ErrCorrupt", i, err)
		}
	}
}

// A head is one of its book: any change of it is refused.
func TestHeadText(t *testing.T) {
	k := testKeys(t, 1)
	p := Position{Seq: 42, Mac: bytes.Repeat([]byte{5}, macOctets)}
	text := HeadText(k, p)
	if got, err := ParseHead(k, text); err != nil || got.Seq != 42 || !bytes.Equal(got.Mac, p.Mac) {
		t.Errorf("ParseHead = %v, %v", got, err)
	}
	for i := range text {
		bad := bytes.Clone(text)
		bad[i] ^= 1
		if got, err := ParseHead(k, bad); err == nil && got.Seq != 42 {
			t.Errorf("octet %d altered: %v", i, got)
		}
	}
	for _, bad := range [][]byte{nil, text[:30], append(bytes.Clone(text), '\n'), HeadText(testKeys(t, 2), p)} {
		if _, err := ParseHead(k, bad); !errors.Is(err, ErrBadHead) {
			t.Errorf("ParseHead(%q) = %v, want ErrBadHead", bad, err)
		}
	}
}

// Asked hashes come in the order of their upper halves, each with its number.
func TestAsk(t *testing.T) {
	var hashes []uint64
	for i := range uint64(5000) {
		hashes = append(hashes, (i*0x9e3779b97f4a7c15)^i<<60)
	}
	hashes = append(hashes, 0, 1<<64-1, 1<<32, 1<<32-1, 1<<43, 1<<54, hashes[7])
	asked := Ask(hashes)
	seen := map[int32]bool{}
	for i, a := range asked {
		if hashes[a.Index] != a.Hash || seen[a.Index] {
			t.Fatalf("hash %x is said to be number %d", a.Hash, a.Index)
		}
		seen[a.Index] = true
		if i > 0 && a.Hash>>32 < asked[i-1].Hash>>32 {
			t.Fatalf("%x comes after %x", a.Hash, asked[i-1].Hash)
		}
	}
	if len(asked) != len(hashes) {
		t.Errorf("%d of %d hashes are asked", len(asked), len(hashes))
	}
}

func TestSpans(t *testing.T) {
	for _, c := range []struct {
		name     string
		runs     []Span
		from, to int64
		want     []Span
	}{
		{"none", nil, 1, 5, []Span{{1, 5}}},
		{"all covered", []Span{{1, 3}, {4, 5}}, 1, 5, nil},
		{"hole", []Span{{1, 2}, {4, 5}}, 1, 9, []Span{{3, 3}, {6, 9}}},
		{"begins later", []Span{{3, 5}}, 1, 5, []Span{{1, 2}}},
		{"before the first", []Span{{1, 3}}, 5, 9, []Span{{5, 9}}},
		{"nothing", nil, 6, 5, nil},
	} {
		if got := Spans(c.runs, c.from, c.to); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

func FuzzBody(f *testing.F) {
	f.Add(EncodeBody(Body{Partly: true, Octets: 300, Sightings: []Sighting{{fingerprint.Digest{1, 2}, ledger.PlaceBody}}, Prints: []fingerprint.Print{{Hash: 1 << 63, Pos: 5}}}))
	f.Add([]byte{bodyVersion, 0, 0, 0, 0})
	f.Add([]byte{bodyVersion, 0, 0, 255, 255, 255, 255, 255, 255, 255, 255, 1})
	f.Fuzz(func(t *testing.T, in []byte) {
		b, err := DecodeBody(in)
		if err != nil {
			if !errors.Is(err, ledger.ErrCorrupt) {
				t.Errorf("error %v, want ErrCorrupt", err)
			}
			return
		}
		again, err := DecodeBody(EncodeBody(b))
		if err != nil || again.Octets != b.Octets || again.Partly != b.Partly || !reflect.DeepEqual(again.Sightings, b.Sightings) || len(again.Prints) != len(b.Prints) {
			t.Errorf("%+v became %+v, %v", b, again, err)
		}
	})
}

func FuzzNumbers(f *testing.F) {
	f.Add(Numbers([]int64{1, 2, 500, 1 << 40}))
	f.Add([]byte{0})
	f.Add([]byte{255, 255, 255, 255, 255, 255, 255, 255, 255, 1, 1})
	f.Fuzz(func(t *testing.T, in []byte) {
		seqs, err := ParseNumbers(in)
		if err != nil {
			return
		}
		for i, s := range seqs {
			if s <= 0 || i > 0 && s <= seqs[i-1] {
				t.Fatalf("%v does not ascend", seqs)
			}
		}
		if again, err := ParseNumbers(Numbers(seqs)); err != nil || !slices.Equal(again, seqs) {
			t.Errorf("%v became %v, %v", seqs, again, err)
		}
	})
}

func FuzzHead(f *testing.F) {
	k := testKeys(f, 1)
	f.Add(HeadText(k, Position{Seq: 7, Mac: bytes.Repeat([]byte{5}, macOctets)}))
	f.Add([]byte("00000000000000000007 x y z\n"))
	f.Fuzz(func(t *testing.T, in []byte) {
		if p, err := ParseHead(k, in); err == nil && !bytes.EqualFold(HeadText(k, p), in) {
			t.Errorf("%q was taken for %q", in, HeadText(k, p))
		}
	})
}
