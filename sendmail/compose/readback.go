package compose

import (
	"bytes"
	"fmt"
	netmail "net/mail"
	"reflect"
	"strings"
	"time"

	"mailgap/shared/addr"
)

// Facts is everything in a composed message that a person is asked about, read from its octets. Bcc is not there: it is in
// the envelope only.
type Facts struct {
	From        addr.Address
	To, Cc      []addr.Address
	Subject     string
	Date        time.Time // in UTC, to the second
	MessageID   string
	InReplyTo   string
	References  []string
	Text        string // LF line ends, the last line ended; quote and signature included
	HTML        string
	Inline      []InlineFacts // images that the HTML shows
	Attachments []AttachmentFacts
}

// AttachmentFacts describes one attachment as it leaves.
type AttachmentFacts struct {
	Name      string
	MediaType string
	Size      int64 // octets after decoding
	SHA256    [32]byte
}

// InlineFacts describes one image that the HTML shows.
type InlineFacts struct {
	AttachmentFacts
	ContentID string // without angle brackets
}

// ReadBack parses a message of Compose with two parsers (go-message and the standard library) and compares what
// they say. Any difference, and anything Compose would not write (another header field, another structure, a bare CR or LF,
// a line over 998 octets), is ErrNotFaithful. It never panics, whatever the octets are.
func ReadBack(octets []byte) (Facts, error) {
	if err := checkOctets(octets); err != nil {
		return Facts{}, err
	}
	first, err := readByLibrary(octets)
	if err != nil {
		return Facts{}, err
	}
	second, err := readByStdlib(octets)
	if err != nil {
		return Facts{}, err
	}
	if !reflect.DeepEqual(first, second) {
		return Facts{}, notFaithful("two parsers disagree: " + differingField(first, second))
	}
	if err := checkHeader(octets, first); err != nil {
		return Facts{}, err
	}
	return first, nil
}

// checkHeader writes the header again from what was read. Security: parsers overlook comments, groups, obsolete forms; a
// header that is anything but what this package writes for these facts is refused.
func checkHeader(octets []byte, f Facts) error {
	head, _, _ := bytes.Cut(octets, []byte("\r\n\r\n"))
	head = append(bytes.Clone(head), "\r\n"...)
	dateLine, rest, _ := bytes.Cut(head, []byte("\r\n"))
	date, err := netmail.ParseDate(strings.TrimPrefix(string(dateLine), "Date: "))
	if err != nil || "Date: "+formatDate(date) != string(dateLine) {
		return notFaithful("Date")
	}
	var want []byte
	for _, field := range f.fields() {
		want = append(want, field.fold()...)
	}
	content, found := bytes.CutPrefix(rest, want)
	if !found || !bytes.HasPrefix(content, []byte("Content-Type: ")) {
		return notFaithful("a header field in another form than was written")
	}
	return nil
}

func notFaithful(what string) error { return fmt.Errorf("%w: %s", ErrNotFaithful, what) }

// differingField names the first field in which a and b differ. It never tells a value.
func differingField(a, b Facts) string {
	x, y := reflect.ValueOf(a), reflect.ValueOf(b)
	for k := range x.NumField() {
		if !reflect.DeepEqual(x.Field(k).Interface(), y.Field(k).Interface()) {
			return x.Type().Field(k).Name
		}
	}
	return "nothing"
}

// checkOctets holds the message to what this package writes, before any parser sees it.
func checkOctets(octets []byte) error {
	for line := range bytes.Lines(octets) {
		n := len(line)
		if n < 2 || line[n-2] != '\r' || line[n-1] != '\n' {
			return notFaithful("a line does not end in CRLF")
		}
		if line = line[:n-2]; len(line) > maxLineOctets || bytes.ContainsAny(line, "\r\x00") {
			return notFaithful("a line is too long or holds CR or NUL")
		}
	}
	head, _, found := bytes.Cut(octets, []byte("\r\n\r\n"))
	if !found {
		return notFaithful("no empty line below the header")
	}
	return checkFieldNames(string(head))
}

// checkFieldNames: the fixed list, each at most once, in the order written.
func checkFieldNames(head string) error {
	allowed := []string{"Date", "From", "To", "Cc", "Subject", "Message-ID", "In-Reply-To", "References", "MIME-Version", "Content-Type", "Content-Transfer-Encoding"}
	for line := range strings.SplitSeq(head, "\r\n") {
		if strings.HasPrefix(line, " ") && strings.TrimSpace(line) != "" {
			continue
		}
		name, _, found := strings.Cut(line, ":")
		for found && len(allowed) > 0 && allowed[0] != name {
			allowed = allowed[1:]
		}
		if !found || len(allowed) == 0 {
			return notFaithful("a header field outside the fixed list")
		}
		allowed = allowed[1:]
	}
	return nil
}
