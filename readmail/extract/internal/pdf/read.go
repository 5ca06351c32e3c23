package pdf

import (
	"errors"
	"maps"
	"slices"
	"strings"

	pdferrors "github.com/klippa-app/go-pdfium/errors"
	"github.com/klippa-app/go-pdfium/references"
	"github.com/klippa-app/go-pdfium/requests"

	"mailgap/readmail/extract/internal/document"
)

const (
	maxTitleOctets   = 300
	maxFailedPages   = 50    // Limit: give up on a file whose pages all fail
	charsPerRequest  = 32768 // what one call copies out of the instance
	minTextLayerRune = 3     // fewer letters than this on all pages: a picture of a text
)

// Read returns the text of the PDF in data, page after page, each under a line "--- page N of M ---".
// Errors match document.ErrEncrypted or document.ErrDamaged. Pages that cannot be read are left out and noted.
func (e *Engine) Read(data []byte, l document.Limits) (document.Document, error) {
	opened, err := e.pdf.OpenDocument(&requests.OpenDocument{File: &data})
	if err != nil {
		return document.Document{}, openError(err)
	}
	defer e.pdf.FPDF_CloseDocument(&requests.FPDF_CloseDocument{Document: opened.Document})
	count, err := e.pdf.FPDF_GetPageCount(&requests.FPDF_GetPageCount{Document: opened.Document})
	if err != nil || count.PageCount <= 0 {
		return document.Document{}, document.ErrDamaged
	}
	d := document.Document{Title: e.title(opened.Document), Pages: count.PageCount, FirstPage: l.FirstPage}
	if l.FirstPage > d.Pages {
		d.Note("the document has %d pages only: nothing to show from page %d on", d.Pages, l.FirstPage)
		d.LastPage = l.FirstPage - 1
		return d, nil
	}
	r := reader{engine: e, doc: opened.Document, out: document.NewBuilder(l.MaxTextOctets), hidden: map[string]int{}}
	return r.pages(d, l)
}

func openError(err error) error {
	if errors.Is(err, pdferrors.ErrPassword) || errors.Is(err, pdferrors.ErrSecurity) {
		return document.ErrEncrypted
	}
	for _, known := range []error{pdferrors.ErrFormat, pdferrors.ErrFile, pdferrors.ErrPage, pdferrors.ErrUnknown, pdferrors.ErrSuccess} {
		if errors.Is(err, known) {
			return document.ErrDamaged
		}
	}
	return document.ErrMemory // the instance gave up: it found no room for the file
}

func (e *Engine) title(doc references.FPDF_DOCUMENT) string {
	meta, err := e.pdf.FPDF_GetMetaText(&requests.FPDF_GetMetaText{Document: doc, Tag: "Title"})
	if err != nil {
		return ""
	}
	return document.OneLine(meta.Value, maxTitleOctets)
}

// reader is one pass over the pages of one document.
type reader struct {
	engine  *Engine
	doc     references.FPDF_DOCUMENT
	out     *document.Builder
	letters int
	failed  int
	checked int            // characters looked at one by one
	hidden  map[string]int // passages by why they are not seen
}

func (r *reader) pages(d document.Document, l document.Limits) (document.Document, error) {
	last := min(d.Pages, l.FirstPage+l.MaxPages-1)
	for n := l.FirstPage; n <= last && !r.out.Full() && r.failed <= maxFailedPages; n++ {
		d.LastPage = n
		r.page(n, &d)
	}
	done := d.LastPage - d.FirstPage + 1
	if r.failed >= done {
		return d, document.ErrDamaged
	}
	d.Text = r.out.String()
	d.Truncated = r.out.Full() || d.LastPage < d.Pages
	r.remarks(&d, done)
	return d, nil
}

// remarks notes what is missing, cut or hidden in the pages done.
func (r *reader) remarks(d *document.Document, done int) {
	if r.failed > 0 {
		d.Note("%d of %d pages could not be read and are left out", r.failed, done)
	}
	if r.out.Full() {
		d.Note("text was cut on page %d of %d: it is over the limit", d.LastPage, d.Pages)
	} else if d.LastPage < d.Pages {
		d.Note("pages %d to %d of %d are shown: ask for first page %d to read on", d.FirstPage, d.LastPage, d.Pages, d.LastPage+1)
	}
	if r.letters < minTextLayerRune {
		d.Note("no text layer: the pages are pictures (a scan?); text in pictures is not read")
	}
	for _, why := range slices.Sorted(maps.Keys(r.hidden)) {
		d.Hidden += r.hidden[why]
		d.Note("hidden in the document: %d %s (marked in the text)", r.hidden[why], why)
	}
}

// page writes one page.
func (r *reader) page(n int, d *document.Document) {
	page, err := r.engine.pdf.FPDF_LoadPage(&requests.FPDF_LoadPage{Document: r.doc, Index: n - 1})
	if err != nil {
		r.failed++
		return
	}
	defer r.engine.pdf.FPDF_ClosePage(&requests.FPDF_ClosePage{Page: page.Page})
	ref := requests.Page{ByReference: &page.Page}
	tp, err := r.engine.pdf.FPDFText_LoadPage(&requests.FPDFText_LoadPage{Page: ref})
	if err != nil {
		r.failed++
		return
	}
	defer r.engine.pdf.FPDFText_ClosePage(&requests.FPDFText_ClosePage{TextPage: tp.TextPage})
	r.out.Printf("--- page %d of %d ---\n", n, d.Pages)
	r.out.WriteString(r.pageText(ref, tp.TextPage, d))
	r.out.WriteString("\n\n")
}

// pageText returns the characters of one page, at most as many as the builder still has room for.
func (r *reader) pageText(ref requests.Page, tp references.FPDF_TEXTPAGE, d *document.Document) string {
	count, err := r.engine.pdf.FPDFText_CountChars(&requests.FPDFText_CountChars{TextPage: tp})
	if err != nil {
		return ""
	}
	n := min(count.Count, r.out.Room()+1)
	text := ""
	if look := r.look(ref); look.suspect && r.checked+n <= maxCheckedChars {
		r.checked += n
		text = r.checkedText(tp, n, look, d)
	} else {
		if look.suspect {
			d.Note("hidden text was looked for in the first %d characters only", r.checked)
		}
		text = r.plainText(tp, n)
	}
	text = tidy(text)
	r.letters += len(text)
	return text
}

// plainText copies n characters out of the instance.
func (r *reader) plainText(tp references.FPDF_TEXTPAGE, n int) string {
	var b strings.Builder
	for at := 0; at < n; at += charsPerRequest {
		got, err := r.engine.pdf.FPDFText_GetText(&requests.FPDFText_GetText{
			TextPage: tp, StartIndex: at, Count: min(charsPerRequest, n-at)})
		if err != nil {
			break
		}
		b.WriteString(got.Text)
	}
	return b.String()
}

// tidy brings line ends to "\n" and joins words that PDFium marks as hyphenated at a line end (U+FFFE, U+0002).
func tidy(s string) string {
	s = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\x00", "", "\uFFFE\n", "", "\uFFFE", "", "\x02\n", "", "\x02", "").Replace(s)
	lines := strings.Split(s, "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight(line, " \t")
	}
	return strings.Trim(strings.Join(lines, "\n"), "\n")
}
