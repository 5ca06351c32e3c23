package confirm

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"mailgap/shared/chromium"
)

// hostileMail is what must never come out of package sanitize, and loads nothing even if it did.
const hostileMail = `<!DOCTYPE html><html><head><meta http-equiv="refresh" content="0;url=http://tracker.example/refresh">
<base href="http://tracker.example/base/"><link rel="stylesheet" href="http://tracker.example/style.css"><link rel="icon" href="http://tracker.example/icon">
<link rel="preload" as="image" href="http://tracker.example/preload"><link rel="prefetch" href="http://tracker.example/prefetch"><link rel="manifest" href="http://tracker.example/m">
<link rel="preconnect" href="http://tracker.example/"><link rel="dns-prefetch" href="http://tracker.example/">
<style>@import url("http://tracker.example/import.css"); body { background: url(http://tracker.example/bg) } @font-face { font-family: x; src: url(http://tracker.example/font) }</style>
<script>new Image().src = "http://tracker.example/script"</script><script src="http://tracker.example/script.js"></script></head>
<body background="http://tracker.example/background" style="font-family:x; background-image: url(http://tracker.example/inline)" onload="fetch('http://tracker.example/onload')">
<a href="http://tracker.example/link" target="_top" ping="http://tracker.example/ping" style="display:block;height:60px">a link</a>
<a href="http://tracker.example/link2" style="display:block;height:60px">another</a>
<img src="http://tracker.example/img" srcset="http://tracker.example/srcset 2x"><img src="cid:x" srcset="http://tracker.example/cidset"><picture><source srcset="http://tracker.example/source"><img></picture>
<video poster="http://tracker.example/poster" src="http://tracker.example/video" autoplay></video><audio src="http://tracker.example/audio" autoplay></audio>
<svg><image href="http://tracker.example/svg" width="9" height="9"/><use href="http://tracker.example/use#a"/></svg><input type="image" src="http://tracker.example/input">
<form action="http://tracker.example/form"><button style="height:60px">go</button></form></body></html>`

// network is every host but this machine: it counts connections, from whichever process of the browser they come.
type network struct {
	*httptest.Server
	connections atomic.Int64
}

func newNetwork(t testing.TB, handler http.HandlerFunc) *network {
	n := &network{}
	n.Server = httptest.NewUnstartedServer(handler)
	n.Config.ConnState = func(_ net.Conn, s http.ConnState) {
		if s == http.StateNew {
			n.connections.Add(1)
		}
	}
	n.Start()
	t.Cleanup(n.Close)
	return n
}

func (n *network) port() string { return n.URL[strings.LastIndex(n.URL, ":")+1:] }

// TestPageLoadsNothing: what is drawn in the frame reaches nobody, also when it is clicked.
func TestPageLoadsNothing(t *testing.T) {
	world := newNetwork(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		if r.URL.Path == "/" {
			_, _ = io.WriteString(w, hostileMail) // the browser may be gone
		}
	})
	b := startChromium(t, chromium.Options{Hosts: "MAP *.example 127.0.0.1:" + world.port()})
	d := plainMessage()
	d.Question.HTML, d.View.HTML = &HTML{}, hostileMail
	d.View.Inline = map[string]Image{"x": {"image/png", picture(t)}}
	p, ask := newPerson(t, b), askPage(t, d)
	p.must(p.View(1000, 800, "light"))
	p.see(ask)
	for _, y := range []int{30, 90} { // the two links
		p.must(p.ClickAt("iframe", 100, y))
	}
	p.must(p.Press("Tab"))
	p.must(p.Press("Enter"))
	var where string
	p.must(p.Eval("location.href", &where))
	p.submit(p.Click(".send"))
	ask.want(Approved)
	if n := world.connections.Load(); n != 0 {
		t.Errorf("got %d connections to the world, want none", n)
	}
	if !strings.HasPrefix(where, ask.origin()+"/message/") {
		t.Errorf("the page went to %s", where)
	}
	twin := newPerson(t, b) // the same without the page around it
	p.must(twin.Go("http://mail.example/"))
	if n := world.connections.Load(); n < 2 {
		t.Errorf("the same document by itself: got %d connections, want several: the count is blind", n)
	}
}

// TestPageDrawsNoEmbeds: what a cleaned part never has makes it a part that is not drawn.
func TestPageDrawsNoEmbeds(t *testing.T) {
	for _, e := range embeds {
		f := newFrame(View{HTML: "<p>a</p><" + e + " src=x>"})
		if f.Document != "" || !f.Unfit {
			t.Errorf("%s: got %q, want nothing drawn", e, f.Document)
		}
	}
	const head = `<meta http-equiv="refresh" content="0;url=//x.example"><base href="//x.example"><link rel="preconnect" href="//x.example">`
	if f := newFrame(View{HTML: head + `<a href="//x.example" ping="//x.example" target="_top" title="t">a</a>`}); f.Document != frameHead+`<a href="about:blank" title="t">a</a>` {
		t.Errorf("got %q, want a link that leads nowhere and no head", strings.TrimPrefix(f.Document, frameHead))
	}
}

// hostilePage tries everything that a page can against the page whose addresses and form it knows, which is more than an attacker
// has. It says when it is done.
const hostilePage = `<!DOCTYPE html><title>hostile</title><body><script>
const open_ = %[1]q, message = %[2]q, form = %[3]q, port = %[4]q;
const log = [];
const later = ms => new Promise(r => setTimeout(r, ms));
const quiet = p => Promise.race([Promise.resolve().then(p).catch(e => log.push(String(e))), later(500)]);
const element = (tag, set) => { const e = document.createElement(tag); Object.assign(e, set); document.body.append(e); return e; };
const submit = (method, target, enctype) => {
	const f = element("form", {method, action: message, target, enctype: enctype || "application/x-www-form-urlencoded"});
	for (const [name, value] of new URLSearchParams(form)) { const i = document.createElement("input"); Object.assign(i, {type: "hidden", name, value}); f.append(i); }
	f.submit();
};
async function attack() {
	for (const url of [open_, message]) {
		for (const mode of ["no-cors", "cors"]) for (const credentials of ["include", "omit"])
			await quiet(() => fetch(url, {mode, credentials, cache: "no-store"}));
		await quiet(() => fetch(url, {mode: "no-cors", method: "HEAD"}));
		for (const tag of ["img", "script", "iframe", "embed", "video"]) element(tag, {src: url});
		element("object", {data: url});
		for (const rel of ["prefetch", "preload", "stylesheet", "preconnect", "dns-prefetch", "modulepreload", "prerender", "manifest"]) element("link", {rel, href: url, as: "document"});
		element("style", {textContent: "body { background: url(" + url + ") }"});
		element("script", {type: "speculationrules", textContent: JSON.stringify({prefetch: [{urls: [url], eagerness: "immediate"}], prerender: [{urls: [url], eagerness: "immediate"}]})});
		const w = window.open(url, "w");
		await later(300);
		try { log.push("read: " + w.document.forms.length); w.document.querySelector(".send").click(); } catch (e) { log.push(String(e)); }
		try { w.postMessage("send", "*"); } catch (e) {}
		element("a", {href: url, target: "_blank", textContent: "x"}).click();
		element("a", {href: url, target: "_blank", ping: url, rel: "noopener noreferrer", textContent: "x"}).click();
		await quiet(() => new Promise(r => { const s = new EventSource(url); s.onerror = r; }));
	}
	for (const body of [form, new URLSearchParams(form), new Blob([form], {type: "application/x-www-form-urlencoded"})]) {
		await quiet(() => fetch(message, {method: "POST", mode: "no-cors", credentials: "include", body, headers: {"Content-Type": "application/x-www-form-urlencoded"}}));
		await quiet(() => fetch(message, {method: "POST", mode: "cors", body}));
		navigator.sendBeacon(message, body);
	}
	await quiet(() => new Promise(r => { const x = new XMLHttpRequest(); x.onloadend = r; x.open("POST", message); x.setRequestHeader("Content-Type", "application/x-www-form-urlencoded"); x.send(form); }));
	await quiet(() => new Promise(r => { const s = new WebSocket("ws://127.0.0.1:" + port + "/"); s.onclose = r; }));
	const f = element("iframe", {name: "inside"});
	for (const target of ["inside", "w", "_blank"]) for (const enctype of ["", "text/plain", "multipart/form-data"]) { submit("post", target, enctype); submit("get", target); await later(100); }
	element("iframe", {srcdoc: "<form method=post action='" + message + "'><input name=answer value=send></form><script>document.forms[0].submit()<\/script>", sandbox: "allow-scripts allow-forms"});
	await quiet(() => navigator.serviceWorker.register(open_));
	for (let i = -3; i <= 3; i++) await quiet(() => fetch("http://127.0.0.1:" + (Number(port) + i) + "/", {mode: "no-cors"})); // the scan that finds the port
	await later(500);
	return log;
}
</script>`

// TestPageAgainstHostilePage: a page open in the same browser that knows the addresses and the form gets no approval and no
// redemption, from another site, from another port of this machine, and from a name that was made to point here.
func TestPageAgainstHostilePage(t *testing.T) {
	content := ""
	world := newNetwork(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, content) // the browser may be gone
	})
	b := startChromium(t, chromium.Options{Hosts: "MAP evil.example 127.0.0.1, MAP rebound.example 127.0.0.1", Flags: []string{"--disable-popup-blocking"}})
	for _, test := range []struct {
		name, origin string
		redeemed     bool // a person has the page open
	}{{"another site", "http://evil.example:" + world.port(), true}, {"another port of this machine", "http://127.0.0.1:" + world.port(), false}} {
		t.Run(test.name, func(t *testing.T) {
			person, ask := newPerson(t, b), askPage(t, plainMessage())
			path, form := "/message/"+strings.Repeat("0", 64), with(nil, "answer", "send", "token", strings.Repeat("0", 64), "digest", strings.Repeat("0", 64))
			if test.redeemed {
				person.see(ask)
				path = person.form(form)
			}
			content = fmt.Sprintf(hostilePage, ask.url, ask.origin()+path, form.Encode(), strings.TrimPrefix(ask.origin(), "http://127.0.0.1:"))
			evil, rebound := newPerson(t, b), newPerson(t, b)
			evil.must(evil.Go(test.origin + "/"))
			var log []string
			evil.must(evil.Eval("attack()", &log))
			_ = rebound.Go(strings.Replace(ask.url, "127.0.0.1", "rebound.example", 1)) // a page of the browser about an error
			ask.undecided()
			for _, l := range log {
				if strings.HasPrefix(l, "read:") {
					t.Errorf("the hostile page could look into the page: %s", l)
				}
			}
			if !test.redeemed {
				person.see(ask)
			}
			person.settle()
			person.submit(person.Click(".no"))
			ask.want(DoNotSend)
			if got := ask.refusals(); got < 10 {
				t.Errorf("%d requests were refused, want many: the attacks did not arrive", got)
			}
			evil.must(evil.Close())
		})
	}
}

// form reads the hidden fields of the page, and returns its path.
func (p *person) form(into url.Values) (path string) {
	p.t.Helper()
	p.must(p.Eval("location.pathname", &path))
	for _, field := range []string{"token", "digest"} {
		var value string
		p.must(p.Eval(`document.querySelector("[name=`+field+`]").value`, &value))
		into.Set(field, value)
	}
	return path
}

// refusals is how many requests the page refused, as its log says in the end.
func (p *pageTest) refusals() (n int) {
	p.t.Helper()
	_, count, _ := strings.Cut(p.log.String(), "refused_requests=")
	if _, err := fmt.Sscan(count, &n); err != nil {
		p.t.Errorf("the log lacks the count: %v", err)
	}
	return n
}

// axe is the checker of .ci/accessibility. Without MAILGAP_NODE_MODULES the test is skipped, in CI it fails.
func axe(t testing.TB) string {
	t.Helper()
	modules := os.Getenv("MAILGAP_NODE_MODULES")
	if modules == "" {
		if os.Getenv("CI") == "true" {
			t.Fatal("MAILGAP_NODE_MODULES is not set")
		}
		t.Skip("axe-core is not installed: install .ci/accessibility/package.json and name its node_modules in MAILGAP_NODE_MODULES")
	}
	source, err := os.ReadFile(filepath.Join(modules, "axe-core", "axe.min.js"))
	if err != nil {
		t.Fatal(err)
	}
	return string(source)
}

// TestPageAccessible asks axe-core about every state of the page, in light and dark, wide and narrow.
func TestPageAccessible(t *testing.T) {
	source := axe(t)
	b := startChromium(t, chromium.Options{})
	states := pageStates(t)
	// The checker is a script, and the page allows none: the same document is looked at without its policy.
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = io.WriteString(w, states[strings.TrimPrefix(r.URL.Path, "/")])
	}))
	t.Cleanup(server.Close)
	for name := range states {
		for _, v := range views {
			p := newPerson(t, b)
			p.must(p.View(v.width, 800, v.scheme))
			p.must(p.Go(server.URL + "/" + name))
			p.must(p.Eval(`Promise.all(document.getAnimations().filter(a => a.effect.getComputedTiming().endTime < 10000).map(a => a.finished)).then(() => 1)`, nil))
			p.must(p.Eval(`document.querySelectorAll("details").forEach(d => d.open = true)`, nil))
			p.must(p.Eval(source+"; 1", nil))
			var found struct {
				Passes     int
				Violations []string
			}
			p.must(p.Eval(`axe.run(document, {iframes: false, resultTypes: ["violations"]}).then(r => ({Passes: r.passes.length,
				Violations: r.violations.map(v => v.id + ": " + v.nodes.map(n => n.html.slice(0, 200) + " " + n.any.map(a => a.message).join("; ")).join(" | "))}))`, &found))
			for _, violation := range found.Violations {
				t.Errorf("%s, %s: %s", name, v.name, violation)
			}
			if found.Passes < 10 {
				t.Errorf("%s, %s: %d rules passed, want more: was the page there?", name, v.name, found.Passes)
			}
			p.must(p.Close())
		}
	}
}

// pageStates are the documents that a person can meet.
func pageStates(t testing.TB) map[string]string {
	t.Helper()
	severe := fullMessage(t)
	severe.Question.Notes[0].Level = LevelSevere
	p := askPage(t, severe)
	_, h, _ := p.do(p.open())
	path := h.Get("Location")
	_, _, full := p.do(visit{method: "GET", path: path, header: map[string]string{"Sec-Fetch-Site": "none"}})
	p.pass(time.Minute)
	again := askPage(t, elevatedMessage())
	againPath, form := again.read()
	_, wrong := again.post(againPath, with(form, "answer", "send", "domain1", "x", "domain2", "nеw.example"))
	plain := askPage(t, plainMessage())
	plainPath, plainForm := plain.read()
	_, _, ordinary := plain.do(visit{method: "GET", path: plainPath, header: map[string]string{"Sec-Fetch-Site": "none"}})
	_, over := plain.post(plainPath, with(plainForm, "answer", "send"))
	_, _, alarm := again.do(again.open())
	return map[string]string{"full": full, "wrong": wrong, "plain": ordinary, "over": over, "alarm": alarm}
}
