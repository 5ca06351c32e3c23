package confirm

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"mailgap/shared/chromium"
)

// startChromium skips the test where there is no Chromium, except in CI, where it must be there.
func startChromium(t testing.TB, o chromium.Options) *chromium.Browser {
	t.Helper()
	ci := os.Getenv("CI") == "true"
	if !ci && os.Getenv("MAILGAP_BROWSER") == "" {
		t.Skip("takes a minute: asked in CI, or with MAILGAP_BROWSER=1")
	}
	path, err := chromium.Find()
	if err != nil {
		if ci {
			t.Fatalf("no Chromium in CI: %v", err)
		}
		t.Skipf("no Chromium here (%v)", err)
	}
	var errs []error
	for range 3 { // on a busy machine a browser may fail to start
		b, err := chromium.Start(path, o)
		if err == nil {
			t.Cleanup(func() {
				if err := b.Close(); err != nil {
					t.Logf("Chromium: %v", err)
				}
			})
			return b
		}
		errs = append(errs, err)
	}
	t.Fatal(errors.Join(errs...))
	return nil
}

// person is somebody in front of a browser.
type person struct {
	t testing.TB
	*chromium.Tab
}

func newPerson(t testing.TB, b *chromium.Browser) *person {
	t.Helper()
	tab, err := b.Open()
	if err != nil {
		t.Fatal(err)
	}
	return &person{t, tab}
}

func (p *person) must(err error) {
	p.t.Helper()
	if err != nil {
		p.t.Fatal(err)
	}
}

// picture keeps a picture of the page for whoever looks at the results, if MAILGAP_ARTIFACTS names a directory.
func (p *person) picture(name string) {
	p.t.Helper()
	dir := os.Getenv("MAILGAP_ARTIFACTS")
	if dir == "" {
		return
	}
	data, err := p.Picture()
	p.must(err)
	p.must(os.WriteFile(filepath.Join(dir, name+".png"), data, 0o644))
}

// settle waits until the accepting button is there. A page without scripts cannot say when, so it is asked.
func (p *person) settle() {
	p.t.Helper()
	p.must(p.Call("Page.bringToFront", nil, nil)) // a page behind others does not move
	for range 200 {
		var visibility string
		p.must(p.Eval(`getComputedStyle(document.querySelector(".send")).visibility`, &visibility))
		if visibility == "visible" {
			return
		}
		<-time.After(50 * time.Millisecond)
	}
	p.t.Fatal("the accepting button never shows")
}

// see opens the page in the person's browser.
func (p *person) see(ask *pageTest) {
	p.t.Helper()
	p.must(p.Go(ask.url))
	ask.pass(10 * time.Second)
	p.settle()
}

// submit does something that sends the form, and returns the heading of what comes.
func (p *person) submit(what error) string {
	p.t.Helper()
	p.must(what)
	p.must(p.Wait("Page.loadEventFired"))
	var heading string
	p.must(p.Eval(`document.querySelector("h1").textContent`, &heading))
	return heading
}

// notice is what the page says after a form that decided nothing.
func (p *person) notice() string {
	p.t.Helper()
	var text string
	p.must(p.Eval(`document.querySelector("[role=alert]")?.textContent ?? ""`, &text))
	return text
}

// wrong is what the page says about a field.
func (p *person) wrong(field string) string {
	p.t.Helper()
	var text string
	p.must(p.Eval(`document.getElementById("`+field+`-wrong")?.textContent ?? ""`, &text))
	return text
}

func (p *person) fill(field, text string) {
	p.t.Helper()
	p.must(p.Eval(`(() => { const f = document.getElementById("`+field+`"); f.focus(); f.select() })()`, nil))
	p.must(p.Type(text))
}

// TestPageInBrowser answers as a person does, with the mouse and the keyboard.
func TestPageInBrowser(t *testing.T) {
	b := startChromium(t, chromium.Options{})
	for _, test := range []struct {
		name    string
		d       Pending
		person  func(*person)
		want    Reason
		scripts bool // the browser runs scripts; there are none
	}{
		{"approve, scripts on", plainMessage(), func(p *person) { p.submit(p.Click(".send")) }, Approved, true},
		{"approve", plainMessage(), func(p *person) {
			if got, want := p.submit(p.Click(".send")), "You approved this message"; got != want {
				p.t.Errorf("got %q, want %q", got, want)
			}
			p.picture("approved")
		}, Approved, false},
		{"decline", plainMessage(), func(p *person) {
			if got, want := p.submit(p.Click(".no")), "Not sent"; got != want {
				p.t.Errorf("got %q, want %q", got, want)
			}
		}, DoNotSend, false},
		{"lock", plainMessage(), func(p *person) {
			if got, want := p.submit(p.Click(".lock")), "Not sent, and sending is locked"; got != want {
				p.t.Errorf("got %q, want %q", got, want)
			}
		}, DeclinedAndLock, false},
		{"domain wrong, then right", elevatedMessage(), (*person).typeWrongThenRight, Approved, false},
		{"loaded again, then approved", plainMessage(), func(p *person) {
			p.Forget()
			p.must(p.Call("Page.reload", nil, nil))
			p.must(p.Wait("Page.loadEventFired"))
			p.settle()
			p.submit(p.Click(".send"))
		}, Approved, false},
		{"keyboard alone", elevatedMessage(), (*person).keyboardAlone, Approved, false},
		{"everything there is, approved", fullMessage(t), func(p *person) {
			p.fill("domain1", "bücher.example")
			p.fill("domain2", "new.example")
			p.submit(p.Click(".send"))
		}, Approved, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			p, ask := newPerson(t, b), askPage(t, test.d)
			p.must(p.Call("Emulation.setScriptExecutionDisabled", map[string]any{"value": !test.scripts}, nil))
			p.must(p.View(1000, 800, "light"))
			p.see(ask)
			test.person(p)
			ask.want(test.want)
			for _, url := range p.Requests() {
				if !strings.HasPrefix(url, ask.origin()+"/") && !strings.HasPrefix(url, "data:") {
					t.Errorf("asked for %s", url)
				}
			}
			p.must(p.Close())
		})
	}
}

func (p *person) typeWrongThenRight() {
	p.fill("domain1", "bücher.example")
	p.fill("domain2", "nеw.example") // with a Cyrillic letter
	p.submit(p.Click(".send"))
	if got := p.notice(); !strings.Contains(got, "is not the domain") || p.wrong("domain2") != "That is not the same: it has letters of several scripts (Cyrillic, Latin)." {
		p.t.Errorf("got %q, want to be told", got)
	}
	p.settle()
	p.picture("wrong-domain")
	p.fill("domain2", "new.example")
	p.submit(p.Press("Enter")) // decides nothing, keeps what was typed
	if got := p.notice(); !strings.Contains(got, "Nothing has been decided yet") {
		p.t.Errorf("Enter in a text field: got %q, want that nothing is decided", got)
	}
	p.settle()
	p.submit(p.Click(".send"))
}

// keyboardAlone walks through the page with the Tab key. Sending comes after not sending, and after what must be typed.
func (p *person) keyboardAlone() {
	var order []string
	for range 40 {
		p.must(p.Press("Tab"))
		var at string
		p.must(p.Eval(`(() => { const e = document.activeElement; return e.id || e.className || e.tagName })()`, &at))
		order = append(order, at)
		switch at {
		case "domain1":
			p.must(p.Type("bücher.example"))
		case "domain2":
			p.must(p.Type("new.example"))
		case "send":
			if want := []string{"skip", "SUMMARY", "domain1", "domain2", "no", "send"}; !slices.Equal(order, want) {
				p.t.Errorf("the order is %q, want %q", order, want)
			}
			p.submit(p.Press("Enter"))
			return
		}
	}
	p.t.Fatalf("the sending button cannot be reached: %q", order)
}

// TestPageTimeIsUpInBrowser: without a script, the page says that time is up and takes its form away.
func TestPageTimeIsUpInBrowser(t *testing.T) {
	b := startChromium(t, chromium.Options{})
	p, ask := newPerson(t, b), askPage(t, plainMessage())
	ask.pass(5*time.Minute - 3*time.Second)
	p.must(p.View(1000, 800, "light"))
	p.must(p.Go(ask.url))
	var before, after []string
	look := `[".decision", ".late"].map(s => getComputedStyle(document.querySelector(s)).visibility)`
	p.must(p.Eval(look, &before))
	for range 200 {
		if p.must(p.Eval(look, &after)); after[1] == "visible" {
			break
		}
		<-time.After(50 * time.Millisecond)
	}
	p.picture("time-is-up")
	if want := []string{"visible", "hidden"}; !slices.Equal(before, want) {
		t.Errorf("at first: got %q, want %q", before, want)
	}
	if want := []string{"hidden", "visible"}; !slices.Equal(after, want) {
		t.Errorf("in the end: got %q, want %q", after, want)
	}
}

// TestPageCountsDown: the clock moves without a script.
func TestPageCountsDown(t *testing.T) {
	b := startChromium(t, chromium.Options{})
	p, ask := newPerson(t, b), askPage(t, plainMessage())
	p.must(p.Go(ask.url))
	seen := map[string]bool{}
	for range 100 {
		var left string
		p.must(p.Eval(`getComputedStyle(document.querySelector(".ticking")).counterReset`, &left))
		if seen[left] = true; len(seen) > 1 {
			break
		}
		<-time.After(50 * time.Millisecond)
	}
	if !seen["m 4 s 59"] || len(seen) < 2 {
		t.Errorf("got %v, want 4:59 among several", seen)
	}
}

// views are the windows that the page is looked at in.
var views = []struct {
	name   string
	width  int
	scheme string
}{{"light", 1280, "light"}, {"dark", 1280, "dark"}, {"narrow", 360, "light"}, {"narrow-dark", 360, "dark"}}

func TestPagePictures(t *testing.T) {
	b := startChromium(t, chromium.Options{})
	severe := fullMessage(t)
	severe.Question.Notes[0].Level = LevelSevere
	for name, d := range map[string]Pending{"full": fullMessage(t), "plain": plainMessage(), "severe": severe} {
		for _, v := range views {
			p, ask := newPerson(t, b), askPage(t, d)
			p.must(p.View(v.width, 800, v.scheme))
			p.see(ask)
			var wide int
			p.must(p.Eval(`document.documentElement.scrollWidth`, &wide))
			if wide > v.width {
				t.Errorf("%s, %s: %d pixels wide, want no scrolling sideways at %d", name, v.name, wide, v.width)
			}
			p.picture(name + "-" + v.name)
			ask.cancel()
			ask.want(CallEnded)
			p.must(p.Close())
		}
	}
}
