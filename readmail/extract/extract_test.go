package extract

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"mailgap/readmail/extract/internal/fixture"
)

func ole(stream string) []byte {
	b := make([]byte, 2048)
	copy(b, "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")
	copy(b[1024:], utf16Octets(stream))
	return b
}

func png(w, h uint32) []byte {
	b := append([]byte("\x89PNG\r\n\x1a\n\x00\x00\x00\x0dIHDR"), make([]byte, 17)...)
	binary.BigEndian.PutUint32(b[16:], w)
	binary.BigEndian.PutUint32(b[20:], h)
	return b
}

// TestSniff gives content with true, false and missing declarations.
func TestSniff(t *testing.T) {
	for _, c := range []struct {
		name, media, file string
		data              []byte
		want              Kind
		err               error
		mismatch          bool
	}{
		{"pdf", "application/pdf", "a.pdf", fixture.TextPDF("t", "x"), KindPDF, nil, false},
		{"pdf called text", "text/plain", "a.txt", fixture.TextPDF("t", "x"), KindPDF, nil, true},
		{"docx without declaration", "", "", wordFile("x"), KindDOCX, nil, false},
		{"docx called pdf", "application/pdf", "a.pdf", wordFile("x"), KindDOCX, nil, true},
		{"xlsx", "application/octet-stream", "", fixture.Zip(fixture.P("xl/workbook.xml", "")), KindXLSX, nil, false},
		{"pptx", "", "", fixture.Zip(fixture.P("ppt/presentation.xml", "")), KindPPTX, nil, false},
		{"odt", "", "", fixture.ODF("text", "", ""), KindODT, nil, false},
		{"ods", "", "", fixture.ODF("spreadsheet", "", ""), KindODS, nil, false},
		{"odp", "", "", fixture.ODF("presentation", "", ""), KindODP, nil, false},
		{"other archive", "application/zip", "a.zip", fixture.Zip(fixture.P("a.txt", "x")), KindUnknown, ErrUnsupported, false},
		{"archive in an archive", "", "", fixture.Zip(fixture.P("a.docx", string(wordFile("x")))), KindUnknown, ErrUnsupported, false},
		{"binary workbook", "", "", fixture.Zip(fixture.P("xl/workbook.bin", "x")), KindUnknown, ErrUnsupported, false},
		{"cut archive", "", "", fixture.Zip(fixture.P("a.txt", strings.Repeat("x", 99)))[:60], KindUnknown, ErrDamaged, false},
		{"encrypted office file", "", "a.docx", ole("EncryptedPackage"), KindUnknown, ErrEncrypted, false},
		{"old word file", "application/msword", "a.doc", ole("WordDocument"), KindUnknown, ErrUnsupported, false},
		{"old excel file", "", "", ole("Workbook"), KindUnknown, ErrUnsupported, false},
		{"outlook message", "", "", ole("__substg1.0_"), KindUnknown, ErrUnsupported, false},
		{"program called text", "text/plain", "a.txt", []byte("MZ\x90\x00\x03\x00\x00\x00"), KindUnknown, ErrUnsupported, false},
		{"text that begins like a program", "text/plain", "a.txt", []byte("MZ is a set of letters"), KindText, nil, false},
		{"text that begins like an image", "", "", []byte("BM and other words"), KindText, nil, false},
		{"png", "image/png", "", png(3, 4), KindImage, nil, false},
		{"png called jpeg", "image/jpeg", "", png(3, 4), KindImage, nil, true},
		{"calendar called text", "text/plain", "", []byte("BEGIN:VCALENDAR\r\nEND:VCALENDAR"), KindICS, nil, false},
		{"card by name only", "application/octet-stream", "a.vcf", []byte("\xef\xbb\xbfBEGIN:VCARD\nFN:x"), KindVCard, nil, false},
		{"table", "text/csv", "", []byte("a,b"), KindCSV, nil, false},
		{"table by name", "application/vnd.ms-excel", "a.csv", []byte("a,b"), KindCSV, nil, false},
		{"html", "text/html", "", []byte("<p>x"), KindHTML, nil, false},
		{"html called text", "text/plain", "", []byte("<!doctype html><p>x"), KindHTML, nil, true},
		{"rtf called word", "application/msword", "a.doc", []byte(`{\rtf1 x}`), KindRTF, nil, false},
		{"message", "message/rfc822", "", []byte("From: a@example.com\r\n\r\nx"), KindEML, nil, false},
		{"report", "message/delivery-status", "", []byte("Reporting-MTA: dns; x"), KindReport, nil, false},
		{"message about a PDF", "text/plain", "", []byte("Subject: x\n\n%PDF- is a sign"), KindText, nil, false},
		{"utf-16", "text/plain", "", []byte("\xff\xfeh\x00i\x00"), KindText, nil, false},
		{"noise", "text/plain", "", []byte("\x00\x01\x02\x03\x04"), KindUnknown, ErrUnsupported, false},
		{"empty", "", "", nil, KindText, nil, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			in := Input{MediaType: c.media, Filename: c.file, Data: c.data}
			f := sniff(in)
			if f.kind != c.want || !errors.Is(f.err, c.err) {
				t.Errorf("got %q, %v; want %q, %v", f.kind, f.err, c.want, c.err)
			}
			if got := f.err == nil && len(mismatch(f, in)) > 0; got != c.mismatch {
				t.Errorf("got mismatch %v (%q), want %v", got, mismatch(f, in), c.mismatch)
			}
		})
	}
}

func TestTextFormats(t *testing.T) {
	x := New(Options{Location: time.UTC})
	for _, c := range []struct {
		name, media string
		data        string
		want        string
		html        bool
	}{
		{"text", "text/plain", "a\r\nb\rc", "a\nb\nc", false},
		{"latin-1", "text/plain", "caf\xe9", "café", false},
		{"utf-16", "text/plain", "\xfe\xff\x00h\x00i", "hi", false},
		{"html", "text/html; charset=utf-8", "<p>x</p>", "<p>x</p>", true},
		{"table", "text/csv", "a,b\n1,2", "| a | b |\n| 1 | 2 |\n", false},
		{"rtf", "text/rtf", `{\rtf1 caf\'e9}`, "café\n", false},
		{"report", "message/delivery-status", "Status: 2.0.0\n", "Status: 2.0.0 (delivered)\n", false},
		{"calendar", "text/calendar", "BEGIN:VCALENDAR\nBEGIN:VEVENT\nSUMMARY:x\n", "## Event\nSummary: x\n", false},
		{"card", "text/vcard", "BEGIN:VCARD\nFN:x\n", "## Address card\nName: x\n", false},
		{"message", "message/rfc822", "From: a@example.com\n\nx", "", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, err := x.Text(t.Context(), Input{MediaType: c.media, Data: []byte(c.data)})
			if err != nil || r.Text != c.want || r.HTML != c.html {
				t.Errorf("got %q, HTML %v, %v; want %q, %v", r.Text, r.HTML, err, c.want, c.html)
			}
		})
	}
}

func TestDecodeGetsTheLabel(t *testing.T) {
	x := New(Options{Decode: func(label string, b []byte) string { return label + "/" + string(b) }})
	if r, err := x.Text(t.Context(), Input{MediaType: "text/plain", Charset: "koi8-r", Data: []byte("x")}); err != nil || r.Text != "koi8-r/x" {
		t.Errorf("got %q, %v; want the label passed on", r.Text, err)
	}
}

func TestInputLimits(t *testing.T) {
	x := New(Options{MaxInputOctets: 1000, MaxTextOctets: 10})
	if _, err := x.Text(t.Context(), Input{Data: make([]byte, 1001)}); !errors.Is(err, ErrTooLarge) {
		t.Errorf("got %v one past the limit, want ErrTooLarge", err)
	}
	r, err := x.Text(t.Context(), Input{MediaType: "text/plain", Data: []byte(strings.Repeat("é", 500))})
	if err != nil || r.Text != "ééééé" || !r.Truncated {
		t.Errorf("got %q, truncated %v, %v at the limit; want five letters, true", r.Text, r.Truncated, err)
	}
	big := New(Options{})
	r, err = big.Text(t.Context(), Input{MediaType: "text/plain", Data: []byte(strings.Repeat("x", maxTextInputOctets+1))})
	if err != nil || !r.Truncated || len(r.Text) > DefaultMaxTextOctets {
		t.Errorf("got %d octets, truncated %v, %v; want at most %d, true", len(r.Text), r.Truncated, err, DefaultMaxTextOctets)
	}
}

func TestImages(t *testing.T) {
	gif := []byte("GIF89a\x05\x00\x06\x00\x00\x00\x00,\x00\x00\x00\x00\x09\x00\x02\x00\x00")
	jpeg := []byte("\xff\xd8\xff\xe0\x00\x04ab\xff\xc0\x00\x11\x08\x00\x07\x00\x08\x03\x01\x22\x00")
	vp8x := []byte("RIFF\x1e\x00\x00\x00WEBPVP8X\x0a\x00\x00\x00\x00\x00\x00\x00\x09\x00\x00\x04\x00\x00")
	for _, c := range []struct {
		name string
		data []byte
		w, h int
		err  error
	}{
		{"png", png(3, 4), 3, 4, nil},
		{"gif whose frame is wider than its screen", gif, 9, 6, nil},
		{"jpeg", jpeg, 8, 7, nil},
		{"webp", vp8x, 10, 5, nil},
		{"png that claims a gigapixel", png(40_000, 40_000), 0, 0, ErrTooLarge},
		{"png at the side limit, too many pixels", png(20_000, 20_000), 0, 0, ErrTooLarge},
		{"png with a negative size", png(1<<31, 1), 0, 0, ErrTooLarge},
		{"png without size", png(0, 4), 0, 0, ErrDamaged},
		{"jpeg cut off", jpeg[:9], 0, 0, ErrDamaged},
		{"jpeg whose segments do not advance", []byte("\xff\xd8\xff\xe0\x00\x00\xff\xe0\x00\x00\xff\xe0\x00\x00"), 0, 0, ErrDamaged},
		{"image over the octet limit", append(png(3, 4), make([]byte, DefaultMaxImageOctets)...), 0, 0, ErrTooLarge},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, err := New(Options{}).Text(t.Context(), Input{Data: c.data})
			if !errors.Is(err, c.err) || r.Kind != KindImage {
				t.Fatalf("got %q, %v; want an image, %v", r.Kind, err, c.err)
			}
			if err == nil && (r.Image.Width != c.w || r.Image.Height != c.h || len(r.Image.Data) != len(c.data)) {
				t.Errorf("got %d by %d, want %d by %d", r.Image.Width, r.Image.Height, c.w, c.h)
			}
		})
	}
}

func TestPDFThroughChild(t *testing.T) {
	x := newTestExtractor(t, Options{})
	r, err := x.Text(t.Context(), Input{MediaType: "application/pdf", Data: fixture.TextPDF("The title", "one", "two", "three"), FirstPage: 2})
	if err != nil || r.Title != "The title" || r.Pages != 3 || r.FirstPage != 2 || r.LastPage != 3 || r.Text != "--- page 2 of 3 ---\ntwo\n\n--- page 3 of 3 ---\nthree\n\n" {
		t.Errorf("got %+v, %v; want pages 2 and 3", r, err)
	}
}

// TestDamagedDocumentsThroughChild sends damaged copies: each ends with text or a typed error, and this process goes on.
func TestDamagedDocumentsThroughChild(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	x := newTestExtractor(t, Options{})
	for kind, n := range map[Kind]int{KindPDF: 10, KindDOCX: 30} {
		good := wordFile("x")
		if kind == KindPDF {
			good = fixture.TextPDF("t", "one", "two")
		}
		for i := range n {
			bad := append([]byte(nil), good...)
			for range 1 + rng.IntN(20) {
				bad[8+rng.IntN(len(bad)-8)] = byte(rng.Uint32())
			}
			_, err := x.Text(t.Context(), Input{Data: bad})
			var e *Error
			if err != nil && !errors.As(err, &e) || errors.Is(err, ErrChild) || errors.Is(err, ErrTimeout) {
				t.Errorf("%s copy %d: got %v, want text or a known refusal", kind, i, err)
			}
		}
	}
}

func TestErrorsSayWhatToDo(t *testing.T) {
	for _, f := range failures() {
		e := newError(f.err, KindPDF, "detail")
		if s := e.Error(); !strings.Contains(s, "hint: ") || !strings.Contains(s, "detail") || !errors.Is(e, f.err) {
			t.Errorf("got %q, want sentinel, detail and hint", s)
		}
	}
}

func FuzzSniff(f *testing.F) {
	f.Add("application/pdf", "a.pdf", fixture.TextPDF("t", "x"))
	f.Add("", "", wordFile("x"))
	f.Add("image/jpeg", "", []byte("\xff\xd8\xff\xc0\x00\x11\x08\x00\x07\x00\x08"))
	f.Add("", "", ole("Workbook"))
	f.Fuzz(func(t *testing.T, media, file string, data []byte) {
		in := Input{MediaType: media, Filename: file, Data: data}
		found := sniff(in)
		mismatch(found, in)
		if found.err == nil && found.kind == KindImage {
			if r, err := readImage(found.mediaType, data, 1<<20); err == nil && (r.Image.Width <= 0 || r.Image.Height <= 0) {
				t.Errorf("got an image of %d by %d", r.Image.Width, r.Image.Height)
			}
		}
	})
}

func benchmarkText(b *testing.B, x *Extractor, data []byte) {
	for b.Loop() {
		if _, err := x.Text(b.Context(), Input{Data: data}); err != nil {
			b.Fatal(err)
		}
	}
}

func pages20() []byte {
	pages := make([]string, 20)
	for i := range pages {
		pages[i] = strings.Repeat("This is a line of text on a page of a report.\n", 50)
	}
	return fixture.TextPDF("t", pages...)
}

func BenchmarkPDF20PagesCold(b *testing.B) {
	benchmarkText(b, New(Options{Command: childCommand(ChildCommand)}), pages20())
}

func BenchmarkPDF20PagesWarm(b *testing.B) {
	x := newTestExtractor(b, Options{})
	if _, err := x.Text(b.Context(), Input{Data: pages20()}); err != nil {
		b.Fatal(err)
	}
	benchmarkText(b, x, pages20())
}

func BenchmarkDOCX100kB(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 1))
	var body strings.Builder
	for range 6000 {
		fmt.Fprintf(&body, "<w:p><w:r><w:t>paragraph %x with some words %x</w:t></w:r></w:p>", rng.Uint64(), rng.Uint64())
	}
	data := fixture.DOCX(body.String())
	b.ReportMetric(float64(len(data)), "octets")
	benchmarkText(b, newTestExtractor(b, Options{}), data)
}
