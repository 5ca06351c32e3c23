package office

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"encoding/binary"
	"errors"
	"hash/crc32"
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
		{"one part with an absurd ratio", "docx", fixture.Zip(fixture.P("word/document.xml", body+spaces(freeInflateOctets+1))), document.ErrTooLarge},
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
	a, err := openArchive(fixture.DOCX("<w:p><w:r><w:t>x</w:t></w:r></w:p>"))
	if err != nil {
		t.Fatalf("openArchive: %v", err)
	}
	if _, err := a.read("word/document.xml"); err != nil || a.inflated == 0 {
		t.Fatalf("got %v and %d octets counted, want the part counted", err, a.inflated)
	}
	a.inflated = maxInflatedOctets - 10
	if _, err := a.read("word/document.xml"); !errors.Is(err, document.ErrTooLarge) {
		t.Errorf("got %v with 10 octets left, want ErrTooLarge", err)
	}
}

func TestAllowance(t *testing.T) {
	for _, c := range []struct {
		name           string
		stored         uint64
		inflated, want int64
	}{
		{"small part", 10, 0, freeInflateOctets},
		{"by ratio", 100_000, 0, 100_000 * maxRatio},
		{"by part", 10 << 20, 0, maxPartOctets},
		{"by total", 10 << 20, maxInflatedOctets - 5, 5},
		{"nothing left", 10, maxInflatedOctets + 5, 0},
		{"directory claims all there is", 1<<64 - 1, 0, maxPartOctets},
	} {
		a := &archive{inflated: c.inflated}
		if got := a.allowance(&zip.File{FileHeader: zip.FileHeader{CompressedSize64: c.stored}}); got != c.want {
			t.Errorf("%s: got %d, want %d", c.name, got, c.want)
		}
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
