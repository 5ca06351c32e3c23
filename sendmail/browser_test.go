package sendmail

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// browserFile is where the command that stands for a browser writes the addresses it is given, one on a line.
func (w *world) browserFile() string { return filepath.Join(filepath.Dir(w.Dir), "browser") }

// withBrowser gives the server a browser: a command that notes the address. The test does what a person would.
func (w *world) withBrowser() {
	w.Browser = fmt.Sprintf(`sh -c 'echo "$0" >> "%s"' %%s`, w.browserFile())
}

// addresses are those that the browser was given so far.
func (w *world) addresses() []string {
	text, err := os.ReadFile(w.browserFile())
	if err != nil {
		return nil
	}
	return strings.Fields(string(text))
}

// page is an approval page as a person has it open.
type page struct {
	t            *testing.T
	w            *world
	origin, path string
	form         url.Values
	body         string
}

// opens waits until the browser was given its n-th address, and opens it.
func (w *world) opens(t *testing.T, n int) *page {
	t.Helper()
	await(t, "an address for the browser", func() bool { return len(w.addresses()) >= n })
	return w.openAddress(t, w.addresses()[n-1])
}

// openAddress opens a page.
func (w *world) openAddress(t *testing.T, address string) *page {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	p := &page{t: t, w: w, origin: "http://" + u.Host, form: url.Values{}}
	status, header, _ := p.visit("GET", u.Path, "none", "")
	if p.path = header.Get("Location"); status != http.StatusSeeOther {
		t.Fatalf("the address: got status %d", status)
	}
	if status, _, p.body = p.visit("GET", p.path, "none", ""); status != http.StatusOK {
		t.Fatalf("the page: got status %d", status)
	}
	for _, m := range regexp.MustCompile(`<input type="hidden" name="(\w+)" value="(\w+)">`).FindAllStringSubmatch(p.body, -1) {
		p.form.Set(m[1], m[2])
		w.secret(m[2])
	}
	w.secret(strings.TrimPrefix(p.path, "/message/"))
	return p
}

// visit is one request of a browser.
func (p *page) visit(method, path, site, body string) (status int, header http.Header, text string) {
	p.t.Helper()
	r, err := http.NewRequestWithContext(p.t.Context(), method, p.origin+path, strings.NewReader(body))
	if err != nil {
		p.t.Fatal(err)
	}
	for name, value := range map[string]string{"Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document", "Sec-Fetch-Site": site} {
		r.Header.Set(name, value)
	}
	if method == "POST" {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Origin", p.origin)
	}
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	answer, err := client.Do(r)
	if err != nil {
		return 0, http.Header{}, err.Error() // the page was closed
	}
	defer answer.Body.Close()
	octets, err := io.ReadAll(answer.Body)
	if err != nil {
		return 0, http.Header{}, err.Error()
	}
	return answer.StatusCode, answer.Header, string(octets)
}

// press presses a button until the page takes it: a yes that comes at once is not taken. pairs are fields of the form.
func (p *page) press(answer string, pairs ...string) (status int, text string) {
	p.t.Helper()
	form := url.Values{}
	for name, values := range p.form {
		form[name] = values
	}
	form.Set("answer", answer)
	for i := 0; i+1 < len(pairs); i += 2 {
		form.Set(pairs[i], pairs[i+1])
	}
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		status, _, text = p.visit("POST", p.path, "same-origin", form.Encode())
		if status != http.StatusUnprocessableEntity || !strings.Contains(text, "sooner than anyone can read") {
			return status, text
		}
		<-tick.C
	}
}

// secret notes a word that the server must never write.
func (w *world) secret(word string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.secrets = append(w.secrets, word)
}

// leaks are the secrets of approval pages that stand in what a server wrote: addresses, capabilities, tokens, digests of forms,
// and anything that has the shape of such an address.
func (w *world) leaks(written string) (found []string) {
	w.mu.Lock()
	secrets := append([]string(nil), w.secrets...)
	w.mu.Unlock()
	for _, address := range w.addresses() {
		u, err := url.Parse(address)
		if err != nil {
			found = append(found, "unreadable address")
			continue
		}
		secrets = append(secrets, address, u.Host, strings.TrimPrefix(u.Path, "/open/"))
	}
	for _, s := range secrets {
		if s == "" || strings.Contains(written, s) {
			found = append(found, s)
		}
	}
	return append(found, addressShape.FindAllString(written, -1)...)
}

var addressShape = regexp.MustCompile(`(?i)https?://(127\.0\.0\.1|localhost|\[::1\]):\d+|/(open|message)/[0-9a-zA-Z_-]{16,}`)
