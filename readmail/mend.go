package readmail

import (
	"context"
	"maps"
	"strings"

	"mailgap/readmail/decode"
	"mailgap/readmail/session"
)

const (
	maxMendedParts   = 20      // parts of one message whose own header is asked for
	maxPartHeader    = 8 << 10 // octets
	unknownMediaType = "application/octet-stream"
)

// mend corrects a server's description of a message where it probably lost something, from the header of the part itself,
// and returns the corrected description; structure stays as it is. Where nothing looks lost nothing is fetched.
//
// Quirk: servers stop at the first blank of a name without quotes ("filename=Annual report.pdf" becomes "Annual"), and drop
// type and parameters of a Content-Type without subtype. Seen with Dovecot 2.3.
func (s *Server) mend(ctx context.Context, c *session.Conn, ref MessageRef, structure *session.Part) (*session.Part, error) {
	var ask []session.PartRequest
	structure.Walk(func(p *session.Part) bool {
		if looksCut(p) && len(ask) < maxMendedParts {
			ask = append(ask, session.PartRequest{Number: p.Number, MIME: true, Max: maxPartHeader})
		}
		return true
	})
	if len(ask) == 0 {
		return structure, nil
	}
	msgs, err := c.Fetch(ctx, session.UIDs(session.UID(ref.UID)), session.Items{Parts: ask})
	if err != nil {
		return nil, err
	}
	if len(msgs) == 0 {
		return nil, errGone
	}
	return mended(structure, msgs[0].Parts), nil
}

// looksCut reports a part whose media type is empty, or whose name has no ending.
func looksCut(p *session.Part) bool {
	if len(p.Children) > 0 || p.Number == "" || strings.Contains(p.Number, "TEXT") {
		return false
	}
	typ, sub, _ := strings.Cut(p.MediaType, "/")
	name := nodeOf(p).Filename().Raw
	return typ == "" || sub == "" || name != "" && !strings.Contains(name, ".")
}

// anyCutName reports whether mend has something to ask about p.
func anyCutName(p *session.Part) bool {
	cut := false
	p.Walk(func(p *session.Part) bool {
		cut = cut || looksCut(p)
		return !cut
	})
	return cut
}

// mended is a copy of p with what the headers of its parts say.
func mended(p *session.Part, headers map[session.PartKey]session.PartData) *session.Part {
	out := *p
	out.Children = nil
	for _, child := range p.Children {
		out.Children = append(out.Children, mended(child, headers))
	}
	d, ok := headers[session.PartKey{Number: p.Number, MIME: true}]
	if !ok || d.Missing || len(d.Octets) == 0 {
		return &out
	}
	h, _ := decode.ParseHeader(d.Octets, decode.Limits{})
	if body, ok := h.Get("Content-Type"); ok {
		typ, params, _ := decode.MediaType(body)
		if cut, _, _ := strings.Cut(p.MediaType, "/"); cut == "" {
			out.MediaType = typ
		}
		out.Params = joined(p.Params, params)
	}
	if body, ok := h.Get("Content-Disposition"); ok {
		typ, params, _ := decode.Disposition(body)
		if out.Disposition == "" {
			out.Disposition = typ
		}
		out.DispositionParams = joined(p.DispositionParams, params)
	}
	if out.MediaType == "" || out.MediaType == "/" {
		out.MediaType = unknownMediaType
	}
	return &out
}

// joined is a with the parameters of b in place of its own.
func joined(a map[string]string, b decode.Params) map[string]string {
	out := maps.Clone(a)
	if out == nil {
		out = map[string]string{}
	}
	for name, value := range b {
		for old := range a {
			if old == name || strings.HasPrefix(old, name+"*") { // RFC 2231 §3 and §4: segments and charsets
				delete(out, old)
			}
		}
		out[name] = value
	}
	return out
}
