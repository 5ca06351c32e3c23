package compose

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// pythonReader prints what CPython's email package makes of each file: an implementation that shares nothing with ours.
const pythonReader = `
import email, email.policy, email.utils, hashlib, json, sys
def read(path):
    octets = open(path, 'rb').read()
    head = octets.split(b'\r\n\r\n', 1)[0]
    if any(c > 127 for c in head):  # RFC 6532: the byte parser does not decode UTF-8 in fields
        m = email.message_from_string(octets.decode('utf-8'), policy=email.policy.SMTPUTF8)
    else:
        m = email.message_from_bytes(octets, policy=email.policy.default)
    specs = lambda name: [a.addr_spec for f in m.get_all(name, []) for a in f.addresses]
    names = lambda name: [a.display_name for f in m.get_all(name, []) for a in f.addresses]
    ids = lambda name: [w for f in m.get_all(name, []) for w in str(f).split()]
    body = m.get_body(('plain',))
    html = m.get_body(('html',)) if m.get_content_type() != 'text/plain' else None
    files = []
    for a in m.iter_attachments() if m.get_content_type() == 'multipart/mixed' else []:
        octets = a.get_payload(decode=True)
        if a.get_content_type() == 'message/rfc822':
            octets = a.get_payload(0).as_bytes(policy=email.policy.compat32.clone(linesep='\r\n'))
        files.append({'Name': a.get_filename(), 'MediaType': a.get_content_type(), 'Size': len(octets), 'SHA256': hashlib.sha256(octets).hexdigest()})
    related = [p for p in m.walk() if p.get_content_type() == 'multipart/related']
    inline = []
    for p in related:
        root, parts = p.get_body(('html',)), list(p.iter_attachments())
        assert root.get_content_type() == 'text/html' and p.get_param('type') == 'text/html' and p.get_param('start') is None
        for a in parts:
            octets = a.get_payload(decode=True)
            inline.append({'Name': a.get_filename(), 'MediaType': a.get_content_type(), 'Size': len(octets), 'SHA256': hashlib.sha256(octets).hexdigest(),
                'ContentID': str(a['Content-ID']).strip(), 'Disposition': a.get_content_disposition()})
    return {
        'Inline': inline, 'Fields': list(m.keys()), 'From': specs('From'), 'Name': names('From'), 'To': specs('To'), 'Cc': specs('Cc'), 'Subject': str(m.get('Subject', '')),
        'Date': int(email.utils.parsedate_to_datetime(str(m['Date'])).timestamp()), 'MessageID': ids('Message-ID'), 'InReplyTo': ids('In-Reply-To'),
        'References': ids('References'), 'Text': body.get_payload(decode=True).decode('utf-8'), 'HTML': html.get_payload(decode=True).decode('utf-8') if html else '',
        'Attachments': files, 'Defects': [repr(d) for p in m.walk() for d in p.defects] + [repr(d) for f in m.values() for d in getattr(f, 'defects', [])],
    }
json.dump([read(p) for p in sys.argv[1:]], sys.stdout)
`

type pythonFacts struct {
	Fields, From, Name, To, Cc       []string
	Subject                          string
	Date                             int64
	MessageID, InReplyTo, References []string
	Text, HTML                       string
	Attachments                      []struct {
		Name, MediaType, SHA256 string
		Size                    int64
	}
	Inline []struct {
		Name, MediaType, SHA256, ContentID, Disposition string
		Size                                            int64
	}
	Defects []string
}

// script is a way of writing, with the words of a small letter.
type script struct{ name, person, subject, text, file, domain string }

func scripts() []script {
	return []script{
		{"latin", "Jane Doe", "Meeting on Monday", "Dear John,\n\nsee you on Monday.\n", "minutes.pdf", "example.com"},
		{"german", "Jörg Müßig", "Grüße aus Köln: Rückfrage zur Übergabe", "Hallo Änne,\n\nschöne Grüße.\n", "Übersicht für März.pdf", "bücher.example"},
		{"vietnamese", "Nguyễn Thị Ánh", "Cuộc họp vào thứ Hai tuần tới", "Chào bạn,\n\nhẹn gặp lại.\n", "Biên bản cuộc họp.pdf", "việtnam.example"},
		{"greek", "Ελένη Παπαδοπούλου", "Συνάντηση τη Δευτέρα το πρωί", "Αγαπητέ Γιάννη,\n\nτα λέμε.\n", "Πρακτικά.pdf", "ελλάδα.example"},
		{"cyrillic", "Ольга Петрова", "Встреча в понедельник утром", "Здравствуйте,\n\nдо встречи.\n", "Протокол встречи.pdf", "пример.example"},
		{"armenian", "Անի Հակոբյան", "Հանդիպում երկուշաբթի", "Բարև,\n\nկհանդիպենք։\n", "Արձանագրություն.pdf", "հայաստան.example"},
		{"georgian", "ნინო ბერიძე", "შეხვედრა ორშაბათს", "გამარჯობა,\n\nშეხვედრამდე.\n", "ოქმი.pdf", "საქართველო.example"},
		{"hebrew", "נועה לוי", "פגישה ביום שני", "שלום,\n\nנתראה.\n", "פרוטוקול.pdf", "דוגמה.example"},
		{"arabic", "ليلى حداد", "اجتماع يوم الاثنين", "مرحبا،\n\nإلى اللقاء.\n", "محضر الاجتماع.pdf", "مثال.example"},
		{"devanagari", "अनिता शर्मा", "सोमवार की बैठक", "नमस्ते,\n\nफिर मिलेंगे।\n", "बैठक का विवरण.pdf", "उदाहरण.example"},
		{"bengali", "রিনা দাস", "সোমবারের সভা", "নমস্কার,\n\nদেখা হবে।\n", "সভার বিবরণ.pdf", "উদাহরণ.example"},
		{"tamil", "மீனா குமார்", "திங்கட்கிழமை கூட்டம்", "வணக்கம்,\n\nசந்திப்போம்.\n", "அறிக்கை.pdf", "உதாரணம்.example"},
		{"thai", "สมหญิง ใจดี", "ประชุมวันจันทร์", "สวัสดี\n\nแล้วพบกัน\n", "รายงานการประชุม.pdf", "ตัวอย่าง.example"},
		{"chinese", "王小明", "关于下周一会议的通知", "您好：\n\n下周见。\n", "会议记录.pdf", "例子.example"},
		{"japanese", "佐藤花子", "月曜日の会議についてのお知らせ", "佐藤様\n\nよろしくお願いします。\n", "議事録ＶＥＲ２.pdf", "日本語.example"},
		{"korean", "김영희", "월요일 회의 안내", "안녕하세요,\n\n곧 뵙겠습니다.\n", "회의록.pdf", "한국어.example"},
		{"ethiopic", "አበበ በቀለ", "የሰኞ ስብሰባ", "ሰላም፣\n\nእንገናኛለን።\n", "ቃለ ጉባኤ.pdf", "ኢትዮጵያ.example"},
		{"emoji", "Jane 🌻 Doe", "🎉 Done! 👩‍👩‍👧‍👦 🇪🇺 🏴󠁧󠁢󠁥󠁮󠁧󠁿", "🎉\n\n👍🏽 ok\n", "🎉 party.pdf", "example.com"},
	}
}

// letters are several compositions for each script.
func (s script) letters(t *testing.T) map[string]Draft {
	base := Draft{From: named(t, s.person, "jane@example.com"), To: addresses(t, "info@"+s.domain), Subject: s.subject, Text: s.text}
	plain, long, reply, files := base, base, base, base
	long.Subject = strings.TrimSpace(strings.Repeat(s.subject+" ", 8))
	long.Text = strings.Repeat(strings.TrimSpace(s.text), 40) + "\n.\nFrom \n>\nend  \n\n"
	long.Cc = addresses(t, "a@example.net", "b@"+s.domain, "a.longer-address@departments.example.org")
	reply.Subject, reply.Signature = ReplySubject("AW: "+s.subject), s.person+"\n"+s.subject
	reply.Quote = &Quote{Attribution: s.person + ":", Text: s.text + "> " + s.text}
	reply.InReplyTo, reply.References = "2@"+base.To[0].Domain, []string{"1@example.com", "2@" + base.To[0].Domain}
	files.Attachments = []Attachment{
		{s.file, "application/pdf", []byte("%PDF-1.7\n" + s.text)},
		{strings.Repeat(strings.TrimSuffix(s.file, ".pdf"), 3) + `; "x" 100%.txt`, "text/plain", []byte(s.text)},
		{"data.csv", "text/csv", []byte("\xff\xfe\x00\r\r\n")},
		{"original.eml", "message/rfc822", []byte("From: a@example.com\r\nSubject: x\r\n\r\nHello\r\n.\r\n")},
	}
	images, both := base, files
	images.HTML = `<p>` + s.subject + ` <img src="cid:00000000000000000000000000000001@example.com" alt="` + s.person + `"></p>` + "\n"
	images.Inline = []InlineImage{{Attachment{strings.TrimSuffix(s.file, ".pdf") + ".png", "image/png", []byte("\x89PNG\r\n\x1a\n" + s.text)}, "00000000000000000000000000000001@example.com"}}
	both.HTML, both.Inline = images.HTML, images.Inline
	utf8Local := base
	utf8Local.To = addresses(t, "info@example.com", "jürgen@example.net")
	return map[string]Draft{"plain": plain, "long": long, "reply": reply, "files": files, "images": images, "both": both, "smtputf8": utf8Local}
}

// TestPythonReadsTheSame: compositions in many scripts, read back by CPython's email package with identical fields.
func TestPythonReadsTheSame(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal("python3 is missing, and CI needs it to read the messages back")
		}
		t.Skip("python3 is missing: the messages are not read back by CPython's parser here")
	}
	dir, args := t.TempDir(), []string{"-I", "-c", pythonReader}
	var messages []*Message
	var names []string
	for _, s := range scripts() {
		for name, d := range s.letters(t) {
			m, err := Compose(d, fixed())
			if err != nil {
				t.Fatalf("%s %s: %v", s.name, name, err)
			}
			path := filepath.Join(dir, fmt.Sprintf("%03d.eml", len(messages)))
			if err := os.WriteFile(path, m.Octets, 0o600); err != nil {
				t.Fatal(err)
			}
			messages, names, args = append(messages, m), append(names, s.name+" "+name), append(args, path)
			sameAsDraft(t, s.name+" "+name, m.Facts, d)
		}
	}
	cmd := exec.CommandContext(t.Context(), python, args...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("python3: %v\n%s", err, stderr.Bytes())
	}
	var read []pythonFacts
	if err := json.Unmarshal(out, &read); err != nil {
		t.Fatal(err)
	}
	if len(read) != len(messages) || len(read) < 100 {
		t.Fatalf("got %d messages, want %d, at least 60", len(read), len(messages))
	}
	for k, got := range read {
		samePython(t, names[k], got, messages[k].Facts)
	}
	t.Logf("%d compositions in %d scripts", len(messages), len(scripts()))
}

// sameAsDraft compares with the draft by hand, so that a fault of the plan is not compared with itself.
func sameAsDraft(t *testing.T, name string, f Facts, d Draft) {
	t.Helper()
	if f.From != d.From || !slices.Equal(f.To, d.To) || !slices.Equal(f.Cc, d.Cc) || f.Subject != d.Subject || f.InReplyTo != d.InReplyTo || !slices.Equal(f.References, d.References) {
		t.Errorf("%s: fields differ: %+v", name, f)
	}
	if !strings.HasPrefix(f.Text, d.Text) || !strings.HasSuffix(f.Text, d.Signature+"\n") && d.Signature != "" {
		t.Errorf("%s: text differs: %q", name, f.Text)
	}
	if len(f.Inline) != len(d.Inline) {
		t.Errorf("%s: got %d inline images, want %d", name, len(f.Inline), len(d.Inline))
	}
	for k, a := range d.Attachments {
		if f.Attachments[k].Name != a.Name || f.Attachments[k].Size != int64(len(a.Octets)) || f.Attachments[k].MediaType != a.MediaType {
			t.Errorf("%s: attachment %d differs: %+v", name, k, f.Attachments[k])
		}
	}
}

func samePython(t *testing.T, name string, got pythonFacts, want Facts) {
	t.Helper()
	var to, cc []string
	for _, a := range want.To {
		to = append(to, a.AddrSpec())
	}
	for _, a := range want.Cc {
		cc = append(cc, a.AddrSpec())
	}
	same := func(field string, got, want []string) {
		t.Helper()
		if !slices.Equal(got, want) {
			t.Errorf("%s: %s: got %q, want %q", name, field, got, want)
		}
	}
	same("Subject", []string{got.Subject}, []string{want.Subject})
	same("From", got.From, []string{want.From.AddrSpec()})
	same("name", got.Name, []string{want.From.DisplayName})
	same("To", got.To, to)
	same("Cc", got.Cc, cc)
	same("Message-ID", got.MessageID, idWords(want.MessageID))
	same("References", got.References, idWords(want.References...))
	if want.InReplyTo != "" {
		same("In-Reply-To", got.InReplyTo, idWords(want.InReplyTo))
	}
	same("text", []string{strings.ReplaceAll(got.Text, "\r\n", "\n")}, []string{want.Text})
	same("html", []string{strings.ReplaceAll(got.HTML, "\r\n", "\n")}, []string{want.HTML})
	// RFC 6532 allows what CPython still notes about a local part.
	same("defects", slices.DeleteFunc(got.Defects, func(d string) bool { return strings.HasPrefix(d, "NonASCIILocalPartDefect") }), nil)
	if !time.Unix(got.Date, 0).Equal(want.Date) {
		t.Errorf("%s: Date: got %d, want %d", name, got.Date, want.Date.Unix())
	}
	if len(got.Inline) != len(want.Inline) {
		t.Fatalf("%s: got %d inline images, want %d", name, len(got.Inline), len(want.Inline))
	}
	for k, i := range got.Inline {
		w := want.Inline[k]
		if i.Name != w.Name || i.MediaType != w.MediaType || i.Size != w.Size || i.SHA256 != hex.EncodeToString(w.SHA256[:]) || i.ContentID != "<"+w.ContentID+">" || i.Disposition != "inline" {
			t.Errorf("%s: inline image %d: got %+v, want %+v", name, k, i, w)
		}
	}
	if len(got.Attachments) != len(want.Attachments) {
		t.Fatalf("%s: got %d attachments, want %d", name, len(got.Attachments), len(want.Attachments))
	}
	for k, a := range got.Attachments {
		w := want.Attachments[k]
		if a.Name != w.Name || a.MediaType != w.MediaType || a.Size != w.Size || a.SHA256 != hex.EncodeToString(w.SHA256[:]) {
			t.Errorf("%s: attachment %d: got %+v, want %+v", name, k, a, w)
		}
	}
}
