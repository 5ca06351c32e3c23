package main

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"mime/quotedprintable"
	"strings"
	"time"
)

const (
	owner      = "Demo Reader <reader@demo.example>"
	authserv   = "mx.demo.example"
	dateLayout = "Mon, 2 Jan 2006 15:04:05 -0700"
)

// mail is one message before it is written out. Header values are given as they appear on the wire, except that LF
// stands for CRLF.
type mail struct {
	name    string // file name without .eml; also the left side of the Message-ID
	box     string
	date    string // RFC 3339: the Date field; the message arrives 40 seconds later
	flags   string // separated by spaces
	shows   string
	hostile bool

	from, to, subject string // to is owner if empty
	domain            string // of the author, for Message-ID and authentication; taken from from if empty
	auth              string // Authentication-Results after the authserv-id; "" passes all, "none" leaves the field out
	rawDate           string // in place of the Date field's value
	extra             []string
	body              part
}

// part is one MIME entity.
type part struct {
	mediaType string   // with parameters; a multipart gets its boundary added
	fields    []string // further header fields
	encoding  string   // 7bit, 8bit, quoted-printable, base64; empty: no field
	content   []byte
	parts     []part
	unclosed  bool // leave the closing boundary out
}

func (m mail) sent() time.Time {
	t, err := time.Parse(time.RFC3339, m.date)
	if err != nil {
		panic(fmt.Sprintf("%s: %v", m.name, err))
	}
	return t
}

func (m mail) arrived() time.Time { return m.sent().Add(40 * time.Second) }

func (m mail) authorDomain() string {
	if m.domain != "" {
		return m.domain
	}
	_, domain, _ := strings.Cut(m.from, "@")
	return strings.TrimRight(domain, "> \n")
}

func (m mail) messageID() string { return "<" + m.name + "@" + m.authorDomain() + ">" }

// render writes the message with CRLF line ends.
func (m mail) render() []byte {
	var out bytes.Buffer
	field := func(name, value string) {
		fmt.Fprintf(&out, "%s: %s\r\n", name, crlf(value))
	}
	m.trace(field)
	field("From", m.from)
	if m.to == "" {
		m.to = owner
	}
	field("To", m.to)
	field("Subject", m.subject)
	if m.rawDate == "" {
		m.rawDate = m.sent().Format(dateLayout)
	}
	field("Date", m.rawDate)
	field("Message-ID", m.messageID())
	for _, line := range m.extra {
		fmt.Fprintf(&out, "%s\r\n", crlf(line))
	}
	field("MIME-Version", "1.0")
	m.body.render(&out, "=_"+m.name)
	return out.Bytes()
}

// trace writes what the receiving server adds on top.
func (m mail) trace(field func(name, value string)) {
	if m.auth == "none" {
		return
	}
	domain := m.authorDomain()
	results := m.auth
	if results == "" {
		results = fmt.Sprintf("spf=pass smtp.mailfrom=%s;\n dkim=pass header.d=%s;\n dmarc=pass header.from=%s", domain, domain, domain)
	}
	field("Return-Path", "<bounces@"+domain+">")
	field("Authentication-Results", authserv+";\n "+results)
	field("Received", fmt.Sprintf("from out.%s (out.%s [192.0.2.25])\n by %s with ESMTPS; %s",
		domain, domain, authserv, m.arrived().Format(dateLayout)))
}

// render writes the entity's header fields, the empty line, and the content.
func (p part) render(out *bytes.Buffer, boundary string) {
	mediaType := p.mediaType
	if len(p.parts) > 0 {
		mediaType += ";\n boundary=\"" + boundary + "\""
	}
	fmt.Fprintf(out, "Content-Type: %s\r\n", crlf(mediaType))
	if p.encoding != "" {
		fmt.Fprintf(out, "Content-Transfer-Encoding: %s\r\n", p.encoding)
	}
	for _, f := range p.fields {
		fmt.Fprintf(out, "%s\r\n", crlf(f))
	}
	out.WriteString("\r\n")
	if len(p.parts) == 0 {
		out.Write(p.encode())
		return
	}
	for i, child := range p.parts {
		fmt.Fprintf(out, "--%s\r\n", boundary)
		child.render(out, fmt.Sprintf("%s.%d", boundary, i+1))
		out.WriteString("\r\n")
	}
	if !p.unclosed {
		fmt.Fprintf(out, "--%s--\r\n", boundary)
	}
}

func (p part) encode() []byte {
	switch p.encoding {
	case "base64":
		return base64Lines(p.content)
	case "quoted-printable":
		var out bytes.Buffer
		w := quotedprintable.NewWriter(&out)
		if _, err := w.Write(p.content); err != nil {
			panic(err) // a bytes.Buffer does not fail
		}
		if err := w.Close(); err != nil {
			panic(err)
		}
		return out.Bytes()
	}
	return p.content
}

func base64Lines(b []byte) []byte {
	const lineOctets = 76 // RFC 2045 §6.8
	text := base64.StdEncoding.EncodeToString(b)
	var out bytes.Buffer
	for len(text) > lineOctets {
		out.WriteString(text[:lineOctets] + "\r\n")
		text = text[lineOctets:]
	}
	out.WriteString(text + "\r\n")
	return out.Bytes()
}

// crlf turns LF into CRLF.
func crlf(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") }

// plain is a text/plain part in UTF-8. The text is trimmed and ends with one line end.
func plain(s string) part {
	return text("text/plain; charset=utf-8", "quoted-printable", []byte(body(s)))
}

// html is a text/html part in UTF-8.
func html(s string) part {
	return text("text/html; charset=utf-8", "quoted-printable", []byte(body(s)))
}

func text(mediaType, encoding string, content []byte) part {
	return part{mediaType: mediaType, encoding: encoding, content: content}
}

// body brings a raw string of the source into message form.
func body(s string) string { return crlf(strings.TrimSpace(s) + "\n") }

func multipart(subtype string, parts ...part) part {
	return part{mediaType: "multipart/" + subtype, parts: parts}
}

// file is an attachment with an ASCII name.
func file(mediaType, name string, content []byte) part {
	return part{mediaType: mediaType + "; name=\"" + name + "\"", encoding: "base64", content: content,
		fields: []string{"Content-Disposition: attachment; filename=\"" + name + "\""}}
}
