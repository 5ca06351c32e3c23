package attach

import (
	"bytes"
	"image"
	_ "image/gif"  // header of GIF
	_ "image/jpeg" // header of JPEG
	_ "image/png"  // header of PNG
)

const maxNesting = 3 // Limit: messages and archives inside each other

// Classify judges octets under a name: the media type, or why the file must not leave. declared is the caller's media
// type, or "". It does no input or output, and reads at most 64 MiB out of compressed documents.
func Classify(name, declared string, octets []byte, t Types) (string, error) {
	if err := checkBase(name); err != nil {
		return "", err
	}
	ext := extension(name)
	if err := danger(ext, octets, 0); err != nil {
		return "", err
	}
	mediaType, _ := knownType(ext)
	switch {
	case mediaType == "":
		return "", ErrTypeUnknown
	case !t.has(ext):
		return "", ErrTypeRefused
	case declared != "" && declared != mediaType:
		return "", ErrTypeMismatch
	}
	if err := agrees(ext, octets); err != nil {
		return "", err
	}
	return mediaType, nil
}

// danger refuses what must not leave whatever the operator allows: by extension, then by content.
func danger(ext string, octets []byte, depth int) error {
	switch {
	case programExtension(ext):
		return ErrExecutable
	case macroExtension(ext):
		return ErrMacros
	case activeExtension(ext):
		return ErrActiveContent
	case program(octets):
		return ErrExecutable
	case active(octets):
		return ErrActiveContent
	case bytes.HasPrefix(octets, []byte(oleMagic)):
		return oleDanger(octets)
	case bytes.HasPrefix(octets, []byte("%PDF-")):
		return pdfDanger(octets)
	case bytes.HasPrefix(octets, []byte("PK\x03\x04")):
		return zipDanger(octets, depth)
	case ext == "eml":
		return messageDanger(octets, depth)
	case ext == "csv" || ext == "tsv":
		return csvDanger(octets)
	}
	return nil
}

// agrees reports whether content and extension say the same, and only one thing.
func agrees(ext string, octets []byte) error {
	if !signature(ext, octets) {
		return ErrTypeMismatch
	}
	switch ext {
	case "docx", "xlsx", "pptx", "odt", "ods", "odp", "zip":
		return packageAgrees(ext, octets)
	case "doc", "xls", "ppt":
		return oleAgrees(ext, octets)
	}
	return onlyOne(ext, octets)
}

// signature checks the first octets, and for text all of them.
func signature(ext string, b []byte) bool {
	prefix := func(p string) bool { return bytes.HasPrefix(b, []byte(p)) }
	switch ext {
	case "pdf":
		return prefix("%PDF-1.") || prefix("%PDF-2.")
	case "png", "gif", "jpg", "jpeg":
		return imageIs(ext, b)
	case "webp":
		return len(b) > 16 && prefix("RIFF") && string(b[8:12]) == "WEBP" && string(b[12:15]) == "VP8"
	case "tif", "tiff":
		return prefix("II*\x00") || prefix("MM\x00*")
	case "docx", "xlsx", "pptx", "odt", "ods", "odp", "zip":
		return prefix("PK\x03\x04")
	case "doc", "xls", "ppt":
		return prefix(oleMagic)
	case "ics":
		return isText(b) && startsWith(b, "BEGIN:VCALENDAR")
	case "vcf":
		return isText(b) && startsWith(b, "BEGIN:VCARD")
	case "eml":
		return isMessage(b)
	case "txt", "csv", "md", "tsv", "log", "json":
		return isText(b)
	}
	return false
}

func imageIs(ext string, b []byte) bool {
	_, format, err := image.DecodeConfig(bytes.NewReader(b))
	return err == nil && (format == ext || format == "jpeg" && ext == "jpg")
}

// onlyOne refuses files that a second program would read as something else. Text is left out of the PDF check: it may well
// speak of one.
func onlyOne(ext string, b []byte) error {
	head := b[:min(len(b), 1024)]
	binary := ext == "pdf" || ext == "png" || ext == "gif" || ext == "jpg" || ext == "jpeg" || ext == "webp" || ext == "tif" || ext == "tiff"
	switch {
	case isArchive(b):
		return ErrPolyglot // Security: archive readers look at the end of a file, image viewers at its start
	case binary && ext != "pdf" && bytes.Contains(head, []byte("%PDF-")):
		return ErrPolyglot // Security: viewers accept a PDF that starts within the first 1,024 octets
	case binary && holdsMarkup(head[:min(len(head), 256)]):
		return ErrPolyglot // Security: readers that sniff look for tags there
	case ext == "gif" && len(b) > 8 && (b[6] == '/' && b[7] == '*' || b[6] == '=' && b[7] >= ' '):
		return ErrPolyglot // Security: an image that is a script too needs its size to be a comment or an assignment
	case binary && programInside(b):
		return ErrPolyglot
	}
	return nil
}
