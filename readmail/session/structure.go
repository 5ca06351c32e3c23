package session

import (
	"strconv"
	"strings"

	"github.com/emersion/go-imap/v2"
)

// newStructure turns the library's body structure into ours and numbers the parts (RFC 9051 §6.4.5).
func newStructure(bs imap.BodyStructure) *Part {
	if _, multi := bs.(*imap.BodyStructureMultiPart); multi {
		return newPart(bs, "", "")
	}
	return newPart(bs, "1", "")
}

// newPart builds the part that has this number; its children get numbers that begin with prefix.
func newPart(bs imap.BodyStructure, number, prefix string) *Part {
	switch bs := bs.(type) {
	case *imap.BodyStructureMultiPart:
		return newMultipart(bs, number, prefix)
	case *imap.BodyStructureSinglePart:
		return newSinglePart(bs, number)
	}
	return nil
}

func newMultipart(bs *imap.BodyStructureMultiPart, number, prefix string) *Part {
	p := &Part{Number: number, MediaType: bs.MediaType()}
	if e := bs.Extended; e != nil {
		p.Params, p.Language, p.Location = lowerKeys(e.Params), e.Language, e.Location
		p.setDisposition(e.Disposition)
	}
	for i, child := range bs.Children {
		n := prefix + strconv.Itoa(i+1)
		if q := newPart(child, n, n+"."); q != nil {
			p.Children = append(p.Children, q)
		}
	}
	return p
}

func newSinglePart(bs *imap.BodyStructureSinglePart, number string) *Part {
	p := &Part{
		Number: number, MediaType: bs.MediaType(), Params: lowerKeys(bs.Params), ID: bs.ID, Description: bs.Description,
		Encoding: strings.ToLower(bs.Encoding), Size: int64(bs.Size),
	}
	if bs.Text != nil {
		p.Lines = bs.Text.NumLines
	}
	if e := bs.Extended; e != nil {
		p.Language, p.Location = e.Language, e.Location
		p.setDisposition(e.Disposition)
	}
	if m := bs.MessageRFC822; m != nil {
		p.Lines = m.NumLines
		if q := newNested(m.BodyStructure, number); q != nil {
			p.Children = []*Part{q}
		}
	}
	return p
}

// newNested numbers the body of a message inside part number: a multipart has no number of its own and is
// reached as "2.TEXT", its parts are 2.1, 2.2; a single part is 2.1.
func newNested(bs imap.BodyStructure, number string) *Part {
	if _, multi := bs.(*imap.BodyStructureMultiPart); multi {
		return newPart(bs, number+".TEXT", number+".")
	}
	return newPart(bs, number+".1", "")
}

func (p *Part) setDisposition(d *imap.BodyStructureDisposition) {
	if d != nil {
		p.Disposition, p.DispositionParams = strings.ToLower(d.Value), lowerKeys(d.Params)
	}
}

func lowerKeys(m map[string]string) map[string]string {
	if len(m) == 0 {
		return nil
	}
	out := make(map[string]string, len(m))
	for k, v := range m {
		out[strings.ToLower(k)] = v
	}
	return out
}
