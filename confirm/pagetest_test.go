package confirm

import (
	"bytes"
	"context"
	"crypto/rand"
	"image"
	"image/color"
	"image/png"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"
)

// pageTest is a question on a page, with a clock of its own.
type pageTest struct {
	t       testing.TB
	url     string // with the capability
	answers chan Answer
	cancel  context.CancelFunc
	log     *safeBuffer

	mu  sync.Mutex
	now time.Time
}

// askPage asks about a message. The page of a test that ends is closed.
func askPage(t testing.TB, d Pending) *pageTest {
	t.Helper()
	p := &pageTest{t: t, answers: make(chan Answer, 1), log: &safeBuffer{}, now: time.Date(2026, 3, 2, 14, 0, 0, 0, time.UTC)}
	opened := make(chan string, 1)
	page, err := NewPage(PageOptions{
		Now: p.clock, Random: rand.Reader, Logger: slog.New(slog.NewTextHandler(p.log, &slog.HandlerOptions{Level: slog.LevelDebug})),
		Open: func(_ context.Context, url string) error { opened <- url; return nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	d.Expires = p.now.Add(5 * time.Minute)
	ctx, cancel := context.WithCancel(t.Context())
	p.cancel = cancel
	go func() {
		a, err := page.Ask(ctx, d)
		if err != nil {
			t.Errorf("Ask: %v", err)
		}
		p.answers <- a
	}()
	t.Cleanup(cancel)
	p.url = <-opened
	return p
}

func (p *pageTest) clock() time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.now
}

func (p *pageTest) pass(d time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.now = p.now.Add(d)
}

// want waits for the answer.
func (p *pageTest) want(r Reason) {
	p.t.Helper()
	select {
	case a := <-p.answers:
		if a.Reason() != r || a.Path() != PathPage || a.Yes() != (r == Approved) {
			p.t.Errorf("got %s by %s (yes: %v), want %s", a.Reason(), a.Path(), a.Yes(), r)
		}
	case <-time.After(30 * time.Second):
		p.t.Fatalf("no answer, want %s", r)
	}
}

// undecided fails if there is an answer.
func (p *pageTest) undecided() {
	p.t.Helper()
	select {
	case a := <-p.answers:
		p.t.Errorf("got the answer %s, want the question still open", a.Reason())
	default:
	}
}

// visit is a request as a browser makes it when a person opens an address; change makes it something else.
type visit struct {
	method, path string
	header       map[string]string // "" leaves a field out
	host, body   string
}

func (p *pageTest) origin() string { return p.url[:strings.Index(p.url, "/open/")] }
func (p *pageTest) open() visit {
	return visit{method: "GET", path: p.url[len(p.origin()):], header: map[string]string{"Sec-Fetch-Site": "none"}}
}

// do sends a visit. It returns the status, the header and the body.
func (p *pageTest) do(v visit) (int, http.Header, string) {
	p.t.Helper()
	status, h, body, err := p.try(v)
	if err != nil {
		p.t.Fatal(err)
	}
	return status, h, body
}

func (p *pageTest) try(v visit) (int, http.Header, string, error) {
	r, err := http.NewRequestWithContext(p.t.Context(), v.method, p.origin()+v.path, strings.NewReader(v.body))
	if err != nil {
		return 0, nil, "", err
	}
	r.Header.Set("Sec-Fetch-Mode", "navigate")
	r.Header.Set("Sec-Fetch-Dest", "document")
	if v.method == "POST" {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Origin", p.origin())
		r.Header.Set("Sec-Fetch-Site", "same-origin")
	}
	for name, value := range v.header {
		if r.Header.Set(name, value); value == "" {
			r.Header.Del(name)
		}
	}
	r.Host = v.host
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: &http.Transport{DisableKeepAlives: true}}
	answer, err := client.Do(r)
	if err != nil {
		return 0, nil, "", err
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	return answer.StatusCode, answer.Header, string(body), err
}

// read opens the page as a person does and returns the path and the fields of its form.
func (p *pageTest) read() (path string, form url.Values) {
	p.t.Helper()
	status, h, _ := p.do(p.open())
	if status != http.StatusSeeOther {
		p.t.Fatalf("the address: got status %d, want a redirection", status)
	}
	path = h.Get("Location")
	status, _, body := p.do(visit{method: "GET", path: path, header: map[string]string{"Sec-Fetch-Site": "none"}})
	if status != http.StatusOK {
		p.t.Fatalf("the message: got status %d", status)
	}
	p.pass(10 * time.Second)
	form = url.Values{}
	for _, m := range regexp.MustCompile(`<input type="hidden" name="(\w+)" value="(\w+)">`).FindAllStringSubmatch(body, -1) {
		form.Set(m[1], m[2])
	}
	return path, form
}

// post answers with a form.
func (p *pageTest) post(path string, form url.Values) (int, string) {
	p.t.Helper()
	status, _, body := p.do(visit{method: "POST", path: path, body: form.Encode()})
	return status, body
}

// with is a copy of a form with some fields changed.
func with(form url.Values, pairs ...string) url.Values {
	out := url.Values{}
	for k, v := range form {
		out[k] = v
	}
	for i := 0; i+1 < len(pairs); i += 2 {
		out.Set(pairs[i], pairs[i+1])
	}
	return out
}

// plainMessage is a message that needs a button.
func plainMessage() Pending {
	return Pending{Binding: Binding{"stdio", "send_mail", [32]byte{7}}, Question: Question{
		From: "Me <me@example.com>", To: []Recipient{{Address: "bob@example.org", Rule: RuleExact}}, Subject: "Lunch", Text: "Hi Bob,\n\nnoon?\n",
	}}
}

// elevatedMessage needs the domains of two recipients.
func elevatedMessage() Pending {
	d := plainMessage()
	d.Question.Notes = []Note{{LevelElevated, Say("The first message to this domain:"), []string{"new.example"}}}
	d.Question.Cc = []Recipient{{Address: "ann@bücher.example", ASCII: "ann@xn--bcher-kva.example", Level: LevelElevated}, {Address: "kim@new.example", Level: LevelElevated}}
	return d
}

// picture is a small PNG.
func picture(t testing.TB) []byte {
	t.Helper()
	img := image.NewRGBA(image.Rect(0, 0, 160, 100))
	for x := range 160 {
		for y := range 100 {
			img.Set(x, y, color.RGBA{uint8(40 + x), uint8(90 + y), 150, 255})
		}
	}
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// fullMessage has everything that a page can show.
func fullMessage(t testing.TB) Pending {
	d := elevatedMessage()
	q := &d.Question
	q.Purpose = PurposeReply
	q.Notes = append(q.Notes, Note{LevelNormal, Say("An identical message was declined this morning."), nil},
		Note{LevelElevated, Say("412 characters come from a message in another mailbox, and these recipients were not on it:"), []string{"kim@new.example"}})
	q.To = append(q.To, Recipient{Address: "team@example.com", Rule: RuleDomain, Origin: OriginParent})
	q.Bcc = []Recipient{{Address: "archive@example.com", Origin: OriginOperator, Rule: RuleNone}}
	q.Subject = "Re: Offer for the reading room"
	q.Text = "Dear Ann,\n\nthank you for the offer. We would like to take the oak shelves in the second size, as in the drawing, and the lamp.\n\n" +
		"Could you deliver in the week of 9 March? The door is 90 cm wide.\u200b\n\n\n\n\n\n\nKind regards\nBob\n"
	q.Quote = "On 27 February Ann wrote:\n> The shelves come in two sizes.\n"
	q.Signature = "-- \nReading room, Example Library\n"
	q.HTML = &HTML{"Dear Ann, …", 1204, []Removal{{Say("an image that loads from elsewhere or is not attached"), "img in p: https://tracker.example/x.png"}}}
	q.Links = []Link{{"shop.example", "https://shop.example/oak?size=2", "the drawing", false}, {"evil.example", "https://evil.example/login", "https://bank.example", true}}
	q.Attachments = []Attachment{{"room.png", "image/png", 2311, [32]byte{1}, true}, {"measures.csv", "text/csv", 132, [32]byte{2}, false}, {"plan.pdf", "application/pdf", 182_311, [32]byte{3}, false}}
	img := Image{"image/png", picture(t)}
	d.View = View{
		HTML: `<!DOCTYPE html><html><head><meta charset="utf-8"></head><body><p style="font-family:Georgia,serif">Dear Ann,</p>` +
			`<p style="font-family:Georgia,serif">thank you for the <b>offer</b>. We would like to take <a href="https://shop.example/oak?size=2">the drawing</a>’s shelves.</p>` +
			`<p><img src="cid:room@example.com" alt="the room" width="160"></p><table border="1" style="border-collapse:collapse"><tr><td>Width</td><td>90 cm</td></tr></table></body></html>`,
		Inline:   map[string]Image{"room@example.com": img},
		Source:   []byte("From: Me <me@example.com>\r\nTo: bob@example.org\r\nSubject: Re: Offer for the reading room\r\nMIME-Version: 1.0\r\n\r\nDear Ann,\r\n"),
		Previews: []Preview{{Image: &img}, {Text: "item,width,height\r\nshelf,90,180\r\nlamp,20,45\r\n", More: true}},
		Answers:  []Fact{{Say("Answers"), "Offer for the reading room"}, {Say("Written by"), "ann@bücher.example, authenticated"}},
		Quota:    Quota{Left: 4, Of: 5, Per: Say("this hour")},
	}
	return d
}

// safeBuffer is a log that is read while it is written.
type safeBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

// Write implements io.Writer.
func (s *safeBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

// String is what was written.
func (s *safeBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}
