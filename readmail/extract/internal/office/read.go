// Package office reads the text of DOCX, XLSX, PPTX, ODT, ODS and ODP files. Headings, lists and tables stay
// readable; what a person opening the document would not see is marked and counted; tracked deletions are left out.
//
// Nothing is executed, evaluated or fetched: fields, formulas, macros, external references and embedded objects are at most
// noted. Inflated octets, ratio, entries, XML depth, rows and columns are bounded.
package office

import (
	"errors"
	"strings"

	"mailgap/readmail/extract/internal/document"
)

// Read returns the text of the document in data. kind is "docx", "xlsx", "pptx", "odt", "ods" or "odp". Errors match
// document.ErrDamaged, ErrTooLarge, ErrEncrypted or ErrUnsupported. A document that breaks off midway gives its first
// part with Truncated set. It takes time linear in what the archive inflates to. Safe for concurrent use.
func Read(kind string, data []byte, l document.Limits) (document.Document, error) {
	a, err := openArchive(data)
	if err != nil {
		return document.Document{}, err
	}
	r := &reader{archive: a, limits: l, out: document.NewBuilder(l.MaxTextOctets)}
	switch kind {
	case "docx":
		err = r.docx()
	case "xlsx":
		err = r.xlsx()
	case "pptx":
		err = r.pptx()
	case "odt", "ods", "odp":
		err = r.odf(kind)
	default:
		err = document.ErrUnsupported
	}
	return r.finish(err)
}

// reader is one pass over one document.
type reader struct {
	archive *archive
	limits  document.Limits
	out     *document.Builder
	doc     document.Document
	hidden  map[string]int // what was hidden how often, by the reason in our words
}

// hide counts one hidden passage.
func (r *reader) hide(reason string) {
	if r.hidden == nil {
		r.hidden = map[string]int{}
	}
	r.hidden[reason]++
	r.doc.Hidden++
}

// finish turns what was read into the result. Damage after some text is a remark, before any text an error.
func (r *reader) finish(err error) (document.Document, error) {
	if errors.Is(err, document.ErrDamaged) && r.out.Len() > 0 {
		r.doc.Truncated = true
		r.doc.Note("the document is damaged: text after the damage is missing")
		err = nil
	}
	if err == nil && r.archive.damage > 0 && r.out.Len() == 0 {
		err = document.ErrDamaged
	}
	if err != nil {
		return document.Document{}, err
	}
	r.doc.Text = strings.TrimRight(r.out.String(), "\n ") + "\n"
	if r.out.Full() {
		r.doc.Truncated = true
		r.doc.Note("text was cut: it is over the limit of %d octets", r.limits.MaxTextOctets)
	}
	r.remarks()
	return r.doc, nil
}

// remarks notes what the archive holds besides text.
func (r *reader) remarks() {
	for _, reason := range sortedKeys(r.hidden) {
		r.doc.Note("hidden in the document: %d %s (marked in the text)", r.hidden[reason], reason)
	}
	if r.archive.damage > 0 {
		r.doc.Truncated = true
		r.doc.Note("%d parts of the document are damaged: text may be missing or wrong", r.archive.damage)
	}
	embedded, macros := 0, false
	for _, name := range r.archive.names {
		macros = macros || strings.HasSuffix(name, "/vbaproject.bin") || strings.HasPrefix(name, "basic/")
		if strings.Contains(name, "/embeddings/") {
			embedded++
		}
	}
	if macros {
		r.doc.Note("the document holds macros; they are not read")
	}
	if embedded > 0 {
		r.doc.Note("the document holds %d embedded files; they are not read", embedded)
	}
	if strings.TrimSpace(r.doc.Text) == "" {
		r.doc.Note("the document holds no text; text in pictures is not read")
	}
}

// walkPart reads one part and calls h. A part that is not there is no error.
func (r *reader) walkPart(name string, h handler) error {
	b, err := r.archive.read(name)
	if errors.Is(err, errNoPart) {
		return nil
	}
	if err != nil {
		return err
	}
	return walk(b, h)
}
