package extract

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"
)

const maxMimetypeOctets = 200

// sniffZip tells office documents from other archives by the names in the directory, and the OpenDocument formats by
// their first entry, which is stored and named "mimetype" (OpenDocument 1.3 part 2, §3.3).
func sniffZip(b []byte) found {
	if k, ok := officeTypes()[zipMimetype(b)]; ok {
		return found{kind: k, mediaType: zipMimetype(b)}
	}
	names := zipDirectory(b)
	if len(names) > maxZipEntries {
		return found{kind: KindUnknown, mediaType: "application/zip",
			err: newError(ErrTooLarge, KindUnknown, fmt.Sprintf("an archive of more than %d files", maxZipEntries))}
	}
	var f found
	for _, name := range names {
		switch strings.ToLower(strings.TrimPrefix(name, "/")) {
		case "word/document.xml", "word/document2.xml":
			f.kind, f.mediaType = KindDOCX, ooxml+"wordprocessingml.document"
		case "xl/workbook.xml":
			f.kind, f.mediaType = KindXLSX, ooxml+"spreadsheetml.sheet"
		case "ppt/presentation.xml":
			f.kind, f.mediaType = KindPPTX, ooxml+"presentationml.presentation"
		case "xl/workbook.bin":
			return unsupported("application/vnd.ms-excel.sheet.binary.macroenabled.12", "it is a binary Excel file (.xlsb)")
		case "index/document.iwa":
			return unsupported("application/vnd.apple.iwork", "it is an Apple iWork file")
		}
	}
	switch {
	case f.kind != "":
		return f
	case len(names) == 0 && bytes.Contains(b, []byte("word/document.xml")):
		return found{kind: KindDOCX, mediaType: ooxml + "wordprocessingml.document"} // cut off: the reader says so
	case len(names) == 0 && len(b) > 22:
		return found{kind: KindUnknown, mediaType: "application/zip", err: newError(ErrDamaged, KindUnknown, "an archive without a directory")}
	}
	return unsupported("application/zip", fmt.Sprintf("it is a ZIP archive of %d files that is not an office document", len(names)))
}

// zipMimetype returns the content of a stored first entry named "mimetype", or "".
func zipMimetype(b []byte) string {
	const headSize = 30
	if len(b) < headSize || string(b[:4]) != "PK\x03\x04" || binary.LittleEndian.Uint16(b[8:]) != 0 {
		return ""
	}
	size := int64(binary.LittleEndian.Uint32(b[18:]))
	n, m := int64(binary.LittleEndian.Uint16(b[26:])), int64(binary.LittleEndian.Uint16(b[28:]))
	end := headSize + n + m + size
	if streamed := b[6]&8 != 0; streamed && size == 0 { // the size follows the content
		rest := b[min(end, int64(len(b))):]
		end += int64(max(0, bytes.Index(rest[:min(len(rest), maxMimetypeOctets)], []byte("PK"))))
	}
	if end-(headSize+n+m) > maxMimetypeOctets || end > int64(len(b)) || string(b[headSize:headSize+n]) != "mimetype" {
		return ""
	}
	return strings.TrimSpace(string(b[headSize+n+m : end]))
}
