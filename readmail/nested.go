package readmail

import (
	"slices"
	"strconv"
	"strings"

	"mailgap/readmail/decode"
	"mailgap/readmail/session"
)

// holder finds the part with the given number in a server's description. Where it is not listed, the nearest part that
// holds it is returned, with the rest of the number: servers do not look into messages that are encoded, into message
// parts that they describe in short, or into TNEF. The part is nil if nothing can hold the number.
func holder(structure *session.Part, number string) (p *session.Part, rest string) {
	for at := number; ; {
		if p = structure.Find(at); p != nil {
			rest = strings.TrimPrefix(number[len(at):], ".")
			if rest != "" && !canHold(p.MediaType) {
				return nil, ""
			}
			return p, rest
		}
		dot := strings.LastIndexByte(at, '.')
		if dot < 0 {
			return nil, ""
		}
		at = at[:dot]
	}
}

// canHold reports whether parts may lie inside a part of this type although the server lists none.
func canHold(mediaType string) bool { return isMessage(mediaType) || isTNEF(mediaType) }

func isMessage(mediaType string) bool {
	return mediaType == "message/rfc822" || mediaType == "message/global"
}

// Quirk: winmail.dat often comes as application/octet-stream.
func isTNEF(mediaType string) bool {
	return slices.Contains([]string{"application/ms-tnef", "application/vnd.ms-tnef", unknownMediaType}, mediaType)
}

// inside returns the part with number rest within f, an attached message or a TNEF stream; f itself if rest is empty. Each
// step shortens rest, so it ends.
func (s *Server) inside(f *file, rest string) (*file, error) {
	if rest == "" {
		return f, nil
	}
	if isMessage(f.node.MediaType) {
		return s.insideMessage(f, rest)
	}
	if t, ok := decode.ParseTNEF(f.octets); ok && isTNEF(f.node.MediaType) {
		return tnefMember(f, t, rest)
	}
	return nil, errPart
}

func (s *Server) insideMessage(f *file, rest string) (*file, error) {
	root := decode.ParseMessage(f.octets, decode.Limits{})
	for at := rest; ; {
		if e := root.Find(at); e != nil {
			in := &file{ref: f.ref, node: e.Node()}
			in.octets, in.notes = e.Decoded(int(s.cfg.MaxAttachment))
			return s.inside(in, strings.TrimPrefix(rest[len(at):], "."))
		}
		dot := strings.LastIndexByte(at, '.')
		if dot < 0 {
			return nil, errPart
		}
		at = at[:dot]
	}
}

// tnefMember returns the file of t with this number, counted from 1.
func tnefMember(f *file, t decode.TNEF, number string) (*file, error) {
	n, err := strconv.Atoi(number)
	if err != nil || n < 1 || n > len(t.Attachments) || t.Attachments[n-1].Octets == nil {
		return nil, errPart
	}
	return &file{ref: f.ref, node: tnefNode(t.Attachments[n-1], number), octets: t.Attachments[n-1].Octets, notes: t.Notes}, nil
}

func tnefNode(a decode.TNEFAttachment, number string) decode.Node {
	return decode.Node{
		PartNumber: number, MediaType: unknownMediaType, Size: int64(len(a.Octets)), Disposition: "attachment",
		DispositionParams: decode.Params{"filename": a.Name.Safe},
	}
}

// tnefFiles describes the files of t for a list of attachments.
func tnefFiles(t decode.TNEF) decode.Body {
	var b decode.Body
	for i, a := range t.Attachments {
		if a.Octets != nil {
			b.Attachments = append(b.Attachments, tnefNode(a, strconv.Itoa(i+1)))
		}
	}
	return b
}
