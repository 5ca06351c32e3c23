package factor

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"mailgap/confirm"
	"mailgap/shared/chromium"
)

// desk is a person with a browser and a virtual device (CDP, domain WebAuthn).
type desk struct {
	t      testing.TB
	b      *chromium.Browser
	keys   *Keys
	dir    string
	tab    *chromium.Tab
	device string
}

func newDesk(t *testing.T) *desk {
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
	b, err := chromium.Start(path, chromium.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Logf("Chromium: %v", err)
		}
	})
	dir := t.TempDir()
	d := &desk{t: t, b: b, dir: dir, keys: Open(dir, rand.Reader)}
	d.tab, err = b.Open()
	d.must(err)
	d.must(d.tab.Call("WebAuthn.enable", nil, nil))
	d.plug(true)
	return d
}

func (d *desk) must(err error) {
	d.t.Helper()
	if err != nil {
		d.t.Fatal(err)
	}
}

// plug puts a new device in, in the place of the old one.
func (d *desk) plug(verifies bool) {
	d.t.Helper()
	if d.device != "" {
		d.must(d.tab.Call("WebAuthn.removeVirtualAuthenticator", map[string]any{"authenticatorId": d.device}, nil))
	}
	var added struct{ AuthenticatorID string }
	d.must(d.tab.Call("WebAuthn.addVirtualAuthenticator", map[string]any{"options": map[string]any{"protocol": "ctap2", "transport": "usb",
		"hasResidentKey": true, "hasUserVerification": true, "isUserVerified": verifies, "automaticPresenceSimulation": true}}, &added))
	d.device = added.AuthenticatorID
}

// run opens a page by f, and returns its address and what f will return.
func (d *desk) run(f func(ctx context.Context, p *confirm.Page) error) (url string, ended chan error) {
	d.t.Helper()
	urls := make(chan string, 1)
	page, err := confirm.NewPage(confirm.PageOptions{Now: time.Now, Random: rand.Reader, Factor: d.keys,
		Open: func(_ context.Context, url string) error { urls <- url; return nil }})
	d.must(err)
	ended = make(chan error, 1)
	go func() { ended <- f(d.t.Context(), page) }()
	select {
	case url = <-urls:
	case err := <-ended:
		d.t.Fatalf("nobody was asked: %v", err)
	}
	if !strings.HasPrefix(url, "http://localhost:") {
		d.t.Errorf("got the address of %.20s, want localhost", url)
	}
	d.must(d.tab.Go(url))
	d.settle()
	return url, ended
}

// settle waits until the page can be answered.
func (d *desk) settle() {
	d.t.Helper()
	for range 400 {
		var visibility string
		d.must(d.tab.Eval(`getComputedStyle(document.querySelector(".send") ?? document.body).visibility`, &visibility))
		if visibility == "visible" {
			return
		}
		<-time.After(50 * time.Millisecond)
	}
	d.t.Fatal("the accepting button never shows")
}

func (d *desk) enrol() chan error {
	_, ended := d.run(func(ctx context.Context, p *confirm.Page) error {
		return p.Enrol(ctx, d.keys, time.Now().Add(time.Minute))
	})
	return ended
}

// ask puts a message with a digest. nil means approved.
func (d *desk) ask(digest byte) chan error {
	_, ended := d.run(func(ctx context.Context, p *confirm.Page) error {
		a, err := p.Ask(ctx, confirm.Pending{Expires: time.Now().Add(time.Minute), Binding: confirm.Binding{Digest: [32]byte{digest}},
			Question: confirm.Question{From: "me@example.com", To: []confirm.Recipient{{Address: "bob@example.org"}}}})
		if err == nil && !a.Yes() {
			err = &confirm.NotApprovedError{Reason: a.Reason()}
		}
		return err
	})
	return ended
}

// click sends the form and waits for what comes.
func (d *desk) click() {
	d.t.Helper()
	d.tab.Forget()
	d.must(d.tab.Click(".send"))
	d.must(d.tab.Wait("Page.loadEventFired"))
}

func (d *desk) text(selector string) string {
	d.t.Helper()
	var text string
	d.must(d.tab.Eval(fmt.Sprintf(`document.querySelector(%q)?.textContent ?? ""`, selector), &text))
	return text
}

func (d *desk) want(ended chan error, want error) {
	d.t.Helper()
	select {
	case err := <-ended:
		if !errors.Is(err, want) {
			d.t.Errorf("got %v, want %v", err, want)
		}
	case <-time.After(30 * time.Second):
		d.t.Fatal("the page did not end")
	}
}

// refused fails unless the page is still open and says that the device did not confirm.
func (d *desk) refused(ended chan error) {
	d.t.Helper()
	select {
	case err := <-ended:
		d.t.Fatalf("the page ended (%v), want it to ask again", err)
	default:
	}
	if got := d.text("[role=alert]"); !strings.Contains(got, "did not confirm") {
		d.t.Errorf("got %q, want that the device did not confirm", got)
	}
}

// sign lets the device answer what the page asks, changed by a script, and returns the answer.
func (d *desk) sign(change string) string {
	d.t.Helper()
	var answer string
	d.must(d.tab.Eval(`(async () => { const o = JSON.parse(document.querySelector(".decision").dataset.factor); `+change+`;
		return JSON.stringify((await navigator.credentials.get({publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(o)})).toJSON()) })()`, &answer))
	return answer
}

// put answers with what a device said, here or elsewhere.
func (d *desk) put(answer string) {
	d.t.Helper()
	d.settle()
	d.must(d.tab.Eval(fmt.Sprintf(`document.querySelector(".decision").elements.factor.value = %q`, answer), nil))
	d.click()
}

func TestInBrowser(t *testing.T) {
	d := newDesk(t)
	if page, err := confirm.NewPage(confirm.PageOptions{Now: time.Now, Random: rand.Reader, Factor: d.keys, Open: nil}); err == nil || page != nil {
		t.Fatal("a page without a way to open one")
	}
	ended := d.enrol()
	d.click()
	d.want(ended, nil)
	if got := d.text("h1"); got != "Your device is enrolled" {
		t.Errorf("got %q", got)
	}
	info, err := os.Stat(filepath.Join(d.dir, fileName))
	if n, err2 := d.keys.Enrolled(); err != nil || err2 != nil || n != 1 || info.Mode().Perm() != 0o600 {
		t.Fatalf("got %d devices in a file of mode %v (%v, %v), want one, for this user alone", n, info.Mode(), err, err2)
	}

	t.Run("approve", func(t *testing.T) {
		ended := d.ask(1)
		d.click()
		d.want(ended, nil)
	})
	t.Run("decline without the device", func(t *testing.T) {
		ended := d.ask(1)
		d.must(d.tab.Click(".no"))
		d.want(ended, confirm.ErrNotApproved)
	})
	t.Run("nothing from the device", func(t *testing.T) {
		ended := d.ask(1)
		d.put("{}")
		d.refused(ended)
		d.settle()
		d.click() // and then as it should be
		d.want(ended, nil)
	})
	t.Run("another challenge", func(t *testing.T) {
		ended := d.ask(1)
		d.put(d.sign(`o.challenge = "` + base64.RawURLEncoding.EncodeToString(make([]byte, 32)) + `"`))
		d.refused(ended)
	})
	t.Run("the answer for another message", func(t *testing.T) {
		d.ask(1)
		answer := d.sign("")
		ended := d.ask(2)
		d.put(answer)
		d.refused(ended)
	})
	t.Run("without user verification", func(t *testing.T) {
		ended := d.ask(1)
		d.must(d.tab.Call("WebAuthn.setUserVerified", map[string]any{"authenticatorId": d.device, "isUserVerified": false}, nil))
		defer func() {
			d.must(d.tab.Call("WebAuthn.setUserVerified", map[string]any{"authenticatorId": d.device, "isUserVerified": true}, nil))
		}()
		d.put(d.sign(`o.userVerification = "discouraged"`))
		d.refused(ended)
	})
	t.Run("from another port", func(t *testing.T) {
		ended := d.ask(1)
		var options string
		d.must(d.tab.Eval(`document.querySelector(".decision").dataset.factor`, &options))
		evil := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			_, _ = io.WriteString(w, `<form class="decision"></form>`) // the browser may be gone
		}))
		defer evil.Close()
		var where string
		d.must(d.tab.Eval("location.href", &where))
		d.must(d.tab.Go(strings.Replace(evil.URL, "127.0.0.1", "localhost", 1)))
		d.must(d.tab.Eval(fmt.Sprintf(`document.querySelector(".decision").dataset.factor = %q`, options), nil))
		answer := d.sign("")
		d.must(d.tab.Go(where))
		d.put(answer)
		d.refused(ended)
	})
	t.Run("another key under the same name", func(t *testing.T) {
		var all struct {
			Credentials []struct {
				CredentialID, UserHandle string
				SignCount                int
			}
		}
		d.must(d.tab.Call("WebAuthn.getCredentials", map[string]any{"authenticatorId": d.device}, &all))
		old := all.Credentials[0]
		kept := d.device
		d.device = ""
		d.plug(true)
		stranger := d.device
		d.must(d.tab.Call("WebAuthn.addCredential", map[string]any{"authenticatorId": stranger, "credential": map[string]any{"credentialId": old.CredentialID,
			"isResidentCredential": false, "rpId": "localhost", "privateKey": otherKey(t), "signCount": old.SignCount + 100}}, nil))
		d.must(d.tab.Call("WebAuthn.setAutomaticPresenceSimulation", map[string]any{"authenticatorId": kept, "enabled": false}, nil))
		ended := d.ask(1)
		d.put(d.sign(""))
		d.refused(ended)
		d.must(d.tab.Call("WebAuthn.removeVirtualAuthenticator", map[string]any{"authenticatorId": stranger}, nil))
		d.must(d.tab.Call("WebAuthn.setAutomaticPresenceSimulation", map[string]any{"authenticatorId": kept, "enabled": true}, nil))
		d.device = kept
	})
	t.Run("another device only after the first", func(t *testing.T) {
		ended := d.enrol()
		if got := d.text(".send"); got != "Confirm with the enrolled device" {
			t.Errorf("got %q, want the enrolled device to be asked for", got)
		}
		d.click()
		d.settle()
		if got := d.text("[role=alert]"); !strings.Contains(got, "Now the new one") {
			t.Errorf("got %q, want to be asked for the new device", got)
		}
		d.plug(true)
		d.click()
		d.want(ended, nil)
		if n, err := d.keys.Enrolled(); n != 2 || err != nil {
			t.Errorf("got %d devices, %v; want two", n, err)
		}
	})
}

func TestFile(t *testing.T) {
	for name, content := range map[string]string{
		"empty": "", "not JSON": "x", "nobody": `{"user":"","devices":[]}`, "no devices": `{"user":"` + base64.StdEncoding.EncodeToString(make([]byte, userOctets)) + `","devices":[]}`,
		"too large": strings.Repeat(" ", maxFileOctets+1),
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, fileName), []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
			k := Open(dir, rand.Reader)
			if _, err := k.Assert("http://localhost:1", [32]byte{}); !errors.Is(err, ErrFile) {
				t.Errorf("Assert: got %v, want ErrFile: a damaged file is not an empty one", err)
			}
			if _, err := k.Enrol("http://localhost:1"); !errors.Is(err, ErrFile) {
				t.Errorf("Enrol: got %v, want ErrFile: it would put another device in the place of what was there", err)
			}
		})
	}
}

func TestFileOfOthers(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, fileName)
	if err := os.WriteFile(path, []byte(`{"user":"`+base64.StdEncoding.EncodeToString(make([]byte, userOctets))+`","devices":[{}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if n, err := Open(dir, rand.Reader).Enrolled(); n != 1 || err != nil {
		t.Fatalf("got %d, %v; want one device", n, err)
	}
	for _, mode := range []os.FileMode{0o644, 0o660, 0o606} {
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(dir, rand.Reader).Enrolled(); !errors.Is(err, ErrFile) {
			t.Errorf("mode %v: got %v, want ErrFile", mode, err)
		}
	}
}

func TestNobodyEnrolled(t *testing.T) {
	k := Open(t.TempDir(), rand.Reader)
	if _, err := k.Assert("http://localhost:1", [32]byte{}); !errors.Is(err, confirm.ErrNotEnrolled) {
		t.Errorf("got %v, want ErrNotEnrolled", err)
	}
	page, err := confirm.NewPage(confirm.PageOptions{Now: time.Now, Random: rand.Reader, Factor: k, FactorFrom: confirm.LevelSevere,
		Open: func(context.Context, string) error { return confirm.ErrNoBrowser }})
	if err != nil {
		t.Fatal(err)
	}
	q := confirm.Question{To: []confirm.Recipient{{Address: "bob@example.org"}}}
	d := confirm.Pending{Question: q, Expires: time.Now().Add(time.Minute)}
	if _, err := page.Ask(t.Context(), d); !errors.Is(err, confirm.ErrNoBrowser) {
		t.Errorf("a normal message: got %v, want it to be put", err)
	}
	d.Question.Notes = []confirm.Note{{Level: confirm.LevelSevere}}
	if a, err := page.Ask(t.Context(), d); !errors.Is(err, confirm.ErrNotEnrolled) || a.Yes() {
		t.Errorf("a severe one: got %v, want ErrNotEnrolled", err)
	}
}

// TestChallenge: the challenge depends on the message and on a nonce.
func TestChallenge(t *testing.T) {
	nonce := bytes.Repeat([]byte{1}, nonceOctets)
	challenge := func(nonce []byte, digest byte) string {
		c, err := Open(t.TempDir(), bytes.NewReader(nonce)).challenge([32]byte{digest})
		if err != nil || len(c) != 32 {
			t.Fatalf("got %d octets, %v", len(c), err)
		}
		return string(c)
	}
	one := challenge(nonce, 1)
	if challenge(nonce, 1) != one || challenge(nonce, 2) == one || challenge(bytes.Repeat([]byte{2}, nonceOctets), 1) == one {
		t.Error("want a challenge for each message and each nonce")
	}
	if _, err := Open(t.TempDir(), iotest.ErrReader(io.ErrUnexpectedEOF)).challenge([32]byte{}); !errors.Is(err, confirm.ErrRandom) {
		t.Errorf("got %v, want ErrRandom", err)
	}
}
