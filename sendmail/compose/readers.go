package compose

import (
	"bytes"
	"encoding/base64"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	netmail "net/mail"
	"strings"
	"time"

	"github.com/emersion/go-message"
	"github.com/emersion/go-message/mail"

	"mailgap/shared/addr"
)

// readByLibrary reads with go-message.
func readByLibrary(octets []byte) (Facts, error) {
	e, err := message.Read(bytes.NewReader(octets))
	if err != nil {
		return Facts{}, notFaithful("go-message: header")
	}
	h := mail.Header{Header: e.Header}
	f := Facts{}
	if f.Subject, err = h.Subject(); err != nil {
		return Facts{}, notFaithful("go-message: Subject")
	}
	date, err := h.Date()
	if err != nil {
		return Facts{}, notFaithful("go-message: Date")
	}
	if err := f.readFields(h.Get, h.AddressList, date); err != nil {
		return Facts{}, err
	}
	root, err := entityPart(e, 0)
	if err != nil {
		return Facts{}, err
	}
	return f, f.take(root)
}

// entityPart reads a part and those in it; depth 0 is the message itself.
func entityPart(e *message.Entity, depth int) (*part, error) {
	p, err := entityHead(e.Header)
	if err != nil {
		return nil, err
	}
	if depth > 0 && !partFields(e.Header.Fields()) {
		return nil, notFaithful("a field of a part outside the fixed list")
	}
	mr := e.MultipartReader()
	if mr == nil {
		if p.octets, err = io.ReadAll(e.Body); err != nil {
			return nil, notFaithful("go-message: content")
		}
		return p, nil
	}
	for depth < maxPartDepth && len(p.children) < maxParts {
		next, err := mr.NextPart()
		if errors.Is(err, io.EOF) {
			return p, nil
		}
		if err != nil {
			return nil, notFaithful("go-message: parts")
		}
		child, err := entityPart(next, depth+1)
		if err != nil {
			return nil, err
		}
		p.children = append(p.children, child)
	}
	return nil, notFaithful("too many or too deep parts")
}

// partFields: the fixed list, each at most once.
func partFields(fields message.HeaderFields) bool {
	allowed := map[string]bool{"Content-Type": true, "Content-Transfer-Encoding": true, "Content-Id": true, "Content-Disposition": true}
	for fields.Next() {
		if name := fields.Key(); allowed[name] {
			allowed[name] = false
		} else {
			return false
		}
	}
	return true
}

func entityHead(h message.Header) (p *part, err error) {
	p = &part{contentID: h.Get("Content-Id")}
	if p.mediaType, p.params, err = h.ContentType(); err != nil {
		return nil, notFaithful("go-message: Content-Type")
	}
	if !h.Has("Content-Disposition") {
		return p, nil
	}
	disposition, params, err := h.ContentDisposition()
	if err != nil {
		return nil, notFaithful("go-message: Content-Disposition")
	}
	p.disposition, p.name = disposition, params["filename"]
	return p, nil
}

// readByStdlib reads with net/mail, mime, mime/multipart.
func readByStdlib(octets []byte) (Facts, error) {
	m, err := netmail.ReadMessage(bytes.NewReader(octets))
	if err != nil {
		return Facts{}, notFaithful("net/mail: header")
	}
	f := Facts{}
	if f.Subject, err = new(mime.WordDecoder).DecodeHeader(m.Header.Get("Subject")); err != nil {
		return Facts{}, notFaithful("mime: Subject")
	}
	date, err := m.Header.Date()
	if err != nil {
		return Facts{}, notFaithful("net/mail: Date")
	}
	if err := f.readFields(m.Header.Get, presentList(m.Header), date); err != nil {
		return Facts{}, err
	}
	root, err := stdlibPart(m.Header.Get, m.Body, 0)
	if err != nil {
		return Facts{}, err
	}
	return f, f.take(root)
}

// presentList is AddressList without an error for a field that is not there.
func presentList(h netmail.Header) func(string) ([]*netmail.Address, error) {
	return func(name string) ([]*netmail.Address, error) {
		if h.Get(name) == "" {
			return nil, nil
		}
		return h.AddressList(name)
	}
}

// stdlibPart reads a part and those in it; depth 0 is the message itself.
func stdlibPart(get func(string) string, body io.Reader, depth int) (*part, error) {
	p, err := stdlibHead(get)
	if err != nil {
		return nil, err
	}
	if !p.isMultipart() {
		p.octets, err = stdlibContent(get("Content-Transfer-Encoding"), body)
		return p, err
	}
	octets, err := io.ReadAll(body)
	if err != nil {
		return nil, notFaithful("mime/multipart: parts")
	}
	if err := checkAround(octets, p.params["boundary"]); err != nil {
		return nil, err
	}
	mr := multipart.NewReader(bytes.NewReader(octets), p.params["boundary"])
	for depth < maxPartDepth && len(p.children) < maxParts {
		next, err := mr.NextRawPart()
		if errors.Is(err, io.EOF) {
			return p, nil
		}
		if err != nil {
			return nil, notFaithful("mime/multipart: parts")
		}
		child, err := stdlibPart(next.Header.Get, next, depth+1)
		if err != nil {
			return nil, err
		}
		p.children = append(p.children, child)
	}
	return nil, notFaithful("too many or too deep parts")
}

func stdlibHead(get func(string) string) (p *part, err error) {
	p = &part{contentID: get("Content-Id")}
	if p.mediaType, p.params, err = mime.ParseMediaType(get("Content-Type")); err != nil {
		return nil, notFaithful("mime: Content-Type")
	}
	d := get("Content-Disposition")
	if d == "" {
		return p, nil
	}
	disposition, params, err := mime.ParseMediaType(d)
	if err != nil {
		return nil, notFaithful("mime: Content-Disposition")
	}
	p.disposition, p.name = disposition, params["filename"]
	return p, nil
}

func stdlibContent(encoding string, body io.Reader) ([]byte, error) {
	switch encoding {
	case enc7Bit, enc8Bit:
	case encQP:
		body = quotedprintable.NewReader(body)
	case encBase64:
		body = base64.NewDecoder(base64.StdEncoding, body)
	default:
		return nil, notFaithful("another transfer encoding than was written")
	}
	octets, err := io.ReadAll(body)
	if err != nil {
		return nil, notFaithful("stdlib: content")
	}
	return octets, nil
}

// readFields reads the fields whose decoding both parsers leave to their caller.
func (f *Facts) readFields(get func(string) string, addresses func(string) ([]*netmail.Address, error), date time.Time) (err error) {
	f.Date = date.UTC()
	from, err := readAddresses(addresses, "From", true)
	if err != nil || len(from) != 1 {
		return notFaithful("From")
	}
	f.From = from[0]
	if f.To, err = readAddresses(addresses, "To", false); err != nil {
		return err
	}
	if f.Cc, err = readAddresses(addresses, "Cc", false); err != nil {
		return err
	}
	var one []string
	if one, err = readIDs(get("Message-ID")); err != nil || len(one) != 1 {
		return notFaithful("Message-ID")
	}
	f.MessageID = one[0]
	if one, err = readIDs(get("In-Reply-To")); err != nil || len(one) > 1 {
		return notFaithful("In-Reply-To")
	}
	if len(one) == 1 {
		f.InReplyTo = one[0]
	}
	f.References, err = readIDs(get("References"))
	return err
}

func readAddresses(addresses func(string) ([]*netmail.Address, error), name string, named bool) ([]addr.Address, error) {
	parsed, err := addresses(name)
	if err != nil {
		return nil, notFaithful(name)
	}
	var out []addr.Address
	for _, p := range parsed {
		a, err := addr.ParseSpec(p.Address)
		if err != nil || a.AddrSpec() != p.Address || p.Name != "" && !named {
			return nil, notFaithful(name)
		}
		a.DisplayName = p.Name
		out = append(out, a)
	}
	return out, nil
}

// readIDs: ids in angle brackets, one space between.
func readIDs(value string) ([]string, error) {
	if value == "" {
		return nil, nil
	}
	var out []string
	for word := range strings.SplitSeq(value, " ") {
		id := bareID(word)
		if id == word || !ValidMessageID(id) {
			return nil, notFaithful("message ids")
		}
		out = append(out, id)
	}
	return out, nil
}
