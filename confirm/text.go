package confirm

import (
	"encoding/hex"
	"fmt"
	"strings"
	"unicode/utf8"

	"mailgap/shared/mcpserve"
)

// How a line of a value begins. No line of ours begins with ">". The blank line after each value keeps a client that draws
// Markdown from pulling our next line into the quotation.
const (
	valuePrefix = "> "
	morePrefix  = ">> " // continues the value above
)

// Render returns the whole question, in lines. It is one-to-one: what is shown can be read back, except for what is said to be
// cut. Errors: ErrTooMuch.
func (q Question) Render() (mcpserve.SafeText, error) { return q.render("five minutes") }

// render says how long the question is good at most.
func (q Question) render(good literal) (mcpserve.SafeText, error) {
	if err := q.check(); err != nil {
		return nil, err
	}
	w := &writer{}
	w.say("%s It leaves at once and cannot be taken back.", q.Purpose.words())
	w.say("Lines that begin with > show what others wrote; the line above says who. >> continues a line. All other lines are "+
		"from this mail server program. [U+...] stands for a character that would not show. The question is good for %s at most.", good)
	w.say("")
	for _, n := range q.Notes {
		w.note(n)
	}
	w.say("%s: %d To, %d Cc, %d Bcc.", count(len(q.recipients()), "recipient"), len(q.To), len(q.Cc), len(q.Bcc))
	w.say("")
	w.say("From, set by the operator:")
	w.value(q.From)
	w.recipients("To", q.To)
	w.recipients("Cc", q.Cc)
	w.recipients("Bcc (hidden from the others)", q.Bcc)
	w.say("Subject, written by the AI assistant:")
	w.value(q.Subject)
	w.block("Text, written by the AI assistant", q.Text, true)
	w.block("Quoted original, handed over by the AI assistant", q.Quote, false)
	w.block("Signature, set by the operator", q.Signature, false)
	w.html(q.HTML)
	w.links(q.Links, q.MoreLinks)
	w.attachments("Inline image %d/%d, shown inside the HTML part, %d bytes, SHA-256 %s, with this name and type:", q.files(true))
	w.attachments("Attachment %d/%d, %d bytes, SHA-256 %s, with this name and type:", q.files(false))
	w.say("End of the message. Nothing is sent unless you choose to.")
	return shown(w.b.String()), nil
}

func (p Purpose) words() string {
	switch p {
	case PurposeReply:
		return "Send this reply?"
	case PurposeForward:
		return "Forward this message?"
	}
	return "Send this e-mail?"
}

func (o Origin) words() string {
	switch o {
	case OriginParent:
		return "taken from the message that is answered"
	case OriginOperator:
		return "added by the operator's configuration"
	case OriginListed:
		return "on the operator's list"
	case OriginKnown:
		return "known from earlier mail"
	case OriginParentUnconfirmed:
		return "taken from the message that is answered, whose author is NOT confirmed"
	case OriginMail:
		return "found in a mail that was read"
	}
	return "written by the AI assistant"
}

func (r Rule) words() string {
	switch r {
	case RuleExact:
		return "allowed by its exact address"
	case RuleDomain:
		return "allowed because every address at its domain is"
	case RuleNone:
		return "not subject to the list of allowed addresses"
	}
	return "allowed because every address is"
}

func (l Level) words() string {
	switch l {
	case LevelElevated:
		return "CAUTION"
	case LevelSevere:
		return "WARNING"
	}
	return "Note"
}

// count writes a number of things.
func count(n int, of literal) string {
	if n == 1 {
		return "1 " + string(of)
	}
	return fmt.Sprintf("%d %ss", n, string(of))
}

// writer writes lines of ours and values.
type writer struct{ b strings.Builder }

// say writes one line of ours. args are numbers and our own words.
func (w *writer) say(format string, args ...any) {
	fmt.Fprintf(&w.b, format, args...)
	w.b.WriteByte('\n')
}

// line writes one line of a value, in pieces.
func (w *writer) line(v string) { w.written(visible(v)) }

// written writes one line of a value that went through visible.
func (w *writer) written(v string) {
	prefix := valuePrefix
	for _, piece := range wrap(v) {
		w.b.WriteString(prefix)
		w.b.WriteString(piece)
		w.b.WriteByte('\n')
		prefix = morePrefix
	}
}

// values writes values of one line each, and the blank line after them.
func (w *writer) values(vs ...string) {
	for _, v := range vs {
		w.line(v)
	}
	w.say("")
}

func (w *writer) value(v string) { w.values(v) }

// text writes a text of several lines, without the blank line.
func (w *writer) text(v string) {
	for l := range strings.SplitSeq(strings.TrimSuffix(v, "\n"), "\n") {
		w.line(l)
	}
}

func (w *writer) note(n Note) {
	w.say("%s: %s", n.Level.words(), n.Text.s)
	w.values(n.Values...)
}

func (w *writer) recipients(label string, rs []Recipient) {
	for i, r := range rs {
		w.say("%s %d/%d, %s, %s:", label, i+1, len(rs), r.Origin.words(), r.Rule.words())
		w.value(r.Address)
		if r.ASCII != "" && r.ASCII != r.Address {
			w.say("The same address as the network sees it:")
			w.value(r.ASCII)
		}
	}
}

// block writes a text under its heading. An empty one is left out, or said to be empty if it is required.
func (w *writer) block(heading, text string, required bool) {
	if text == "" {
		if required {
			w.say("%s: none", heading)
			w.say("")
		}
		return
	}
	head, tail, hidden := excerpt(text)
	chars, lines := utf8.RuneCountInString(text), strings.Count(strings.TrimSuffix(text, "\n"), "\n")+1
	if hidden == 0 {
		w.say("%s, %s in %s, all shown:", heading, count(chars, "character"), count(lines, "line"))
		w.text(text)
		w.say("")
		return
	}
	w.say("%s, %s in %s, of which %d in the middle are NOT shown. Its beginning:", heading, count(chars, "character"), count(lines, "line"), hidden)
	w.text(head)
	w.say("")
	w.say("%d characters are NOT shown here. The end:", hidden)
	w.text(tail)
	w.say("")
}

// attachments writes files that are shown in the same way.
func (w *writer) attachments(format string, files []Attachment) {
	for i, a := range files {
		w.say(format, i+1, len(files), a.Octets, hex.EncodeToString(a.SHA256[:]))
		w.values(a.Name, a.MediaType)
	}
}

func (w *writer) html(h *HTML) {
	if h == nil {
		return
	}
	w.say("There is an HTML part of %d bytes; most readers see it instead of the text.", h.Octets)
	w.block("The HTML part as its reader sees it, written by the AI assistant", h.AsRead, true)
	for i, r := range h.Removals[:min(len(h.Removals), maxRemovals)] {
		w.say("Removed from the HTML part %d/%d: %s", i+1, len(h.Removals), r.What.s)
		w.removed(r.Detail)
	}
	if more := len(h.Removals) - maxRemovals; more > 0 {
		w.say("%d further removals are NOT shown.", more)
		w.say("")
	}
}

// removed writes the start of what was removed, which the reader of the message never gets.
func (w *writer) removed(detail string) {
	n := min(len(detail), maxValueOctets)
	for n < len(detail) && n > 0 && !utf8.RuneStart(detail[n]) {
		n--
	}
	if detail != "" {
		w.line(detail[:n])
	}
	w.say("")
	if n < len(detail) {
		w.say("%d characters of what was removed are NOT shown.", utf8.RuneCountInString(detail[n:]))
		w.say("")
	}
}

// excerpt cuts text into a shown head and tail and the number of characters between them; hidden 0 means that all is shown.
func excerpt(text string) (head, tail string, hidden int) {
	end, chars, lines := 0, 0, 0
	for end < len(text) && chars < headCharacters && lines < headLines {
		r, n := utf8.DecodeRuneInString(text[end:])
		end, chars = end+n, chars+1
		if r == '\n' {
			lines++
		}
	}
	start, chars, lines := len(text), 0, 0
	for start > end && chars < tailCharacters && lines < tailLines {
		r, n := utf8.DecodeLastRuneInString(text[:start])
		start, chars = start-n, chars+1
		if r == '\n' {
			lines++
		}
	}
	return text[:end], text[start:], utf8.RuneCountInString(text[end:start])
}
