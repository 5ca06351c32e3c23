package main

import (
	"context"
	"errors"
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

// browserWait is how long a test waits for the browser to be started. Limit: clients take a while to start on a busy machine.
const browserWait = 100 * time.Second

// browserSetting is a browser that does nothing but note the address in a file of dir.
func browserSetting(dir string) string {
	return fmt.Sprintf(`SMTP_BROWSER=sh -c 'echo "$0" > "%[1]s/new" && mv "%[1]s/new" "%[1]s/address"' %%s`, dir)
}

var addressFileOf = regexp.MustCompile(`^SMTP_BROWSER=sh -c .* "([^"]+)"' %s$`)

// addressFile is the file of browserSetting; "" without one.
func addressFile(settings []string) string {
	for _, s := range settings {
		if m := addressFileOf.FindStringSubmatch(s); m != nil {
			return m[1]
		}
	}
	return ""
}

// Two processes again: the program and a browser. Yes sends, no does not, lock locks; what is written leads nowhere near the page.
func TestPage(t *testing.T) {
	for button, want := range map[string]string{"send": "Sent to 1 recipient", "no": "do_not_send", "lock": "declined_and_locked"} {
		t.Run(button, func(t *testing.T) {
			settings := []string{"SMTP_STATE_DIR=" + filepath.Join(t.TempDir(), "state"), "SMTP_CONFIRM=page", "SMTP_LEDGER=false", browserSetting(t.TempDir())}
			s := serve(t, settings, "--demo", "--verbose")
			s.proposes(2, "Hello")
			if err := pressOnPage(t.Context(), addressFile(settings), button); err != nil {
				t.Fatal(err)
			}
			if got := s.next(); !strings.Contains(got, want) {
				t.Errorf("got %s, want %q", got, want)
			}
			if out, _, _ := runs(t, settings, "--demo", "outbox"); strings.Contains(out, "Sending is locked") != (button == "lock") {
				t.Errorf("outbox: got %s", out)
			}
		})
	}
}

// The search for addresses of pages finds them, in full and in part.
func TestLeaksAreFound(t *testing.T) {
	file := filepath.Join(t.TempDir(), "address")
	if err := os.WriteFile(file, []byte("http://127.0.0.1:40404/open/0123456789abcdef0123456789abcdef\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, written := range []string{"go to http://127.0.0.1:40404/x", "127.0.0.1:40404", "0123456789abcdef0123456789abcdef", "/message/ffffffffffffffffffff", "http://localhost:1/"} {
		if len(leaks(file, written)) == 0 {
			t.Errorf("%q is not found", written)
		}
	}
	if found := leaks(file, "http://127.0.0.1/ and nothing else"); len(found) > 0 {
		t.Errorf("got %q", found)
	}
}

// proposes sends the call of a message with a subject.
func (s *session) proposes(id int, subject string) {
	s.t.Helper()
	s.say(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"send_mail","arguments":{"to":["friend@example.com"],"subject":%q,"text":"Hi."}}}`, id, subject))
}

// pressOnPage waits for the address of an approval page in a file, opens it as a browser does, and presses a button.
func pressOnPage(ctx context.Context, file, button string) error {
	ctx, cancel := context.WithTimeout(ctx, browserWait)
	defer cancel()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	var address []byte
	for len(address) == 0 {
		select {
		case <-ctx.Done():
			return errors.New("the browser was never started")
		case <-tick.C:
			address, _ = os.ReadFile(file) // it is not there yet
		}
	}
	u, err := url.Parse(strings.TrimSpace(string(address)))
	if err != nil {
		return errors.New("the browser was given no address")
	}
	b := browser{ctx, "http://" + u.Host}
	header, _, err := b.visit("GET", u.Path, "")
	if err != nil {
		return err
	}
	path := header.Get("Location")
	_, body, err := b.visit("GET", path, "")
	if err != nil {
		return err
	}
	form := url.Values{"answer": {button}}
	for _, m := range regexp.MustCompile(`<input type="hidden" name="(\w+)" value="(\w+)">`).FindAllStringSubmatch(body, -1) {
		form.Set(m[1], m[2])
	}
	for { // a yes that comes at once is not taken
		if _, body, err = b.visit("POST", path, form.Encode()); err != nil || !strings.Contains(body, "sooner than anyone can read") {
			return err
		}
		<-tick.C
	}
}

// browser makes requests as a browser does.
type browser struct {
	ctx    context.Context
	origin string
}

func (b browser) visit(method, path, body string) (http.Header, string, error) {
	r, err := http.NewRequestWithContext(b.ctx, method, b.origin+path, strings.NewReader(body))
	if err != nil {
		return nil, "", err
	}
	r.Header = http.Header{"Sec-Fetch-Mode": {"navigate"}, "Sec-Fetch-Dest": {"document"}, "Sec-Fetch-Site": {"none"}}
	if method == "POST" {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Origin", b.origin)
		r.Header.Set("Sec-Fetch-Site", "same-origin")
	}
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	answer, err := client.Do(r)
	if err != nil {
		return nil, "", err
	}
	defer answer.Body.Close()
	octets, err := io.ReadAll(answer.Body)
	if err == nil && answer.StatusCode >= 400 && answer.StatusCode != http.StatusUnprocessableEntity {
		err = fmt.Errorf("%s: status %d", method, answer.StatusCode)
	}
	return answer.Header, string(octets), err
}

// checkSecret fails the test if what the program wrote leads to an approval page: the address that its browser was given, or
// anything of that shape. Only the browser may learn it.
func checkSecret(t testing.TB, file, written string) {
	t.Helper()
	if found := leaks(file, written); len(found) > 0 {
		t.Errorf("the program wrote what leads to an approval page: %q", found)
	}
}

var addressShape = regexp.MustCompile(`(?i)https?://(127\.0\.0\.1|localhost|\[::1\]):\d+|/(open|message)/[0-9a-zA-Z_-]{16,}`)

func leaks(file, written string) []string {
	found := addressShape.FindAllString(written, -1)
	given, err := os.ReadFile(file)
	if err != nil { // no browser was started
		return found
	}
	for address := range strings.FieldsSeq(string(given)) {
		u, err := url.Parse(address)
		if err != nil || u.Host == "" {
			return append(found, "unreadable address")
		}
		for _, secret := range []string{address, u.Host, u.Path[strings.LastIndexByte(u.Path, '/')+1:]} {
			if strings.Contains(written, secret) {
				found = append(found, secret)
			}
		}
	}
	return found
}
