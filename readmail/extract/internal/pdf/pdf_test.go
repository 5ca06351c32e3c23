package pdf

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"mailgap/readmail/extract/internal/document"
	"mailgap/readmail/extract/internal/fixture"
)

// cacheEnv names the directory that the tests of one run share, so that PDFium is compiled once.
const cacheEnv = "EXTRACT_TEST_PDF_CACHE"

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "mailgap-pdf-test-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	if err := os.Setenv(cacheEnv, dir); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

func openEngine(t testing.TB, memory int64) *Engine {
	t.Helper()
	if raceEnabled { // nothing here runs concurrently; package extract's tests run it in a child without the detector
		t.Skip("compiling PDFium takes minutes under the race detector")
	}
	e, err := Open(t.Context(), Config{MaxMemoryOctets: memory, CacheDir: os.Getenv(cacheEnv)})
	if err != nil {
		t.Fatalf("Open: %v", err)
	}
	t.Cleanup(func() { _ = e.Close() }) // broken on purpose by some tests
	return e
}

func testLimits() document.Limits {
	return document.Limits{MaxTextOctets: 100 << 10, MaxPages: 10, FirstPage: 1}
}

func TestRead(t *testing.T) {
	e := openEngine(t, 256<<20)
	many := make([]string, 25)
	for i := range many {
		many[i] = fmt.Sprintf("text %d", i+1)
	}
	for _, c := range []struct {
		name   string
		data   []byte
		limits document.Limits
		want   []string
		not    string
		note   string
		last   int
		cut    bool
	}{
		{"two pages with title", fixture.TextPDF("The title", "one\ntwo", "three"), testLimits(), []string{"--- page 1 of 2 ---\none\ntwo\n\n--- page 2 of 2 ---\nthree\n"}, "", "", 2, false},
		{"page limit", fixture.TextPDF("The title", many...), testLimits(), []string{"text 10"}, "text 11", "ask for first page 11", 10, true},
		{"first page", fixture.TextPDF("The title", many...), document.Limits{MaxTextOctets: 1000, MaxPages: 10, FirstPage: 20}, []string{"--- page 20 of 25 ---\ntext 20", "text 25"}, "text 19", "", 25, false},
		{"first page after the last", fixture.TextPDF("The title", "one"), document.Limits{MaxTextOctets: 1000, MaxPages: 10, FirstPage: 7}, nil, "one", "has 1 pages only", 6, false},
		{"text limit", fixture.TextPDF("The title", strings.Repeat("x", 5000)), document.Limits{MaxTextOctets: 100, MaxPages: 10, FirstPage: 1}, []string{"xxx"}, "", "over the limit", 1, true},
		{"no text layer", fixture.ContentPDF("The title", "0 0 100 100 re f"), testLimits(), nil, "", "no text layer", 1, false},
		{"octets before the header", append([]byte("\r\n junk \r\n"), fixture.TextPDF("The title", "one")...), testLimits(), []string{"one"}, "", "", 1, false},
		{"octets missing at the end", fixture.TextPDF("The title", "one")[:800], testLimits(), []string{"one"}, "", "", 1, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			d, err := e.Read(c.data, c.limits)
			if err != nil {
				t.Fatalf("Read: %v", err)
			}
			for _, want := range c.want {
				if !strings.Contains(d.Text, want) {
					t.Errorf("got %q, want %q in it", d.Text, want)
				}
			}
			if c.not != "" && strings.Contains(d.Text, c.not) {
				t.Errorf("got %q, want no %q in it", d.Text, c.not)
			}
			if notes := strings.Join(d.Notes, "\n"); !strings.Contains(notes, c.note) || c.note == "" && notes != "" {
				t.Errorf("got notes %q, want %q", notes, c.note)
			}
			if d.LastPage != c.last || d.Truncated != c.cut || len(d.Text) > c.limits.MaxTextOctets {
				t.Errorf("got last page %d, truncated %v, %d octets; want %d, %v, at most %d", d.LastPage, d.Truncated, len(d.Text), c.last, c.cut, c.limits.MaxTextOctets)
			}
		})
	}
	if d, _ := e.Read(fixture.TextPDF("The title", "x"), testLimits()); d.Title != "The title" {
		t.Errorf("got title %q, want %q", d.Title, "The title")
	}
}

// encrypted is a file whose password check cannot succeed with the empty password (ISO 32000-1 §7.6.3).
func encrypted() []byte {
	p := &fixture.PDF{Trailer: "/Encrypt 4 0 R /ID [<00112233445566778899AABBCCDDEEFF> <00112233445566778899AABBCCDDEEFF>]"}
	p.Add("<< /Type /Catalog /Pages 2 0 R >>")
	p.Add("<< /Type /Pages /Kids [3 0 R] /Count 1 >>")
	p.Add("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 10 10] >>")
	p.Add("<< /Filter /Standard /V 2 /R 3 /Length 128 /P -44 /O <" + strings.Repeat("AB", 32) + "> /U <" + strings.Repeat("CD", 32) + "> >>")
	return p.Bytes()
}

// pageTree is a tree of pages nested n deep with one page at its end.
func pageTree(n int) []byte {
	p := &fixture.PDF{}
	p.Add("<< /Type /Catalog /Pages 2 0 R >>")
	for i := range n {
		p.Add(fmt.Sprintf("<< /Type /Pages /Kids [%d 0 R] /Count 1 >>", i+3))
	}
	p.Add("<< /Type /Page /MediaBox [0 0 10 10] >>")
	return p.Bytes()
}

func TestRefusals(t *testing.T) {
	e := openEngine(t, 256<<20)
	loop := &fixture.PDF{}
	loop.Add("<< /Type /Catalog /Pages 2 0 R >>")
	loop.Add("<< /Type /Pages /Kids [2 0 R 2 0 R] /Count 1000000 >>")
	for _, c := range []struct {
		name string
		data []byte
		want error
	}{
		{"encrypted", encrypted(), document.ErrEncrypted},
		{"nothing", nil, document.ErrDamaged},
		{"header only", []byte("%PDF-1.7\n"), document.ErrDamaged},
		{"text", []byte("%PDF-1.7\nthis is not one"), document.ErrDamaged},
		{"pages that hold themselves", loop.Bytes(), document.ErrDamaged},
	} {
		t.Run(c.name, func(t *testing.T) {
			if d, err := e.Read(c.data, testLimits()); !errors.Is(err, c.want) {
				t.Errorf("got %+v, %v; want %v", d, err, c.want)
			}
		})
	}
}

// TestHostileShapes must end, with whatever known outcome, and leave an engine that still reads.
func TestHostileShapes(t *testing.T) {
	many := &fixture.PDF{}
	many.Add("<< /Type /Catalog /Pages 2 0 R >>")
	many.Add("<< /Type /Pages /Kids [3 0 R] /Count 2147483647 >>")
	many.Add("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 10 10] >>")
	for range 50_000 {
		many.Add("<< >>")
	}
	for name, data := range map[string][]byte{
		"deep page tree":  pageTree(20_000),
		"many objects":    many.Bytes(),
		"deep arrays":     fixture.ContentPDF("t", strings.Repeat("[", 100_000)),
		"deep states":     fixture.ContentPDF("t", strings.Repeat("q ", 200_000)),
		"huge numbers":    fixture.ContentPDF("t", "BT /F1 1e38 Tf 1e38 -1e38 Td (x) Tj ET"),
		"deep dictionary": []byte("%PDF-1.4\n1 0 obj\n" + strings.Repeat("<< /A ", 100_000)),
	} {
		t.Run(name, func(t *testing.T) {
			e := openEngine(t, 256<<20)
			if _, err := e.Read(data, testLimits()); err != nil && !errors.Is(err, document.ErrDamaged) {
				t.Errorf("got %v, want none or ErrDamaged", err)
			}
		})
	}
}

// TestMutations reads 200 damaged copies: each gives text or a known error.
func TestMutations(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	good := fixture.TextPDF("t", "one\ntwo", "three", "four")
	e := openEngine(t, 256<<20)
	read, refused := 0, 0
	for range 200 {
		bad := append([]byte(nil), good...)
		for range 1 + rng.IntN(20) {
			bad[rng.IntN(len(bad))] = byte(rng.Uint32())
		}
		d, err := e.Read(bad[:len(bad)-rng.IntN(len(bad)/4)], testLimits())
		switch {
		case err == nil && len(d.Text) <= testLimits().MaxTextOctets:
			read++
		case errors.Is(err, document.ErrDamaged) || errors.Is(err, document.ErrEncrypted):
			refused++
		default:
			t.Errorf("got %d octets, %v; want a known outcome", len(d.Text), err)
		}
	}
	if read == 0 || refused == 0 {
		t.Errorf("got %d read and %d refused, want some of both", read, refused)
	}
}

func TestMemoryOfTheInstanceIsBounded(t *testing.T) {
	e := openEngine(t, 32<<20)
	if _, err := e.Read(append(fixture.TextPDF("t", "x"), make([]byte, 64<<20)...), testLimits()); !errors.Is(err, document.ErrMemory) {
		t.Errorf("got %v for a file larger than the instance's memory, want ErrMemory", err)
	}
}

func TestHidden(t *testing.T) {
	e := openEngine(t, 256<<20)
	visible := "BT /F1 12 Tf 50 700 Td (seen) Tj ET\n"
	for _, c := range []struct {
		name, content, want string
		hidden              int
		note                string
	}{
		{"nothing hidden", visible, "seen", 0, ""},
		{"invisible", visible + "BT 3 Tr /F1 12 Tf 50 600 Td (secret) Tj ET", "seen [hidden in the document] secret [end of hidden text]", 1, "1 passages drawn invisibly"},
		{"white", visible + "1 1 1 rg BT /F1 12 Tf 50 600 Td (secret) Tj ET", "seen [hidden in the document] secret [end of hidden text]", 1, "white on white"},
		{"white on a dark box", visible + "0 0 0.5 rg 40 590 200 30 re f 1 1 1 rg BT /F1 12 Tf 50 600 Td (title) Tj ET", "seen title", 0, ""},
		{"white on a white box", visible + "1 1 1 rg 40 590 200 30 re f BT /F1 12 Tf 50 600 Td (secret) Tj ET", "seen [hidden in the document] secret [end of hidden text]", 1, "white on white"},
		{"tiny", visible + "BT /F1 1 Tf 50 600 Td (secret) Tj ET", "seen [hidden in the document] secret [end of hidden text]", 1, "too small"},
		{"scaled to a readable size", "BT /F1 1 Tf 12 0 0 12 50 600 Tm (seen) Tj ET", "seen", 0, ""},
		{"outside", visible + "BT /F1 12 Tf 50 -600 Td (secret) Tj ET", "seen [hidden in the document] secret [end of hidden text]", 1, "outside of the page"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d, err := e.Read(fixture.ContentPDF("t", c.content), testLimits())
			if err != nil {
				t.Fatalf("Read: %v", err)
			}
			got := strings.Join(strings.Fields(strings.TrimPrefix(d.Text, "--- page 1 of 1 ---\n")), " ")
			if got != c.want || d.Hidden != c.hidden || !strings.Contains(strings.Join(d.Notes, "\n"), c.note) {
				t.Errorf("got %q, %d hidden, notes %q; want %q, %d, %q", got, d.Hidden, d.Notes, c.want, c.hidden, c.note)
			}
		})
	}
}

func BenchmarkRead20Pages(b *testing.B) {
	pages := make([]string, 20)
	for i := range pages {
		pages[i] = strings.Repeat("This is a line of text on a page of a report.\n", 50)
	}
	data := fixture.TextPDF("t", pages...)
	e := openEngine(b, 256<<20)
	for b.Loop() {
		if _, err := e.Read(data, document.Limits{MaxTextOctets: 1 << 20, MaxPages: 100, FirstPage: 1}); err != nil {
			b.Fatal(err)
		}
	}
}
