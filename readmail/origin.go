package readmail

import (
	"context"
	"reflect"
	"slices"
	"strings"

	"mailgap/readmail/decode"
	"mailgap/readmail/decode/authres"
	"mailgap/shared/ledger"
)

// origin is what the ledger keeps of a message. header says that the whole header was read, or at least all fields that matter
// for an answer; else only what a list shows is known.
func (s *Server) origin(ref MessageRef, f *summaryFacts, header bool) ledger.Facts {
	out := s.originRef(ref)
	h := f.header
	out.From, out.To = addressesOf(f.from), addressesOf(f.to)
	out.FromFields = len(h.All("From"))
	out.Subject, out.Date, out.Received = f.subject, f.sent, f.received
	for _, p := range f.problems {
		if p == problemSeveralFrom || p == problemNameAddress || p == problemIncomplete || p == problemUnreadable {
			out.Problems = append(out.Problems, string(p)) // of the others none casts doubt on the author
		}
	}
	if header {
		s.originHeader(&out, h)
	}
	return out
}

// originRef is what a reference alone says.
func (s *Server) originRef(ref MessageRef) ledger.Facts {
	return ledger.Facts{
		Ref: ref.Message().String(), Account: ref.Account, Mailbox: ref.Mailbox,
		Confidential: s.isConfidential(ref.Mailbox), Own: s.isOutgoing(ref.Mailbox),
	}
}

// originHeader adds what an answer needs.
func (s *Server) originHeader(out *ledger.Facts, h decode.Header) {
	out.Complete = true
	first := func(name string) string {
		body, _ := h.Get(name)
		return body
	}
	if list := decode.MessageIDs(first("Message-ID")); len(list) > 0 {
		out.MessageID = list[0]
	}
	out.InReplyTo, out.References = decode.MessageIDs(first("In-Reply-To")), decode.MessageIDs(first("References"))
	out.Cc = addressesOf(decode.Addresses(strings.Join(h.All("Cc"), ", ")))
	out.ReplyTo = addressesOf(decode.Addresses(strings.Join(h.All("Reply-To"), ", ")))
	out.ReplyFields = len(h.All("Reply-To"))
	out.FromRaw, out.ReplyToRaw = first("From"), first("Reply-To")
	out.ListPost, out.ListID = first("List-Post"), decode.Unstructured(first("List-Id"))
	v := authres.VerdictHeader(h, s.cfg.TrustedAuthservIDs)
	out.Author, out.AuthorDomain, out.AuthorMethod, out.AuthorReason = ledger.AuthorStatus(v.Status), v.Domain, v.Method, string(v.Reason)
}

// recordFile puts the text of a file on record before it is saved: from the directory it can leave in another way than through a
// model. Of a file whose text cannot be read, name and digest are recorded.
func (s *Server) recordFile(ctx context.Context, f *file, r attachmentResult) error {
	if s.cfg.Ledger == nil {
		return nil
	}
	whole := r
	_, err := s.read(ctx, f, attachmentArgs{MaxChars: maxRecordedChars, ShowHidden: true, RevealCodes: true}, &whole)
	if err != nil {
		s.log.Info("saved without a record of its text", "error", err)
	}
	g := gatherer{account: s.accountRef()}
	g.walk(reflect.ValueOf(whole), nil, "")
	return s.keep(ctx, g.records)
}

// maxRecordedChars is far above what the fingerprints of one message cover.
const maxRecordedChars = 1 << 20

func addressesOf(list []decode.Address) []ledger.Address {
	var out []ledger.Address
	for _, a := range list {
		l := ledger.Address{Name: a.DisplayName, Local: a.LocalPart, Domain: a.Domain, Group: a.Group, NameAddr: a.NameAddr}
		if a.AddrSpec() == "" {
			l.Raw = a.Raw
		}
		out = append(out, l)
	}
	return out
}

// isConfidential reports whether the operator labelled a mailbox: a pattern is a name in which * stands for anything, without
// regard to case.
func (s *Server) isConfidential(mailbox string) bool {
	return slices.ContainsFunc(s.cfg.Confidential, func(p string) bool { return matchPattern(strings.ToLower(p), strings.ToLower(mailbox)) })
}

// matchPattern is linear in len(pattern)*len(s) at most.
func matchPattern(pattern, s string) bool {
	head, rest, star := strings.Cut(pattern, "*")
	if !strings.HasPrefix(s, head) {
		return false
	}
	s = s[len(head):]
	if !star {
		return s == ""
	}
	for {
		piece, after, more := strings.Cut(rest, "*")
		if !more {
			return strings.HasSuffix(s, piece)
		}
		at := strings.Index(s, piece)
		if at < 0 {
			return false
		}
		s, rest = s[at+len(piece):], after
	}
}
