package attach

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Types is the set of file types that may leave. The zero value is the default list. Immutable; safe for concurrent use.
type Types struct{ extensions map[string]bool }

// ErrTypes is what every error of ParseTypes wraps.
var ErrTypes = errors.New("attach: list of types refused")

// knownType gives the media type for an extension, and whether it is on the default list.
func knownType(ext string) (mediaType string, byDefault bool) {
	switch ext {
	case "pdf":
		return "application/pdf", true
	case "png":
		return "image/png", true
	case "jpg", "jpeg":
		return "image/jpeg", true
	case "gif":
		return "image/gif", true
	case "webp":
		return "image/webp", true
	case "txt":
		return "text/plain", true
	case "csv":
		return "text/csv", true
	case "ics":
		return "text/calendar", true
	case "vcf":
		return "text/vcard", true
	case "docx":
		return "application/vnd.openxmlformats-officedocument.wordprocessingml.document", true
	case "xlsx":
		return "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", true
	case "pptx":
		return "application/vnd.openxmlformats-officedocument.presentationml.presentation", true
	case "odt":
		return "application/vnd.oasis.opendocument.text", true
	case "ods":
		return "application/vnd.oasis.opendocument.spreadsheet", true
	case "odp":
		return "application/vnd.oasis.opendocument.presentation", true
	case "eml":
		return "message/rfc822", true
	case "zip":
		return "application/zip", false
	case "md":
		return "text/markdown", false
	case "tsv":
		return "text/tab-separated-values", false
	case "log":
		return "text/plain", false
	case "json":
		return "application/json", false
	case "tif", "tiff":
		return "image/tiff", false
	case "doc":
		return "application/msword", false
	case "xls":
		return "application/vnd.ms-excel", false
	case "ppt":
		return "application/vnd.ms-powerpoint", false
	}
	return "", false
}

func knownExtensions() []string {
	return []string{"csv", "doc", "docx", "eml", "gif", "ics", "jpeg", "jpg", "json", "log", "md", "odp", "ods", "odt", "pdf", "png", "ppt", "pptx", "tif", "tiff",
		"tsv", "txt", "vcf", "webp", "xls", "xlsx", "zip"}
}

// ParseTypes reads a list of extensions ("pdf", ".png", "zip"; case and one leading dot do not matter). An unknown or never allowed one is
// refused; the error wraps ErrTypes, counts the entry from 1, says what can be written, and does not repeat it. An empty list is the default.
func ParseTypes(entries []string) (Types, error) {
	if len(entries) == 0 {
		return Types{}, nil
	}
	t := Types{extensions: map[string]bool{}}
	for k, entry := range entries {
		ext := strings.TrimPrefix(strings.ToLower(strings.TrimSpace(entry)), ".")
		if mediaType, _ := knownType(ext); mediaType == "" {
			return Types{}, fmt.Errorf("%w: entry %d of %d: write one of %s", ErrTypes, k+1, len(entries), strings.Join(knownExtensions(), ", "))
		}
		t.extensions[ext] = true
	}
	if t.extensions["jpg"] || t.extensions["jpeg"] {
		t.extensions["jpg"], t.extensions["jpeg"] = true, true
	}
	if t.extensions["tif"] || t.extensions["tiff"] {
		t.extensions["tif"], t.extensions["tiff"] = true, true
	}
	return t, nil
}

func (t Types) has(ext string) bool {
	if t.extensions == nil {
		_, byDefault := knownType(ext)
		return byDefault
	}
	return t.extensions[ext]
}

// Extensions lists the extensions in t, sorted.
func (t Types) Extensions() []string {
	return slices.DeleteFunc(knownExtensions(), func(ext string) bool { return !t.has(ext) })
}
