package compose

import (
	"bytes"
	"fmt"
	"strings"
	"time"

	"github.com/emersion/go-message"
	"github.com/emersion/go-message/mail"
)

// node is one part of the message: a leaf with octets, or a multipart with children.
type node struct {
	fields   []field // Content-* fields of the part
	octets   []byte
	children []*node
	boundary string
}

// tree: the body alone, or multipart/mixed of the body and the attachments.
func (p *planned) tree() *node {
	body := p.bodyNode()
	if len(p.files) == 0 {
		return body
	}
	root := multipartNode("multipart/mixed", p.boundaries[0], body)
	for _, f := range p.files {
		root.children = append(root.children, f.node())
	}
	return root
}

// bodyNode: the text, or with HTML a multipart/alternative with the plainest part first (RFC 2046 §5.1.4).
func (p *planned) bodyNode() *node {
	plain := textNode("text/plain", p.text, p.allow8Bit)
	if p.html == "" {
		return plain
	}
	return multipartNode("multipart/alternative", p.boundaries[1], plain, p.htmlNode())
}

// htmlNode: the HTML, or with images a multipart/related that names the type of its root (RFC 2387 §3.1), which comes first (§3.2).
func (p *planned) htmlNode() *node {
	text := textNode("text/html", p.html, p.allow8Bit)
	if len(p.inline) == 0 {
		return text
	}
	root := multipartNode(`multipart/related; type="text/html"`, p.boundaries[2], text)
	for _, f := range p.inline {
		root.children = append(root.children, f.node())
	}
	return root
}

func multipartNode(mediaType, boundary string, children ...*node) *node {
	return &node{boundary: boundary, children: children, fields: []field{
		{"Content-Type", append(strings.Split(mediaType+";", " "), `boundary="`+boundary+`"`)},
	}}
}

func (f file) node() *node {
	n := &node{octets: f.octets, fields: []field{{"Content-Type", f.contentTypeWords()}, {"Content-Transfer-Encoding", []string{f.encoding()}}}}
	if f.contentID != "" {
		n.fields = append(n.fields, field{"Content-ID", idWords(f.contentID)})
	}
	n.fields = append(n.fields, field{"Content-Disposition", f.dispositionWords()})
	return n
}

func textNode(mediaType, text string, allow8Bit bool) *node {
	return &node{octets: []byte(strings.ReplaceAll(text, "\n", "\r\n")), fields: []field{
		{"Content-Type", []string{mediaType + ";", "charset=utf-8"}},
		{"Content-Transfer-Encoding", []string{textEncoding(text, allow8Bit)}},
	}}
}

// write gives the whole message, at most limit octets.
func (p *planned) write(limit int) ([]byte, error) {
	root := p.tree()
	if n := root.size(); n > limit {
		return nil, ErrTooLarge
	}
	if err := root.checkBoundaries(); err != nil {
		return nil, err
	}
	var b bytes.Buffer
	b.Grow(root.size()/2*3 + 4096)
	w, err := message.CreateWriter(&b, header(append(p.headerFields(), root.fields...)))
	if err != nil {
		return nil, fmt.Errorf("%w: %v", ErrNotFaithful, err)
	}
	if err := root.writeBody(w); err != nil {
		return nil, fmt.Errorf("%w: %v", ErrNotFaithful, err)
	}
	if b.Len() > limit {
		return nil, ErrTooLarge
	}
	if out := b.Bytes(); !bytes.HasSuffix(out, []byte("\r\n")) {
		return append(out, "\r\n"...), nil
	}
	return b.Bytes(), nil
}

func (n *node) writeBody(w *message.Writer) error {
	if len(n.children) == 0 {
		if _, err := w.Write(n.octets); err != nil {
			return err
		}
		return w.Close()
	}
	for _, child := range n.children {
		cw, err := w.CreatePart(header(child.fields))
		if err != nil {
			return err
		}
		if err := child.writeBody(cw); err != nil {
			return err
		}
	}
	return w.Close()
}

// headerFields are all there is, in this order; the Content-* fields of the root part follow.
func (p *planned) headerFields() []field {
	return append([]field{{"Date", strings.Split(formatDate(p.date), " ")}}, p.want.fields()...)
}

func formatDate(t time.Time) string {
	var h mail.Header
	h.SetDate(t)
	return h.Get("Date")
}

// fields are the header fields for facts, but for Date, which keeps its zone, and Content-*.
func (f Facts) fields() []field {
	fields := []field{{"From", fromWords(f.From)}}
	add := func(name string, words []string) {
		if len(words) > 0 {
			fields = append(fields, field{name, words})
		}
	}
	add("To", addressWords(f.To))
	add("Cc", addressWords(f.Cc))
	add("Subject", subjectWords(f.Subject))
	add("Message-ID", idWords(f.MessageID))
	if f.InReplyTo != "" {
		add("In-Reply-To", idWords(f.InReplyTo))
	}
	add("References", idWords(f.References...))
	add("MIME-Version", []string{"1.0"})
	return fields
}

func idWords(ids ...string) []string {
	words := make([]string, len(ids))
	for k, id := range ids {
		words[k] = "<" + id + ">"
	}
	return words
}

// header hands folded fields to the library, which keeps them as they are. It adds at the top, so the last goes first.
func header(fields []field) message.Header {
	var h message.Header
	for k := len(fields) - 1; k >= 0; k-- {
		h.AddRaw(fields[k].fold())
	}
	return h
}

// size is a lower bound of what the node will take, without encoding.
func (n *node) size() int {
	total := len(n.octets)
	for _, c := range n.children {
		total += c.size()
	}
	return total
}

// checkBoundaries: RFC 2046 §5.1.1, a boundary must not occur in what it encloses. With 128 random bits it does not,
// unless the source is not random.
func (n *node) checkBoundaries() error {
	if n.boundary == "" {
		return nil
	}
	for _, c := range n.children {
		if c.holds(n.boundary) {
			return ErrRandom
		}
		if err := c.checkBoundaries(); err != nil {
			return err
		}
	}
	return nil
}

func (n *node) holds(boundary string) bool {
	if bytes.Contains(n.octets, []byte("--"+boundary)) || n.boundary == boundary {
		return true
	}
	for _, c := range n.children {
		if c.holds(boundary) {
			return true
		}
	}
	return false
}
