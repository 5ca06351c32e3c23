package confirm

import (
	"errors"
	"os"
	"path/filepath"
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
	p.must(os.WriteFile(filepath.Join(dir, name+".png"), data, 0o600))
}

// settle waits until the accepting button is there. A page without scripts cannot say when, so it is asked.
func (p *person) settle() {
	p.t.Helper()
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

func TestPagePictures(t *testing.T) {
	b := startChromium(t, chromium.Options{})
	for _, v := range []struct {
		name   string
		width  int
		scheme string
		d      Pending
	}{
		{"full-light", 1280, "light", fullMessage(t)},
		{"full-dark", 1280, "dark", fullMessage(t)},
		{"full-narrow", 360, "light", fullMessage(t)},
		{"plain-light", 1280, "light", plainMessage()},
	} {
		p, ask := newPerson(t, b), askPage(t, v.d)
		p.must(p.View(v.width, 800, v.scheme))
		p.must(p.Go(ask.url))
		p.settle()
		p.picture(v.name)
		ask.cancel()
		ask.want(CallEnded)
	}
}
