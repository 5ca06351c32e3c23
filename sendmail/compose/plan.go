package compose

import (
	"crypto/sha256"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"mailgap/shared/addr"
)

// planned is a checked draft: every value as the message will carry it.
type planned struct {
	draft      Draft
	date       time.Time
	messageID  string
	text, html string   // LF line ends
	inline     []file   // images of the HTML
	files      []file   // attachments
	boundaries []string // of multipart/mixed, multipart/alternative, multipart/related
	allow8Bit  bool
	want       Facts // what reading the message back must give
}

// file is one attachment as it will be written.
type file struct {
	name, mediaType string
	octets          []byte
	raw             bool   // message/rfc822: written as it is, in 7bit or 8bit
	contentID       string // of an inline image
}

func plan(d Draft, o Options) (*planned, error) {
	if err := checkDraft(d); err != nil {
		return nil, err
	}
	p := &planned{draft: d, allow8Bit: o.Allow8Bit, text: BodyText(d), html: canonicalText(d.HTML)}
	if err := p.planFiles(); err != nil {
		return nil, err
	}
	if err := p.fix(o); err != nil {
		return nil, err
	}
	p.want = p.facts()
	return p, nil
}

// planFiles checks the images and the attachments.
func (p *planned) planFiles() error {
	for _, i := range p.draft.Inline {
		f, err := planFile(i.Attachment, p.allow8Bit)
		if err != nil {
			return err
		}
		f.contentID = i.ContentID
		p.inline = append(p.inline, f)
	}
	for _, a := range p.draft.Attachments {
		f, err := planFile(a, p.allow8Bit)
		if err != nil {
			return err
		}
		p.files = append(p.files, f)
	}
	if !shownInline(p.html, inlineFacts(p.inline)) {
		return ErrInline
	}
	return nil
}

// fix settles what comes from outside: the date, the Message-ID, the boundaries.
func (p *planned) fix(o Options) (err error) {
	if o.Clock == nil {
		return ErrRandom
	}
	p.date = o.Clock().Truncate(time.Second)
	if y := p.date.Year(); y < 1970 || y > 9999 {
		return ErrHeaderValue
	}
	if p.messageID = o.MessageID; p.messageID == "" {
		p.messageID, err = newMessageID(o.Random, p.draft.From.Domain)
	}
	if err == nil && !ValidMessageID(p.messageID) {
		err = ErrMessageID
	}
	for range 3 {
		if err != nil {
			return err
		}
		var word string
		word, err = randomWord(o.Random)
		p.boundaries = append(p.boundaries, "=_"+word)
	}
	return err
}

func checkDraft(d Draft) error {
	if err := checkAddress(d.From); err != nil || !validPerson(d.From.DisplayName) {
		return ErrSender
	}
	if err := checkRecipients(d); err != nil {
		return err
	}
	if len(d.Subject) > maxSubjectOctets || !oneLine(d.Subject) {
		return ErrHeaderValue
	}
	for _, s := range bodyTexts(d) {
		if !utf8.ValidString(s) || strings.Contains(s, "\x00") {
			return ErrText
		}
	}
	return checkThread(d)
}

func bodyTexts(d Draft) []string {
	texts := []string{d.Text, d.HTML, d.Signature}
	if d.Quote != nil {
		texts = append(texts, d.Quote.Attribution, d.Quote.Text)
	}
	return texts
}

func checkRecipients(d Draft) error {
	n := 0
	for kind, list := range [][]addr.Address{d.Bcc, d.To, d.Cc} {
		for _, a := range list {
			n++
			// Security: only From is ever shown with a name. One in Bcc is never written, so the identity itself may stand there.
			if err := checkAddress(a); err != nil || a.DisplayName != "" && kind > 0 {
				return ErrRecipient
			}
		}
	}
	switch {
	case n == 0:
		return ErrNoRecipient
	case n > maxRecipients:
		return ErrTooLarge
	}
	return nil
}

// checkAddress: Security: an Address is a plain struct, so that it came out of the parser has to be seen here.
func checkAddress(a addr.Address) error {
	parsed, err := addr.ParseSpec(a.AddrSpec())
	if err == nil && (parsed.LocalPart != a.LocalPart || parsed.Domain != a.Domain) {
		err = ErrRecipient
	}
	return err
}

func validPerson(name string) bool {
	return len(name) <= maxPersonOctets && oneLine(name) && !strings.Contains(name, "=?") && strings.TrimSpace(name) == name && !strings.Contains(name, "  ")
}

func checkThread(d Draft) error {
	ids := d.References
	if d.InReplyTo != "" {
		ids = append([]string{d.InReplyTo}, ids...)
	}
	for _, id := range ids {
		if !ValidMessageID(id) {
			return ErrMessageID
		}
	}
	if referencesOctets(d.References) > maxLineOctets {
		return ErrMessageID
	}
	return nil
}

// oneLine reports whether s is valid UTF-8 without any of the eight line breaks, NUL, or another control character.
func oneLine(s string) bool {
	return utf8.ValidString(s) && !strings.ContainsFunc(s, func(r rune) bool {
		return unicode.IsControl(r) || r == 0x2028 || r == 0x2029
	})
}

// facts is what reading the message back must give.
func (p *planned) facts() Facts {
	f := Facts{From: p.draft.From, To: list(p.draft.To), Cc: list(p.draft.Cc), Subject: p.draft.Subject, Date: p.date.UTC(),
		MessageID: p.messageID, InReplyTo: p.draft.InReplyTo, References: list(p.draft.References), Text: p.text, HTML: p.html}
	f.Inline = inlineFacts(p.inline)
	for _, a := range p.files {
		f.Attachments = append(f.Attachments, a.facts())
	}
	return f
}

func inlineFacts(files []file) []InlineFacts {
	var out []InlineFacts
	for _, f := range files {
		out = append(out, InlineFacts{f.facts(), f.contentID})
	}
	return out
}

func (f file) facts() AttachmentFacts {
	return AttachmentFacts{Name: f.name, MediaType: f.mediaType, Size: int64(len(f.octets)), SHA256: sha256.Sum256(f.octets)}
}

// list makes an empty list nil, as reading gives it.
func list[T any](in []T) []T {
	if len(in) == 0 {
		return nil
	}
	return in
}

func (p *planned) needsUTF8() bool {
	for _, l := range [][]addr.Address{{p.draft.From}, p.draft.To, p.draft.Cc, p.draft.Bcc} {
		for _, a := range l {
			if a.NeedsUTF8() {
				return true
			}
		}
	}
	return false
}
