package readmail

import (
	"strings"

	"mailgap/readmail/decode"
	"mailgap/sanitize"
)

// view says which text of a message is shown.
type view string

const (
	viewAuto   view = "auto"   // the better of the two
	viewPlain  view = "plain"  // the text/plain part
	viewHTML   view = "html"   // the text/html part, as text
	viewHeader view = "header" // no text, the whole header
	viewNone   view = "none"   // there is no text
)

// Words implements mcpserve.Word.
func (view) Words() []string {
	return []string{string(viewAuto), string(viewPlain), string(viewHTML), string(viewHeader), string(viewNone)}
}

// bodyOptions says how the text of a message is shown.
type bodyOptions struct {
	view       view
	foldQuotes bool
	showHidden bool
	reveal     bool
}

// bodyText is the text of a message, sanitized, and what is known about it.
type bodyText struct {
	sanitize.Result
	shown   view
	compare sanitize.Comparison
	notes   decode.Notes
	cut     bool
}

// render turns the text parts of src into text for the model.
func (src *source) render(o bodyOptions) bodyText {
	opts := sanitize.Options{MaxChars: -1, FoldQuotes: o.foldQuotes, RevealSecrets: o.reveal, ShowHidden: o.showHidden, Where: sanitize.Literal("body")}
	var b bodyText
	plain, plainNotes := joinParts(src.plain, false)
	html, htmlNotes := joinParts(src.html, true)
	show := o.view
	if show == viewAuto || show == "" {
		show, b.compare = choose(plain, html, len(src.plain) > 0, len(src.html) > 0, opts)
	}
	switch {
	case show == viewHTML && len(src.html) > 0:
		b.Result, b.notes, b.shown = sanitize.HTML(html, opts), htmlNotes, viewHTML
	case show == viewPlain && len(src.plain) > 0:
		b.Result, b.notes, b.shown = sanitize.ForModel(plain, opts), plainNotes, viewPlain
	default:
		b.shown = viewNone
	}
	for _, n := range src.notes {
		if !b.notes.Has(n) {
			b.notes = append(b.notes, n)
		}
	}
	b.cut = src.cut || anyCut(src.plain) && b.shown == viewPlain || anyCut(src.html) && b.shown == viewHTML
	return b
}

// choose picks the better text where a message has two.
func choose(plain, html string, hasPlain, hasHTML bool, o sanitize.Options) (view, sanitize.Comparison) {
	switch {
	case !hasPlain && !hasHTML:
		return viewNone, sanitize.Comparison{}
	case !hasPlain:
		return viewHTML, sanitize.Comparison{}
	case !hasHTML:
		return viewPlain, sanitize.Comparison{}
	}
	o.FoldQuotes = false
	c := sanitize.Compare(sanitize.ForModel(plain, o).Text, sanitize.HTML(html, o).Text)
	return pick(c.ShowHTML && c.Verdict != sanitize.VerdictSame, viewHTML, viewPlain), c
}

// joinParts decodes parts and puts them together, a blank line between them.
func joinParts(parts []textPart, html bool) (string, decode.Notes) {
	var all []string
	var notes decode.Notes
	for _, p := range parts {
		s, n := p.text(html)
		all = append(all, s)
		for _, x := range n {
			if !notes.Has(x) {
				notes = append(notes, x)
			}
		}
	}
	return strings.Join(all, pick(html, "\n<hr>\n", "\n\n")), notes
}

func anyCut(parts []textPart) bool {
	for _, p := range parts {
		if p.cut {
			return true
		}
	}
	return false
}
