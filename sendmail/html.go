package sendmail

import (
	"cmp"
	"errors"
	"html"
	"slices"
	"strconv"
	"strings"

	"mailgap/confirm"
	"mailgap/sanitize"
	"mailgap/sendmail/attach"
	"mailgap/sendmail/compose"
	"mailgap/shared/guardswitch"
)

// Codes of refusals of the HTML part.
const (
	htmlUnparseable refusalCode = "html_unparseable"
	htmlTooLarge    refusalCode = "html_too_large" // also a code of package policy
	htmlTwice       refusalCode = "html_repeats_attribute"
	htmlTooDeep     refusalCode = "html_too_deep"
	htmlTooMuch     refusalCode = "html_needs_too_many_removals"
	htmlTooManyURLs refusalCode = "html_too_many_links"
	htmlHides       refusalCode = "html_hides_text"
	htmlUnstable    refusalCode = "html_ambiguous_nesting"
	htmlUnverified  refusalCode = "html_not_verified"
)

// htmlCodes are the codes that package policy does not have.
func htmlCodes() []string {
	return []string{string(htmlUnparseable), string(htmlTwice), string(htmlTooDeep), string(htmlTooMuch), string(htmlTooManyURLs), string(htmlHides), string(htmlUnstable), string(htmlUnverified)}
}

// htmlPart is what is known about the cleaned HTML part of a message.
type htmlPart struct {
	removals []sanitize.Removal
	seen     sanitize.Outgoing // of the frozen octets, as their reader sees them
	octets   int
	diverges sanitize.Clean // why text and HTML do not say the same; zero if they do
}

// cleanHTML cleans the caller's HTML, derives the text where there is none, and puts the quoted original and the signature
// below, as the text part has them. Attached images that the HTML shows become inline ones. It changes p and returns the files that stay
// attachments.
func (s *Server) cleanHTML(p *proposal, files []attach.File) (*htmlPart, []attach.File, error) {
	if strings.TrimSpace(p.html) == "" {
		p.html = ""
		return nil, files, nil
	}
	if guardswitch.Off(guardswitch.Content) {
		return nil, files, nil
	}
	images, err := s.newInlineImages(p.html, p.attachments, files)
	if err != nil {
		return nil, nil, composeRefusal(err)
	}
	own, err := images.clean(p.html)
	if err != nil {
		return nil, nil, htmlRefusal(err)
	}
	part := &htmlPart{removals: own.Removals}
	if strings.TrimSpace(p.text) == "" {
		p.text = own.Text
	} else {
		part.diverges = divergence(p.text, own.HTML)
	}
	const end = "</body></html>\n" // how a cleaned document ends
	whole, err := sanitize.OutgoingHTML(strings.TrimSuffix(own.HTML, end)+s.htmlBelow(p.quote)+end, sanitize.OutgoingOptions{ContentIDs: images.list()})
	if err != nil {
		return nil, nil, htmlRefusal(err)
	}
	for _, r := range whole.Removals { // of what stands below the caller's HTML
		r.Offset = len(p.html)
		part.removals = append(part.removals, r)
	}
	p.html = whole.HTML
	p.inline, files = images.divide()
	return part, files, nil
}

// frozen looks at the HTML part as it was read back from the octets that leave. It must be clean already, and show each inline image.
func (h *htmlPart) frozen(f compose.Facts) error {
	var ids []string
	for _, i := range f.Inline {
		ids = append(ids, i.ContentID)
	}
	var err error
	if h.seen, err = sanitize.OutgoingHTML(f.HTML, sanitize.OutgoingOptions{ContentIDs: ids}); err != nil {
		return htmlRefusal(err)
	}
	if h.seen.HTML != f.HTML || len(h.seen.Removals) > 0 || !slices.Equal(slices.Sorted(slices.Values(ids)), slices.Sorted(slices.Values(h.seen.ContentIDs))) {
		return htmlRefusal(sanitize.ErrOutgoingVerify)
	}
	h.octets = len(f.HTML)
	return nil
}

// divergence says how the two parts of the message differ, if they do.
func divergence(text, cleaned string) sanitize.Clean {
	c := sanitize.Compare(sanitize.ForModel(text, sanitize.Options{}).Text, sanitize.HTML(cleaned, sanitize.Options{}).Text)
	if c.Verdict == sanitize.VerdictSame {
		return sanitize.Clean{}
	}
	return cmp.Or(c.Note, sanitize.Literal("the two texts differ"))
}

// htmlBelow is the quoted original and the signature as HTML: text alone, every character of it escaped.
func (s *Server) htmlBelow(q *compose.Quote) string {
	var b strings.Builder
	if q != nil {
		b.WriteString("<div><br>" + htmlLines(q.Attribution) + "</div>")
		name := "blockquote"
		if q.Plain {
			name = "div"
		}
		b.WriteString("<" + name + ">" + htmlLines(q.Text) + "</" + name + ">")
	}
	if sig := strings.TrimPrefix(s.cfg.Signature, "-- \n"); strings.TrimSpace(sig) != "" {
		b.WriteString("<div><br>-- <br>" + htmlLines(sig) + "</div>")
	}
	return b.String()
}

func htmlLines(text string) string {
	text = strings.TrimRight(strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text), "\n")
	return strings.ReplaceAll(html.EscapeString(text), "\n", "<br>")
}

// htmlRefusal turns a refusal of package sanitize into ours.
func htmlRefusal(err error) error {
	for _, r := range []struct {
		is   error
		code refusalCode
		text sanitize.Clean
	}{
		{sanitize.ErrOutgoingSize, htmlTooLarge, sanitize.Literal("The HTML is larger than 1 MiB, quoted original included. hint: shorten it.")},
		{sanitize.ErrOutgoingEncoding, htmlUnparseable, sanitize.Literal("The HTML is not valid UTF-8. hint: write it anew.")},
		{sanitize.ErrOutgoingParse, htmlUnparseable, sanitize.Literal("The HTML cannot be parsed. hint: use plain, well nested HTML.")},
		{sanitize.ErrOutgoingTwice, htmlTwice, sanitize.Literal("An element of the HTML has the same attribute twice. hint: put both values into one.")},
		{sanitize.ErrOutgoingDepth, htmlTooDeep, sanitize.Literal("The HTML is nested more than a hundred elements deep. hint: flatten its tables.")},
		{sanitize.ErrOutgoingRemovals, htmlTooMuch, sanitize.Literal("More would have to be taken out of the HTML than a person can look over. hint: write simple HTML with style attributes.")},
		{sanitize.ErrOutgoingLinks, htmlTooManyURLs, sanitize.Literal("The HTML has more than 500 links. hint: leave most of them out.")},
		{sanitize.ErrOutgoingHidden, htmlHides, sanitize.Literal("The HTML would hide text from its reader. hint: leave out what hides, shrinks or covers text.")},
		{sanitize.ErrOutgoingUnstable, htmlUnstable, sanitize.Literal("The HTML is nested in a way that mail programs read differently. hint: close every element, and keep links and headings out of each other and of tables.")},
	} {
		if errors.Is(err, r.is) {
			return &refusal{code: r.code, text: r.text}
		}
	}
	return &refusal{code: htmlUnverified, text: sanitize.Literal("The cleaned HTML did not pass verification. hint: use plain paragraphs, lists, tables and links, or send text.")}
}

// asked is the HTML part for the question.
func (h *htmlPart) asked() *confirm.HTML {
	if h == nil {
		return nil
	}
	return &confirm.HTML{AsRead: h.seen.Text, Octets: h.octets, Removals: askedRemovals(h.removals)}
}

// askedRemovals sums the report up by kind, reason and name, with what matters most first.
func askedRemovals(list []sanitize.Removal) []confirm.Removal {
	type key struct {
		kind   sanitize.RemovalKind
		reason sanitize.RemovalReason
		name   sanitize.Clean
	}
	var order []key
	count, example := map[key]int{}, map[key]sanitize.Removal{}
	for _, r := range list {
		k := key{r.Kind, r.Reason, r.Name}
		switch {
		case r.Kind == sanitize.RemovedText:
			k.name = r.Value // each hidden or dropped passage is worth its own line
		case r.Kind != sanitize.RemovedElement && r.Reason == sanitize.ReasonInside, r.Reason == sanitize.ReasonRewritten, r.Reason == sanitize.ReasonRenamed:
			k.name = sanitize.Clean{}
		}
		if count[k] == 0 {
			order, example[k] = append(order, k), r
		}
		count[k] += r.Count
	}
	slices.SortStableFunc(order, func(a, b key) int { return cmp.Compare(weight(a.kind, a.reason), weight(b.kind, b.reason)) })
	out := make([]confirm.Removal, 0, len(order))
	for _, k := range order {
		out = append(out, confirm.Removal{What: removalWords(example[k]), Detail: removalDetail(example[k], count[k])})
	}
	return out
}

// removalDetail says what one removal was, for instance "img in table>tr>td, 3 times, the first: …".
func removalDetail(r sanitize.Removal, count int) string {
	detail := string(r.Kind)
	if !r.Name.IsZero() {
		detail += " " + r.Name.String()
	}
	if !r.Where.IsZero() {
		detail += " in " + r.Where.String()
	}
	if count > 1 {
		detail += ", " + strconv.Itoa(count) + " times, the first"
	}
	if !r.Value.IsZero() {
		detail += ": " + r.Value.String()
	}
	return detail
}

// weight orders removals: what would have acted or was hidden, then what a reader would miss, then spelling.
func weight(k sanitize.RemovalKind, r sanitize.RemovalReason) int {
	switch r {
	case sanitize.ReasonHidden, sanitize.ReasonScheme, sanitize.ReasonRemote, sanitize.ReasonInvisible:
		return 0
	case sanitize.ReasonActive:
		return 1
	case sanitize.ReasonPlain, sanitize.ReasonColours:
		return 2
	case sanitize.ReasonRewritten, sanitize.ReasonRenamed, sanitize.ReasonPreheader:
		return 5
	}
	if k == sanitize.RemovedText {
		return 1
	}
	return 4
}

func removalWords(r sanitize.Removal) confirm.Sentence {
	switch r.Reason {
	case sanitize.ReasonHidden:
		return confirm.Say("hidden from its reader")
	case sanitize.ReasonScheme:
		return confirm.Say("a link target that is not a plain web, mail or telephone address")
	case sanitize.ReasonRemote:
		return confirm.Say("an image that loads from elsewhere or is not among the attached images")
	case sanitize.ReasonActive:
		return confirm.Say("an element that runs, embeds, loads or takes input, with its content")
	case sanitize.ReasonInside:
		return confirm.Say("stood inside something that was removed")
	case sanitize.ReasonInvisible:
		return confirm.Say("control characters or direction overrides")
	case sanitize.ReasonPreheader:
		return confirm.Say("blanks that pad the preview line")
	case sanitize.ReasonRenamed, sanitize.ReasonRewritten:
		return confirm.Say("written in a simpler way")
	case sanitize.ReasonColours, sanitize.ReasonPlain:
		return confirm.Say("a style without which text would have become unreadable")
	}
	switch r.Kind {
	case sanitize.RemovedElement:
		return confirm.Say("an element that mail does not need; its content stays")
	case sanitize.RemovedAttribute:
		return confirm.Say("an attribute")
	case sanitize.RemovedDeclaration:
		return confirm.Say("a style")
	}
	return confirm.Say("a comment")
}

// htmlNotes are what the person should know about the HTML part besides its text.
func (h *htmlPart) notes(add func(confirm.Level, confirm.Sentence, ...string)) {
	if h == nil {
		return
	}
	if !h.diverges.IsZero() {
		add(confirm.LevelElevated, confirm.Say("The text part and the HTML part do not say the same; most readers see the HTML part:"), h.diverges.String())
	}
	if h.seen.Preheader != "" {
		add(confirm.LevelNormal, confirm.Say("The HTML part has a hidden line that mail programs show as a preview in their lists:"), h.seen.Preheader)
	}
}

// previewHTML is the HTML part in a preview.
type previewHTML struct {
	Text      sanitize.Clean   `json:"as_read"`
	Size      int              `json:"octets"`
	Preheader sanitize.Clean   `json:"preview_line,omitzero"`
	Diverges  sanitize.Clean   `json:"differs_from_text,omitzero"`
	Removals  []previewRemoval `json:"removals,omitempty"`
	Further   int              `json:"removals_not_listed,omitempty"`
}

type previewRemoval struct {
	Kind   sanitize.RemovalKind   `json:"kind"`
	Name   sanitize.Clean         `json:"name,omitzero"`
	Reason sanitize.RemovalReason `json:"reason"`
	Where  sanitize.Clean         `json:"where,omitzero"`
	Value  sanitize.Clean         `json:"value,omitzero"`
	Count  int                    `json:"count"`
	Offset int                    `json:"offset"`
}

// maxPreviewRemovals bounds the list. Limit: some ten thousand characters.
const maxPreviewRemovals = 100

func (h *htmlPart) preview() *previewHTML {
	if h == nil {
		return nil
	}
	p := &previewHTML{Text: sanitize.ForModel(h.seen.Text, sanitize.Options{MaxChars: maxPreviewChars}).Text, Size: h.octets,
		Preheader: sanitize.Line(h.seen.Preheader, 200), Diverges: h.diverges}
	p.Removals, p.Further = h.removed(maxPreviewRemovals)
	return p
}

// removed is the report for the caller, at most limit entries, and how many are left out.
func (h *htmlPart) removed(limit int) (list []previewRemoval, further int) {
	if h == nil {
		return nil, 0
	}
	for _, r := range h.removals[:min(len(h.removals), limit)] {
		list = append(list, previewRemoval(r))
	}
	return list, len(h.removals) - len(list)
}

// lines say the same in the text of a preview.
func (p *previewHTML) lines() []sanitize.Clean {
	if p == nil {
		return nil
	}
	l := []sanitize.Clean{sanitize.Sprintf("HTML part, %d octets, %d kinds of removals; its reader sees:", p.Size, len(p.Removals)+p.Further), p.Text}
	if !p.Preheader.IsZero() {
		l = append(l, sanitize.Sprintf("Hidden line that mail programs show as a preview: %s", p.Preheader))
	}
	if !p.Diverges.IsZero() {
		l = append(l, sanitize.Sprintf("The text part and the HTML part do not say the same: %s", p.Diverges))
	}
	for _, r := range p.Removals[:min(len(p.Removals), maxPreviewLines)] {
		l = append(l, sanitize.Sprintf("Removed (%s): %s", r.Reason, sanitize.Line(removalDetail(sanitize.Removal(r), r.Count), 300)))
	}
	if more := len(p.Removals) + p.Further - maxPreviewLines; more > 0 {
		l = append(l, sanitize.Sprintf("%d further kinds of removals.", more))
	}
	return l
}
