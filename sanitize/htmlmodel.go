package sanitize

import (
	"bytes"
	"errors"
	"strconv"
	"strings"
	"unicode/utf8"

	"mailgap/sanitize/htmltext"
	"mailgap/shared/guardswitch"
)

// HTML makes untrusted HTML fit for a model: the text that a person would see, laid out with line breaks, list marks,
// quote marks and table bars, then the passes of ForModel. Links stand as their text followed by a mark. What a person
// would not see is withheld; a note with its length and technique stands in its place.
func HTML(src string, o Options) Result {
	if guardswitch.Off(guardswitch.Reading) {
		return unguarded(src)
	}
	doc, err := htmltext.Convert(src, htmltext.Options{})
	if err != nil {
		return unreadable(err, o)
	}
	c := &counts{}
	l := layout{doc: doc, c: c, fold: o.FoldQuotes}
	l.run()
	r := Result{HiddenChars: doc.HiddenChars, FoldedChars: l.folded, Truncated: doc.Truncated, Hidden: hiddenPassages(doc, o)}
	for _, img := range doc.Images {
		if img.Pixel {
			c.add(KindTrackingPixel, 1)
		}
	}
	for _, n := range doc.Notes {
		r.Notes = append(r.Notes, Line(string(n), 0))
	}
	s := strings.TrimRight(l.out.String(), " \n") + "\n"
	if o.FoldQuotes && r.FoldedChars == 0 {
		s, r.FoldedChars = foldHistory(s)
	}
	r.Signals = htmlSignals(s, doc, o.Where)
	return finish(strings.TrimLeft(s, "\n"), anchors(doc), c, r, o)
}

func unreadable(err error, o Options) Result {
	note := Literal("the HTML could not be read")
	if errors.Is(err, htmltext.ErrNotText) {
		note = Literal("the HTML part holds no text")
	}
	return Result{Notes: []Clean{note}}
}

func anchors(doc htmltext.Doc) []anchor {
	all := make([]anchor, len(doc.Links))
	for k, l := range doc.Links {
		all[k] = anchor{href: normalise(l.Href, nil), text: l.Text}
	}
	return all
}

func hiddenPassages(doc htmltext.Doc, o Options) []Hidden {
	var all []Hidden
	for _, h := range doc.Hidden {
		if h.OtherView {
			continue // a person sees it, on this screen
		}
		p := Hidden{Technique: Line(string(h.Technique), 60), Chars: h.Chars, Preheader: h.Preheader, Uncertain: h.Uncertain, Elsewhere: h.Elsewhere}
		if o.ShowHidden {
			p.Text = LineResult(h.Text, Options{MaxChars: htmltext.DefaultHiddenEach, RevealSecrets: o.RevealSecrets, Strict: o.Strict}).Text
		}
		all = append(all, p)
	}
	return all
}

// htmlSignals looks at the visible text, and at what was hidden under a label of its own.
func htmlSignals(s string, doc htmltext.Doc, where Clean) []Signal {
	found := Signals(dropAnchors(s), where)
	var hidden strings.Builder
	for _, h := range doc.Hidden {
		if !h.Uncertain {
			hidden.WriteString(h.Text + "\n")
		}
	}
	label := Literal("hidden text")
	if !where.IsZero() {
		label = Sprintf("%s, hidden text", where)
	}
	return append(found, Signals(normalise(hidden.String(), nil), label)...)
}

// The places of links are carried through the passes by noncharacters, which normalise has removed from all text of
// the message, so that nothing in it can look like one.
const (
	anchorStart = "\uFDD0"
	anchorEnd   = "\uFDD1"
	anchorStop  = "\uFDD2"
)

func dropAnchors(s string) string {
	const lead = 0xEF // the first octet of all three
	k := strings.IndexByte(s, lead)
	if k < 0 {
		return s
	}
	b := make([]byte, 0, len(s))
	for ; k >= 0; k = strings.IndexByte(s, lead) {
		b = append(b, s[:k]...)
		if s = s[k:]; strings.HasPrefix(s, anchorStart) || strings.HasPrefix(s, anchorEnd) || strings.HasPrefix(s, anchorStop) {
			s = s[len(anchorStart):]
			continue
		}
		b, s = append(b, lead), s[1:]
	}
	return string(append(b, s...))
}

type anchor struct{ href, text string }

// anchor handles the octet that begins a noncharacter.
func (w *weaver) anchor(i int) int {
	rest := w.src[i:]
	switch {
	case strings.HasPrefix(rest, anchorStart):
		w.inLink, w.lit, w.anchorAt = true, i+len(anchorStart), len(w.out)
		return len(anchorStart)
	case strings.HasPrefix(rest, anchorEnd):
		number, _, _ := strings.Cut(rest[len(anchorEnd):], anchorStop)
		n := len(anchorEnd) + len(number) + len(anchorStop)
		w.inLink, w.lit = false, i+n
		if k, err := strconv.Atoi(number); err == nil && k < len(w.anchors) {
			w.linkMark(w.anchors[k])
		}
		return n
	}
	w.out = append(w.out, w.src[i])
	return 1
}

// linkMark writes the mark after a link's text, unless the link leads nowhere or to the address that it shows.
func (w *weaver) linkMark(a anchor) {
	href := strings.TrimSpace(a.href)
	if href == "" || strings.HasPrefix(href, "#") {
		return
	}
	if scheme, rest, ok := strings.Cut(href, ":"); ok {
		switch strings.ToLower(scheme) {
		case "mailto":
			if !mailtoActs(rest) && strings.Contains(strings.ToLower(a.text), strings.ToLower(rest)) {
				return
			}
		case "tel":
			return
		}
	}
	l := w.inspect(href, a.text, w.wordsBeside())
	if shown := string(w.out[min(w.anchorAt, len(w.out)):]); strings.Contains(shown, "[.]") && strings.Trim(shown, "/ \n") == strings.TrimRight(defang(href), "/") {
		w.out = w.out[:w.anchorAt] // the link shows its own target: the mark says it in less
	}
	w.number++
	l.Number = w.number
	w.addLink(l)
	if last := w.last(); last != ' ' && last != '\n' && last != 0 {
		w.out = append(w.out, ' ')
	}
	w.writeMark(l.mark(), l.Masked)
}

// wordsBeside is what stands around the text of an HTML link, up to the links beside it.
func (w *weaver) wordsBeside() string {
	before := w.out[max(0, w.anchorAt-160):min(w.anchorAt, len(w.out))]
	if k := bytes.LastIndex(before, []byte(markClose)); k >= 0 {
		before = before[k+len(markClose):]
	}
	after := clip(w.src, w.lit, min(len(w.src), w.lit+80))
	after, _, _ = strings.Cut(after, anchorStart)
	return string(before) + " " + after
}

// layout writes the segments of a document as lines.
type layout struct {
	doc     htmltext.Doc
	c       *counts
	out     strings.Builder
	quote   int
	code    bool
	atStart bool // nothing written in the current line
	blank   int  // line breaks at the end
	gap     bool // a space is due before what comes next in this line
	inWord  bool // the last octet written is no space
	fold    bool
	history int // nesting of history
	skipped int // characters not written since the outermost history began
	folded  int
}

func (l *layout) run() {
	l.atStart = true
	l.out.Grow(l.doc.VisibleChars + l.doc.VisibleChars/4 + 16*len(l.doc.Links))
	for _, s := range l.doc.Segments {
		l.segment(s)
	}
	if l.history > 0 {
		l.endHistory()
	}
}

func (l *layout) segment(s htmltext.Segment) {
	switch s.Kind {
	case htmltext.HistoryStart:
		l.history++
		return
	case htmltext.HistoryEnd:
		if l.history--; l.history == 0 {
			l.endHistory()
		}
		return
	}
	if l.fold && l.history > 0 {
		if s.Kind == htmltext.Text {
			l.skipped += utf8.RuneCountInString(s.Text)
		}
		if s.Kind == htmltext.QuoteStart || s.Kind == htmltext.QuoteEnd {
			l.quoteLevel(s)
		}
		return
	}
	switch s.Kind {
	case htmltext.Text, htmltext.Control, htmltext.ImageMark, htmltext.HiddenMark, htmltext.PreheaderMark, htmltext.UncertainStart, htmltext.UncertainEnd, htmltext.LinkStart, htmltext.LinkEnd:
		l.inlineSegment(s)
	default:
		l.block(s)
	}
}

func (l *layout) endHistory() {
	if l.skipped == 0 {
		return
	}
	l.breaks(1)
	l.write(foldNoteFor(l.skipped))
	l.breaks(1)
	l.folded += l.skipped
	l.skipped = 0
}

func (l *layout) inlineSegment(s htmltext.Segment) {
	switch s.Kind {
	case htmltext.Text:
		l.text(normalise(s.Text, l.c))
	case htmltext.Control:
		l.write("[" + oneLine(normalise(s.Text, l.c)) + "]")
	case htmltext.ImageMark:
		l.write("[image: " + oneLine(normalise(l.doc.Images[s.N].Alt, l.c)) + "]")
	case htmltext.HiddenMark, htmltext.PreheaderMark, htmltext.UncertainStart:
		l.hidden(s)
	case htmltext.UncertainEnd:
		l.write("]")
	case htmltext.LinkStart:
		l.out.WriteString(anchorStart)
	case htmltext.LinkEnd:
		l.out.WriteString(anchorEnd + strconv.Itoa(s.N) + anchorStop)
	}
}

// Notes before a passage that is shown; a bracket after it closes them.
const (
	otherViewNote = "[not on every screen: "
	uncertainNote = "[not every reader sees this"
)

func (l *layout) hidden(s htmltext.Segment) {
	h := l.doc.Hidden[s.N]
	if s.Kind == htmltext.UncertainStart && h.OtherView {
		l.write(otherViewNote) // honest newsletters have other lines for telephones and dark colours
		return
	}
	l.c.add(KindHidden, 1)
	switch s.Kind {
	case htmltext.PreheaderMark:
		l.note("[preheader withheld: " + strconv.Itoa(h.Chars) + " characters]")
	case htmltext.UncertainStart:
		l.write(uncertainNote + ", " + string(h.Technique) + ": ")
	default:
		l.note("[hidden text withheld: " + strconv.Itoa(h.Chars) + " characters, " + string(h.Technique) + "]")
	}
}

func (l *layout) block(s htmltext.Segment) {
	switch s.Kind {
	case htmltext.Break:
		l.breaks(s.N)
	case htmltext.QuoteStart, htmltext.QuoteEnd:
		l.quoteLevel(s)
	case htmltext.HeadingStart:
		l.breaks(2)
		l.write(strings.Repeat("#", min(max(s.N, 1), 6)) + " ")
	case htmltext.HeadingEnd:
		l.breaks(2)
	case htmltext.ListItem:
		l.breaks(1)
		l.write(strings.Repeat("  ", max(s.N-1, 0)) + oneLine(normalise(s.Text, l.c)) + " ")
	case htmltext.RowStart:
		l.breaks(1)
	case htmltext.CellSep:
		l.write(" | ")
	case htmltext.RowEnd:
		l.breaks(1)
	case htmltext.CodeStart:
		l.breaks(1)
		l.code = true
	case htmltext.CodeEnd:
		l.code = false
		l.breaks(1)
	case htmltext.Rule:
		l.breaks(1)
		l.write("----")
		l.breaks(1)
	}
}

func (l *layout) quoteLevel(s htmltext.Segment) {
	l.breaks(1)
	if s.Kind == htmltext.QuoteStart {
		l.quote = s.N
	} else {
		l.quote = s.N - 1
	}
}

// text writes text; line ends in it start a new line with the marks of the quotation.
func (l *layout) text(s string) {
	for k, line := range strings.Split(s, "\n") {
		if k > 0 {
			l.newline()
		}
		l.write(line)
	}
}

func (l *layout) write(s string) {
	if s == "" {
		return
	}
	if l.atStart {
		if !l.code {
			s = strings.TrimLeft(s, " ")
		}
		if s == "" {
			return
		}
		l.out.WriteString(strings.Repeat("> ", min(max(l.quote, 0), 10)))
	}
	if l.gap && !l.atStart && s[0] != ' ' {
		l.out.WriteByte(' ')
	}
	l.out.WriteString(s)
	l.atStart, l.gap, l.blank = false, false, 0
	l.inWord = s[len(s)-1] != ' '
}

// note writes a mark of ours, with a space on either side.
func (l *layout) note(s string) {
	l.gap = l.inWord
	l.write(s)
	l.gap = true
}

func (l *layout) newline() {
	l.out.WriteByte('\n')
	l.atStart = true
	l.out.Grow(l.doc.VisibleChars + l.doc.VisibleChars/4 + 16*len(l.doc.Links))
	l.blank++
}

// breaks makes sure that at least n line breaks (at most two) stand at the end.
func (l *layout) breaks(n int) {
	if l.out.Len() == 0 {
		return
	}
	for l.blank < min(n, 2) {
		l.newline()
	}
}
