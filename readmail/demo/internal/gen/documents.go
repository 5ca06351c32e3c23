package main

import (
	"archive/zip"
	"bytes"
	"encoding/xml"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"strings"
)

// pdf makes a one-page document with one line of text per entry, in a standard font, uncompressed.
func pdf(title string, lines []string) []byte {
	var content strings.Builder
	content.WriteString("BT /F1 12 Tf 72 760 Td 18 TL\n")
	escape := strings.NewReplacer(`\`, `\\`, `(`, `\(`, `)`, `\)`)
	for _, line := range append([]string{title, ""}, lines...) {
		fmt.Fprintf(&content, "(%s) Tj T*\n", escape.Replace(line))
	}
	content.WriteString("ET\n")
	objects := []string{
		"<< /Type /Catalog /Pages 2 0 R >>",
		"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
		"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 5 0 R /Resources << /Font << /F1 4 0 R >> >> >>",
		"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
		fmt.Sprintf("<< /Length %d >>\nstream\n%sendstream", content.Len(), content.String()),
		"<< /Title (" + escape.Replace(title) + ") >>",
	}
	var out bytes.Buffer
	out.WriteString("%PDF-1.4\n")
	offsets := make([]int, len(objects))
	for i, o := range objects {
		offsets[i] = out.Len()
		fmt.Fprintf(&out, "%d 0 obj\n%s\nendobj\n", i+1, o)
	}
	start := out.Len()
	fmt.Fprintf(&out, "xref\n0 %d\n0000000000 65535 f \n", len(objects)+1)
	for _, o := range offsets {
		fmt.Fprintf(&out, "%010d 00000 n \n", o)
	}
	fmt.Fprintf(&out, "trailer\n<< /Size %d /Root 1 0 R /Info 6 0 R >>\nstartxref\n%d\n%%%%EOF\n", len(objects)+1, start)
	return out.Bytes()
}

// entry is one file of an archive.
type entry struct{ name, content string }

// archive makes a ZIP file without compression and without times, so that the octets depend on nothing else.
func archive(entries ...entry) []byte {
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, e := range entries {
		f, err := w.CreateHeader(&zip.FileHeader{Name: e.name, Method: zip.Store})
		if err != nil {
			panic(err) // a bytes.Buffer does not fail
		}
		if _, err := f.Write([]byte(e.content)); err != nil {
			panic(err)
		}
	}
	if err := w.Close(); err != nil {
		panic(err)
	}
	return out.Bytes()
}

const (
	xmlHead    = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>` + "\n"
	officeDoc  = "application/vnd.openxmlformats-officedocument."
	relsNS     = `xmlns="http://schemas.openxmlformats.org/package/2006/relationships"`
	relType    = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/"
	sheetNS    = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
	slideNS    = `xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main"`
	documentNS = `xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"`
)

// contentTypes is [Content_Types].xml; each override is "part=type".
func contentTypes(overrides ...string) entry {
	var b strings.Builder
	b.WriteString(xmlHead + `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">` +
		`<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>` +
		`<Default Extension="xml" ContentType="application/xml"/>`)
	for _, o := range overrides {
		name, mediaType, _ := strings.Cut(o, "=")
		fmt.Fprintf(&b, `<Override PartName="%s" ContentType="%s"/>`, name, mediaType)
	}
	return entry{"[Content_Types].xml", b.String() + "</Types>"}
}

// rels is a relationships file; each target is "kind=path".
func rels(name string, targets ...string) entry {
	var b strings.Builder
	b.WriteString(xmlHead + "<Relationships " + relsNS + ">")
	for i, t := range targets {
		kind, path, _ := strings.Cut(t, "=")
		fmt.Fprintf(&b, `<Relationship Id="rId%d" Type="%s%s" Target="%s"/>`, i+1, relType, kind, path)
	}
	return entry{name, b.String() + "</Relationships>"}
}

func xmlText(s string) string {
	var b bytes.Buffer
	if err := xml.EscapeText(&b, []byte(s)); err != nil {
		panic(err) // a bytes.Buffer does not fail
	}
	return b.String()
}

func docx(paragraphs ...string) []byte {
	var b strings.Builder
	for _, p := range paragraphs {
		fmt.Fprintf(&b, `<w:p><w:r><w:t xml:space="preserve">%s</w:t></w:r></w:p>`, xmlText(p))
	}
	return archive(
		contentTypes("/word/document.xml="+officeDoc+"wordprocessingml.document.main+xml"),
		rels("_rels/.rels", "officeDocument=word/document.xml"),
		entry{"word/document.xml", xmlHead + "<w:document " + documentNS + "><w:body>" + b.String() + "</w:body></w:document>"})
}

func xlsx(sheet string, rows [][]string) []byte {
	var b strings.Builder
	for i, row := range rows {
		fmt.Fprintf(&b, `<row r="%d">`, i+1)
		for j, cell := range row {
			ref := fmt.Sprintf("%c%d", 'A'+j, i+1)
			if strings.Trim(cell, "0123456789.") == "" {
				fmt.Fprintf(&b, `<c r="%s"><v>%s</v></c>`, ref, cell)
			} else {
				fmt.Fprintf(&b, `<c r="%s" t="inlineStr"><is><t>%s</t></is></c>`, ref, xmlText(cell))
			}
		}
		b.WriteString("</row>")
	}
	return archive(
		contentTypes("/xl/workbook.xml="+officeDoc+"spreadsheetml.sheet.main+xml", "/xl/worksheets/sheet1.xml="+officeDoc+"spreadsheetml.worksheet+xml"),
		rels("_rels/.rels", "officeDocument=xl/workbook.xml"),
		entry{"xl/workbook.xml", xmlHead + `<workbook xmlns="` + sheetNS + `" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets><sheet name="` + xmlText(sheet) + `" sheetId="1" r:id="rId1"/></sheets></workbook>`},
		rels("xl/_rels/workbook.xml.rels", "worksheet=worksheets/sheet1.xml"),
		entry{"xl/worksheets/sheet1.xml", xmlHead + `<worksheet xmlns="` + sheetNS + `"><sheetData>` + b.String() + `</sheetData></worksheet>`})
}

// pptx makes a presentation without masters and layouts: enough to be read, not to be edited.
func pptx(slides ...string) []byte {
	types := []string{"/ppt/presentation.xml=" + officeDoc + "presentationml.presentation.main+xml"}
	var ids strings.Builder
	var targets []string
	var files []entry
	for i, s := range slides {
		name := fmt.Sprintf("slides/slide%d.xml", i+1)
		types = append(types, "/ppt/"+name+"="+officeDoc+"presentationml.slide+xml")
		targets = append(targets, "slide="+name)
		fmt.Fprintf(&ids, `<p:sldId id="%d" r:id="rId%d"/>`, 256+i, i+1)
		var lines strings.Builder
		for line := range strings.Lines(s) {
			fmt.Fprintf(&lines, `<a:p><a:r><a:t>%s</a:t></a:r></a:p>`, xmlText(strings.TrimSuffix(line, "\n")))
		}
		files = append(files, entry{"ppt/" + name, xmlHead + "<p:sld " + slideNS + `><p:cSld><p:spTree><p:nvGrpSpPr><p:cNvPr id="1" name=""/><p:cNvGrpSpPr/><p:nvPr/></p:nvGrpSpPr><p:grpSpPr/>` +
			`<p:sp><p:nvSpPr><p:cNvPr id="2" name="Text"/><p:cNvSpPr/><p:nvPr/></p:nvSpPr><p:spPr/><p:txBody><a:bodyPr/>` + lines.String() + `</p:txBody></p:sp></p:spTree></p:cSld></p:sld>`})
	}
	all := []entry{contentTypes(types...), rels("_rels/.rels", "officeDocument=ppt/presentation.xml"),
		{"ppt/presentation.xml", xmlHead + "<p:presentation " + slideNS + "><p:sldIdLst>" + ids.String() + `</p:sldIdLst><p:sldSz cx="9144000" cy="6858000"/><p:notesSz cx="6858000" cy="9144000"/></p:presentation>`},
		rels("ppt/_rels/presentation.xml.rels", targets...)}
	return archive(append(all, files...)...)
}

func odt(paragraphs ...string) []byte {
	const mediaType = "application/vnd.oasis.opendocument.text"
	var b strings.Builder
	for _, p := range paragraphs {
		fmt.Fprintf(&b, "<text:p>%s</text:p>", xmlText(p))
	}
	return archive(
		entry{"mimetype", mediaType},
		entry{"META-INF/manifest.xml", xmlHead + `<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0" manifest:version="1.2"><manifest:file-entry manifest:full-path="/" manifest:media-type="` + mediaType + `"/><manifest:file-entry manifest:full-path="content.xml" manifest:media-type="text/xml"/></manifest:manifest>`},
		entry{"content.xml", xmlHead + `<office:document-content xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" office:version="1.2"><office:body><office:text>` + b.String() + `</office:text></office:body></office:document-content>`})
}

// picture draws a small chart of bars, one per value.
func picture(values ...int) []byte {
	const bar, height = 16, 64
	palette := color.Palette{color.White, color.RGBA{0x2b, 0x6e, 0x2b, 0xff}, color.RGBA{0x77, 0x77, 0x77, 0xff}}
	img := image.NewPaletted(image.Rect(0, 0, bar*len(values), height), palette)
	for i, v := range values {
		for y := height - v; y < height; y++ {
			for x := i*bar + 2; x < (i+1)*bar-2; x++ {
				img.SetColorIndex(x, y, uint8(1+i%2))
			}
		}
	}
	var out bytes.Buffer
	enc := png.Encoder{CompressionLevel: png.NoCompression} // the octets do not depend on a compressor
	if err := enc.Encode(&out, img); err != nil {
		panic(err) // a bytes.Buffer does not fail
	}
	return out.Bytes()
}
