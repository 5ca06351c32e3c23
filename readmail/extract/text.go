package extract

import (
	"context"
	"encoding/binary"
	"fmt"
	"strings"
	"unicode/utf16"

	"mailgap/readmail/extract/internal/document"
	"mailgap/readmail/extract/internal/plain"
	"mailgap/readmail/extract/internal/vobject"
)

const maxTextInputOctets = 8 << 20 // of a text format; four times what is shown of it by default

// text is Text: find the kind, say where it differs from what was declared, and read it.
func (x *Extractor) text(ctx context.Context, in Input) (Result, error) {
	if err := ctx.Err(); err != nil {
		return Result{}, fmt.Errorf("extract: given up: %w", err)
	}
	if len(in.Data) > x.o.MaxInputOctets {
		return Result{Kind: KindUnknown}, newError(ErrTooLarge, KindUnknown,
			fmt.Sprintf("the attachment has %d octets, the limit is %d", len(in.Data), x.o.MaxInputOctets))
	}
	f := sniff(in)
	if f.err != nil {
		return Result{Kind: f.kind, MediaType: f.mediaType, Notes: f.notes}, f.err
	}
	r, err := x.read(ctx, f, in)
	r.Kind, r.MediaType = f.kind, f.mediaType
	r.Notes = append(mismatch(f, in), r.Notes...)
	return r, err
}

// read dispatches on the kind.
func (x *Extractor) read(ctx context.Context, f found, in Input) (Result, error) {
	switch {
	case f.kind.inChild():
		return x.runChild(ctx, f.kind, in)
	case f.kind == KindImage:
		return readImage(f.mediaType, in.Data, x.o.MaxImageOctets)
	case f.kind == KindEML:
		return Result{}, nil
	}
	return x.readText(f.kind, in)
}

// readText reads the formats that are text, in this process. They are cut before they are decoded, so that a large
// attachment costs this process a bounded amount of memory and time.
func (x *Extractor) readText(kind Kind, in Input) (Result, error) {
	whole := len(in.Data)
	in.Data = in.Data[:min(whole, maxTextInputOctets)]
	d, err := x.textDocument(kind, in)
	if err != nil {
		return Result{}, newError(err, kind, "")
	}
	if whole > maxTextInputOctets {
		d.Truncated = true
		d.Note("only the first %d of %d octets are read", maxTextInputOctets, whole)
	}
	r := resultOf(d)
	r.HTML = kind == KindHTML
	return r, nil
}

func (x *Extractor) textDocument(kind Kind, in Input) (document.Document, error) {
	l := document.Limits{MaxTextOctets: x.o.MaxTextOctets, MaxPages: x.o.MaxPages, FirstPage: 1}
	if kind == KindRTF { // names its charsets itself
		return plain.RTF(string(in.Data), x.o.Decode, l)
	}
	text := x.decode(in)
	switch kind {
	case KindCSV:
		return plain.Table(text, l), nil
	case KindReport:
		return plain.Report(text, l), nil
	case KindICS:
		return vobject.Calendar(text, vobject.Options{Decode: x.o.Decode, Location: x.o.Location, Limits: l})
	case KindVCard:
		return vobject.Cards(text, vobject.Options{Decode: x.o.Decode, Location: x.o.Location, Limits: l})
	}
	return plain.Text(text, l), nil
}

func resultOf(d document.Document) Result {
	return Result{Title: d.Title, Text: d.Text, Pages: d.Pages, FirstPage: d.FirstPage, LastPage: d.LastPage,
		Truncated: d.Truncated, Hidden: d.Hidden, Notes: d.Notes}
}

// decode turns the octets into text: a byte order mark decides, then the declared charset.
func (x *Extractor) decode(in Input) string {
	b := in.Data
	switch {
	case len(b) >= 2 && b[0] == 0xFF && b[1] == 0xFE:
		return decodeUTF16(b[2:], binary.LittleEndian)
	case len(b) >= 2 && b[0] == 0xFE && b[1] == 0xFF:
		return decodeUTF16(b[2:], binary.BigEndian)
	case len(trimBOM(b)) != len(b):
		return strings.ToValidUTF8(string(trimBOM(b)), "\uFFFD")
	}
	return x.o.Decode(in.Charset, b)
}

func decodeUTF16(b []byte, order binary.ByteOrder) string {
	units := make([]uint16, 0, len(b)/2)
	for ; len(b) >= 2; b = b[2:] {
		units = append(units, order.Uint16(b))
	}
	return string(utf16.Decode(units))
}

// mismatch notes where the content is not what the message says about it. Vague declarations are no statement.
func mismatch(f found, in Input) []string {
	declared := bareType(in.MediaType)
	claim := declaredKind(declared)
	if claim == f.kind && f.kind == KindImage && declared != f.mediaType && declared != "image/jpg" && declared != "image/pjpeg" {
		return []string{"the declared type is another image type; the content is " + f.mediaType}
	}
	vague := declared == "" || declared == "application/octet-stream" || claim == KindUnknown && !strings.HasPrefix(declared, "image/")
	if !vague && claim != f.kind && !plainer(claim, f.kind) {
		return []string{"the message declares another type; the content is " + string(f.kind)}
	}
	if ending := endingKind(in.Filename); vague && ending != KindUnknown && ending != f.kind && !plainer(ending, f.kind) {
		return []string{"the file name stands for another type; the content is " + string(f.kind)}
	}
	return nil
}

// plainer reports whether a claim of plain text covers what was found: a text format that is read as text anyhow.
func plainer(claim, found Kind) bool {
	return claim == KindText && found.isText() && found != KindHTML
}
