package session

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/emersion/go-imap/v2"
	"github.com/emersion/go-imap/v2/imapclient"
)

// Limits of what is fetched.
const (
	defaultMaxHeader = 256 << 10 // Limit: headers above 100 KiB are not known outside of attacks
	chunkOctets      = 512 << 10 // one piece of a part
	maxPartOctets    = 32 << 20  // Limit: octets kept of one part; providers accept messages up to 25 to 50 MB
	maxPartDepth     = 100       // numbers in a part number
	maxPartRequests  = 200       // parts in one Fetch
	maxHeaderNames   = 50
	maxStrays        = 64 // replies that belong to no command, kept during one flight
)

// ask is a checked Items: what a FETCH asks for.
type ask struct {
	Items
	parts []partAsk
}

type partAsk struct {
	key     PartKey
	section *imap.FetchItemBodySection
	max     int // octets wanted in all
}

// newAsk checks it.
func (c *Conn) newAsk(it Items) (ask, error) {
	a := ask{Items: it}
	a.MaxHeader = min(orElse(it.MaxHeader, defaultMaxHeader), chunkOctets)
	a.ModSeq = it.ModSeq && c.HasCap("CONDSTORE")
	if len(it.Parts) > maxPartRequests || len(it.HeaderFields) > maxHeaderNames || a.MaxHeader < 0 {
		return a, fmt.Errorf("%w: too many parts or header fields", ErrBadString)
	}
	for _, name := range it.HeaderFields {
		if !validFieldName(name) {
			return a, fmt.Errorf("%w: header field name", ErrBadString)
		}
	}
	for _, r := range it.Parts {
		p, err := newPartAsk(r)
		if err != nil {
			return a, err
		}
		if !slices.ContainsFunc(a.parts, func(o partAsk) bool { return o.key == p.key }) {
			a.parts = append(a.parts, p)
		}
	}
	return a, nil
}

// validFieldName reports whether name can name a header field (RFC 5322 §2.2).
func validFieldName(name string) bool {
	return name != "" && len(name) <= 100 && strings.IndexFunc(name, func(r rune) bool {
		return r <= ' ' || r >= 0x7f || strings.ContainsRune(`:(){}"\*%[]`, r)
	}) < 0
}

func newPartAsk(r PartRequest) (partAsk, error) {
	bad := fmt.Errorf("%w: part number", ErrBadString)
	if r.Offset < 0 || r.Offset > 1<<31 || r.Max < 0 {
		return partAsk{}, bad
	}
	p := partAsk{key: PartKey{Number: r.Number, MIME: r.MIME, Header: r.Header, Offset: r.Offset}}
	p.max = min(orElse(r.Max, chunkOctets), maxPartOctets)
	s := &imap.FetchItemBodySection{Peek: true}
	number := r.Number
	if rest, ok := strings.CutSuffix(strings.ToUpper("."+number), ".TEXT"); ok {
		number, s.Specifier = strings.TrimPrefix(rest, "."), imap.PartSpecifierText
	}
	if number != "" {
		for n := range strings.SplitSeq(number, ".") {
			v, err := strconv.ParseUint(n, 10, 16)
			if err != nil || v == 0 || len(s.Part) == maxPartDepth {
				return partAsk{}, bad
			}
			s.Part = append(s.Part, int(v))
		}
	}
	switch {
	case (r.MIME || r.Header) && s.Specifier != "", r.MIME && (r.Header || number == ""):
		return partAsk{}, bad
	case r.MIME:
		s.Specifier = imap.PartSpecifierMIME
	case r.Header:
		s.Specifier = imap.PartSpecifierHeader
	}
	s.Partial = &imap.SectionPartial{Offset: r.Offset, Size: int64(min(p.max, chunkOctets))}
	p.section = s
	return p, nil
}

// options returns what the library shall ask for. Every body section is a PEEK.
func (a *ask) options() *imap.FetchOptions {
	o := &imap.FetchOptions{UID: true, Flags: a.Flags, InternalDate: a.InternalDate, RFC822Size: a.Size, ModSeq: a.ModSeq}
	if a.BodyStructure {
		o.BodyStructure = &imap.FetchItemBodyStructure{Extended: true}
	}
	if s := a.headerSection(); s != nil {
		o.BodySection = append(o.BodySection, s)
	}
	for _, p := range a.parts {
		o.BodySection = append(o.BodySection, p.section)
	}
	return o
}

func (a *ask) headerSection() *imap.FetchItemBodySection {
	switch {
	case a.Header:
		return &imap.FetchItemBodySection{
			Specifier: imap.PartSpecifierHeader, Peek: true, Partial: &imap.SectionPartial{Size: int64(a.MaxHeader)},
		}
	case len(a.HeaderFields) > 0:
		return &imap.FetchItemBodySection{Specifier: imap.PartSpecifierHeader, HeaderFields: a.HeaderFields, Peek: true}
	}
	return nil
}

// simpler returns an ask that troubles the server less, or false if nothing is left to leave out. First the parts go, as the
// caller may have guessed their numbers; then the structure, with the parts of full back; then both.
func (a *ask) simpler(full *ask) (ask, bool) {
	b := *a
	switch {
	case a.BodyStructure && len(a.parts) > 0:
		b.parts = nil
	case a.BodyStructure:
		b.BodyStructure, b.parts = false, full.parts
	case len(a.parts) > 0:
		b.parts = nil
	case a.Header || len(a.HeaderFields) > 0:
		b.Header, b.HeaderFields = false, nil
	default:
		return b, false
	}
	return b, true
}

// reply is what a FETCH response held.
type reply struct {
	seq                                      uint32
	uid                                      UID
	flags                                    []string
	date                                     time.Time
	size                                     int64
	modSeq                                   uint64
	structure                                *Part
	sections                                 []section
	hasFlags, hasDate, hasSize, hasStructure bool
}

type section struct {
	spec   *imap.FetchItemBodySection
	octets []byte
	isNil  bool
}

// readReply takes a response in, at most max octets of each literal. It reads the literals to their ends, which the library
// needs to go on.
func readReply(m *imapclient.FetchMessageData, max int64) *reply {
	r := &reply{seq: m.SeqNum}
	for item := m.Next(); item != nil; item = m.Next() {
		r.take(item, max)
	}
	return r
}

func (r *reply) take(item imapclient.FetchItemData, max int64) {
	switch item := item.(type) {
	case imapclient.FetchItemDataUID:
		r.uid = UID(item.UID)
	case imapclient.FetchItemDataFlags:
		r.flags, r.hasFlags = make([]string, 0, len(item.Flags)), true
		for _, f := range item.Flags {
			r.flags = append(r.flags, string(f))
		}
	case imapclient.FetchItemDataInternalDate:
		r.date, r.hasDate = item.Time, true
	case imapclient.FetchItemDataRFC822Size:
		r.size, r.hasSize = item.Size, true
	case imapclient.FetchItemDataModSeq:
		r.modSeq = item.ModSeq
	case imapclient.FetchItemDataBodyStructure:
		r.structure, r.hasStructure = newStructure(item.BodyStructure), true
	case imapclient.FetchItemDataBodySection:
		s := section{spec: item.Section, isNil: item.Literal == nil}
		if item.Literal != nil {
			// The error of a cut literal is reported by the command.
			s.octets, _ = io.ReadAll(io.LimitReader(item.Literal, max))
		}
		r.sections = append(r.sections, s)
	}
}

// merge takes over from o what r lacks.
func (r *reply) merge(o *reply) {
	if r.uid == 0 {
		r.uid = o.uid
	}
	if o.hasFlags {
		r.flags, r.hasFlags = o.flags, true
	}
	if !r.hasDate {
		r.date, r.hasDate = o.date, o.hasDate
	}
	if !r.hasSize {
		r.size, r.hasSize = o.size, o.hasSize
	}
	if !r.hasStructure {
		r.structure, r.hasStructure = o.structure, o.hasStructure
	}
	r.modSeq = max(r.modSeq, o.modSeq)
	r.sections = append(r.sections, o.sections...)
}

// find returns the section that answers want. A server that ignores a partial range answers without an offset.
func (r *reply) find(want *imap.FetchItemBodySection) (octets []byte, isNil, found bool) {
	for _, s := range r.sections {
		if !sameSection(want, s.spec) {
			continue
		}
		if s.spec.Partial == nil && want.Partial != nil && want.Partial.Offset > 0 {
			return s.octets[min(int64(len(s.octets)), want.Partial.Offset):], s.isNil, true
		}
		return s.octets, s.isNil, true
	}
	return nil, false, false
}

func sameSection(want, got *imap.FetchItemBodySection) bool {
	if want.Specifier != got.Specifier || !slices.Equal(want.Part, got.Part) {
		return false
	}
	// Quirk: the list of field names comes back in other spelling and order, so only its presence counts.
	if (len(want.HeaderFields) > 0) != (len(got.HeaderFields) > 0) {
		return false
	}
	return got.Partial == nil || want.Partial == nil && got.Partial.Offset == 0 ||
		want.Partial != nil && want.Partial.Offset == got.Partial.Offset
}

// lacks reports whether something that a asks for is not in r. known holds what the wire layer had to drop.
func (a *ask) lacks(r *reply, known troubles) bool {
	if a.Flags && !r.hasFlags || a.Size && !r.hasSize || r.uid == 0 ||
		a.InternalDate && !r.hasDate && !known.date || a.BodyStructure && !r.hasStructure && !known.structure {
		return true
	}
	if s := a.headerSection(); s != nil {
		if _, _, ok := r.find(s); !ok {
			return true
		}
	}
	for _, p := range a.parts {
		if _, _, ok := r.find(p.section); !ok {
			return true
		}
	}
	return false
}

// message makes the caller's view of r. full is what was asked for in the beginning.
func (a *ask) message(r *reply, full *ask, known troubles) Message {
	m := Message{
		UID: r.uid, Seq: r.seq, Flags: r.flags, HasFlags: r.hasFlags, InternalDate: r.date, Size: r.size,
		ModSeq: r.modSeq, Structure: r.structure, Repairs: known.repairs,
	}
	if full.BodyStructure && r.structure == nil {
		m.Troubles = append(m.Troubles, TroubleNoStructure)
	}
	if full.InternalDate && (!r.hasDate || r.date.IsZero()) {
		m.Troubles = append(m.Troubles, TroubleInternalDate)
	}
	if s := full.headerSection(); s != nil {
		m.Header, _, _ = r.find(s)
		if len(m.Header) >= full.MaxHeader {
			m.Header, m.HeaderCut = m.Header[:full.MaxHeader], true
		}
	}
	for _, p := range full.parts {
		if m.Parts == nil {
			m.Parts = make(map[PartKey]PartData, len(full.parts))
		}
		m.Parts[p.key] = p.data(r)
	}
	stripped := *full
	stripped.BodyStructure, stripped.InternalDate = false, false
	if stripped.lacks(r, known) {
		m.Troubles = append(m.Troubles, TroubleIncomplete)
	}
	return m
}

func (p *partAsk) data(r *reply) PartData {
	octets, isNil, found := r.find(p.section)
	if !found || isNil {
		return PartData{Missing: true}
	}
	limit := int(p.section.Partial.Size)
	return PartData{Octets: octets[:min(len(octets), limit)], Truncated: len(octets) >= limit}
}
