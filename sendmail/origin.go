package sendmail

import (
	"context"
	"path/filepath"
	"slices"

	"mailgap/confirm"
	"mailgap/sanitize"
	"mailgap/sendmail/attach"
	"mailgap/sendmail/compose"
	"mailgap/sendmail/policy"
	"mailgap/sendmail/provenance"
	"mailgap/shared/addr"
	"mailgap/shared/guardswitch"
	"mailgap/shared/ledger"
	"mailgap/shared/ledger/keystore"
	"mailgap/shared/ledger/reader"
)

// anchorName is the file in the state directory in which the newest state of the ledger is remembered.
const anchorName = "ledger-seen"

// openLedger prepares the questions to the ledger. Nothing is touched before the first one.
func (s *Server) openLedger() error {
	o := provenance.Options{Levels: s.cfg.Levels, Own: s.own(), Signature: s.cfg.Signature, Clock: s.cfg.Now}
	if s.cfg.LedgerDir == "" {
		s.tracker = provenance.New(nil, o)
		return nil
	}
	book, err := s.cfg.OpenLedger()
	if err != nil {
		return err
	}
	s.ledger, s.tracker = book, provenance.New(book, o)
	return nil
}

// OpenLedger returns a reader of the ledger that c names, with the head that this program remembers. Nothing is touched before the
// first question. The caller closes it. It must not be called where LedgerDir is "".
func (c Config) OpenLedger() (*reader.Reader, error) {
	ro := reader.Options{Clock: c.Now}
	if c.AllowSend { // without it there is no state directory
		ro.Anchor = filepath.Join(c.StateDir, anchorName)
	}
	if c.LedgerKeyring {
		ro.Keys = keystore.Store{}
	}
	return reader.Open(c.LedgerDir, ro)
}

// own are the user's addresses.
func (s *Server) own() []addr.Address { return append([]addr.Address{s.cfg.From}, s.cfg.Own...) }

// original is what the ledger has of the message that is answered or forwarded.
type original struct {
	row    *ledger.Message    // nil if it has nothing
	target *provenance.Target // nil if the caller named the recipients
}

// resolve completes p from the ledger: the recipients of an answer, its references and subject, and who wrote what it quotes. What the
// caller says about the original counts only where the ledger has nothing. The error is a *refusal.
func (s *Server) resolve(ctx context.Context, p *proposal) (original, error) {
	if p.tool != "reply_mail" && p.tool != "forward_mail" || guardswitch.Off(guardswitch.ReplyTarget) {
		return original{}, nil
	}
	row := s.row(ctx, p)
	if row == nil {
		if p.choice != "" {
			return original{}, &refusal{code: refusedTarget, text: sanitize.Literal("Nothing is recorded of the message that is answered, so it is not known who reply_to means. " +
				"hint: read it with get_message of imap-mcp, pass its ref in original.ref, and call again; or name the recipients in to.")}
		}
		return original{}, nil
	}
	p.fromRow(row)
	if p.tool == "forward_mail" {
		return original{row: row}, nil
	}
	target, err := s.target(p, row)
	return original{row: row, target: target}, err
}

// row asks for the message by its reference, or by its Message-ID where just one message has that.
func (s *Server) row(ctx context.Context, p *proposal) *ledger.Message {
	if s.ledger == nil {
		return nil
	}
	if p.answers != "" {
		m, ok, err := s.ledger.Message(ctx, p.answers)
		if err != nil || !ok {
			return nil // the question says what is wrong with the ledger
		}
		return &m
	}
	if p.parent == nil || p.parent.MessageID == "" {
		return nil
	}
	list, err := s.ledger.ByMessageID(ctx, p.parent.MessageID)
	if err != nil || len(list) != 1 {
		return nil
	}
	p.answers = list[0].Ref
	return &list[0]
}

// fromRow takes from the ledger what the caller may have wrong.
func (p *proposal) fromRow(m *ledger.Message) {
	if m.MessageID != "" {
		p.parent = &compose.Parent{MessageID: m.MessageID, InReplyTo: m.InReplyTo, References: m.References}
		if p.tool == "forward_mail" {
			p.parent = nil // a forward begins a conversation
		}
		if p.flaw != nil && p.flaw.code == refusedNoParent {
			p.flaw = nil
		}
	}
	if p.subject == "" || p.derived {
		if p.tool == "forward_mail" {
			p.subject = compose.ForwardSubject(m.Subject)
		} else {
			p.subject = compose.ReplySubject(m.Subject)
		}
	}
	if p.quote == nil {
		return
	}
	o := originalArgs{Subject: m.Subject}
	if author, err := provenance.Author(m.Facts); err == nil {
		o.From = author.Unicode()
	}
	if !m.Date.IsZero() {
		o.Date = clock(m.Date).String()
	}
	q := *p.quote
	if q.Attribution = attribution(o); p.tool == "forward_mail" {
		for _, a := range m.To {
			if spec := a.AddrSpec(); spec != "" && len(o.To) < 500 {
				o.To += separator(o.To) + spec
			}
		}
		q.Attribution = forwardHeading(o)
	}
	p.quote = &q
}

func separator(before string) string {
	if before == "" {
		return ""
	}
	return ", "
}

// target sets the recipients of an answer. Recipients that the caller named have to be on the message; which ones are is not told.
func (s *Server) target(p *proposal, m *ledger.Message) (*provenance.Target, error) {
	choice := provenance.Choice(p.choice)
	t, err := provenance.Resolve(m.Facts, choice, s.own()...)
	if err != nil {
		if len(p.to) > 0 && choice == "" {
			return nil, nil // the caller names them; the question says that they are not taken from the message
		}
		why, hint := provenance.WhyNot(err)
		return nil, &refusal{code: refusedTarget, text: sanitize.Sprintf("%s hint: %s.", why, hint)}
	}
	switch {
	case len(p.to) == 0:
		p.to = specs(t.To)
		for _, spec := range specs(t.Cc) {
			if !named(p.cc, spec) {
				p.cc = append(slices.Clone(p.cc), spec)
			}
		}
		return &t, nil
	case choice != "" && !sameAddresses(p.to, t.To), !provenance.OnMessage(m.Facts, t, p.to):
		return nil, &refusal{code: refusedTarget, text: sanitize.Literal("A recipient in to is not who this answer goes to by the record of the message. Who that is, is not told. " +
			"hint: leave to out, and the answer goes to the author (reply_to: all adds the others); to write to somebody else use send_mail or forward_mail. Do not try other addresses.")}
	}
	return &t, nil
}

func specs(list []addr.Address) []string {
	var out []string
	for _, a := range list {
		out = append(out, a.AddrSpec())
	}
	return out
}

// named reports that list has the address in whatever spelling.
func named(list []string, spec string) bool {
	want, err := addr.ParseSpec(spec)
	return err == nil && slices.ContainsFunc(list, func(s string) bool {
		a, err := addr.ParseSpec(s)
		return err == nil && a.Key() == want.Key()
	})
}

func sameAddresses(list []string, want []addr.Address) bool {
	return len(list) == len(want) && !slices.ContainsFunc(want, func(a addr.Address) bool { return !named(list, a.AddrSpec()) })
}

// assess asks where everything in a composed message comes from.
func (s *Server) assess(ctx context.Context, p *prepared, files []attach.File, inline []compose.InlineImage) provenance.Report {
	f := p.message.Facts
	out := provenance.Outgoing{
		Subject: f.Subject, Text: f.Text, Parent: p.original.row, Target: p.original.target, Choice: provenance.Choice(p.choice),
		Forward: p.tool == "forward_mail", Signals: len(signalsOf(p)) > 0,
	}
	for _, r := range p.verdict.Recipients {
		out.Recipients = append(out.Recipients, provenance.Recipient{Address: r.Address, Listed: r.Rule == policy.RuleAddress, Written: s.written.since(s.cfg.AuditLog, r.Address)})
	}
	if p.part != nil {
		out.HTML = p.part.seen.Text
	}
	if p.quote != nil {
		out.Quote = p.quote.Text
	}
	for _, l := range p.links().list {
		out.Links = append(out.Links, fanged(l.Target))
	}
	for _, file := range files {
		out.Files = append(out.Files, provenance.File{Name: file.Name, MediaType: file.MediaType, Octets: file.Octets})
	}
	for _, i := range inline {
		out.Files = append(out.Files, provenance.File{Name: i.Name, MediaType: i.MediaType, Octets: i.Octets})
	}
	return s.tracker.Assess(ctx, out)
}

// origin is what the report says of a recipient; without one he comes from the caller, or from the operator's list.
func (p *prepared) origin(i int, r policy.Recipient) (confirm.Origin, confirm.Level) {
	if i < len(p.report.Recipients) {
		return p.report.Recipients[i].Origin, p.report.Recipients[i].Level
	}
	if r.Rule == policy.RuleAddress {
		return confirm.OriginListed, confirm.LevelNormal
	}
	return confirm.OriginCaller, confirm.LevelNormal
}

// ledgerState says in a sentence whether provenance is tracked.
func (s *Server) ledgerState(ctx context.Context) sanitize.Clean {
	if s.ledger == nil {
		return sanitize.Literal("not tracked: the operator switched it off (SMTP_LEDGER=false)")
	}
	h := s.ledger.Health(ctx)
	switch {
	case h.State == ledger.StateOK:
		return sanitize.Sprintf("tracked: %d entries, the newest of %s", int(h.Entries), clock(h.Newest))
	case h.Alarming():
		return sanitize.Sprintf("NOT reliable: the record of what was read is %s; the level of every message is raised. hint: a person should run imap-mcp ledger", string(h.State))
	}
	return sanitize.Literal("not tracked: no mail was read through imap-mcp here")
}
