package readmail

import (
	"context"
	"errors"
	"strings"
	"time"

	"mailgap/readmail/decode"
	"mailgap/readmail/decode/authres"
	"mailgap/readmail/session"
	"mailgap/sanitize"
	"mailgap/shared/ledger"
	"mailgap/shared/mcpserve"
)

// errGone says that a reference names no message any more.
var errGone = errors.New("readmail: message is gone")

const (
	maxPeople       = 50 // addresses of one field that are shown
	maxShownHeader  = 100
	maxHeaderChars  = 1000 // of one field in the header view
	maxReferences   = 20
	maxShownParts   = 100 // attachments that are listed
	maxShownHidden  = 30
	maxShownLinks   = 100
	maxHiddenInText = 4000 // characters of one hidden passage
)

// messageArgs are the arguments of get_message.
type messageArgs struct {
	Ref         string `json:"ref"`
	View        view   `json:"view,omitempty"`
	Offset      int    `json:"offset,omitempty"`
	MaxChars    int    `json:"max_chars,omitempty"`
	Quotes      string `json:"quotes,omitempty"`
	ShowHidden  bool   `json:"show_hidden,omitempty"`
	RevealCodes bool   `json:"reveal_codes,omitempty"`
}

// messageResult is the answer of get_message.
type messageResult struct {
	Ref         sanitize.Clean   `json:"ref" place:"-"`
	From        []sanitize.Clean `json:"from" place:"from"`
	To          []sanitize.Clean `json:"to,omitempty" place:"to"`
	Cc          []sanitize.Clean `json:"cc,omitempty" place:"cc"`
	ReplyTo     []sanitize.Clean `json:"reply_to,omitempty" place:"reply-to"`
	Subject     sanitize.Clean   `json:"subject,omitzero" place:"subject"`
	Date        time.Time        `json:"date,omitzero"`
	Received    time.Time        `json:"received,omitzero"`
	MessageID   sanitize.Clean   `json:"message_id,omitzero" place:"header"`
	InReplyTo   []sanitize.Clean `json:"in_reply_to,omitempty" place:"header"`
	References  []sanitize.Clean `json:"references,omitempty" place:"header"`
	ListID      sanitize.Clean   `json:"list_id,omitzero" place:"header"`
	Author      authorVerdict    `json:"author"`
	Unread      bool             `json:"unread,omitempty"`
	Flagged     bool             `json:"flagged,omitempty"`
	Answered    bool             `json:"answered,omitempty"`
	Size        int64            `json:"size"`
	Body        bodyResult       `json:"body"`
	Attachments []attachmentInfo `json:"attachments,omitempty"`
	LeftOut     int              `json:"attachments_left_out,omitempty"`
	Header      []headerField    `json:"header,omitempty"`
	Problems    []problem        `json:"problems,omitempty"`

	of ledger.Facts
}

// origin implements handedOut.
func (r messageResult) origin() ledger.Facts { return r.of }

// authorVerdict says whether the sending domain was confirmed.
type authorVerdict struct {
	Status     authorStatus   `json:"status"`
	Reason     sanitize.Clean `json:"reason" place:"-"`
	Method     sanitize.Clean `json:"method,omitzero" place:"-"`
	Domain     sanitize.Clean `json:"domain,omitzero" place:"header"`
	AuthservID sanitize.Clean `json:"authserv_id,omitzero" place:"-"`
}

// authorStatus is authres.Status as a word of a result.
type authorStatus authres.Status

// Words implements mcpserve.Word.
func (authorStatus) Words() []string {
	return []string{string(authres.Verified), string(authres.Failed), string(authres.Unknown)}
}

// bodyResult is the text of a message, or a piece of it.
type bodyResult struct {
	Text          sanitize.Clean   `json:"text,omitzero" place:"body"`
	Shown         view             `json:"shown"`
	Offset        int              `json:"offset,omitempty"`
	TotalChars    int              `json:"total_chars"`
	NextOffset    int              `json:"next_offset,omitempty"`
	FoldedChars   int              `json:"folded_quote_chars,omitempty"`
	SecretsMasked int              `json:"secrets_masked,omitempty"`
	Comparison    sanitize.Clean   `json:"plain_and_html,omitzero" place:"-"`
	Links         []linkInfo       `json:"links,omitempty"`
	Hidden        []hiddenInfo     `json:"hidden,omitempty"`
	Findings      []sanitize.Clean `json:"findings,omitempty" place:"-"`
	Signals       []sanitize.Clean `json:"signals,omitempty" place:"-"`
	Notes         []sanitize.Clean `json:"notes,omitempty" place:"-"`
}

type linkInfo struct {
	Number     int            `json:"number"`
	Text       sanitize.Clean `json:"text,omitzero" place:"link"`
	Target     sanitize.Clean `json:"target" place:"link"`
	Host       sanitize.Clean `json:"host,omitzero" place:"link"`
	Mismatch   bool           `json:"mismatch,omitempty"`
	Confusable bool           `json:"confusable,omitempty"`
}

type hiddenInfo struct {
	Technique sanitize.Clean `json:"technique" place:"-"`
	Chars     int            `json:"chars"`
	Text      sanitize.Clean `json:"text,omitzero" place:"hidden"`
}

type headerField struct {
	Name sanitize.Clean `json:"name" place:"header"`
	Body sanitize.Clean `json:"body" place:"header"`
}

// attachmentInfo describes a part that is not text of the message.
type attachmentInfo struct {
	Ref         sanitize.Clean `json:"ref" place:"-"`
	Name        sanitize.Clean `json:"name,omitzero" place:"file name"`
	MediaType   sanitize.Clean `json:"media_type" place:"header"`
	Size        int64          `json:"size,omitempty"`
	Disposition sanitize.Clean `json:"disposition,omitzero" place:"header"`
	NameUnsafe  bool           `json:"name_unsafe,omitempty"`
}

// getMessage is the handler of get_message.
func (s *Server) getMessage(ctx context.Context, _ *mcpserve.Call, a messageArgs) (mcpserve.Result[messageResult], error) {
	var none mcpserve.Result[messageResult]
	ref, err := s.parseRef(a.Ref)
	if err != nil {
		return none, explain(err)
	}
	ref = ref.Message()
	src, err := s.source(ctx, ref, a.View != viewHeader)
	if err != nil {
		return none, explain(err)
	}
	r := s.messageFacts(ref, src)
	if a.View == viewHeader {
		r.Body.Shown = viewHeader
		r.Header = headerFields(src.facts.header)
	} else {
		b := src.render(bodyOptions{view: a.View, foldQuotes: a.Quotes != "show", showHidden: a.ShowHidden, reveal: a.RevealCodes && !s.cfg.ForbidReveal})
		r.Body = bodyOf(b, a.Offset, orDefault(a.MaxChars, defaultTextChars))
	}
	r.Body.Signals = append(r.Body.Signals, headSignals(src.facts)...)
	text, err := s.messageText(r)
	return mcpserve.Result[messageResult]{Structured: r, Text: text}, err
}

// parseRef reads ref and checks that it is about this account.
func (s *Server) parseRef(text string) (MessageRef, error) {
	ref, err := ParseRef(text)
	if err != nil {
		return ref, err
	}
	if ref.Account != s.cfg.Account {
		return ref, refuse(sanitize.Sprintf("This reference is about another account than %s. hint: pass a ref that this server gave.", s.cfg.Account))
	}
	return ref, nil
}

// source fetches a message, with its text if text is set.
func (s *Server) source(ctx context.Context, ref MessageRef, text bool) (*source, error) {
	var src *source
	err := s.do(ctx, ref.Mailbox, func(ctx context.Context, c *session.Conn) error {
		var err error
		src, err = s.fetchText(ctx, c, ref, text)
		return err
	})
	return src, err
}

// messageFacts writes everything about a message but its text.
func (s *Server) messageFacts(ref MessageRef, src *source) messageResult {
	f, h := src.facts, src.facts.header
	r := messageResult{
		Ref: ref.Clean(), From: nonNil(people(f.from, maxPeople)), To: people(f.to, maxPeople),
		Subject: sanitize.Line(f.subject, maxSubjectChars), Unread: f.unread, Flagged: f.flagged, Answered: f.answered,
		Size: f.size, Problems: f.problems, Author: s.author(h), of: s.origin(ref, f, true),
	}
	r.Cc = people(decode.Addresses(strings.Join(h.All("Cc"), ", ")), maxPeople)
	r.ReplyTo = people(decode.Addresses(strings.Join(h.All("Reply-To"), ", ")), maxPeople)
	if !f.sent.IsZero() {
		r.Date = f.sent
	}
	if !f.received.IsZero() {
		r.Received = f.received.In(s.cfg.Zone)
	}
	r.MessageID = firstID(h, "Message-ID")
	r.InReplyTo = ids(h, "In-Reply-To")
	r.References = ids(h, "References")
	if id, ok := h.Get("List-Id"); ok {
		r.ListID = sanitize.Line(decode.Unstructured(id), maxNameChars)
	}
	r.Attachments = attachmentsOf(ref, f.body)
	r.LeftOut = len(f.body.Attachments) - len(r.Attachments)
	return r
}

// author judges whether the sending domain was confirmed by the account's own server.
func (s *Server) author(h decode.Header) authorVerdict {
	v := authres.VerdictHeader(h, s.cfg.TrustedAuthservIDs)
	return authorVerdict{
		Status: authorStatus(v.Status), Reason: sanitize.Sprintf("%s", string(v.Reason)), Method: sanitize.Sprintf("%s", v.Method),
		Domain: sanitize.Line(v.Domain, maxNameChars), AuthservID: sanitize.Line(v.AuthservID, maxNameChars),
	}
}

func firstID(h decode.Header, name string) sanitize.Clean {
	if list := ids(h, name); len(list) > 0 {
		return list[0]
	}
	return sanitize.Clean{}
}

// ids are the message ids of a field; of a long list the first ones and the last ones.
func ids(h decode.Header, name string) []sanitize.Clean {
	body, ok := h.Get(name)
	if !ok {
		return nil
	}
	list := decode.MessageIDs(body)
	if len(list) > maxReferences {
		list = append(list[:maxReferences/2:maxReferences/2], list[len(list)-maxReferences/2:]...)
	}
	var out []sanitize.Clean
	for _, id := range list {
		out = append(out, sanitize.Address(id))
	}
	return out
}

func headerFields(h decode.Header) []headerField {
	var out []headerField
	for i, f := range h.Fields {
		if i == maxShownHeader {
			return append(out, headerField{Name: sanitize.Literal("(left out)"), Body: sanitize.Sprintf("%d more fields", len(h.Fields)-i)})
		}
		out = append(out, headerField{Name: sanitize.Line(f.Name, 80), Body: sanitize.Line(decode.Unstructured(f.Body), maxHeaderChars)})
	}
	return out
}

// attachmentsOf lists the parts that are not text.
func attachmentsOf(ref MessageRef, body decode.Body) []attachmentInfo {
	var out []attachmentInfo
	for i, n := range body.Attachments {
		if i == maxShownParts {
			break
		}
		name := n.Filename()
		info := attachmentInfo{
			Ref: ref.Part(n.PartNumber).Clean(), MediaType: sanitize.Line(n.MediaType, 100),
			Disposition: sanitize.Line(n.Disposition, 40), NameUnsafe: name.Notes.Has(decode.NoteNameUnsafe),
		}
		if name.Raw != "" {
			info.Name = sanitize.Line(name.Safe, maxNameChars)
		}
		if n.Size > 0 {
			info.Size = n.Size
		}
		out = append(out, info)
	}
	return out
}

// bodyOf cuts the piece that was asked for out of b.
func bodyOf(b bodyText, offset, maxChars int) bodyResult {
	piece := sanitize.Slice(b.Text, offset, maxChars)
	r := bodyResult{
		Text: piece, Shown: b.shown, Offset: offset, TotalChars: b.Text.Len(), FoldedChars: b.FoldedChars, SecretsMasked: b.Secrets,
	}
	if end := offset + piece.Len(); end < r.TotalChars {
		r.NextOffset = end
	}
	if b.compare.Verdict != "" && b.compare.Verdict != sanitize.VerdictSame {
		r.Comparison = sanitize.Sprintf("%s: %s", string(b.compare.Verdict), b.compare.Note)
	}
	for _, l := range b.Links[:min(len(b.Links), maxShownLinks)] {
		r.Links = append(r.Links, linkInfo{l.Number, l.Text, l.Target, l.Host, l.Mismatch, l.Confusable})
	}
	for _, h := range b.Hidden[:min(len(b.Hidden), maxShownHidden)] {
		r.Hidden = append(r.Hidden, hiddenInfo{h.Technique, h.Chars, sanitize.Ellipsis(h.Text, maxHiddenInText)})
	}
	for _, f := range b.Findings {
		r.Findings = append(r.Findings, sanitize.Sprintf("%s × %d", string(f.Kind), f.Count))
	}
	for _, g := range b.Signals {
		r.Signals = append(r.Signals, sanitize.Sprintf("%s", string(g.Name)))
	}
	for _, n := range b.notes {
		r.Notes = append(r.Notes, sanitize.Sprintf("%s", string(n)))
	}
	if b.cut {
		r.Notes = append(r.Notes, sanitize.Literal("text-cut: the part is longer than what is fetched"))
	}
	return r
}

func nonNil(list []sanitize.Clean) []sanitize.Clean {
	if list == nil {
		return []sanitize.Clean{}
	}
	return list
}
