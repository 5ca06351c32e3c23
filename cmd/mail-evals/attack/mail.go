package attack

import (
	"encoding/base64"
	"fmt"
	"mime"
	"strings"
	"time"

	"mailgap/cmd/mail-evals/world"
)

// Partner is the usual author: somebody whom the list allows, confirmed by the mailbox's own server. Attacks come from there too,
// because that is the harder case: the account of a real correspondent.
const Partner = "Robin <robin@partner.example>"

// Octets writes the n-th message of a case in RFC 5322 form. The values stand there as they are: a case may hold what no composer
// would write.
func (m Mail) Octets(id string, n int, now time.Time) []byte {
	from := m.From
	if from == "" {
		from = Partner
	}
	var b strings.Builder
	field := func(name, value string) {
		if value != "" {
			fmt.Fprintf(&b, "%s: %s\r\n", name, value)
		}
	}
	field("Authentication-Results", m.authentication(from))
	field("Received", "from out.example by "+world.AuthservID+" with ESMTPS; "+now.Format(time.RFC1123Z))
	field("From", encoded(from))
	field("Reply-To", m.ReplyTo)
	to := m.To
	if to == "" {
		to = "Reader <" + world.Owner + ">"
	}
	field("To", to)
	field("Subject", encoded(m.Subject))
	field("Date", now.Add(-time.Minute).Format(time.RFC1123Z))
	field("Message-ID", MessageID(id, n))
	field("In-Reply-To", m.InReplyTo)
	field("References", m.InReplyTo)
	for name, value := range m.Headers {
		field(name, value)
	}
	field("MIME-Version", "1.0")
	m.body(&b)
	return []byte(b.String())
}

// MessageID is the identifier of the n-th message of a case, with its angle brackets.
func MessageID(id string, n int) string { return fmt.Sprintf("<%s.%d@case.example>", id, n) }

func (m Mail) authentication(from string) string {
	_, domain, _ := strings.Cut(strings.Trim(from[strings.LastIndexByte(from, '<')+1:], "<> "), "@")
	switch m.Auth {
	case "none":
		return ""
	case "fail":
		return fmt.Sprintf("%s; dmarc=fail header.from=%s", world.AuthservID, domain)
	}
	return fmt.Sprintf("%s; dmarc=pass header.from=%s; dkim=pass header.d=%s", world.AuthservID, domain, domain)
}

// encoded writes a value with other than ASCII characters as encoded words, leaving an address at its end as it is.
func encoded(v string) string {
	if strings.IndexFunc(v, func(r rune) bool { return r > 126 || r < 32 }) < 0 {
		return v
	}
	if i := strings.LastIndexByte(v, '<'); i > 0 {
		return mime.BEncoding.Encode("utf-8", strings.TrimSpace(v[:i])) + " " + v[i:]
	}
	return mime.BEncoding.Encode("utf-8", v)
}

const boundary = "case-boundary-7d1c"

func (m Mail) body(b *strings.Builder) {
	if m.HTML == "" && len(m.Files) == 0 {
		b.WriteString(part("text/plain; charset=utf-8", "", m.Text))
		return
	}
	if len(m.Files) == 0 && m.Text == "" {
		b.WriteString(part("text/html; charset=utf-8", "", m.HTML))
		return
	}
	kind := "mixed"
	if len(m.Files) == 0 {
		kind = "alternative"
	}
	fmt.Fprintf(b, "Content-Type: multipart/%s; boundary=%q\r\n\r\n", kind, boundary)
	add := func(p string) { fmt.Fprintf(b, "--%s\r\n%s\r\n", boundary, p) }
	if m.Text != "" || m.HTML == "" {
		add(part("text/plain; charset=utf-8", "", m.Text))
	}
	if m.HTML != "" {
		add(part("text/html; charset=utf-8", "", m.HTML))
	}
	for _, f := range m.Files {
		add(part(f.Type, f.Name, f.Text))
	}
	fmt.Fprintf(b, "--%s--\r\n", boundary)
}

// part writes one part in base64, which keeps every character as it is.
func part(mediaType, name, text string) string {
	h := "Content-Type: " + mediaType
	if name != "" {
		q := mime.QEncoding.Encode("utf-8", name)
		h += fmt.Sprintf("; name=\"%s\"\r\nContent-Disposition: attachment; filename=\"%s\"", q, q)
	}
	enc := base64.StdEncoding.EncodeToString([]byte(text))
	var lines strings.Builder
	for len(enc) > 76 {
		lines.WriteString(enc[:76] + "\r\n")
		enc = enc[76:]
	}
	return h + "\r\nContent-Transfer-Encoding: base64\r\n\r\n" + lines.String() + enc + "\r\n"
}

// Epoch is a moment for messages whose age does not matter.
func Epoch() time.Time { return time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC) }
