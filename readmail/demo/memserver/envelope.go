package memserver

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"net/mail"
	"strings"

	"github.com/emersion/go-imap/v2"
	"github.com/emersion/go-imap/v2/imapserver"
	"github.com/emersion/go-message/textproto"
)

func writeSection(w io.WriteCloser, octets []byte) error {
	_, err := w.Write(octets)
	return errors.Join(err, w.Close())
}

// envelope reads a message's header. Subject and display names keep their encoded words.
func envelope(raw []byte) *imap.Envelope {
	h, err := textproto.ReadHeader(bufio.NewReader(bytes.NewReader(raw)))
	if err != nil {
		return nil
	}
	e := imapserver.ExtractEnvelope(h)
	e.Subject = h.Get("Subject")
	for name, list := range map[string]*[]imap.Address{"From": &e.From, "Sender": &e.Sender, "Reply-To": &e.ReplyTo,
		"To": &e.To, "Cc": &e.Cc, "Bcc": &e.Bcc} {
		if raw := addresses(h.Get(name)); raw != nil {
			*list = raw
		}
	}
	return e
}

// addresses parses an address list without decoding the words in it; nil if it cannot.
func addresses(field string) []imap.Address {
	// An encoded word that does not look like one passes through the parser as an atom.
	const mark = "~encoded~"
	list, err := mail.ParseAddressList(strings.ReplaceAll(field, "=?", mark))
	if err != nil {
		return nil
	}
	var out []imap.Address
	for _, a := range list {
		local, domain, _ := strings.Cut(a.Address, "@")
		out = append(out, imap.Address{Name: strings.ReplaceAll(a.Name, mark, "=?"), Mailbox: local, Host: domain})
	}
	return out
}

// structure describes a message's parts. A multipart gets an empty text part if it has none: the grammar has no other
// way to say so (RFC 9051 §9, body-type-mpart).
func structure(raw []byte) imap.BodyStructure {
	bs := imapserver.ExtractBodyStructure(bytes.NewReader(raw))
	fill(bs)
	return bs
}

func fill(bs imap.BodyStructure) {
	switch bs := bs.(type) {
	case *imap.BodyStructureMultiPart:
		if len(bs.Children) == 0 {
			bs.Children = []imap.BodyStructure{&imap.BodyStructureSinglePart{Type: "text", Subtype: "plain", Encoding: "7bit",
				Text: &imap.BodyStructureText{}, Extended: &imap.BodyStructureSinglePartExt{}}}
		}
		for _, child := range bs.Children {
			fill(child)
		}
	case *imap.BodyStructureSinglePart:
		if bs.MessageRFC822 != nil {
			fill(bs.MessageRFC822.BodyStructure)
		}
	}
}
