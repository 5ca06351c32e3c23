package attach

import (
	"archive/zip"
	"bytes"
	"errors"
	"io"
	"path"
	"strings"
)

const (
	maxEntries       = 5_000    // Limit: entries of one package
	maxEntryOctets   = 8 << 20  // Limit: of one entry that is read in full
	maxPackageOctets = 64 << 20 // Limit: of all entries read
	sniffOctets      = 4 << 10
)

// isArchive reports whether archive readers take b for a ZIP, wherever it starts.
func isArchive(b []byte) bool {
	r, err := zip.NewReader(bytes.NewReader(b), int64(len(b)))
	return (err == nil || errors.Is(err, zip.ErrInsecurePath)) && len(r.File) > 0
}

// unpack opens a ZIP that starts with its first entry and ends with its directory, and nothing around either.
func unpack(b []byte) (*zip.Reader, error) {
	r, err := zip.NewReader(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		return nil, ErrTypeMismatch
	}
	end := 22 + len(r.Comment) // APPNOTE.TXT §4.3.16
	switch {
	case len(r.File) == 0 || len(r.File) > maxEntries:
		return nil, ErrTypeMismatch
	case len(b) < end || !bytes.HasPrefix(b[len(b)-end:], []byte("PK\x05\x06")):
		return nil, ErrPolyglot
	}
	return r, nil
}

// walker reads a package within its budget.
type walker struct {
	left  int64
	depth int
}

func (w *walker) read(f *zip.File, limit int64) ([]byte, error) {
	rc, err := f.Open()
	if err != nil {
		return nil, ErrTypeRefused // an unknown compression method, or encrypted: it cannot be looked at
	}
	defer rc.Close()
	b, err := io.ReadAll(io.LimitReader(rc, min(limit, w.left)))
	if err != nil {
		return nil, ErrTypeRefused
	}
	if w.left -= int64(len(b)); w.left <= 0 {
		return nil, ErrTypeRefused
	}
	return b, nil
}

// zipDanger looks at every entry of a package or an archive.
func zipDanger(b []byte, depth int) error {
	if depth >= maxNesting {
		return ErrTypeRefused
	}
	r, err := unpack(b)
	if err != nil {
		return err
	}
	w := &walker{left: maxPackageOctets, depth: depth}
	for _, f := range r.File {
		if f.Flags&1 != 0 {
			return ErrTypeRefused // encrypted
		}
		if strings.HasSuffix(f.Name, "/") {
			continue
		}
		if err := w.entry(f); err != nil {
			return err
		}
	}
	return nil
}

func (w *walker) entry(f *zip.File) error {
	name := strings.ToLower(strings.ReplaceAll(f.Name, `\`, "/"))
	if err := entryName(name); err != nil {
		return err
	}
	limit := int64(sniffOctets)
	if strings.HasSuffix(name, ".rels") || strings.HasSuffix(name, ".xml") || nested(name) {
		limit = maxEntryOctets
	}
	b, err := w.read(f, limit)
	if err != nil {
		return err
	}
	return w.entryContent(name, b)
}

// entryName: what a package carries is told by its names (ECMA-376 part 2; OpenDocument 1.3 part 2).
func entryName(name string) error {
	base, ext := path.Base(name), extension(path.Base(name))
	switch {
	case strings.HasPrefix(base, "vbaproject"), strings.HasPrefix(base, "vbadata"), strings.Contains(name, "/activex/"), strings.Contains(name, "/macrosheets/"),
		strings.HasPrefix(base, "oleobject"), strings.HasPrefix(name, "basic/"), strings.HasPrefix(name, "scripts/"):
		return ErrMacros
	case name == "meta-inf/manifest.mf", name == "androidmanifest.xml", name == "classes.dex":
		return ErrExecutable
	case strings.HasPrefix(name, "/") || strings.HasPrefix(name, "../") || strings.Contains(name, "/../"):
		return ErrActiveContent // Security: unpacking would write elsewhere
	case programExtension(ext) && !(ext == "bin" && officePart(name)):
		return ErrExecutable
	case macroExtension(ext):
		return ErrMacros
	case activeExtension(ext) && ext != "xml" && !(ext == "svg" && officePart(name)):
		return ErrActiveContent
	}
	return nil
}

// officePart: OOXML keeps printer settings in .bin and pictures in .svg.
func officePart(name string) bool {
	return strings.HasPrefix(name, "word/") || strings.HasPrefix(name, "xl/") || strings.HasPrefix(name, "ppt/") || strings.HasPrefix(name, "docprops/") || strings.HasPrefix(name, "pictures/")
}

func nested(name string) bool {
	switch extension(path.Base(name)) {
	case "zip", "docx", "xlsx", "pptx", "odt", "ods", "odp", "eml", "pdf", "doc", "xls", "ppt", "csv":
		return true
	}
	return false
}

func (w *walker) entryContent(name string, b []byte) error {
	ext := extension(path.Base(name))
	switch {
	case ext == "rels":
		return relsDanger(b)
	case ext == "xml":
		return xmlDanger(name, b)
	case ext == "svg":
		return nil
	case nested(name):
		return danger(ext, b, w.depth+1)
	case program(b), bytes.HasPrefix(b, []byte(oleMagic)):
		return ErrExecutable
	case bytes.HasPrefix(b, []byte("PK\x03\x04")):
		return ErrTypeRefused // an archive under another name
	}
	return nil
}

// relsDanger: relationships that make a document load a template, an object or a frame from outside (ECMA-376 part 2 §9.3).
func relsDanger(b []byte) error {
	text := strings.ToLower(string(asUTF8(b)))
	for rel := range strings.SplitSeq(text, "<relationship ") {
		if !strings.Contains(rel, "external") {
			continue
		}
		for _, kind := range []string{"/attachedtemplate", "/oleobject", "/frame", "/subdocument", "/package", "/control"} {
			if strings.Contains(rel, kind) {
				return ErrActiveContent
			}
		}
	}
	return nil
}

func xmlDanger(name string, b []byte) error {
	b = asUTF8(b)
	switch {
	case name == "[content_types].xml" && (bytes.Contains(b, []byte("macroEnabled")) || bytes.Contains(b, []byte("vbaProject")) || bytes.Contains(b, []byte("macrosheet"))):
		return ErrMacros
	case bytes.Contains(b, []byte("DDEAUTO")), bytes.Contains(b, []byte("<ddeLink")), bytes.Contains(b, []byte("<!ENTITY")):
		return ErrActiveContent
	case bytes.Contains(b, []byte("<script:event-listener")), bytes.Contains(b, []byte("<office:script ")), bytes.Contains(b, []byte("<office:dde-source")):
		return ErrMacros
	}
	return nil
}

// packageAgrees compares what a package says it is with the extension.
func packageAgrees(ext string, b []byte) error {
	r, err := unpack(b)
	if err != nil {
		return err
	}
	found := packageType(r)
	if ext == "zip" {
		if found != "" {
			return ErrTypeMismatch
		}
		return nil
	}
	if found != ext {
		return ErrTypeMismatch
	}
	return nil
}

// packageType is the extension that goes with a package's own statement, or "" for a plain archive.
func packageType(r *zip.Reader) string {
	w := &walker{left: maxPackageOctets}
	for k, f := range r.File {
		if k == 0 && f.Name == "mimetype" && f.Method == zip.Store {
			b, _ := w.read(f, 128)
			return odfExtension(string(b))
		}
		if f.Name == "[Content_Types].xml" {
			b, _ := w.read(f, maxEntryOctets)
			return ooxmlExtension(string(asUTF8(b)))
		}
	}
	return ""
}

func odfExtension(mimetype string) string {
	for _, ext := range []string{"odt", "ods", "odp"} {
		if known, _ := knownType(ext); mimetype == known {
			return ext
		}
	}
	return "other"
}

func ooxmlExtension(contentTypes string) string {
	for _, ext := range []string{"docx", "xlsx", "pptx"} {
		if known, _ := knownType(ext); strings.Contains(contentTypes, known+".main+xml") {
			return ext
		}
	}
	return "other"
}
