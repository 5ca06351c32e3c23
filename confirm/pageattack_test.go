package confirm

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"
)

// attack is a request that nobody but an attacker sends. It is sent to a page with a person on it, with everything right but one
// thing; the answer in it would be a yes.
type attack struct {
	name   string
	change func(*visit)
	status int
}

func headers(pairs ...string) func(*visit) {
	return func(v *visit) {
		for i := 0; i+1 < len(pairs); i += 2 {
			v.header[pairs[i]] = pairs[i+1]
		}
	}
}

// attacksOnAll are refused whatever they ask for.
func attacksOnAll(origin string) []attack {
	host := strings.TrimPrefix(origin, "http://")
	_, port, _ := net.SplitHostPort(host)
	as := func(h string) func(*visit) { return func(v *visit) { v.host = h } }
	by := func(m string) func(*visit) { return func(v *visit) { v.method = m } }
	return []attack{
		{"a name made to point here", as("evil.example:" + port), 421},
		{"a name made to point here, without port", as("evil.example"), 421},
		{"localhost", as("localhost:" + port), 421},
		{"localhost of the whole world", as("127.0.0.1.nip.example:" + port), 421},
		{"the address in another form", as("127.1:" + port), 421},
		{"the address in IPv6", as("[::ffff:127.0.0.1]:" + port), 421},
		{"the address with a dot", as("127.0.0.1.:" + port), 421},
		{"another port", as("127.0.0.1:1"), 421},
		{"no port", as("127.0.0.1"), 421},
		{"in a frame", headers("Sec-Fetch-Dest", "iframe"), 403},
		{"in an object", headers("Sec-Fetch-Dest", "object"), 403},
		{"in an embed", headers("Sec-Fetch-Dest", "embed"), 403},
		{"as an image", headers("Sec-Fetch-Dest", "image", "Sec-Fetch-Mode", "no-cors"), 403},
		{"as a script", headers("Sec-Fetch-Dest", "script", "Sec-Fetch-Mode", "no-cors"), 403},
		{"by fetch", headers("Sec-Fetch-Dest", "empty", "Sec-Fetch-Mode", "cors"), 403},
		{"by fetch without CORS", headers("Sec-Fetch-Dest", "empty", "Sec-Fetch-Mode", "no-cors"), 403},
		{"by fetch of the page itself", headers("Sec-Fetch-Dest", "empty", "Sec-Fetch-Mode", "same-origin"), 403},
		{"from another site", headers("Sec-Fetch-Site", "cross-site"), 403},
		{"from another port of this machine", headers("Sec-Fetch-Site", "same-site"), 403},
		{"site not said", headers("Sec-Fetch-Site", ""), 403},
		{"mode not said", headers("Sec-Fetch-Mode", ""), 403},
		{"destination not said", headers("Sec-Fetch-Dest", ""), 403},
		{"nothing said, as curl", headers("Sec-Fetch-Site", "", "Sec-Fetch-Mode", "", "Sec-Fetch-Dest", ""), 403},
		{"prefetched", headers("Sec-Purpose", "prefetch"), 403},
		{"prerendered", headers("Sec-Purpose", "prefetch;prerender"), 403},
		{"prefetched, old spelling", headers("Purpose", "prefetch"), 403},
		{"prefetched, older spelling", headers("X-Moz", "prefetch"), 403},
		{"previewed", headers("X-Purpose", "preview"), 403},
		{"HEAD", by("HEAD"), 405},
		{"OPTIONS", by("OPTIONS"), 405},
		{"PUT", by("PUT"), 405},
		{"TRACE", by("TRACE"), 405},
		{"a path below", func(v *visit) { v.path += "/" }, 404},
		{"a query", func(v *visit) { v.path += "?x" }, 404},
		{"an escaped path", func(v *visit) { v.path = strings.Replace(v.path, "e", "%65", 1) }, 404},
		{"a guessed secret", func(v *visit) { v.path = v.path[:len(v.path)-64] + strings.Repeat("a", 64) }, 404},
		{"all of the secret but the last digit", func(v *visit) { v.path = v.path[:len(v.path)-1] }, 404},
		{"the root", func(v *visit) { v.path = "/" }, 404},
	}
}

// TestPageAttacks: 0 approvals, and no redemption. A person who comes after the attack is served; one who reads on can answer.
func TestPageAttacks(t *testing.T) {
	attacks := attacksOnAll(askPage(t, plainMessage()).origin())
	for i := range attacks {
		t.Run("the address: "+attacks[i].name, func(t *testing.T) {
			p := askPage(t, plainMessage())
			attacksOnAll(p.origin())[i].refused(p, p.open(), "")
		})
		t.Run("the message: "+attacks[i].name, func(t *testing.T) {
			p := askPage(t, plainMessage())
			path, _ := p.read()
			attacksOnAll(p.origin())[i].refused(p, visit{method: "GET", path: path, header: map[string]string{"Sec-Fetch-Site": "none"}}, path)
		})
		t.Run("the answer: "+attacks[i].name, func(t *testing.T) {
			p := askPage(t, plainMessage())
			path, form := p.read()
			attacksOnAll(p.origin())[i].refused(p, visit{method: "POST", path: path, body: with(form, "answer", "send").Encode(), header: map[string]string{}}, path)
		})
	}
}

// refused sends v as the attack changes it, and then does what a person would.
func (a attack) refused(p *pageTest, v visit, path string) {
	p.t.Helper()
	a.change(&v)
	status, h, body := p.do(v)
	if status != a.status || h.Get("Location") != "" || strings.Contains(body, "<form") {
		p.t.Errorf("got status %d with %d octets, want %d", status, len(body), a.status)
	}
	p.undecided()
	if path == "" {
		path, _ = p.read()
	}
	status, _, body = p.do(visit{method: "GET", path: path, header: map[string]string{"Sec-Fetch-Site": "same-origin"}})
	if status != http.StatusOK || !strings.Contains(body, "<form") {
		p.t.Errorf("after it: got status %d, want the page", status)
	}
}

// TestPageAttacksOnAnswers are those that only an answer can be the object of.
func TestPageAttacksOnAnswers(t *testing.T) {
	body := func(b string) func(*visit) { return func(v *visit) { v.body = b } }
	for _, a := range []attack{
		{"typed in the address bar", headers("Sec-Fetch-Site", "none"), 403},
		{"a foreign origin", headers("Origin", "http://evil.example"), 403},
		{"an origin without a name", headers("Origin", "null"), 403},
		{"no origin", headers("Origin", ""), 403},
		{"the origin of another port", headers("Origin", "http://127.0.0.1:1"), 403},
		{"the origin over TLS", func(v *visit) { v.header["Origin"] = "https" + v.host }, 403},
		{"as text, which other sites can send", headers("Content-Type", "text/plain"), 400},
		{"as a form of parts", headers("Content-Type", "multipart/form-data; boundary=x"), 400},
		{"as JSON", headers("Content-Type", "application/json"), 400},
		{"of no type", headers("Content-Type", ""), 400},
		{"oversized", body("answer=send&x=" + strings.Repeat("x", maxFormOctets)), 400},
		{"malformed", body("answer=%"), 400},
		{"read instead", func(v *visit) { v.method, v.header["Sec-Fetch-Site"] = "GET", "none" }, 400},
	} {
		t.Run(a.name, func(t *testing.T) {
			p := askPage(t, plainMessage())
			path, form := p.read()
			a.refused(p, visit{method: "POST", path: path, body: with(form, "answer", "send").Encode(), header: map[string]string{}}, path)
		})
	}
}

// TestPageGetChangesNothing: an answer in the address of the message is none.
func TestPageGetChangesNothing(t *testing.T) {
	p := askPage(t, plainMessage())
	path, form := p.read()
	for range 3 {
		if status, _, _ := p.do(visit{method: "GET", path: path, header: map[string]string{"Sec-Fetch-Site": "none"}}); status != http.StatusOK {
			t.Errorf("loaded again: got status %d, want the page", status)
		}
	}
	if status, _, _ := p.do(visit{method: "GET", path: path + "?" + with(form, "answer", "send").Encode(), header: map[string]string{"Sec-Fetch-Site": "same-origin"}}); status != http.StatusNotFound {
		t.Errorf("an answer in the address: got status %d, want %d", status, http.StatusNotFound)
	}
	p.undecided()
}

// TestPageSecondVisit: whoever comes second to the address, the question is void, and both are told.
func TestPageSecondVisit(t *testing.T) {
	p := askPage(t, plainMessage())
	path, form := p.read()
	_, h, body := p.do(p.open())
	if h.Get("Location") != "" || !strings.Contains(body, "opened twice") {
		t.Errorf("the second: got %q, want to be told", body)
	}
	p.want(OpenedTwice)
	if _, body := p.post(path, with(form, "answer", "send")); !strings.Contains(body, "opened twice") {
		t.Errorf("the first: got %q, want to be told", body)
	}
	if log := p.log.String(); !strings.Contains(log, "level=WARN") || !strings.Contains(log, "used twice") {
		t.Errorf("the log lacks the alarm: %s", log)
	}
}

// TestPageOthersForm: the form of one message is worth nothing on the page of another, though both are open.
func TestPageOthersForm(t *testing.T) {
	one, two := askPage(t, plainMessage()), plainMessage()
	two.Binding.Digest = [32]byte{8}
	other := askPage(t, two)
	_, form := one.read()
	path, right := other.read()
	other.post(path, with(form, "answer", "send"))
	other.undecided()
	other.post(path, with(right, "answer", "send", "digest", form.Get("digest")))
	other.undecided()
	one.undecided()
}

// TestPageSpent: an answer that is sent again reaches nobody.
func TestPageSpent(t *testing.T) {
	p := askPage(t, plainMessage())
	path, form := p.read()
	p.post(path, with(form, "answer", "no"))
	p.want(DoNotSend)
	if _, _, body, err := p.try(visit{method: "POST", path: path, body: with(form, "answer", "send").Encode()}); err == nil && strings.Contains(body, "You approved") {
		t.Error("a second answer was taken")
	}
}

// TestPageRaw sends what net/http does not.
func TestPageRaw(t *testing.T) {
	p := askPage(t, plainMessage())
	path, form := p.read()
	host := strings.TrimPrefix(p.origin(), "http://")
	fields := "Host: " + host + "\r\nSec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: document\r\nSec-Fetch-Site: same-origin\r\nOrigin: " + p.origin() +
		"\r\nContent-Type: application/x-www-form-urlencoded\r\n"
	body := with(form, "answer", "send").Encode()
	length := fmt.Sprintf("Content-Length: %d\r\n", len(body))
	for _, test := range []struct{ name, octets, want string }{
		{"no length", "POST " + path + " HTTP/1.1\r\n" + fields + "Transfer-Encoding: chunked\r\n\r\n" + fmt.Sprintf("%x\r\n%s\r\n0\r\n\r\n", len(body), body), "400"},
		{"a whole address as target", "POST " + p.origin() + path + " HTTP/1.1\r\n" + fields + length + "\r\n" + body, "404"},
		{"an origin more", "POST " + path + " HTTP/1.1\r\n" + fields + "Origin: http://evil.example\r\n" + length + "\r\n" + body, "403"},
		{"a site more", "POST " + path + " HTTP/1.1\r\n" + fields + "Sec-Fetch-Site: cross-site\r\n" + length + "\r\n" + body, "403"},
		{"two hosts", "POST " + path + " HTTP/1.1\r\n" + fields + "Host: evil.example\r\n" + length + "\r\n" + body, "400"},
		{"a message with a body", "GET " + path + " HTTP/1.1\r\n" + fields + length + "\r\n" + body, "400"},
		{"a large header", "GET " + path + " HTTP/1.1\r\n" + fields + "X: " + strings.Repeat("x", 2*maxHeaderOctets) + "\r\n\r\n", "431"},
		{"all of the server", "OPTIONS * HTTP/1.1\r\n" + fields + "\r\n", "405"},
		{"the next protocol", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "405 421 505"},
	} {
		t.Run(test.name, func(t *testing.T) {
			c, err := net.Dial("tcp", host)
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			if _, err := io.WriteString(c, test.octets); err != nil {
				t.Fatal(err)
			}
			answer, _ := io.ReadAll(c) // a reset after the answer is no matter
			if got, _, _ := strings.Cut(strings.TrimPrefix(string(answer), "HTTP/1.1 "), " "); !strings.Contains(test.want, got) || got == "" {
				t.Errorf("got %.60q, want status %s", answer, test.want)
			}
			p.undecided()
		})
	}
	p.post(path, with(form, "answer", "send"))
	p.want(Approved)
}

// TestPageSlow: a header that comes one octet at a time is cut off.
func TestPageSlow(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("waits for the time that a header may take")
	}
	p := askPage(t, plainMessage())
	c, err := net.Dial("tcp", strings.TrimPrefix(p.origin(), "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	began := time.Now()
	go func() {
		for _, err := c.Write([]byte("GET / HTTP/1.1\r\nX: ")); err == nil; _, err = c.Write([]byte("x")) {
			select {
			case <-time.After(100 * time.Millisecond):
			case <-t.Context().Done():
				return
			}
		}
	}()
	if err := c.SetReadDeadline(began.Add(headerTime + 5*time.Second)); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadAll(c); errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("still open after %v", time.Since(began))
	}
}

// TestPageHeader: what every response carries, served or refused.
func TestPageHeader(t *testing.T) {
	p := askPage(t, plainMessage())
	path, form := p.read()
	refusedVisit := p.open()
	refusedVisit.header["Sec-Fetch-Site"] = "cross-site"
	for name, v := range map[string]visit{
		"the message":        {method: "GET", path: path, header: map[string]string{"Sec-Fetch-Site": "none"}},
		"a refusal":          refusedVisit,
		"asked again":        {method: "POST", path: path, body: form.Encode()},
		"nothing there":      {method: "GET", path: "/favicon.ico"},
		"the second opening": p.open(),
	} {
		_, h, _ := p.do(v)
		for field, want := range map[string]string{
			"Cache-Control": "no-store", "Referrer-Policy": "same-origin", "X-Content-Type-Options": "nosniff", "X-Frame-Options": "DENY",
			"Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Resource-Policy": "same-origin",
		} {
			if got := h.Get(field); got != want {
				t.Errorf("%s: %s: got %q, want %q", name, field, got, want)
			}
		}
		policy := h.Get("Content-Security-Policy")
		for _, want := range []string{"default-src 'none'", "frame-ancestors 'none'", "base-uri 'none'", "form-action", "sandbox"} {
			if !strings.Contains(policy, want) {
				t.Errorf("%s: the policy %q lacks %s", name, policy, want)
			}
		}
		if strings.Contains(policy, "script") || strings.Contains(policy, "http") || len(h.Values("Set-Cookie")) > 0 || h.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%s: the header allows too much: %v", name, h)
		}
	}
}

// TestPageKeepsItsAddress: nothing of the address reaches the log, at any level.
func TestPageKeepsItsAddress(t *testing.T) {
	p := askPage(t, elevatedMessage())
	path, form := p.read()
	v := p.open()
	v.header["Sec-Fetch-Site"] = "cross-site"
	p.do(v)
	p.post(path, with(form, "answer", "send"))
	p.do(p.open())
	p.want(OpenedTwice)
	log := p.log.String()
	secrets := append(regexp.MustCompile(`[0-9a-f]{64}`).FindAllString(p.url+path+form.Encode(), -1), strings.TrimPrefix(p.origin(), "http://127.0.0.1:"), "new.example", "Lunch")
	for _, s := range secrets {
		if strings.Contains(log, s) {
			t.Errorf("the log holds %q: %s", s, log)
		}
	}
	if len(secrets) < 6 || !strings.Contains(log, "refused a request") {
		t.Error("the test looks for too little, or nothing was logged")
	}
}

// TestPageLogsLittle: a flood of refused requests does not become a flood of lines.
func TestPageLogsLittle(t *testing.T) {
	p := askPage(t, plainMessage())
	for range 4 * maxLogged {
		p.do(visit{method: "GET", path: "/", header: map[string]string{"Sec-Fetch-Site": "none"}})
	}
	if got := strings.Count(p.log.String(), "refused a request"); got != maxLogged {
		t.Errorf("got %d lines, want %d", got, maxLogged)
	}
}

// TestPageListensHere: nobody on the network reaches the page.
func TestPageListensHere(t *testing.T) {
	p := askPage(t, plainMessage())
	host, _, err := net.SplitHostPort(strings.TrimPrefix(p.origin(), "http://"))
	if err != nil || host != "127.0.0.1" {
		t.Errorf("got host %q, want 127.0.0.1", host)
	}
	addrs, err := net.InterfaceAddrs()
	if err != nil {
		t.Fatal(err)
	}
	_, port, _ := net.SplitHostPort(strings.TrimPrefix(p.origin(), "http://"))
	for _, a := range addrs {
		n, ok := a.(*net.IPNet)
		if !ok || n.IP.IsLoopback() || n.IP.To4() == nil {
			continue
		}
		d := net.Dialer{Timeout: time.Second}
		if c, err := d.Dial("tcp", net.JoinHostPort(n.IP.String(), port)); err == nil {
			c.Close()
			t.Errorf("the page answers at another address of this machine")
		}
	}
}

// TestPagePorts: two questions have two origins.
func TestPagePorts(t *testing.T) {
	if a, b := askPage(t, plainMessage()), askPage(t, plainMessage()); a.origin() == b.origin() {
		t.Errorf("both at %s", a.origin())
	}
}

// FuzzPageForm: no form is a yes but the one of the page.
func FuzzPageForm(f *testing.F) {
	f.Add("token=t&digest=d&answer=send")
	f.Add("token=t&digest=d&answer=send&answer=no")
	f.Add("token=t&digest=d&answer=none&domain1=x")
	f.Fuzz(func(t *testing.T, body string) {
		d := plainMessage()
		d.Expires = time.Now().Add(time.Hour)
		s := &sheet{o: PageOptions{Now: time.Now, Random: rand.Reader}, d: d, ended: make(chan struct{}), token: "t", digest: "d", shown: time.Now().Add(-time.Hour)}
		s.o.Logger = discard
		r, err := http.NewRequestWithContext(context.Background(), "POST", "http://127.0.0.1/", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		form, err := readForm(nil, r)
		if err != nil {
			return
		}
		s.decide(form)
		if exact := form.Get("token") == "t" && form.Get("digest") == "d" && form.Get("answer") == "send" && len(form) == 3 && len(form["token"]) == 1 && len(form["answer"]) == 1 && len(form["digest"]) == 1; s.answer().Yes() != exact {
			t.Errorf("%q: approved: %v, want %v", body, s.answer().Yes(), exact)
		}
	})
}

var discard = slog.New(slog.DiscardHandler)
