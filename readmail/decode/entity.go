package decode

import (
	"bytes"
	"strconv"
	"strings"
)

// Entity is a message or body part.
type Entity struct {
	PartNumber        string // RFC 9051 §6.4.5: "1.2"; "TEXT" or "2.TEXT" for the multipart that is the body of a message
	Header            Header
	MediaType         string // lower case; the default type if none is given
	Params            Params
	Disposition       string // lower case; "" if none
	DispositionParams Params
	Encoding          string // lower case; "" if none
	Body              []byte // undecoded octets, a slice of the input
	Start, End        int    // Body's place in the input of ParseMessage; -1 inside a decoded message
	Children          []*Entity
	Notes             Notes
}

// ParseMessage reads a message into a tree without decoding its leaves. It never fails: what cannot be read as a tree is a leaf,
// with a note. The time is linear in the octets times the depth limit.
//
// Parts of a multipart are its Children; the one child of a message/rfc822 entity is the message inside, also when it is carried in
// base64. Start and End place each Body in octets unless Notes of the root holds NoteOctetLimit or line ends were bare CR.
func ParseMessage(octets []byte, l Limits) *Entity {
	p := treeParser{limits: l.withDefaults()}
	var cut bool
	if cut = len(octets) > p.limits.Octets; cut {
		octets = octets[:p.limits.Octets]
	}
	if bytes.IndexByte(octets, '\n') < 0 && bytes.IndexByte(octets, '\r') >= 0 {
		octets = bytes.ReplaceAll(octets, []byte("\r"), []byte("\n")) // old Macintosh line ends
	}
	root := p.message(octets, place{prefix: "", base: 0})
	if cut {
		root.Notes.add(NoteOctetLimit)
	}
	return root
}

// Decoded returns the body with its transfer encoding undone, at most limit octets (0: 64 MiB).
// A multipart's own encoding is ignored (RFC 2045 §6.4 forbids it).
func (e *Entity) Decoded(limit int) ([]byte, Notes) {
	if strings.HasPrefix(e.MediaType, "multipart/") && len(e.Children) > 0 {
		return TransferDecode("", e.Body, limit)
	}
	return TransferDecode(e.Encoding, e.Body, limit)
}

// Text returns the decoded text of a text part: transfer encoding, charset and format=flowed undone. At most limit octets are decoded.
func (e *Entity) Text(limit int) (string, CharsetNote) {
	octets, notes := e.Decoded(limit)
	text, n := partText(e.MediaType, e.Params, octets)
	n.Notes.add(notes...)
	return text, n
}

// partText decodes the octets of a text part: charset and format=flowed.
func partText(mediaType string, params Params, octets []byte) (string, CharsetNote) {
	if mediaType == "text/html" {
		return HTMLText(params["charset"], octets)
	}
	text, n := Text(params["charset"], octets)
	if mediaType == "text/plain" && strings.EqualFold(params["format"], "flowed") {
		text = Flowed(text, strings.EqualFold(params["delsp"], "yes"))
	}
	return text, n
}

// AllNotes returns the notes of the entity, its header and everything below it.
func (e *Entity) AllNotes() Notes {
	var all Notes
	all.add(e.Header.Notes...)
	all.add(e.Notes...)
	for _, c := range e.Children {
		all.add(c.AllNotes()...)
	}
	return all
}

// Find returns the entity with the part number, or nil.
func (e *Entity) Find(partNumber string) *Entity {
	if e.PartNumber == partNumber {
		return e
	}
	for _, c := range e.Children {
		if f := c.Find(partNumber); f != nil {
			return f
		}
	}
	return nil
}

// Node describes the entity and what is below it.
func (e *Entity) Node() Node {
	n := Node{
		PartNumber: e.PartNumber, MediaType: e.MediaType, Params: e.Params, Encoding: e.Encoding,
		Disposition: e.Disposition, DispositionParams: e.DispositionParams, Size: int64(len(e.Body)),
	}
	id, _ := e.Header.Get("Content-ID")
	n.ContentID = strings.Trim(oneLine(replaceInvalid(id)), "<> ")
	description, _ := e.Header.Get("Content-Description")
	n.Description = Unstructured(description)
	for _, c := range e.Children {
		n.Children = append(n.Children, c.Node())
	}
	if len(e.Children) == 0 && e.Notes.Has(NoteDepthLimit) {
		n.MediaType = "application/octet-stream" // not looked into: a file, not text
	}
	return n
}

// treeParser builds the tree and counts what the limits bound.
type treeParser struct {
	limits Limits
	parts  int
}

// place says where an entity stands.
type place struct {
	prefix string // part number of the enclosing multipart or message, with its dot; "" for the root
	number string // its own part number; "" for the root of a message
	depth  int
	base   int // offset of its octets in the input; -1 inside a decoded message
	def    string
}

// message reads a whole message: the root one or one inside message/rfc822.
func (p *treeParser) message(octets []byte, at place) *Entity {
	at.def = "text/plain"
	return p.entity(octets, at)
}

func (p *treeParser) entity(octets []byte, at place) *Entity {
	p.parts++
	e := &Entity{Start: -1, End: -1}
	var boundary string
	var rest []byte
	e.Header, rest = ParseHeader(octets, p.limits)
	boundary = e.describe(at.def)
	e.Body = rest
	if at.base >= 0 {
		e.Start, e.End = at.base+len(octets)-len(rest), at.base+len(octets)
	}
	isMessageRoot := at.number == ""
	multipart := strings.HasPrefix(e.MediaType, "multipart/")
	switch {
	case isMessageRoot && multipart:
		e.PartNumber = at.prefix + "TEXT"
	case isMessageRoot:
		e.PartNumber = at.prefix + "1"
	default:
		e.PartNumber = at.number
	}
	inner := at
	inner.depth++
	switch {
	case multipart:
		if !isMessageRoot {
			inner.prefix = at.number + "."
		}
		p.multipart(e, boundary, inner)
	case e.MediaType == "message/rfc822" || e.MediaType == "message/global":
		inner.prefix = e.PartNumber + "."
		p.embedded(e, inner)
	}
	return e
}

// describe fills in what the header says, and returns the boundary as octets.
func (e *Entity) describe(def string) (boundary string) {
	e.Params, e.DispositionParams = Params{}, Params{}
	var notes Notes
	if body, ok := e.Header.Get("Content-Type"); ok {
		e.MediaType, e.Params, notes = MediaType(body)
		_, raw, _ := splitParams(body)
		if boundary = rawValue(raw, "boundary"); boundary == "" {
			boundary = e.Params["boundary"]
		}
		if e.MediaType == "" {
			e.MediaType = "application/octet-stream"
			if strings.TrimSpace(body) == "" {
				e.MediaType = def
			}
		}
	} else {
		e.MediaType = def
	}
	e.Notes.add(notes...)
	if body, ok := e.Header.Get("Content-Disposition"); ok {
		e.Disposition, e.DispositionParams, notes = Disposition(body)
		e.Notes.add(notes...)
	}
	if body, ok := e.Header.Get("Content-Transfer-Encoding"); ok {
		e.Encoding = cutOctets(strings.ToLower(oneLine(replaceInvalid(body))), maxCharsetLabelOctets)
	}
	return boundary
}

// embedded opens message/rfc822. Quirk: RFC 2045 §6.4 allows it no encoding, yet base64 and quoted-printable are seen.
func (p *treeParser) embedded(e *Entity, at place) {
	if at.depth >= p.limits.Depth {
		e.Notes.add(NoteDepthLimit)
		return
	}
	if p.parts >= p.limits.Parts {
		e.Notes.add(NotePartLimit)
		return
	}
	octets := e.Body
	at.base = e.Start
	if enc := normalEncoding(e.Encoding); enc == "base64" || enc == "quoted-printable" {
		decoded, notes := TransferDecode(enc, e.Body, p.limits.Octets)
		if !notes.Has(NoteEncodingFalse) && !(enc == "quoted-printable" && notes.Has(NoteEncodingDamaged)) {
			octets, at.base = decoded, -1
			e.Notes.add(NoteMessageEncoded)
		}
		e.Notes.add(notes...)
	}
	at.number = ""
	e.Children = []*Entity{p.message(octets, at)}
}

// multipart divides a body at its delimiters.
func (p *treeParser) multipart(e *Entity, boundary string, at place) {
	if at.depth >= p.limits.Depth {
		e.Notes.add(NoteDepthLimit)
		return
	}
	boundary, ok := findBoundary(e.Body, boundary)
	if !ok {
		e.Notes.add(NoteNoBoundary)
	}
	if boundary == "" {
		return
	}
	at.def = "text/plain"
	if e.MediaType == "multipart/digest" {
		at.def = "message/rfc822" // RFC 2046 §5.1.5
	}
	s := delimiterScanner{body: e.Body, delimiter: []byte("--" + boundary)}
	for n := 1; s.next(); n++ {
		if p.parts >= p.limits.Parts {
			e.Notes.add(NotePartLimit)
			return
		}
		child := at
		child.number = at.prefix + strconv.Itoa(n)
		if child.base = e.Start; child.base >= 0 {
			child.base += s.start
		}
		e.Children = append(e.Children, p.entity(e.Body[s.start:s.end], child))
	}
	s.note(e)
}
