package confirm

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"html"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"time"
)

func TestPageAnswers(t *testing.T) {
	severe := elevatedMessage()
	severe.Question.Notes[0].Level = LevelSevere
	tests := []struct {
		name string
		d    Pending
		form []string
		want Reason
	}{
		{"send", plainMessage(), []string{"answer", "send"}, Approved},
		{"do not send", plainMessage(), []string{"answer", "no"}, DoNotSend},
		{"do not send and lock", plainMessage(), []string{"answer", "lock"}, DeclinedAndLock},
		{"elevated, both domains typed", elevatedMessage(), []string{"answer", "send", "domain1", "bücher.example", "domain2", "new.example"}, Approved},
		{"elevated, as the network writes it, in capitals", elevatedMessage(), []string{"answer", "send", "domain1", " XN--BCHER-KVA.example ", "domain2", "@New.Example"}, Approved},
		{"elevated, nothing typed, no", elevatedMessage(), []string{"answer", "no", "domain1", "", "domain2", ""}, DoNotSend},
		{"severe, typed", severe, []string{"answer", "send", "domain1", "bücher.example", "domain2", "new.example"}, Approved},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p := askPage(t, test.d)
			path, form := p.read()
			if status, body := p.post(path, with(form, test.form...)); status != http.StatusOK || !strings.Contains(body, "<h1>") {
				t.Errorf("got status %d and %q, want a page that says how it ended", status, body)
			}
			p.want(test.want)
			if _, _, _, err := p.try(p.open()); err == nil {
				t.Error("the port is still open, want it closed with the question")
			}
		})
	}
}

// TestPageAsksAgain: what is no decision leaves the question open, and the right form is taken after it.
func TestPageAsksAgain(t *testing.T) {
	tests := []struct {
		name string
		form []string
		want string
	}{
		{"Enter in a text field", []string{"answer", "none"}, "Nothing has been decided yet"},
		{"no button", []string{}, "Nothing has been decided yet"},
		{"an unknown button", []string{"answer", "yes"}, "Nothing has been decided yet"},
		{"no domain", []string{"answer", "send"}, "is not the domain"},
		{"one domain of two", []string{"answer", "send", "domain1", "bücher.example"}, "is not the domain"},
		{"exchanged", []string{"answer", "send", "domain1", "new.example", "domain2", "bücher.example"}, "is not the domain"},
		{"whole address", []string{"answer", "send", "domain1", "bücher.example", "domain2", "kim@new.example"}, "is not the domain"},
		{"a letter of another script", []string{"answer", "send", "domain1", "bücher.example", "domain2", "nеw.example"}, "is not the domain"},
		{"wrong token", []string{"answer", "send", "token", strings.Repeat("0", 64), "domain1", "bücher.example", "domain2", "new.example"}, "not the form of this page"},
		{"token of nothing", []string{"answer", "send", "token", "", "domain1", "bücher.example", "domain2", "new.example"}, "not the form of this page"},
		{"another message", []string{"answer", "send", "digest", strings.Repeat("0", 64), "domain1", "bücher.example", "domain2", "new.example"}, "not the form of this page"},
		{"a no with a wrong token", []string{"answer", "no", "token", "x"}, "not the form of this page"},
		{"a field that the page does not have", []string{"answer", "send", "domain1", "bücher.example", "domain2", "new.example", "domain3", "x"}, "not the form of this page"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p := askPage(t, elevatedMessage())
			path, form := p.read()
			status, body := p.post(path, with(form, test.form...))
			if status != http.StatusUnprocessableEntity || !strings.Contains(body, test.want) || !strings.Contains(body, `role="alert"`) {
				t.Errorf("got status %d, want the page again with %q", status, test.want)
			}
			p.undecided()
			if p.post(path, with(form, "answer", "send", "domain1", "bücher.example", "domain2", "new.example")); t.Failed() {
				return
			}
			p.want(Approved)
		})
	}
}

func TestPageKeepsWhatWasTyped(t *testing.T) {
	p := askPage(t, elevatedMessage())
	path, form := p.read()
	_, body := p.post(path, with(form, "answer", "send", "domain1", "bücher.example", "domain2", `new.exampel"><b>`))
	for _, want := range []string{`value="bücher.example"`, `value="new.exampel&#34;&gt;&lt;b&gt;"`, `aria-describedby="domain2-wrong"`} {
		if !strings.Contains(body, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
	if strings.Contains(body, "domain1-wrong") {
		t.Error("the right domain is said to be wrong")
	}
}

// TestPageTwice: a field that is there twice has no value.
func TestPageTwice(t *testing.T) {
	p := askPage(t, plainMessage())
	path, form := p.read()
	form = with(form, "answer", "send")
	form["answer"] = []string{"no", "send"}
	if status, _ := p.post(path, form); status != http.StatusUnprocessableEntity {
		t.Errorf("got status %d, want the page again", status)
	}
	p.undecided()
}

func TestPageSoonerThanAnyoneReads(t *testing.T) {
	p := askPage(t, plainMessage())
	path, form := p.read()
	p.pass(-10 * time.Second) // which read added
	p.pass(readTime - time.Millisecond)
	if status, body := p.post(path, with(form, "answer", "send")); status != http.StatusUnprocessableEntity || !strings.Contains(body, "sooner than anyone can read") {
		t.Errorf("got status %d, want to be asked again", status)
	}
	p.undecided()
	p.pass(time.Millisecond)
	p.post(path, with(form, "answer", "send"))
	p.want(Approved)
}

// TestPageUnseen: whoever knows the form without having seen the page is too early at any time.
func TestPageUnseen(t *testing.T) {
	s := &sheet{o: PageOptions{Now: time.Now, Logger: discard}, d: plainMessage(), ended: make(chan struct{}), token: "t", digest: "d"}
	s.d.Expires = time.Now().Add(time.Hour)
	s.decide(url.Values{"token": {"t"}, "digest": {"d"}, "answer": {"send"}})
	if s.answer().Yes() {
		t.Error("approved, want to be asked again")
	}
}

// TestPageFirstEndCounts: what comes after the end changes nothing, whether it is a form, a second visit or the end of the call.
func TestPageFirstEndCounts(t *testing.T) {
	for _, first := range []Reason{Approved, DoNotSend, OpenedTwice, Expired} {
		s := &sheet{o: PageOptions{Now: time.Now, Logger: discard}, d: plainMessage(), ended: make(chan struct{}), token: "t", digest: "d", shown: time.Now().Add(-time.Hour)}
		s.d.Expires = time.Now().Add(time.Hour)
		if !s.end(first) || s.end(CallEnded) {
			t.Errorf("%s: want the first end to count and the second not", first)
		}
		for _, answer := range []string{"send", "no", "lock"} {
			s.decide(url.Values{"token": {"t"}, "digest": {"d"}, "answer": {answer}})
		}
		if got := s.answer(); got.Reason() != first {
			t.Errorf("got %s, want %s", got.Reason(), first)
		}
	}
}

func TestPageFewAttempts(t *testing.T) {
	p := askPage(t, elevatedMessage())
	path, form := p.read()
	for i := range maxWrong {
		p.undecided()
		if _, body := p.post(path, with(form, "answer", "send", "domain1", "x", "domain2", "y")); strings.Contains(body, "Nothing was sent: what was typed") != (i < maxWrong-1) {
			t.Errorf("attempt %d: got %q", i+1, body)
		}
	}
	p.want(WrongForms)
}

func TestPageExpires(t *testing.T) {
	p := askPage(t, plainMessage())
	path, form := p.read()
	p.pass(5 * time.Minute)
	if _, body := p.post(path, with(form, "answer", "send")); !strings.Contains(body, "time is up") {
		t.Errorf("got %q, want that time is up", body)
	}
	p.want(Expired)
}

func TestPageEnds(t *testing.T) {
	open := func(context.Context, string) error { return nil }
	page := func(o Opener) *Page {
		p, err := NewPage(PageOptions{Now: time.Now, Random: rand.Reader, Open: o})
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	late, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	soon, before := plainMessage(), plainMessage()
	soon.Expires, before.Expires = time.Now().Add(time.Millisecond), time.Now().Add(-time.Second)
	later := plainMessage()
	later.Expires = time.Now().Add(time.Minute)
	nobody := later
	nobody.Question.To = nil
	other := later
	other.Open = func(context.Context, string) error { return errors.New("http://127.0.0.1:1/open/secret") }
	tests := []struct {
		name string
		ctx  context.Context
		page *Page
		d    Pending
		want Reason
		err  error
	}{
		{"the call times out", late, page(open), later, TimedOut, nil},
		{"the question expires", t.Context(), page(open), soon, Expired, nil},
		{"the question has expired", t.Context(), page(open), before, Expired, nil},
		{"no browser", t.Context(), page(func(context.Context, string) error { return ErrNoBrowser }), later, CannotAsk, ErrNoBrowser},
		{"another way to open, which fails", t.Context(), page(open), other, CannotAsk, ErrNoBrowser},
		{"no recipient", t.Context(), page(open), nobody, AskFailed, ErrTooMuch},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			a, err := test.page.Ask(test.ctx, test.d)
			if a.Reason() != test.want || !errors.Is(err, test.err) || a.Yes() {
				t.Errorf("got %s, %v; want %s, %v", a.Reason(), err, test.want, test.err)
			}
			if err != nil && strings.Contains(err.Error(), "secret") {
				t.Errorf("the error %q holds the address", err)
			}
		})
	}
}

// TestPageOpenerFailsLate: a program that opens a browser may report a failure though the browser came.
func TestPageOpenerFailsLate(t *testing.T) {
	p := &pageTest{t: t, log: &safeBuffer{}}
	page, err := NewPage(PageOptions{Now: time.Now, Random: rand.Reader, Open: func(_ context.Context, url string) error {
		p.url = url
		p.do(p.open())
		return ErrNoBrowser
	}})
	if err != nil {
		t.Fatal(err)
	}
	d := plainMessage()
	d.Expires = time.Now().Add(100 * time.Millisecond)
	if a, err := page.Ask(t.Context(), d); a.Reason() != Expired || err != nil {
		t.Errorf("got %s, %v; want the question to have been open until it expired", a.Reason(), err)
	}
}

func TestPageNeeds(t *testing.T) {
	if _, err := NewPage(PageOptions{}); err == nil {
		t.Error("a page without a clock, want an error")
	}
	p, err := NewPage(PageOptions{Now: time.Now, Random: iotest.ErrReader(io.ErrUnexpectedEOF), Open: func(context.Context, string) error { return nil }})
	if err != nil {
		t.Fatal(err)
	}
	d := plainMessage()
	d.Expires = time.Now().Add(time.Minute)
	if a, err := p.Ask(t.Context(), d); !errors.Is(err, ErrRandom) || a.Yes() {
		t.Errorf("got %v, want ErrRandom", err)
	}
}

// TestPageShows: everything that the question and the view hold is on the page, with Bcc beside the others.
func TestPageShows(t *testing.T) {
	d := fullMessage(t)
	p := askPage(t, d)
	_, h, _ := p.do(p.open())
	_, h, body := p.do(visit{method: "GET", path: h.Get("Location"), header: map[string]string{"Sec-Fetch-Site": "none"}})
	plain := html.UnescapeString(body)
	for _, want := range []string{
		"ann@<", "bücher.example", "xn--bcher-kva.example", "Bcc 1/1", "archive@", "added by the operator", "allowed because every address at its domain is",
		"Re: Offer for the reading room", "The door is 90 cm wide.", `<span class="mark">[U+200B]</span>`, "[6 empty lines]", "The shelves come in two sizes", "Reading room, Example Library",
		"an image that loads from elsewhere", "https://tracker.example/x.png", "https://evil.example/login", "measures.csv", "178.0 KiB (182311 bytes)",
		"0300000000000000000000000000000000000000000000000000000000000000", "shelf,90,180", "MIME-Version: 1.0", "ann@bücher.example, authenticated",
		"4 of 5 sends left this hour", "412 characters", "data:image/png;base64,", "open until", "14:05:00",
		`sandbox=""`, `font-family:Georgia,serif`,
	} {
		if !strings.Contains(plain, want) && !strings.Contains(body, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if i, j := strings.Index(body, "Who gets it"), strings.Index(body, "What it says"); i < 0 || i > j {
		t.Error("the envelope does not come first")
	}
	style := body[strings.Index(body, "<style>")+len("<style>") : strings.Index(body, "</style>")]
	sum := sha256.Sum256([]byte(style))
	if want := "style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"; !strings.Contains(h.Get("Content-Security-Policy"), want) {
		t.Errorf("the policy %q does not name the style sheet", h.Get("Content-Security-Policy"))
	}
	if strings.Contains(body, "<script") || strings.Contains(body, ` style="`) {
		t.Error("the page has a script or a style of its own")
	}
}

// TestPageBoundsSource: a large message does not make a large page; what is left out is counted.
func TestPageBoundsSource(t *testing.T) {
	d := plainMessage()
	d.View.Source = bytes.Repeat([]byte("abcdefgh\r\n"), 100_000)
	d.View.HTML = `<p><img src="cid:a"><img src="https://tracker.example/"><img></p>`
	d.Question.HTML = &HTML{}
	p := askPage(t, d)
	_, h, _ := p.do(p.open())
	_, _, body := p.do(visit{method: "GET", path: h.Get("Location"), header: map[string]string{"Sec-Fetch-Site": "none"}})
	if !strings.Contains(body, "737856 more bytes are not shown") || len(body) > 2<<20 {
		t.Errorf("a page of %d octets, want the source bounded and the rest counted", len(body))
	}
	if !strings.Contains(body, "3 of its images cannot be drawn") || strings.Contains(body, "tracker.example") {
		t.Error("want three images missing, and none of them named in the frame")
	}
}

// TestPageRace: of many answers at once, one counts, and it is never a yes after a no that came first.
func TestPageRace(t *testing.T) {
	for range 5 {
		p := askPage(t, plainMessage())
		path, form := p.read()
		var all sync.WaitGroup
		bodies := make(chan string, 16)
		for i := range 16 {
			answer := []string{"send", "no"}[i%2]
			all.Go(func() {
				_, _, body, err := p.try(visit{method: "POST", path: path, body: with(form, "answer", answer).Encode()})
				if err == nil { // the port closes with the first
					bodies <- body
				}
			})
		}
		all.Wait()
		close(bodies)
		a := <-p.answers
		want := map[Reason]string{Approved: "You approved this message", DoNotSend: "Not sent"}[a.Reason()]
		if want == "" {
			t.Fatalf("got %s, want one of the answers", a.Reason())
		}
		for body := range bodies {
			if !strings.Contains(body, want) {
				t.Errorf("the answer was %s, and a page said %q", a.Reason(), body)
			}
		}
	}
}

// TestPageManyConnections: silent connections cannot keep the person out for longer than a header may take.
func TestPageManyConnections(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("waits for the time that a header may take")
	}
	p := askPage(t, plainMessage())
	addr := strings.TrimPrefix(p.origin(), "http://")
	for range maxConnections {
		c, err := net.Dial("tcp", addr)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		if _, err := io.WriteString(c, "GET / HTTP/1.1\r\nHost: "+addr+"\r\nX-Slow: "); err != nil {
			t.Fatal(err)
		}
	}
	began := time.Now()
	path, form := p.read()
	if took := time.Since(began); took > headerTime+5*time.Second || took < headerTime/2 {
		t.Errorf("the person waited %v, want about %v", took, headerTime)
	}
	p.post(path, with(form, "answer", "no"))
	p.want(DoNotSend)
}
