package mcpserve

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

const testToken = "0123456789abcdef0123456789abcdef"

// httpServer is ServeHTTP over TCP.
type httpServer struct {
	t    *testing.T
	url  string
	log  *lockedBuffer
	stop context.CancelFunc
	done chan error
}

func startHTTP(t *testing.T, s *Server, log *lockedBuffer) *httpServer {
	t.Helper()
	l, err := ListenHTTP("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	h := &httpServer{t: t, url: "http://" + l.Addr().String() + HTTPPath, log: log, stop: stop, done: make(chan error, 1)}
	go func() { h.done <- ServeHTTP(ctx, s, l, HTTPOptions{Token: testToken}) }()
	t.Cleanup(stop)
	return h
}

func httpHere(t *testing.T, g gates) *httpServer {
	log := &lockedBuffer{}
	return startHTTP(t, testServer(t, log, g), log)
}

// post sends one message with the headers that a client sends; extra are pairs, and replace.
func (h *httpServer) post(body string, extra ...string) *http.Response {
	h.t.Helper()
	req, err := http.NewRequestWithContext(h.t.Context(), http.MethodPost, h.url, strings.NewReader(body))
	if err != nil {
		h.t.Fatal(err)
	}
	return h.do(req, extra...)
}

func (h *httpServer) do(req *http.Request, extra ...string) *http.Response {
	h.t.Helper()
	req.Header.Set("Authorization", "Bearer "+testToken)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	for i := 0; i < len(extra); i += 2 {
		switch {
		case extra[i] == "Host":
			req.Host = extra[i+1]
		case extra[i+1] == "":
			req.Header.Del(extra[i])
		default:
			req.Header.Set(extra[i], extra[i+1])
		}
	}
	r, err := http.DefaultClient.Do(req)
	if err != nil {
		h.t.Fatal(err)
	}
	h.t.Cleanup(func() { r.Body.Close() })
	return r
}

func text(t *testing.T, r *http.Response) string {
	t.Helper()
	b, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// open initializes a session and returns its id.
func (h *httpServer) open(capabilities string) string {
	h.t.Helper()
	r := h.post(strings.Replace(fmt.Sprintf(initialize, "2025-11-25"), `"capabilities":{}`, `"capabilities":`+capabilities, 1))
	id := r.Header.Get(headerSession)
	if body := text(h.t, r); r.StatusCode != 200 || len(id) < 40 || !strings.Contains(body, `"serverInfo"`) {
		h.t.Fatalf("initialize: got %s, session %q, %s", r.Status, id, body)
	}
	return id
}

const httpEcho = `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"echo_text","arguments":{"text":%q}%s}}`

func TestHTTPSession(t *testing.T) {
	h := httpHere(t, gates{})
	id := h.open(`{}`)
	r := h.post(fmt.Sprintf(httpEcho, "hello", ""), headerSession, id)
	if body := text(t, r); r.StatusCode != 200 || r.Header.Get("Content-Type") != "application/json" || !strings.Contains(body, `"text":"hello"`) || !strings.Contains(body, `"id":7`) {
		t.Errorf("call: got %s %s", r.Status, body)
	}
	if r := h.post(`{"jsonrpc":"2.0","method":"notifications/initialized"}`, headerSession, id); r.StatusCode != http.StatusAccepted {
		t.Errorf("notification: got %s", r.Status)
	}
	for name, c := range map[string]struct {
		session string
		want    int
	}{"none": {"", http.StatusBadRequest}, "made up": {strings.Repeat("a", 52), http.StatusNotFound}} {
		if r := h.post(fmt.Sprintf(httpEcho, "hello", ""), headerSession, c.session); r.StatusCode != c.want {
			t.Errorf("session %s: got %s, want %d", name, r.Status, c.want)
		}
	}
	req, _ := http.NewRequestWithContext(t.Context(), http.MethodDelete, h.url, nil)
	if r := h.do(req, headerSession, id); r.StatusCode != http.StatusNoContent {
		t.Errorf("delete: got %s", r.Status)
	}
	if r := h.post(fmt.Sprintf(httpEcho, "hello", ""), headerSession, id); r.StatusCode != http.StatusNotFound {
		t.Errorf("after delete: got %s, want 404", r.Status)
	}
}

// TestHTTPGuard changes one thing of a request that is served.
func TestHTTPGuard(t *testing.T) {
	h := httpHere(t, gates{})
	id := h.open(`{}`)
	host := strings.TrimSuffix(strings.TrimPrefix(h.url, "http://"), HTTPPath)
	port := host[strings.LastIndex(host, ":"):]
	for _, c := range []struct {
		name  string
		extra []string
		want  int
	}{
		{"as it should be", nil, 200},
		{"localhost", []string{"Host", "localhost" + port}, 200},
		{"own origin", []string{"Origin", "http://" + host}, 200},
		{"not a page", []string{"Sec-Fetch-Site", "none"}, 200},
		{"accepts anything", []string{"Accept", "*/*"}, 200},
		{"JSON with charset", []string{"Content-Type", "application/json; charset=utf-8"}, 200},
		{"scheme in lower case", []string{"Authorization", "bearer " + testToken}, 200},
		{"foreign host", []string{"Host", "attacker.example" + port}, 403},
		{"host without port", []string{"Host", "127.0.0.1"}, 403},
		{"host with another port", []string{"Host", "127.0.0.1:1"}, 403},
		{"host with a dot", []string{"Host", "localhost." + port}, 403},
		{"foreign origin", []string{"Origin", "https://attacker.example"}, 403},
		{"origin of a sandbox", []string{"Origin", "null"}, 403},
		{"origin of another port", []string{"Origin", "http://127.0.0.1:1"}, 403},
		{"origin with our host before it", []string{"Origin", "http://" + host + ".attacker.example"}, 403},
		{"page of another site", []string{"Sec-Fetch-Site", "cross-site"}, 403},
		{"page of another port", []string{"Sec-Fetch-Site", "same-site"}, 403},
		{"no token", []string{"Authorization", ""}, 401},
		{"wrong token", []string{"Authorization", "Bearer " + testToken[1:] + "0"}, 401},
		{"token and more", []string{"Authorization", "Bearer " + testToken + " "}, 200}, // the transport trims
		{"part of the token", []string{"Authorization", "Bearer " + testToken[:31]}, 401},
		{"another scheme", []string{"Authorization", "Basic " + testToken}, 401},
		{"a form", []string{"Content-Type", "application/x-www-form-urlencoded"}, 415},
		{"text, as a page could send", []string{"Content-Type", "text/plain"}, 415},
		{"no type", []string{"Content-Type", ""}, 415},
		{"compressed", []string{"Content-Encoding", "gzip"}, 415},
		{"reads no stream", []string{"Accept", "application/json"}, 406},
		{"unknown version", []string{"Mcp-Protocol-Version", "1999-01-01"}, 400},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := h.post(fmt.Sprintf(httpEcho, "hello", ""), append([]string{headerSession, id}, c.extra...)...)
			if r.StatusCode != c.want {
				t.Errorf("got %s, want %d", r.Status, c.want)
			}
			if served := strings.Contains(text(t, r), `"hello"`); served != (c.want == 200) {
				t.Errorf("served: %t", served)
			}
		})
	}
	for method, want := range map[string]int{http.MethodGet: 405, http.MethodPut: 405, http.MethodOptions: 405} {
		req, _ := http.NewRequestWithContext(t.Context(), method, h.url, nil)
		if r := h.do(req, headerSession, id); r.StatusCode != want || r.Header.Get("Allow") == "" || r.Header.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%s: got %s", method, r.Status)
		}
	}
	if strings.Contains(h.log.String(), testToken) {
		t.Error("the log has the token")
	}
}

func TestHTTPBodyLimit(t *testing.T) {
	h := httpHere(t, gates{})
	if r := h.post(`{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":"` + strings.Repeat("a", defaultMaxLineOctets) + `"}}`); r.StatusCode != http.StatusRequestEntityTooLarge {
		t.Errorf("got %s, want 413", r.Status)
	}
	for _, body := range []string{"", "x", "[]", `{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}`} {
		if r := h.post(body); r.StatusCode != http.StatusBadRequest {
			t.Errorf("%q: got %s, want 400", body, r.Status)
		}
	}
}

const httpModernMeta = `,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"c","version":"1"},"io.modelcontextprotocol/clientCapabilities":{"elicitation":{}}}`

func TestHTTPModern(t *testing.T) {
	h := httpHere(t, gates{})
	body := fmt.Sprintf(httpEcho, "hello", httpModernMeta)
	ok := []string{"Mcp-Protocol-Version", "2026-07-28", "Mcp-Method", "tools/call", "Mcp-Name", "echo_text"}
	r := h.post(body, ok...)
	if got := text(t, r); r.StatusCode != 200 || r.Header.Get(headerSession) != "" || !strings.Contains(got, `"text":"hello"`) {
		t.Errorf("got %s %s", r.Status, got)
	}
	for name, change := range map[string][2]string{
		"no version": {"Mcp-Protocol-Version", ""}, "another version": {"Mcp-Protocol-Version", "2025-11-25"},
		"no method": {"Mcp-Method", ""}, "another method": {"Mcp-Method", "ping"}, "no name": {"Mcp-Name", ""}, "another name": {"Mcp-Name", "x"},
	} {
		r := h.post(body, append(append([]string{}, ok...), change[0], change[1])...)
		if got := text(t, r); r.StatusCode != http.StatusBadRequest || !strings.Contains(got, "-32020") {
			t.Errorf("%s: got %s %s", name, r.Status, got)
		}
	}
	if r := h.post(fmt.Sprintf(httpEcho, "hello", ""), ok...); r.StatusCode != http.StatusBadRequest {
		t.Errorf("version in the header alone: got %s", r.Status)
	}
}

// events reads messages of a stream.
func events(t *testing.T, r *http.Response) <-chan string {
	t.Helper()
	if ct := r.Header.Get("Content-Type"); ct != "text/event-stream" {
		t.Fatalf("got %s %q, want a stream", r.Status, ct)
	}
	out := make(chan string, 10)
	go func() {
		defer close(out)
		for s := bufio.NewScanner(r.Body); s.Scan(); {
			if data, ok := strings.CutPrefix(s.Text(), "data: "); ok {
				out <- data
			}
		}
	}()
	return out
}

func TestHTTPProgressThenAnswer(t *testing.T) {
	h := httpHere(t, gates{})
	id := h.open(`{}`)
	got := events(t, h.post(fmt.Sprintf(httpEcho, "progress", `,"_meta":{"progressToken":"tok"}`), headerSession, id))
	if l := <-got; !strings.Contains(l, `"progressToken":"tok"`) {
		t.Errorf("got %s, want progress", l)
	}
	if l := <-got; !strings.Contains(l, `"id":7`) {
		t.Errorf("got %s, want the answer", l)
	}
	if l, more := <-got; more {
		t.Errorf("got %s after the answer", l)
	}
}

// TestHTTPAsks has the person asked on the stream, and answered by another request, of the same session only.
func TestHTTPAsks(t *testing.T) {
	seen := make(chan Answer, 10)
	log := &lockedBuffer{}
	s, err := NewServer(Config{Name: "test-mcp", Version: "1.0.0", Tools: []Tool{asker(seen)}, Logger: slog.New(slog.NewTextHandler(log, nil))})
	if err != nil {
		t.Fatal(err)
	}
	h := startHTTP(t, s, log)
	id, other := h.open(`{"elicitation":{}}`), h.open(`{"elicitation":{}}`)
	got := events(t, h.post(askCall("1", "x", ""), headerSession, id))
	if l := <-got; !strings.Contains(l, `"method":"elicitation/create"`) {
		t.Fatalf("got %s, want a question", l)
	}
	answer := `{"jsonrpc":"2.0","id":1,"result":{"action":"%s","content":{"decision":"yes"}}}`
	if r := h.post(fmt.Sprintf(answer, "accept"), headerSession, other); r.StatusCode != http.StatusAccepted {
		t.Errorf("answer of another session: got %s", r.Status)
	}
	if r := h.post(fmt.Sprintf(answer, "decline"), headerSession, id); r.StatusCode != http.StatusAccepted {
		t.Errorf("answer: got %s", r.Status)
	}
	if a := <-seen; a.Action != ActionDecline || len(seen) != 0 {
		t.Errorf("got %+v, want the answer of the session that was asked", a)
	}
	if l := <-got; !strings.Contains(l, `"text":"decline"`) {
		t.Errorf("got %s, want the result", l)
	}
}

func TestHTTPPrincipal(t *testing.T) {
	who := make(chan string, 2)
	tool := Define(Spec{Name: "who_calls", Description: "Says who.", InputSchema: json.RawMessage(`{"type":"object","additionalProperties":false}`)},
		func(_ context.Context, c *Call, _ struct{}) (Result[struct{}], error) {
			who <- c.Principal()
			return Result[struct{}]{Text: Constant("x")}, nil
		})
	s, err := NewServer(Config{Name: "test-mcp", Version: "1.0.0", Tools: []Tool{tool}})
	if err != nil {
		t.Fatal(err)
	}
	h := startHTTP(t, s, &lockedBuffer{})
	for range 2 {
		text(t, h.post(`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"who_calls"}}`, headerSession, h.open(`{}`)))
	}
	a, b := <-who, <-who
	if a != b || !strings.HasPrefix(a, "http:") || len(a) != len("http:")+8 || strings.Contains(testToken, a[5:]) {
		t.Errorf("got %q and %q, want one name for one token, not of stdio", a, b)
	}
}

func TestHTTPClientGoesAway(t *testing.T) {
	g := gates{started: make(chan string, 1), ended: make(chan error, 1)}
	h := httpHere(t, g)
	id := h.open(`{}`)
	ctx, cancel := context.WithCancel(t.Context())
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, h.url, strings.NewReader(fmt.Sprintf(httpEcho, "wait", "")))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+testToken)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set(headerSession, id)
	failed := make(chan error, 1)
	go func() {
		r, err := http.DefaultClient.Do(req)
		if err == nil {
			r.Body.Close()
		}
		failed <- err
	}()
	<-g.started
	cancel()
	if err := <-g.ended; !errors.Is(err, context.Canceled) {
		t.Errorf("the call got %v, want to be cancelled", err)
	}
	<-failed
}

func TestHTTPCancel(t *testing.T) {
	g := gates{started: make(chan string, 1), ended: make(chan error, 1)}
	h := httpHere(t, g)
	id := h.open(`{}`)
	answered := make(chan string, 1)
	go func() { answered <- text(t, h.post(fmt.Sprintf(httpEcho, "wait", ""), headerSession, id)) }()
	<-g.started
	h.post(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}`, headerSession, id)
	<-g.ended
	if got := <-answered; !strings.Contains(got, textCancelled) {
		t.Errorf("got %s", got)
	}
}

func TestHTTPEndsWithinASecond(t *testing.T) {
	g := gates{started: make(chan string, 1), open: make(chan struct{})}
	defer close(g.open)
	h := httpHere(t, g)
	id := h.open(`{}`)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, h.url, strings.NewReader(fmt.Sprintf(httpEcho, "hang", "")))
	if err != nil {
		t.Fatal(err)
	}
	req.Header = http.Header{"Authorization": {"Bearer " + testToken}, "Content-Type": {"application/json"}, headerSession: {id}}
	go func() {
		if r, err := http.DefaultClient.Do(req); err == nil {
			r.Body.Close()
		}
	}()
	<-g.started
	h.stop()
	if err := <-h.done; err != nil {
		t.Errorf("got %v", err)
	}
}

// TestHTTPStreamIsAlive lets a call run for longer than a proxy waits.
func TestHTTPStreamIsAlive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &plainWriter{header: http.Header{}}
		s := newStream(w)
		time.Sleep(2*streamInterval + time.Second)
		s.finish(200, []byte(`{"id":1}`))
		s.close()
		if got, want := w.body.String(), ": running\n\n: running\n\nevent: message\ndata: {\"id\":1}\n\n"; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
		if _, err := s.Write([]byte("x")); err == nil {
			t.Error("a message was written after the answer")
		}
	})
}

type plainWriter struct {
	header http.Header
	body   bytes.Buffer
}

func (w *plainWriter) Header() http.Header         { return w.header }
func (w *plainWriter) WriteHeader(int)             {}
func (w *plainWriter) Write(b []byte) (int, error) { return w.body.Write(b) }
func (w *plainWriter) Flush()                      {}

func TestHTTPSessionsAreBounded(t *testing.T) {
	h, err := newEndpoint(testServer(t, io.Discard, gates{}), &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 1}, HTTPOptions{Token: testToken})
	if err != nil {
		t.Fatal(err)
	}
	now := time.Unix(1e9, 0)
	h.now = func() time.Time { now = now.Add(time.Second); return now }
	add := func(id string) bool {
		c := h.newConn()
		return h.keep(id, &httpSession{c, func() {}, h.now()})
	}
	for i := range maxSessions + 1 {
		if !add(fmt.Sprint(i)) {
			t.Fatalf("session %d refused", i)
		}
	}
	if len(h.sessions) != maxSessions || h.session("0") != nil || h.session("1") == nil {
		t.Errorf("got %d sessions, want the oldest to make room", len(h.sessions))
	}
	for _, s := range h.sessions {
		s.conn.register(json.RawMessage("1"), &running{})
	}
	if add("busy") {
		t.Error("a session with a running call was dropped")
	}
	for _, s := range h.sessions {
		s.conn.finish(json.RawMessage("1"))
	}
	now = now.Add(sessionIdle + time.Minute)
	if h.session("1") != nil {
		t.Error("an idle session lives on")
	}
}

func TestHTTPRefusesToStart(t *testing.T) {
	for _, address := range []string{"", "8765", ":8765", "0.0.0.0:0", "192.0.2.1:0", "[::]:0", "example.com:80", "127.0.0.1:"} {
		if l, err := ListenHTTP(address); !errors.Is(err, ErrNotLoopback) {
			t.Errorf("%q: got %v, want ErrNotLoopback", address, err)
			if l != nil {
				l.Close()
			}
		}
	}
	l, err := ListenHTTP("localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	if err := ServeHTTP(t.Context(), testServer(t, io.Discard, gates{}), l, HTTPOptions{Token: testToken[1:]}); !errors.Is(err, ErrShortToken) {
		t.Errorf("got %v, want ErrShortToken", err)
	}
}
