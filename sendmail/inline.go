package sendmail

import (
	"net/url"
	"slices"
	"sort"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/text/unicode/norm"

	"mailgap/sanitize"
	"mailgap/sendmail/attach"
	"mailgap/sendmail/compose"
)

// inlineImages are the attached images that the caller's HTML may show, each with the Content-ID of its part.
type inlineImages struct {
	files []attach.File
	names []string       // as the arguments named the files
	ids   map[int]string // place of an image that the HTML refers to, and its Content-ID
}

// newInlineImages finds the attached images that source refers to. What it says about files that are no images, or not attached, stays as it is:
// the cleaner takes it out and reports it.
func (s *Server) newInlineImages(source string, names []string, files []attach.File) (*inlineImages, error) {
	m := &inlineImages{files: files, names: names, ids: map[int]string{}}
	var err error
	rewriteImages(source, func(name string) string {
		k := m.place(name)
		if k >= 0 && m.ids[k] == "" && err == nil {
			m.ids[k], err = compose.NewContentID(s.cfg.Random, s.cfg.From.Domain)
		}
		return ""
	})
	return m, err
}

// place finds the image that a cid URL names: by its file name, or as the argument has it, percent-encoded (RFC 2392 §2) or not.
func (m *inlineImages) place(name string) int {
	plain, err := url.PathUnescape(name)
	if err != nil {
		plain = name
	}
	for _, n := range []string{norm.NFC.String(name), norm.NFC.String(plain)} {
		for k, f := range m.files {
			if raster(f.MediaType) && (n == f.Name || k < len(m.names) && n == norm.NFC.String(m.names[k])) {
				return k
			}
		}
	}
	return -1
}

// raster reports the types that may be shown: those that package attach recognises by their content and every reader draws.
// Security: not SVG, which is a document with links and scripts.
func raster(mediaType string) bool {
	switch mediaType {
	case "image/png", "image/jpeg", "image/gif", "image/webp":
		return true
	}
	return false
}

// clean puts Content-IDs in the place of names and cleans the result. An image that cleaning would leave nowhere to be seen (in a hidden
// passage, say) keeps its name, so that the report speaks of it as the caller did, and its file stays an attachment. The offsets of the
// report are those of source.
func (m *inlineImages) clean(source string) (sanitize.Outgoing, error) {
	out, err := m.cleanWith(source)
	if err != nil || len(out.ContentIDs) == len(m.ids) {
		return out, err
	}
	for k, id := range m.ids {
		if !slices.Contains(out.ContentIDs, id) {
			delete(m.ids, k)
		}
	}
	return m.cleanWith(source)
}

func (m *inlineImages) cleanWith(source string) (sanitize.Outgoing, error) {
	text, edits := rewriteImages(source, func(name string) string { return m.ids[m.place(name)] })
	out, err := sanitize.OutgoingHTML(text, sanitize.OutgoingOptions{ContentIDs: m.list()})
	for k := range out.Removals {
		out.Removals[k].Offset = sourceOffset(edits, out.Removals[k].Offset)
	}
	return out, err
}

// list is the Content-IDs in the order of the files.
func (m *inlineImages) list() []string {
	var ids []string
	for k := range m.files {
		if id, found := m.ids[k]; found {
			ids = append(ids, id)
		}
	}
	return ids
}

// divide gives the images that are shown and the files that stay attachments.
func (m *inlineImages) divide() (inline []compose.InlineImage, rest []attach.File) {
	for k, f := range m.files {
		if id, found := m.ids[k]; found {
			inline = append(inline, compose.InlineImage{Attachment: attachmentOf(f), ContentID: id})
		} else {
			rest = append(rest, f)
		}
	}
	return inline, rest
}

func attachmentOf(f attach.File) compose.Attachment {
	return compose.Attachment{Name: f.Name, MediaType: f.MediaType, Octets: f.Octets}
}

// edit is one image that was written anew.
type edit struct {
	at, was    int // octets of the source before it, and its own
	start, now int // the same in the result
}

// sourceOffset is the octet of the source for one of the result; within a rewritten image it is the image's.
func sourceOffset(edits []edit, offset int) int {
	k := sort.Search(len(edits), func(k int) bool { return edits[k].start > offset }) - 1
	if k < 0 {
		return offset
	}
	e := edits[k]
	if offset < e.start+e.now {
		return e.at
	}
	return offset - (e.start + e.now) + e.at + e.was
}

// rewriteImages calls id with the name in each img whose source is "cid:" and a name, and writes "cid:" and the result in its place; an
// empty result changes nothing. It need not see everything as a parser does: what it overlooks is a name of nothing for the cleaner, which
// takes it out, and what it writes goes through the cleaner and the verifier like all else.
func rewriteImages(source string, id func(name string) string) (string, []edit) {
	if !strings.Contains(strings.ToLower(source), "cid") && !strings.Contains(source, "&") { // a letter may be a character reference
		return source, nil
	}
	var b strings.Builder
	var edits []edit
	at := 0
	z := html.NewTokenizer(strings.NewReader(source))
	for z.Next() != html.ErrorToken {
		raw := string(z.Raw())
		was := len(raw)
		t := z.Token()
		if (t.Type == html.StartTagToken || t.Type == html.SelfClosingTagToken) && t.Data == "img" && rewriteSource(t.Attr, id) {
			raw = t.String()
			edits = append(edits, edit{at, was, b.Len(), len(raw)})
		}
		b.WriteString(raw)
		at += was
	}
	b.Write(z.Raw())
	return b.String(), edits
}

// rewriteSource changes the source of one image and reports whether it did.
func rewriteSource(attrs []html.Attribute, id func(name string) string) bool {
	for k, a := range attrs {
		const scheme = "cid:"
		v := strings.TrimSpace(a.Val)
		if a.Key != "src" || len(v) <= len(scheme) || !strings.EqualFold(v[:len(scheme)], scheme) {
			continue
		}
		if now := id(v[len(scheme):]); now != "" {
			attrs[k].Val = scheme + now
			return true
		}
	}
	return false
}
