package office

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"mailgap/readmail/extract/internal/document"
	"mailgap/readmail/extract/internal/fixture"
)

// rawZip packs one deflated part with any sizes claimed in directory and local header.
func rawZip(name string, content []byte, claimed uint32) []byte {
	var packed, b bytes.Buffer
	w, err := flate.NewWriter(&packed, 9)
	if err != nil {
		panic(err)
	}
	_, _ = w.Write(content)
	_ = w.Close()
	head := func(sig string, extra int) []byte {
		h := make([]byte, 30+extra)
		copy(h, sig)
		at := 4 + extra/8 // the directory has one field more before the common ones
		h = append([]byte(nil), h...)
		binary.LittleEndian.PutUint16(h[at:], 20)
		binary.LittleEndian.PutUint16(h[at+4:], 8)
		binary.LittleEndian.PutUint32(h[at+10:], crc32.ChecksumIEEE(content))
		binary.LittleEndian.PutUint32(h[at+14:], uint32(packed.Len()))
		binary.LittleEndian.PutUint32(h[at+18:], claimed)
		binary.LittleEndian.PutUint16(h[at+22:], uint16(len(name)))
		return append(h, name...)
	}
	b.Write(head("PK\x03\x04", 0))
	b.Write(packed.Bytes())
	start := b.Len()
	b.Write(head("PK\x01\x02", 16))
	end := make([]byte, 22)
	copy(end, "PK\x05\x06")
	binary.LittleEndian.PutUint16(end[8:], 1)
	binary.LittleEndian.PutUint16(end[10:], 1)
	binary.LittleEndian.PutUint32(end[12:], uint32(b.Len()-start))
	binary.LittleEndian.PutUint32(end[16:], uint32(start))
	b.Write(end)
	return b.Bytes()
}

func TestBombs(t *testing.T) {
	spaces := func(n int) string { return strings.Repeat(" ", n) }
	body := fixture.Word("document", "<w:body><w:p><w:r><w:t>x</w:t></w:r></w:p></w:body>")
	manyEntries := make([]fixture.Part, maxEntries+1)
	for i := range manyEntries {
		manyEntries[i] = fixture.P(strings.Repeat("a", i%7)+"/"+string(rune('a'+i%26)), "")
	}
	for _, c := range []struct {
		name, kind string
		data       []byte
		want       error
	}{
		{"one part with an absurd ratio", "docx", fixture.Zip(fixture.P("word/document.xml", body+spaces(60<<20))), document.ErrTooLarge},
		{"one part over its limit", "docx", rawZip("word/document.xml", []byte(body+spaces(maxPartOctets)), uint32(len(body)+maxPartOctets)), document.ErrTooLarge},
		{"many entries", "docx", fixture.Zip(manyEntries...), document.ErrTooLarge},
		{"many entries in a directory that lies", "docx", []byte(strings.Repeat(zipDirectoryHeader+strings.Repeat("\x00", 42), 3*maxEntries)), document.ErrTooLarge},
		{"elements nested deeply", "docx", fixture.DOCX(strings.Repeat("<w:sdt>", maxXMLDepth+1)), document.ErrTooLarge},
		{"not an archive", "docx", []byte("PK\x03\x04 nothing"), document.ErrDamaged},
		{"archive without the main part", "docx", fixture.Zip(fixture.P("a.txt", "x")), document.ErrDamaged},
		{"workbook missing", "xlsx", fixture.Zip(fixture.P("a.txt", "x")), document.ErrDamaged},
		{"presentation missing", "pptx", fixture.Zip(fixture.P("a.txt", "x")), document.ErrDamaged},
		{"content missing", "odt", fixture.Zip(fixture.P("a.txt", "x")), document.ErrDamaged},
		{"encrypted", "odt", fixture.ODF("text", "", "<text:p>x</text:p>", fixture.P("META-INF/manifest.xml",
			`<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"><manifest:file-entry><manifest:encryption-data/></manifest:file-entry></manifest:manifest>`)), document.ErrEncrypted},
		{"kind that is not known", "doc", fixture.DOCX(""), document.ErrUnsupported},
	} {
		t.Run(c.name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			d, err := Read(c.kind, c.data, testLimits())
			runtime.ReadMemStats(&after)
			if !errors.Is(err, c.want) {
				t.Errorf("got %v, want %v", err, c.want)
			}
			if d.Text != "" {
				t.Errorf("got text %q with an error, want none", d.Text)
			}
			if used := after.TotalAlloc - before.TotalAlloc; used > 5*maxPartOctets {
				t.Errorf("allocated %d octets on the way, want at most %d", used, 5*maxPartOctets)
			}
		})
	}
}

func TestTotalOfAllPartsIsBounded(t *testing.T) {
	// Each part is within its own limits: noise does not pack, so the ratio is low; together they are too much.
	rng := rand.New(rand.NewPCG(1, 2))
	noise := make([]byte, 1<<20)
	for i := range noise {
		noise[i] = 'a' + byte(rng.IntN(26))
	}
	chunk := string(noise) + strings.Repeat(" ", 50<<20)
	p := fixture.Word("hdr", "<w:p><w:r><w:t>"+chunk+"</w:t></w:r></w:p>")
	data := fixture.DOCX("<w:p><w:r><w:t>x</w:t></w:r></w:p>", fixture.P("word/header1.xml", p), fixture.P("word/header2.xml", p), fixture.P("word/header3.xml", p))
	a, err := openArchive(data)
	if err != nil {
		t.Fatalf("openArchive: %v", err)
	}
	for _, name := range []string{"word/header1.xml", "word/header2.xml"} {
		if _, err := a.read(name); err != nil {
			t.Fatalf("read %s: %v", name, err)
		}
	}
	if _, err := a.read("word/header3.xml"); !errors.Is(err, document.ErrTooLarge) {
		t.Errorf("got %v for the third part, want ErrTooLarge", err)
	}
}

func TestSizesThatLie(t *testing.T) {
	body := fixture.Word("document", "<w:body><w:p><w:r><w:t>all of it</w:t></w:r></w:p></w:body>")
	for _, claimed := range []uint32{0, 1, 1 << 31} {
		d, err := Read("docx", rawZip("word/document.xml", []byte(body), claimed), testLimits())
		if err != nil && !errors.Is(err, document.ErrDamaged) || err == nil && len(d.Text) > 20 {
			t.Errorf("claimed %d: got %q, %v; want the text or ErrDamaged", claimed, d.Text, err)
		}
	}
}

func TestEntitiesAreNotExpanded(t *testing.T) {
	var dtd strings.Builder
	dtd.WriteString(`<?xml version="1.0"?><!DOCTYPE lolz [<!ENTITY lol0 "ha"><!ENTITY ext SYSTEM "file:///etc/passwd">`)
	for i := 1; i < 10; i++ {
		n, m := string(rune('0'+i)), string(rune('0'+i-1))
		dtd.WriteString(`<!ENTITY lol` + n + ` "` + strings.Repeat("&lol"+m+";", 10) + `">`)
	}
	dtd.WriteString("]>")
	doc := strings.Replace(fixture.Word("document", "<w:body><w:p><w:r><w:t>a &lol9; &ext; b</w:t></w:r></w:p></w:body>"), "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n", dtd.String(), 1)
	d, err := Read("docx", fixture.Zip(fixture.P("word/document.xml", doc)), testLimits())
	if err != nil || strings.TrimSpace(d.Text) != "a &lol9; &ext; b" {
		t.Errorf("got %q, %v; want the references as they stand", d.Text, err)
	}
}

func TestDamagedDocumentGivesItsFirstPart(t *testing.T) {
	d, err := Read("docx", fixture.DOCX("<w:p><w:r><w:t>kept</w:t></w:r></w:p><w:p><w:r><w:t>\x01 lost</w:t></w:r></w:p>"), testLimits())
	if err != nil || !strings.Contains(d.Text, "kept") || !d.Truncated || !strings.Contains(strings.Join(d.Notes, " "), "damaged") {
		t.Errorf("got %q, truncated %v, notes %q, %v; want the first paragraph and a note", d.Text, d.Truncated, d.Notes, err)
	}
}
