package compose

import (
	"bytes"
	"fmt"
	netmail "net/mail"
	"reflect"
	"slices"
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
	Attachments []AttachmentFacts
}

// AttachmentFacts describes one attachment as it leaves.
type AttachmentFacts struct {
	Name      string
	MediaType string
	Size      int64 // octets after decoding
	SHA256    [32]byte
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
	if err := checkAround(octets); err != nil {
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

// checkAround refuses a preamble and an epilogue (RFC 2046 §5.1.1): text there is shown by no client, and was approved by nobody.
func checkAround(octets []byte) error {
	head, body, _ := bytes.Cut(octets, []byte("\r\n\r\n"))
	_, boundary, found := bytes.Cut(head, []byte("boundary=\""))
	if !found {
		return nil
	}
	boundary, _, _ = bytes.Cut(boundary, []byte(`"`))
	delimiter := slices.Concat([]byte("--"), boundary)
	end := slices.Concat([]byte("\r\n"), delimiter, []byte("--"))
	if !bytes.HasPrefix(body, slices.Concat(delimiter, []byte("\r\n"))) || !bytes.HasSuffix(body, slices.Concat(end, []byte("\r\n"))) || bytes.Count(body, end) != 1 {
		return notFaithful("text around the parts")
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

// leaf is one part as a parser sees it, with its content decoded.
type leaf struct {
	mediaType   string
	charset     string
	disposition string
	name        string
	octets      []byte
}

// skeleton is the whole message as a parser sees it.
type skeleton struct {
	facts     Facts
	mediaType string
	leaves    []leaf      // children of a multipart, or the message itself
	inner     []*skeleton // the multipart/alternative among the children, at its place; nil otherwise
}

// assemble turns a parsed structure into facts, and refuses every structure that is not written here.
func (s *skeleton) assemble() (Facts, error) {
	f := s.facts
	leaves := s.leaves
	switch {
	case s.mediaType == "multipart/mixed" && len(leaves) >= 2:
		if err := f.takeBody(leaves[0], s.inner[0]); err != nil {
			return Facts{}, err
		}
		for k, l := range leaves[1:] {
			if s.inner[k+1] != nil || l.disposition != "attachment" || l.name == "" {
				return Facts{}, notFaithful("a part that is no attachment")
			}
			f.Attachments = append(f.Attachments, l.facts())
		}
		return f, nil
	case s.mediaType == "multipart/alternative":
		return f, f.takeAlternative(s)
	case len(leaves) == 1 && !strings.HasPrefix(s.mediaType, "multipart/"):
		return f, f.takeBody(leaves[0], nil)
	}
	return Facts{}, notFaithful("another structure than was written")
}

func (f *Facts) takeBody(l leaf, inner *skeleton) (err error) {
	if inner != nil {
		return f.takeAlternative(inner)
	}
	f.Text, err = l.text("text/plain")
	return err
}

func (f *Facts) takeAlternative(s *skeleton) (err error) {
	if s.mediaType != "multipart/alternative" || len(s.leaves) != 2 || s.inner[0] != nil || s.inner[1] != nil {
		return notFaithful("another structure than was written")
	}
	if f.Text, err = s.leaves[0].text("text/plain"); err != nil {
		return err
	}
	f.HTML, err = s.leaves[1].text("text/html")
	return err
}

// text is the content of a text leaf with LF line ends. Security: a disposition or a name would make it an attachment for some.
func (l leaf) text(mediaType string) (string, error) {
	if l.mediaType != mediaType || l.charset != "utf-8" || l.disposition != "" || l.name != "" {
		return "", notFaithful("another text part than was written")
	}
	text := string(l.octets)
	if strings.Count(text, "\r") != strings.Count(text, "\r\n") || strings.Count(text, "\n") != strings.Count(text, "\r\n") {
		return "", notFaithful("a line end in the text")
	}
	return strings.ReplaceAll(text, "\r\n", "\n"), nil
}
