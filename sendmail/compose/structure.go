package compose

import (
	"bytes"
	"crypto/sha256"
	"slices"
	"strings"
)

const (
	maxParts     = maxAttachments + 2 // of one multipart
	maxPartDepth = 3                  // multipart/mixed, multipart/alternative, multipart/related, and an image in it
)

// part is one part of a message, or the message itself, as a parser sees it.
type part struct {
	mediaType   string
	params      map[string]string // of Content-Type
	disposition string
	name        string
	contentID   string // with its angle brackets
	octets      []byte // decoded; nil of a multipart
	children    []*part
}

func (p *part) isMultipart() bool { return strings.HasPrefix(p.mediaType, "multipart/") }

// take reads the facts out of the parts, and refuses every structure that is not written here.
func (f *Facts) take(root *part) error {
	body := root
	if root.mediaType == "multipart/mixed" {
		if !root.holds(2, maxParts, "boundary") {
			return errStructure()
		}
		body = root.children[0]
		for _, c := range root.children[1:] {
			if !c.isFile("attachment") || c.contentID != "" {
				return notFaithful("a part that is no attachment")
			}
			f.Attachments = append(f.Attachments, c.facts())
		}
	}
	if err := f.takeBody(body); err != nil {
		return err
	}
	if !shownInline(f.HTML, f.Inline) {
		return notFaithful("an image that the HTML does not show")
	}
	return nil
}

func (f *Facts) takeBody(body *part) (err error) {
	if body.mediaType != "multipart/alternative" {
		f.Text, err = body.text("text/plain")
		return err
	}
	if !body.holds(2, 2, "boundary") {
		return errStructure()
	}
	if f.Text, err = body.children[0].text("text/plain"); err != nil {
		return err
	}
	html := body.children[1]
	if html.mediaType == "multipart/related" {
		if html, err = f.takeRelated(html); err != nil {
			return err
		}
	}
	f.HTML, err = html.text("text/html")
	return err
}

// takeRelated takes the images and returns the root part.
func (f *Facts) takeRelated(related *part) (*part, error) {
	if related.params["type"] != "text/html" || !related.holds(2, maxParts, "boundary", "type") {
		return nil, errStructure()
	}
	for _, c := range related.children[1:] {
		id := bareID(c.contentID)
		if !c.isFile("inline") || id == c.contentID {
			return nil, notFaithful("a part that is no inline image")
		}
		f.Inline = append(f.Inline, InlineFacts{c.facts(), id})
	}
	return related.children[0], nil
}

// holds reports whether a multipart has that many parts, these parameters at most, and nothing that would make it a file.
func (p *part) holds(least, most int, params ...string) bool {
	return len(p.children) >= least && len(p.children) <= most && p.disposition == "" && p.contentID == "" && p.onlyParams(params...)
}

func errStructure() error { return notFaithful("another structure than was written") }

func (p *part) isFile(disposition string) bool {
	return !p.isMultipart() && p.disposition == disposition && p.name != "" && p.onlyParams("charset")
}

// text is the content of a text part with LF line ends. Security: a disposition or a name would make it an attachment for some.
func (p *part) text(mediaType string) (string, error) {
	if p.mediaType != mediaType || p.params["charset"] != "utf-8" || !p.onlyParams("charset") || p.disposition != "" || p.contentID != "" {
		return "", notFaithful("another text part than was written")
	}
	text := string(p.octets)
	if strings.Count(text, "\r") != strings.Count(text, "\r\n") || strings.Count(text, "\n") != strings.Count(text, "\r\n") {
		return "", notFaithful("a line end in the text")
	}
	return strings.ReplaceAll(text, "\r\n", "\n"), nil
}

// onlyParams: Security: some readers take a file's name from a parameter of Content-Type.
func (p *part) onlyParams(names ...string) bool {
	for name := range p.params {
		if !slices.Contains(names, name) {
			return false
		}
	}
	return true
}

func (p *part) facts() AttachmentFacts {
	return AttachmentFacts{Name: p.name, MediaType: p.mediaType, Size: int64(len(p.octets)), SHA256: sha256.Sum256(p.octets)}
}

// checkAround refuses a preamble and an epilogue of a multipart (RFC 2046 §5.1.1), whose octets body is: text there is shown by no
// client, and was approved by nobody.
func checkAround(body []byte, boundary string) error {
	delimiter := []byte("--" + boundary)
	end := slices.Concat([]byte("\r\n"), delimiter, []byte("--"))
	body = bytes.TrimSuffix(body, []byte("\r\n"))
	if boundary == "" || !bytes.HasPrefix(body, slices.Concat(delimiter, []byte("\r\n"))) || !bytes.HasSuffix(body, end) || bytes.Count(body, end) != 1 {
		return notFaithful("text around the parts")
	}
	return nil
}
