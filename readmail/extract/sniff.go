package extract

import (
	"bytes"
	"encoding/binary"
	"path"
	"strings"
	"unicode/utf8"
)

const (
	sniffOctets     = 4096     // how far from the start signs are looked for
	pdfHeaderOctets = 1024     // ISO 32000-1, annex H.3: the header may come this late
	oleScanOctets   = 16 << 20 // how much of an OLE file is searched for the names of its streams
	maxZipEntries   = 10_000   // far above any real document
)

// found is what the content of an attachment says it is.
type found struct {
	kind      Kind
	mediaType string
	err       error    // set when the content cannot be read; says why
	notes     []string // remarks in our words
}

// sniff decides by content what in is; where content cannot tell one text format from another, the declared type and
// then the file name decide.
func sniff(in Input) found {
	if f, ok := sniffBinary(in.Data); ok {
		return f
	}
	declared, ending := declaredKind(in.MediaType), endingKind(in.Filename)
	if f, ok := sniffText(in.Data); ok {
		return f
	}
	if !looksLikeText(in.Data) {
		return unsupported("", "the content is of no known kind")
	}
	for _, k := range []Kind{declared, ending} {
		if k.isText() {
			return found{kind: k, mediaType: textTypes()[k]}
		}
	}
	if looksLikeHTML(in.Data) {
		return found{kind: KindHTML, mediaType: "text/html"}
	}
	return found{kind: KindText, mediaType: "text/plain"}
}

// signature is a fixed sequence at the start of a file.
type signature struct {
	magic     string
	kind      Kind
	mediaType string
	name      string // for kinds that are not read
}

func signatures() []signature {
	return []signature{
		{"\x89PNG\r\n\x1a\n", KindImage, "image/png", ""},
		{"\xff\xd8\xff", KindImage, "image/jpeg", ""},
		{"GIF87a", KindImage, "image/gif", ""},
		{"GIF89a", KindImage, "image/gif", ""},
		{"{\\rtf", KindRTF, "application/rtf", ""},
		{"Rar!\x1a\x07", KindUnknown, "application/vnd.rar", "a RAR archive"},
		{"7z\xbc\xaf\x27\x1c", KindUnknown, "application/x-7z-compressed", "a 7-Zip archive"},
		{"\x1f\x8b", KindUnknown, "application/gzip", "a gzip archive"},
		{"BZh", KindUnknown, "application/x-bzip2", "a bzip2 archive"},
		{"\xfd7zXZ\x00", KindUnknown, "application/x-xz", "an xz archive"},
		{"\x28\xb5\x2f\xfd", KindUnknown, "application/zstd", "a Zstandard archive"},
		{"MZ", KindUnknown, "application/vnd.microsoft.portable-executable", "a Windows program"},
		{"\x7fELF", KindUnknown, "application/x-elf", "a Linux program"},
		{"\xca\xfe\xba\xbe", KindUnknown, "application/octet-stream", "a program"},
		{"\xcf\xfa\xed\xfe", KindUnknown, "application/x-mach-binary", "a macOS program"},
		{"BM", KindUnknown, "image/bmp", "a BMP image"},
		{"II*\x00", KindUnknown, "image/tiff", "a TIFF image"},
		{"MM\x00*", KindUnknown, "image/tiff", "a TIFF image"},
		{"ID3", KindUnknown, "audio/mpeg", "sound"},
		{"OggS", KindUnknown, "application/ogg", "sound or video"},
		{"fLaC", KindUnknown, "audio/flac", "sound"},
		{"\x78\x9f\x3e\x22", KindUnknown, "application/ms-tnef", "a TNEF container (winmail.dat)"},
		{"%!PS", KindUnknown, "application/postscript", "a PostScript file"},
		{"SQLite format 3\x00", KindUnknown, "application/vnd.sqlite3", "a database"},
		{"-----BEGIN PGP MESSAGE-----", KindUnknown, "application/pgp-encrypted", "a PGP encrypted message"},
	}
}

// sniffBinary recognises content by signature.
func sniffBinary(b []byte) (found, bool) {
	head := b[:min(len(b), sniffOctets)]
	switch {
	case bytes.HasPrefix(b, []byte("PK\x03\x04")), bytes.HasPrefix(b, []byte("PK\x05\x06")):
		return sniffZip(b), true
	case bytes.HasPrefix(b, []byte("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")):
		return sniffOLE(b), true
	case bytes.HasPrefix(b, []byte("RIFF")) && len(b) >= 12:
		if string(b[8:12]) == "WEBP" {
			return found{kind: KindImage, mediaType: "image/webp"}, true
		}
		return unsupported("audio/x-riff", "sound or video"), true
	case len(b) >= 12 && string(b[4:8]) == "ftyp":
		return sniffISOMedia(string(b[8:12])), true
	case bytes.Contains(head[:min(len(head), pdfHeaderOctets)], []byte("%PDF-")) && !startsLikeMail(head):
		return found{kind: KindPDF, mediaType: "application/pdf"}, true
	}
	for _, s := range signatures() {
		if !bytes.HasPrefix(b, []byte(s.magic)) || (len(s.magic) < 4 && s.kind == KindUnknown && looksLikeText(b)) {
			continue
		}
		if s.kind == KindUnknown {
			return unsupported(s.mediaType, "it is "+s.name), true
		}
		return found{kind: s.kind, mediaType: s.mediaType}, true
	}
	return found{}, false
}

// sniffISOMedia names the brands of ISO/IEC 14496-12 that mail carries.
func sniffISOMedia(brand string) found {
	switch brand {
	case "heic", "heix", "mif1", "hevc":
		return unsupported("image/heic", "it is a HEIC image")
	case "avif", "avis":
		return unsupported("image/avif", "it is an AVIF image")
	}
	return unsupported("video/mp4", "it is sound or video")
}

func unsupported(mediaType, detail string) found {
	return found{kind: KindUnknown, mediaType: mediaType, err: newError(ErrUnsupported, KindUnknown, detail)}
}

// sniffOLE tells the old binary Office formats and encrypted new ones by the names in the OLE directory (MS-CFB §2.6.1).
func sniffOLE(b []byte) found {
	b = b[:min(len(b), oleScanOctets)]
	has := func(name string) bool { return bytes.Contains(b, utf16Octets(name)) }
	old := func(mediaType, name, ask string) found {
		e := newError(ErrUnsupported, KindUnknown, "it is "+name)
		e.Hint = "ask the sender for " + ask + ", or open the attachment with another program"
		return found{kind: KindUnknown, mediaType: mediaType, err: e}
	}
	switch {
	case has("EncryptedPackage"):
		return found{kind: KindUnknown, mediaType: "application/x-ole-storage", err: newError(ErrEncrypted, KindUnknown, "")}
	case has("WordDocument"):
		return old("application/msword", "an old binary Word file (.doc)", "a DOCX or PDF file")
	case has("Workbook"), has("Book"):
		return old("application/vnd.ms-excel", "an old binary Excel file (.xls)", "an XLSX or CSV file")
	case has("PowerPoint Document"):
		return old("application/vnd.ms-powerpoint", "an old binary PowerPoint file (.ppt)", "a PPTX or PDF file")
	case has("__substg1.0_"):
		return old("application/vnd.ms-outlook", "an Outlook message file (.msg)", "the message forwarded as attachment (.eml)")
	}
	return old("application/x-ole-storage", "an OLE container", "a PDF file")
}

func utf16Octets(ascii string) []byte {
	b := make([]byte, 0, 2*len(ascii))
	for i := range len(ascii) {
		b = append(b, ascii[i], 0)
	}
	return b
}

// zipDirectory lists the names in a ZIP central directory without inflating anything (PKWARE APPNOTE §4.3.12). It
// reads what is there: a directory that lies yields fewer names, never a crash.
func zipDirectory(b []byte) []string {
	const endSize, headSize = 22, 46
	tail := b[max(0, len(b)-endSize-65535):]
	at := bytes.LastIndex(tail, []byte("PK\x05\x06"))
	if at < 0 || len(tail)-at < endSize {
		return nil
	}
	size := int64(binary.LittleEndian.Uint32(tail[at+12:]))
	start := int64(len(b)-len(tail)+at) - size
	if start < 0 {
		return nil
	}
	var names []string
	for d := b[start : start+size]; len(d) >= headSize && string(d[:4]) == "PK\x01\x02" && len(names) <= maxZipEntries; {
		n, m, k := int(binary.LittleEndian.Uint16(d[28:])), int(binary.LittleEndian.Uint16(d[30:])), int(binary.LittleEndian.Uint16(d[32:]))
		if headSize+n+m+k > len(d) {
			break
		}
		names = append(names, string(d[headSize:headSize+n]))
		d = d[headSize+n+m+k:]
	}
	return names
}

// looksLikeText reports whether b holds no octets that text never has, allowing for UTF-16 with a byte order mark.
func looksLikeText(b []byte) bool {
	b = b[:min(len(b), 64<<10)]
	if bytes.HasPrefix(b, []byte("\xff\xfe")) || bytes.HasPrefix(b, []byte("\xfe\xff")) {
		return true
	}
	bad := 0
	for _, c := range b {
		if c == 0 {
			return false
		}
		if c < ' ' && !strings.ContainsRune("\t\n\r\f\b\x1b\x0e\x0f", rune(c)) {
			bad++
		}
	}
	return bad*50 <= len(b) && (utf8.Valid(trimPartialRune(b)) || highOctets(b)*2 < len(b)+8)
}

func highOctets(b []byte) int {
	n := 0
	for _, c := range b {
		if c >= 0x80 {
			n++
		}
	}
	return n
}

// trimPartialRune drops the start of a character that the window cut.
func trimPartialRune(b []byte) []byte {
	for i := 1; i <= min(3, len(b)); i++ {
		if c := b[len(b)-i]; c >= 0xC0 {
			return b[:len(b)-i]
		} else if c < 0x80 {
			break
		}
	}
	return b
}

// sniffText recognises text formats that say what they are in their first line.
func sniffText(b []byte) (found, bool) {
	head := strings.TrimLeft(string(trimBOM(b[:min(len(b), sniffOctets)])), " \t\r\n")
	upper := strings.ToUpper(head[:min(len(head), 32)])
	switch {
	case strings.HasPrefix(upper, "BEGIN:VCALENDAR"):
		return found{kind: KindICS, mediaType: "text/calendar"}, true
	case strings.HasPrefix(upper, "BEGIN:VCARD"):
		return found{kind: KindVCard, mediaType: "text/vcard"}, true
	case strings.HasPrefix(upper, "<!DOCTYPE HTML"), strings.HasPrefix(upper, "<HTML"):
		return found{kind: KindHTML, mediaType: "text/html"}, true
	}
	return found{}, false
}

func trimBOM(b []byte) []byte { return bytes.TrimPrefix(b, []byte("\xef\xbb\xbf")) }

func looksLikeHTML(b []byte) bool {
	head := strings.ToLower(string(b[:min(len(b), sniffOctets)]))
	return strings.Contains(head, "<html") || strings.Contains(head, "<body") || strings.Contains(head, "<!doctype html")
}

// startsLikeMail reports whether head begins with a header field, so that a message about a PDF is not taken for one.
func startsLikeMail(head []byte) bool {
	line, _, _ := bytes.Cut(head, []byte("\n"))
	name, _, ok := bytes.Cut(line, []byte(":"))
	return ok && len(name) > 0 && !bytes.ContainsAny(name, " \t<>%\"") && utf8.Valid(name)
}

// endingKind maps the ending of a file name.
func endingKind(name string) Kind {
	switch strings.ToLower(path.Ext(strings.ReplaceAll(name, "\\", "/"))) {
	case ".txt", ".log", ".md", ".json", ".xml", ".yaml", ".yml", ".ini", ".conf", ".diff", ".patch", ".asc":
		return KindText
	case ".htm", ".html", ".xhtml", ".shtml":
		return KindHTML
	case ".csv", ".tsv", ".tab":
		return KindCSV
	case ".ics", ".ical", ".ifb", ".vcs":
		return KindICS
	case ".vcf", ".vcard":
		return KindVCard
	case ".eml", ".mht", ".mhtml":
		return KindEML
	}
	return KindUnknown
}
