package confirm

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"html/template"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// Limits of what is shown besides the message itself, which is shown whole. What is beyond is counted.
const (
	maxSourceOctets  = 256 << 10 // the header and text of all but the largest; files follow
	maxPreviewLines  = 12
	maxPreviewOctets = 4 << 10
	maxThumbOctets   = 4 << 20 // of one picture
)

//go:embed page.html
var pageTemplate string

// pageScript is the one script there is, on pages that need a device.
//
//go:embed page.js
var pageScript string

//go:embed page.css
var pageStyle string

// templates are parsed for each question: there is one in minutes, and nothing is kept between them.
func templates() (*template.Template, error) {
	return template.New("page").Funcs(template.FuncMap{
		"line": segments, "lines": textLines, "size": size, "join": strings.Join, "inc": func(i int) int { return i + 1 },
		"hex": func(sum [32]byte) string { return hex.EncodeToString(sum[:]) },
	}).Parse(pageTemplate)
}

// pageData is what the template is given. Values of others are strings that the template makes visible and escapes.
type pageData struct {
	Style      template.CSS // ours alone
	Q          Question
	V          View
	Title      string
	Level      string // class name
	Notes      []pageNote
	Recipients []pageRecipient
	Counts     string
	Counted    string // how long the text is
	Verb       string // of the accepting button
	Links      []Link
	Files      []pageFile
	Images     int    // inside the HTML part
	Frame      string // a document, as the value of an attribute
	Missing    int
	Unfit      bool
	Source     [][]segment
	SourceMore int
	Until      string
	Typed      []pageTyped
	Form       pageForm
	Reply      formReply
	Factor     pageFactor
	Digest     string
}

type pageNote struct {
	Class, Word string
	Note
}

// Words is our sentence.
func (n Note) Words() string { return n.Text.s }

// Words is the sentence itself.
func (s Sentence) Words() string { return s.s }

type pageRecipient struct {
	Kind, Kinds  string
	Local        string
	Domain       string
	ASCII        string
	Scripts      []string
	Origin, Rule string
	Class        string
}

type pageFile struct {
	Attachment
	Lines [][]segment
	More  bool
	Thumb template.URL
}

type pageTyped struct {
	Name, Domain, ASCII, Value string
	Wrong                      bool
	Scripts                    []string // of what was typed, if several
}

func (p Purpose) verb() string {
	switch p {
	case PurposeReply:
		return "Send this reply"
	case PurposeForward:
		return "Forward this message"
	}
	return "Send this e-mail"
}

// pageFactor is what the script of the page is given; the zero value where no device is needed.
type pageFactor struct {
	Options, Ceremony string
	Script            template.JS // ours alone
}

// deviceData is what a device is asked.
func (s *sheet) deviceData() (f pageFactor) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.proof == nil {
		return f
	}
	f = pageFactor{Options: s.proof.Options(), Ceremony: "get", Script: template.JS(pageScript)}
	if s.create {
		f.Ceremony = "create"
	}
	return f
}

type pageForm struct{ Action, Token, Digest string }

func levelClass(l Level) string {
	return [...]string{"normal", "elevated", "severe"}[min(max(l, 0), LevelSevere)]
}

// data puts together what is shown. It does not depend on anything that a request holds but again.
func (s *sheet) data(again formReply) pageData {
	q, v := s.d.Question, s.d.View
	d := pageData{
		Q: q, V: v, Title: q.Purpose.words(), Level: levelClass(q.Level()),
		Counts: fmt.Sprintf("%s: %d To, %d Cc, %d Bcc", count(len(q.recipients()), "recipient"), len(q.To), len(q.Cc), len(q.Bcc)),
		Links:  append(linksThat(q.Links, true), linksThat(q.Links, false)...),
		Frame:  s.frame.Document, Missing: s.frame.Missing, Unfit: s.frame.Unfit,
		Until: s.d.Expires.Local().Format("15:04:05"), Reply: again, Digest: hex.EncodeToString(s.d.Binding.Digest[:]),
		Verb: q.Purpose.verb(), Form: pageForm{messagePath + s.message, s.token, s.digest},
	}
	if q.Text != "" {
		d.Counted = count(utf8.RuneCountInString(q.Text), "character") + " in " + count(strings.Count(strings.TrimSuffix(q.Text, "\n"), "\n")+1, "line")
	}
	for level := LevelSevere; level >= LevelNormal; level-- {
		for _, n := range q.Notes {
			if n.Level == level {
				d.Notes = append(d.Notes, pageNote{levelClass(level), level.words(), n})
			}
		}
	}
	d.Recipients = append(append(shownRecipients("To", q.To), shownRecipients("Cc", q.Cc)...), shownRecipients("Bcc", q.Bcc)...)
	d.files(q.Attachments, v.Previews)
	d.Source = sourceLines(v.Source[:min(len(v.Source), maxSourceOctets)])
	d.SourceMore = max(0, len(v.Source)-maxSourceOctets)
	d.typed(q.TypedDomains(), again)
	return d
}

func shownRecipients(kind string, list []Recipient) []pageRecipient {
	var out []pageRecipient
	for i, r := range list {
		p := pageRecipient{Kind: kind, Kinds: fmt.Sprintf("%s %d/%d", kind, i+1, len(list)), Domain: r.domain(),
			Origin: r.Origin.words(), Rule: r.Rule.words(), Scripts: scripts(r.Address), Class: levelClass(r.Level)}
		p.Local = strings.TrimSuffix(r.Address, p.Domain)
		if r.ASCII != r.Address {
			p.ASCII = r.ASCII
		}
		out = append(out, p)
	}
	return out
}

func (d *pageData) files(all []Attachment, previews []Preview) {
	for i, a := range all {
		f := pageFile{Attachment: a}
		if i < len(previews) {
			f.preview(previews[i])
		}
		if a.Inline {
			d.Images++
		}
		d.Files = append(d.Files, f)
	}
}

// preview takes the first lines and the picture.
func (f *pageFile) preview(p Preview) {
	text := p.Text[:min(len(p.Text), maxPreviewOctets)]
	for len(text) < len(p.Text) && text != "" && !utf8.ValidString(text[max(0, len(text)-utf8.UTFMax):]) && !utf8.RuneStart(p.Text[len(text)]) {
		text = text[:len(text)-1]
	}
	f.More = p.More || len(text) < len(p.Text)
	if text != "" {
		f.Lines = textLines(strings.ReplaceAll(text, "\r\n", "\n"))
	}
	if len(f.Lines) > maxPreviewLines {
		f.Lines, f.More = f.Lines[:maxPreviewLines], true
	}
	if p.Image != nil && len(p.Image.Octets) <= maxThumbOctets {
		f.Thumb = template.URL(p.Image.dataURL()) // of one of four types, in base64
	}
}

func (d *pageData) typed(domains []Recipient, again formReply) {
	for i, r := range domains {
		t := pageTyped{Name: domainField(i), Domain: r.domain(), ASCII: domainOf(r.ASCII)}
		if t.ASCII == t.Domain {
			t.ASCII = ""
		}
		if i < len(again.Domains) {
			t.Value, t.Wrong = again.Domains[i], again.Wrong[i]
			if list := scripts(t.Value); len(list) > 1 {
				t.Scripts = list
			}
		}
		d.Typed = append(d.Typed, t)
	}
}

// clockStyle counts down to the end of the question without a script, and hides the form then.
func clockStyle(left time.Duration) string {
	n := strconv.Itoa(max(1, int(left.Seconds())))
	return "\n@keyframes tick { from { --left: " + n + "; } to { --left: 0; } }\n" +
		".ticking { animation: tick " + n + "s steps(" + n + ", end) forwards; }\n" +
		".decision { animation: vanish 1ms " + n + "s forwards; }\n" +
		".late { animation: appear 1ms " + n + "s forwards; }\n"
}

// renderMessage shows the message and the form.
func (s *sheet) renderMessage(w http.ResponseWriter, status int, again formReply) {
	d := s.data(again)
	d.Style = template.CSS(pageStyle + clockStyle(s.d.Expires.Sub(s.o.Now())))
	d.Factor = s.deviceData()
	name := "message"
	if s.enroller != nil {
		name = "enrol"
	}
	s.render(w, status, name, string(d.Style), d)
}

// renderEnd says how the question ended.
func (s *sheet) renderEnd(w http.ResponseWriter, r Reason) {
	heading, text := r.toPerson()
	if s.enroller != nil && r == Approved {
		heading, text = "Your device is enrolled", "From now on it confirms messages on the approval page, as SMTP_SECOND_FACTOR says."
	}
	s.render(w, http.StatusOK, "end", pageStyle, map[string]any{
		"Style": template.CSS(pageStyle), "Heading": heading, "Text": text, "Class": endClass(r), "Approved": r == Approved,
	})
}

func endClass(r Reason) string {
	switch {
	case r == OpenedTwice:
		return "severe"
	case r == Approved:
		return "good"
	}
	return "normal"
}

// render writes a whole page or, if something is wrong with the template, none of it.
func (s *sheet) render(w http.ResponseWriter, status int, name, style string, data any) {
	t, err := templates()
	var b bytes.Buffer
	if err == nil {
		err = t.ExecuteTemplate(&b, name, data)
	}
	if err != nil {
		s.o.Logger.Error("approval page not written", "error", err)
		s.end(AskFailed)
		w.WriteHeader(http.StatusInternalServerError)
		return
	}
	sum := sha256.Sum256([]byte(style))
	script, sandbox := "", "sandbox allow-forms allow-same-origin"
	if s.factor() && name != "end" {
		own := sha256.Sum256([]byte(pageScript))
		script, sandbox = "script-src 'sha256-"+base64.StdEncoding.EncodeToString(own[:])+"'; ", sandbox+" allow-scripts"
	}
	// Security: no script of any origin (where a device is needed: one, by its digest), one style sheet by its digest, pictures only from the page itself, no frame but the one
	// that is part of the page. style-src-attr is for that frame, which inherits this policy; no value of others becomes an
	// attribute of the page.
	w.Header().Set("Content-Security-Policy", "default-src 'none'; "+script+"style-src 'sha256-"+base64.StdEncoding.EncodeToString(sum[:])+"'; "+
		"style-src-attr 'unsafe-inline'; img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; "+sandbox)
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write(b.Bytes()) // the browser may have gone; nothing depends on it
}

// toPerson says how a question ended to whoever looks at the page.
func (r Reason) toPerson() (heading, text string) {
	switch r {
	case Approved:
		return "You approved this message", "It is now handed to your mail server. How that ends is told in the conversation with your assistant."
	case DoNotSend:
		return "Not sent", "You chose not to send this message. Your assistant is told so."
	case DeclinedAndLock:
		return "Not sent, and sending is locked", "You chose not to send this message. Nothing can be sent until you run smtp-mcp unlock in a terminal."
	case OpenedTwice:
		return "Nothing was sent: this page was opened twice", "Its address works once, and was used a second time. If you did not do that yourself, another program on this computer " +
			"may be reading along. To be safe, the approval is void."
	case WrongForms:
		return "Nothing was sent", "There were too many wrong answers, so this request is void."
	case Expired, TimedOut:
		return "Nothing was sent: time is up", "The question was open for a limited time. Your assistant can ask again."
	}
	return "Nothing was sent", "This request is over. Your assistant can ask again."
}
