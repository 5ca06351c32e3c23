package readmail

import (
	"encoding/base64"
	"encoding/binary"
	"strings"
	"testing"

	"mailgap/readmail/imaptest"
)

// gotAttachment is the answer of get_attachment.
type gotAttachment struct {
	Ref, Name, Kind, Title string
	MediaType              string `json:"media_type"`
	Size                   int64
	Body                   struct{ Text string }
	Attachments            []struct{ Ref, Name string }
}

func attachment(t *testing.T, s *Server, ref string) gotAttachment {
	t.Helper()
	return call[gotAttachment](t, s, "get_attachment", `{"ref":"`+ref+`"}`)
}

// innerMail is a message with a text, a table, and a further message with a table of its own.
func innerMail() string {
	return string(mail("From: inner@example.net", "Subject: Inner", `Content-Type: multipart/mixed; boundary="i"`, "",
		"--i", "Content-Type: text/plain", "", "inner text",
		"--i", "Content-Type: text/csv", `Content-Disposition: attachment; filename="inner.csv"`, "", "a,b", "one,two",
		"--i", "Content-Type: message/rfc822", "", "Subject: Deep", `Content-Type: multipart/mixed; boundary="d"`, "",
		"--d", "Content-Type: text/plain", "", "deep text",
		"--d", "Content-Type: text/csv", `Content-Disposition: attachment; filename="deep.csv"`, "", "c,d", "three,four", "--d--", "--i--"))
}

// wrapped is a message with innerMail attached in the given transfer encoding.
func wrapped(encoding, body string) imaptest.Message {
	return raw("From: a@example.com", "Subject: outer", `Content-Type: multipart/mixed; boundary="o"`, "",
		"--o", "Content-Type: text/plain", "", "see the attached message",
		"--o", "Content-Type: message/rfc822", "Content-Transfer-Encoding: "+encoding, "Content-Disposition: attachment", "", body, "--o--")
}

// Parts of an attached message can be read by their references, whether the server looks into it or not.
func TestPartsOfAttachedMessages(t *testing.T) {
	inner := innerMail()
	b64 := base64.StdEncoding.EncodeToString([]byte(inner))
	for name, msg := range map[string]imaptest.Message{"plain": wrapped("7bit", inner), "base64": wrapped("base64", b64)} {
		for _, hide := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				o := inbox(msg)
				if hide {
					o.Rewrite = imaptest.ReplaceItem(1, "BODYSTRUCTURE", `(("text" "plain" NIL NIL NIL "7bit" 24 1)("message" "rfc822" NIL NIL NIL "`+
						map[string]string{"plain": "7bit", "base64": "base64"}[name]+`" 900) "mixed")`)
				}
				s := newServer(t, imaptest.New(t, o))
				m := call[gotMessage](t, s, "get_message", `{"ref":"`+firstRef(t, s)+`"}`)
				if len(m.Attachments) != 1 {
					t.Fatalf("attachments = %+v, want the message", m.Attachments)
				}
				in := attachment(t, s, m.Attachments[0].Ref)
				if in.Kind != "eml" || !strings.Contains(in.Body.Text, "inner text") || len(in.Attachments) != 2 {
					t.Fatalf("attached message = %+v, want its text and two attachments", in)
				}
				if table := attachment(t, s, in.Attachments[0].Ref); table.Name != "inner.csv" || !strings.Contains(table.Body.Text, "two") {
					t.Errorf("table inside: %+v", table)
				}
				deep := attachment(t, s, in.Attachments[1].Ref)
				if !strings.Contains(deep.Body.Text, "deep text") || len(deep.Attachments) != 1 {
					t.Fatalf("message inside the message: %+v", deep)
				}
				if table := attachment(t, s, deep.Attachments[0].Ref); table.Name != "deep.csv" || !strings.Contains(table.Body.Text, "four") {
					t.Errorf("table inside the inner message: %+v", table)
				}
				for _, section := range []string{"2.9", "9", "1.1", "2.3.2.7"} {
					if got := refused(t, s, "get_attachment", `{"ref":"`+m.Ref+`/;SECTION=`+section+`"}`); !strings.Contains(got, "no such part") {
						t.Errorf("section %s: %q", section, got)
					}
				}
			})
		}
	}
}

// A message may be nothing but another message, or a digest.
func TestMessagesWithoutText(t *testing.T) {
	digest := []string{"From: a@example.com", "Subject: digest", `Content-Type: multipart/digest; boundary="g"`, "",
		"--g", "", "From: one@example.net", "Subject: first", "", "first text", "--g", "", "From: two@example.net", "Subject: second", "", "second text", "--g--"}
	forwarded := append([]string{"From: a@example.com", "Subject: fwd", "Content-Type: message/rfc822", ""}, strings.Split(innerMail(), "\r\n")...)
	o := inbox(raw(digest...), raw(forwarded...))
	// The memory server does not know the default type of a digest's parts (RFC 2046 §5.1.5); real ones do.
	o.Rewrite = imaptest.ReplaceItem(1, "BODYSTRUCTURE", `(("message" "rfc822" NIL NIL NIL "7bit" 60)("message" "rfc822" NIL NIL NIL "7bit" 60) "digest")`)
	s := newServer(t, imaptest.New(t, o))
	for uid, want := range map[string][]string{"1": {"first text", "second text"}, "2": {"inner text"}} {
		m := call[gotMessage](t, s, "get_message", `{"ref":"imap://default/INBOX;UIDVALIDITY=1/;UID=`+uid+`"}`)
		if len(m.Attachments) != len(want) {
			t.Fatalf("message %s: attachments = %+v, want %d", uid, m.Attachments, len(want))
		}
		for i, text := range want {
			if got := attachment(t, s, m.Attachments[i].Ref); !strings.Contains(got.Body.Text, text) {
				t.Errorf("message %s, attachment %d: %q, want %q", uid, i+1, got.Body.Text, text)
			}
		}
	}
}

// tnef is a winmail.dat with one file.
func tnef(name, content string) []byte {
	b := binary.LittleEndian.AppendUint32(nil, 0x223e9f78)
	b = binary.LittleEndian.AppendUint16(b, 1)
	attribute := func(level byte, id uint32, data []byte) {
		b = append(b, level)
		b = binary.LittleEndian.AppendUint32(b, id)
		b = binary.LittleEndian.AppendUint32(b, uint32(len(data)))
		b = append(b, data...)
		sum := uint16(0)
		for _, c := range data {
			sum += uint16(c)
		}
		b = binary.LittleEndian.AppendUint16(b, sum)
	}
	attribute(2, 0x00069002, make([]byte, 14))        // attachment begins
	attribute(2, 0x00018010, append([]byte(name), 0)) // its title
	attribute(2, 0x0006800f, []byte(content))         // its data
	return b
}

func TestTNEFMembers(t *testing.T) {
	data := base64.StdEncoding.EncodeToString(tnef("table.csv", "name,amount\r\nrent,900\r\n"))
	for _, mediaType := range []string{"application/ms-tnef", "application/octet-stream"} {
		s := newServer(t, imaptest.New(t, inbox(raw("From: a@example.com", "Subject: tnef", `Content-Type: multipart/mixed; boundary="o"`, "",
			"--o", "Content-Type: text/plain", "", "see the file",
			"--o", "Content-Type: "+mediaType+`; name="winmail.dat"`, "Content-Transfer-Encoding: base64", "", data, "--o--"))))
		m := call[gotMessage](t, s, "get_message", `{"ref":"`+firstRef(t, s)+`"}`)
		stream := attachment(t, s, m.Attachments[0].Ref)
		if stream.Kind != "tnef" || len(stream.Attachments) != 1 || stream.Attachments[0].Name != "table.csv" {
			t.Fatalf("%s: %+v, want one file", mediaType, stream)
		}
		if table := attachment(t, s, stream.Attachments[0].Ref); table.Name != "table.csv" || !strings.Contains(table.Body.Text, "rent") {
			t.Errorf("%s: file = %+v", mediaType, table)
		}
		if got := refused(t, s, "get_attachment", `{"ref":"`+m.Attachments[0].Ref+`.2"}`); !strings.Contains(got, "no such part") {
			t.Errorf("second file: %q", got)
		}
	}
}

// What a stranger wrote about an attachment stands inside the fence.
func TestAttachmentNamesAreFenced(t *testing.T) {
	s := newServer(t, imaptest.New(t, inbox(raw("From: a@example.com", "Subject: x", `Content-Type: multipart/mixed; boundary="o"`, "",
		"--o", "Content-Type: text/plain", "", "words",
		"--o", "Content-Type: text/x-evil-type", `Content-Disposition: attachment; filename="evil name.txt"`, "", "content", "--o--"))), func(c *Config) { c.DownloadDir = t.TempDir() })
	for _, action := range []string{"read", "save"} {
		text := outcome(t, s, "get_attachment", `{"ref":"imap://default/INBOX;UIDVALIDITY=1/;UID=1/;SECTION=2","action":"`+action+`"}`).Text
		for line := range strings.SplitSeq(text, "\n") {
			if strings.Contains(line, "evil") && !strings.HasPrefix(line, "| ") {
				t.Errorf("%s: outside the fence: %s", action, line)
			}
		}
		if !strings.Contains(text, "evil name.txt") {
			t.Errorf("%s: the name is missing:\n%s", action, text)
		}
	}
}

// A server that gives a wrong size cannot make a text end early without a word.
func TestWrongSizeDoesNotCutText(t *testing.T) {
	words := strings.Repeat("words of a long text. ", 1000)
	for _, size := range []string{"NIL", "0", "5"} {
		o := inbox(raw("From: a@example.com", "Subject: long", "", words+"the end"))
		o.Rewrite = imaptest.ReplaceItem(1, "BODYSTRUCTURE", `("text" "plain" NIL NIL NIL "7bit" `+size+` 1)`)
		s := newServer(t, imaptest.New(t, o))
		for _, known := range []bool{false, true} {
			m := call[gotMessage](t, s, "get_message", `{"ref":"imap://default/INBOX;UIDVALIDITY=1/;UID=1","max_chars":50000}`)
			if !strings.HasSuffix(strings.TrimSpace(m.Body.Text), "the end") {
				t.Errorf("size %s, structure known %v: %d characters, not the whole text", size, known, len(m.Body.Text))
			}
		}
	}
}
