package compose

import (
	"bytes"
	"crypto/sha256"
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

const maxParts = maxAttachments + 2

func (l leaf) facts() AttachmentFacts {
	return AttachmentFacts{Name: l.name, MediaType: l.mediaType, Size: int64(len(l.octets)), SHA256: sha256.Sum256(l.octets)}
}

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
	s, err := entitySkeleton(e, 0)
	if err != nil {
		return Facts{}, err
	}
	s.facts = f
	return s.assemble()
}

// entitySkeleton: depth 0 is the message, 1 a child of multipart/mixed.
func entitySkeleton(e *message.Entity, depth int) (*skeleton, error) {
	mediaType, _, err := e.Header.ContentType()
	if err != nil {
		return nil, notFaithful("go-message: Content-Type")
	}
	for fields := e.Header.Fields(); depth > 0 && fields.Next(); {
		switch fields.Key() {
		case "Content-Type", "Content-Transfer-Encoding", "Content-Disposition":
		default:
			return nil, notFaithful("a field of a part outside the fixed list")
		}
	}
	s := &skeleton{mediaType: mediaType}
	mr := e.MultipartReader()
	if mr == nil {
		l, err := entityLeaf(e)
		s.leaves, s.inner = []leaf{l}, []*skeleton{nil}
		return s, err
	}
	for depth <= 1 && len(s.leaves) < maxParts {
		part, err := mr.NextPart()
		if errors.Is(err, io.EOF) {
			return s, nil
		}
		if err != nil {
			return nil, notFaithful("go-message: parts")
		}
		child, err := entitySkeleton(part, depth+1)
		if err != nil {
			return nil, err
		}
		s.add(child)
	}
	return nil, notFaithful("too many or too deep parts")
}

func (s *skeleton) add(child *skeleton) {
	if strings.HasPrefix(child.mediaType, "multipart/") {
		s.leaves, s.inner = append(s.leaves, leaf{}), append(s.inner, child)
		return
	}
	s.leaves, s.inner = append(s.leaves, child.leaves[0]), append(s.inner, nil)
}

func entityLeaf(e *message.Entity) (leaf, error) {
	mediaType, params, err := e.Header.ContentType()
	if err != nil {
		return leaf{}, notFaithful("go-message: Content-Type")
	}
	l := leaf{mediaType: mediaType, charset: params["charset"]}
	if e.Header.Has("Content-Disposition") {
		disposition, params, err := e.Header.ContentDisposition()
		if err != nil {
			return leaf{}, notFaithful("go-message: Content-Disposition")
		}
		l.disposition, l.name = disposition, params["filename"]
	}
	if l.octets, err = io.ReadAll(e.Body); err != nil {
		return leaf{}, notFaithful("go-message: content")
	}
	return l, nil
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
	s, err := stdlibSkeleton(m.Header.Get, m.Body, 0)
	if err != nil {
		return Facts{}, err
	}
	s.facts = f
	return s.assemble()
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

func stdlibSkeleton(get func(string) string, body io.Reader, depth int) (*skeleton, error) {
	mediaType, params, err := mime.ParseMediaType(get("Content-Type"))
	if err != nil {
		return nil, notFaithful("mime: Content-Type")
	}
	s := &skeleton{mediaType: mediaType}
	if !strings.HasPrefix(mediaType, "multipart/") {
		l, err := stdlibLeaf(get, body)
		s.leaves, s.inner = []leaf{l}, []*skeleton{nil}
		return s, err
	}
	mr := multipart.NewReader(body, params["boundary"])
	for depth <= 1 && len(s.leaves) < maxParts {
		part, err := mr.NextRawPart()
		if errors.Is(err, io.EOF) {
			return s, nil
		}
		if err != nil {
			return nil, notFaithful("mime/multipart: parts")
		}
		child, err := stdlibSkeleton(part.Header.Get, part, depth+1)
		if err != nil {
			return nil, err
		}
		s.add(child)
	}
	return nil, notFaithful("too many or too deep parts")
}

func stdlibLeaf(get func(string) string, body io.Reader) (leaf, error) {
	mediaType, params, err := mime.ParseMediaType(get("Content-Type"))
	if err != nil {
		return leaf{}, notFaithful("mime: Content-Type")
	}
	l := leaf{mediaType: mediaType, charset: params["charset"]}
	if d := get("Content-Disposition"); d != "" {
		disposition, params, err := mime.ParseMediaType(d)
		if err != nil {
			return leaf{}, notFaithful("mime: Content-Disposition")
		}
		l.disposition, l.name = disposition, params["filename"]
	}
	switch get("Content-Transfer-Encoding") {
	case enc7Bit, enc8Bit:
	case encQP:
		body = quotedprintable.NewReader(body)
	case encBase64:
		body = base64.NewDecoder(base64.StdEncoding, body)
	default:
		return leaf{}, notFaithful("another transfer encoding than was written")
	}
	if l.octets, err = io.ReadAll(body); err != nil {
		return leaf{}, notFaithful("stdlib: content")
	}
	return l, nil
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
