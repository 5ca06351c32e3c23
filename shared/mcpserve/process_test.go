package mcpserve

import (
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestProcessRevisions(t *testing.T) {
	for _, version := range []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"} {
		p := start(t)
		p.send(fmt.Sprintf(initialize, version), `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
		if r := p.next(); !strings.Contains(r.raw, `"protocolVersion":"`+version+`"`) || !strings.Contains(r.raw, "Test.") {
			t.Errorf("initialize %s: got %s", version, r.raw)
		}
		p.send(`{"jsonrpc":"2.0","id":2,"method":"tools/list"}`)
		if r := p.next(); !strings.Contains(r.raw, "echo_text") {
			t.Errorf("tools/list: got %s", r.raw)
		}
		p.in.Close()
		if _, err := p.exit(); err != nil {
			t.Errorf("exit: got %v, want nil", err)
		}
	}
	p := start(t)
	p.send(`{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{` + modernMeta + `}}`)
	if r := p.next(); !strings.Contains(r.raw, `"2026-07-28"`) || !strings.Contains(r.raw, "Test.") {
		t.Errorf("discover: got %s", r.raw)
	}
	p.send(`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{` + modernMeta + `}}`)
	if r := p.next(); !strings.Contains(r.raw, `"resultType":"complete"`) || !strings.Contains(r.raw, "cacheScope") {
		t.Errorf("tools/list: got %s", r.raw)
	}
}

// messages is the table of single messages and what must come back; every answer must also lack secretText.
var messages = []struct{ name, args, want string }{
	{"plain", `{"text":"a<b>&c"}`, `"text":"a<b>&c"`},
	{"whole number with a point", `{"text":"a","count":3.0}`, `"count":3,`},
	{"no arguments", `null`, "text is missing: give a string of 1 to 100 characters"},
	{"unknown key", `{"text":"a","cuont":1}`, "there is no argument cuont; did you mean count?"},
	{"unknown key, nothing near", `{"text":"a","zzzzzz":1}`, "there is no argument zzzzzz; known are count, tags, text"},
	{"key in another case", `{"Text":"a"}`, "there is no argument Text; did you mean text?"},
	{"hostile key", `{"text":"a","\u001b]0;x":1}`, "there is no argument (a key that is not a plain name)"},
	{"duplicate key", `{"text":"a","text":"b"}`, "the key text is given twice"},
	{"duplicate key, escaped", `{"text":"a","t\u0065xt":"b"}`, "the key text is given twice"},
	{"number in quotes", `{"text":"a","count":"5"}`, "count must be a whole number from 1 to 10; write the number without quotes"},
	{"out of range", `{"text":"a","count":11}`, "count must be a whole number from 1 to 10"},
	{"fraction", `{"text":"a","count":1.5}`, "count must be a whole number from 1 to 10"},
	{"huge number", `{"text":"a","count":1e999999999}`, "a number that is too long or too large"},
	{"wrong item", `{"text":"a","tags":["red","blue"]}`, `tags[1] must be one of \"red\", \"green\"`},
	{"list wanted", `{"text":"a","tags":"red"}`, "a single value needs brackets too"},
	{"too long", `{"text":"` + strings.Repeat("x", 101) + `"}`, "text must be a string of 1 to 100 characters"},
	{"null", `{"text":null}`, "leave it out instead of null"},
	{"half a surrogate pair", `{"text":"\ud800"}`, "half of a surrogate pair"},
	{"whole surrogate pair", `{"text":"\ud83d\ude00"}`, "\U0001F600"},
	{"panic", `{"text":"panic"}`, "internal error"},
	{"error", `{"text":"error"}`, "internal error"},
	{"word that is not listed", `{"text":"badword"}`, "internal error"},
	{"word that is missing", `{"text":"emptyword"}`, "internal error"},
	{"image type", `{"text":"svg"}`, "internal error"},
	{"image", `{"text":"image"}`, `"mimeType":"image/png"`},
	{"tool error", `{"text":"toolerror"}`, `"mailgap/error-code":"fail"`},
	{"stray print", `{"text":"print"}`, `"text":"print"`},
}

func TestProcessCalls(t *testing.T) {
	for era, meta := range eras() {
		t.Run(era, func(t *testing.T) {
			p := start(t)
			for _, m := range messages {
				p.send(call(`"`+m.name+`"`, m.args, meta))
				r := p.next()
				if !strings.Contains(r.raw, m.want) {
					t.Errorf("%s: got %s, want %q in it", m.name, r.raw, m.want)
				}
				if string(r.ID) != `"`+m.name+`"` || r.Error != nil {
					t.Errorf("%s: got %s, want a result with the id of the request", m.name, r.raw)
				}
			}
			p.in.Close()
			if _, err := p.exit(); err != nil {
				t.Errorf("exit: got %v, want nil", err)
			}
			if log := p.stderr.String(); strings.Contains(log, secretText) || !strings.Contains(log, "panic contained") || !strings.Contains(log, "stray") {
				t.Errorf("log: want the panic and the stray print without secrets, got %s", log)
			}
		})
	}
}

func TestProcessMessages(t *testing.T) {
	long := strings.Repeat("x", 70<<10)
	tests := []struct{ name, line, want string }{
		{"not JSON", `{"jsonrpc":`, `"id":null,"error":{"code":-32700`},
		{"not UTF-8", "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\"}", `"code":-32700`},
		{"batch", `[{"jsonrpc":"2.0","id":1,"method":"ping"}]`, "batches are not supported"},
		{"wrong version", `{"jsonrpc":"1.0","id":1,"method":"ping"}`, `"id":1,"error":{"code":-32600`},
		{"null id", `{"jsonrpc":"2.0","id":null,"method":"ping"}`, "the id must be a string or a number"},
		{"object id", `{"jsonrpc":"2.0","id":{},"method":"ping"}`, "the id must be a string or a number"},
		{"no method", `{"jsonrpc":"2.0","id":1}`, "needs a method"},
		{"method in another case", `{"jsonrpc":"2.0","id":1,"Method":"ping"}`, "needs a method"},
		{"unknown method", `{"jsonrpc":"2.0","id":1,"method":"prompts/list"}`, "-32601"},
		{"params not an object", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":[1]}`, "params must be an object"},
		{"unknown tool", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo_txt"}}`, "the nearest is echo_text"},
		{"tool name is a number", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":5}}`, "params.name must be"},
		{"arguments in quotes", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo_text","arguments":"{}"}}`, "params.arguments must be"},
		{"duplicate id", `{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}`, "the key id is given twice"},
		{"duplicate method", `{"jsonrpc":"2.0","method":"ping","id":1,"method":"tools/list"}`, "the key method is given twice"},
		{"duplicate key in arguments of no call", `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"arguments":{"a":1,"a":2}}}`, "the key a is given twice"},
		{"duplicate arguments", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"arguments":{"text":"a"},"name":"echo_text","arguments":{}}}`, "the key arguments is given twice"},
		{"too deep", `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":` + strings.Repeat("[", 100) + strings.Repeat("]", 100) + `}}`, "too deeply"},
		{"oversized, id first", `{"jsonrpc":"2.0","id":77,"method":"ping","params":{"a":"` + long + `"}}`, `"id":77,"error"`},
		{"oversized, id last", `{"method":"ping","params":{"a":"` + long + `"},"jsonrpc":"2.0","id":"z"}`, `"id":"z","error"`},
		{"id beyond 2^53", `{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}`, `"id":9007199254740993,"result":{}`},
		{"resource, raw URI", `{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"thing://a%0D%0Ab"}}`, `"text":"thing://a%0D%0Ab"`},
		{"resource that panics", `{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"thing://panic"}}`, "internal error"},
		{"resource with an error", `{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"thing://error"}}`, "internal error"},
		{"resource without text", `{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"thing://nothing"}}`, "internal error"},
		{"resource that is missing", `{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"thing://missing"}}`, "there is no such thing"},
		{"resource templates", `{"jsonrpc":"2.0","id":1,"method":"resources/templates/list"}`, "thing://{+path}"},
		{"subscription", `{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"notifications":{},` + modernMeta + `}}`, "acknowledged"},
	}
	p := start(t)
	for _, tt := range tests {
		p.send(tt.line)
		r := p.next()
		if !strings.Contains(r.raw, tt.want) {
			t.Errorf("%s: got %s, want %q in it", tt.name, r.raw, tt.want)
		}
		if strings.Contains(r.raw, secretText) {
			t.Errorf("%s: the answer holds the text of a panic or error", tt.name)
		}
		if r.Method != "" {
			p.next() // the result after the notification
		}
	}
	p.send(`{"method":"`+long+`"}`, `{"jsonrpc":"2.0","method":"notifications/unknown"}`, "", `{"jsonrpc":"2.0","id":5,"result":{}}`, call("1", `{"text":"after"}`, ""))
	if r := p.next(); !strings.Contains(r.raw, `"text":"after"`) {
		t.Errorf("after a dropped line without id: got %s", r.raw)
	}
}

func TestProcessMadeUpAnswers(t *testing.T) {
	for era, meta := range eras() {
		p := start(t)
		extra := `"inputResponses":{"confirm":{"action":"accept"}},"requestState":"x","task":{"ttl":1}`
		if meta != "" {
			extra += "," + meta
		}
		p.send(call("1", `{"text":"a"}`, extra))
		if r := p.next(); !strings.Contains(r.raw, `"verdict":"pass"`) {
			t.Errorf("%s: got %s", era, r.raw)
		}
	}
}

func TestProcessElicitation(t *testing.T) {
	p := start(t)
	tests := []struct {
		declared  string
		form, url bool
	}{{`{}`, false, false}, {`{"elicitation":{}}`, true, false}, {`{"elicitation":{"url":{}}}`, false, true}, {`{"elicitation":{"form":{},"url":{}}}`, true, true}}
	for _, tt := range tests {
		meta := strings.Replace(modernMeta, `{}`, tt.declared, 1)
		legacy := strings.Replace(fmt.Sprintf(initialize, "2025-11-25"), `"capabilities":{}`, `"capabilities":`+tt.declared, 1)
		want := fmt.Sprintf(`"form":%t,"url":%t`, tt.form, tt.url)
		p.send(legacy)
		p.next()
		p.send(call("1", `{"text":"a"}`, modernMeta)) // must not change what the legacy client declared, nor see it
		if r := p.next(); !strings.Contains(r.raw, `"form":false,"url":false,"era":2`) {
			t.Errorf("modern without declaration: got %s", r.raw)
		}
		p.send(call("2", `{"text":"a"}`, ""))
		if r := p.next(); !strings.Contains(r.raw, want+`,"era":1`) {
			t.Errorf("legacy %s: got %s, want %s", tt.declared, r.raw, want)
		}
		p.send(call("3", `{"text":"a"}`, meta))
		if r := p.next(); !strings.Contains(r.raw, want+`,"era":2`) {
			t.Errorf("modern %s: got %s, want %s", tt.declared, r.raw, want)
		}
	}
}

func TestProcessProgress(t *testing.T) {
	for era, meta := range eras() {
		p := start(t)
		with := `"_meta":{"progressToken":"tok"}`
		if meta != "" {
			with = strings.Replace(meta, `"_meta":{`, `"_meta":{"progressToken":"tok",`, 1)
		}
		p.send(call("1", `{"text":"progress"}`, with))
		if r := p.next(); r.Method != "notifications/progress" || !strings.Contains(r.raw, `"progressToken":"tok","progress":1,"total":2,"message":"half"`) {
			t.Errorf("%s: got %s, want a progress note", era, r.raw)
		}
		if r := p.next(); r.Result == nil {
			t.Errorf("%s: got %s, want the result after one note", era, r.raw)
		}
		p.send(call("2", `{"text":"progress"}`, meta))
		if r := p.next(); r.Result == nil {
			t.Errorf("%s without token: got %s, want no note", era, r.raw)
		}
	}
}

func TestProcessManyCalls(t *testing.T) {
	p := start(t)
	const calls = 200
	for i := range calls {
		p.send(call(fmt.Sprint(i), `{"text":"wait"}`, ""))
	}
	refused := map[string]bool{}
	for range calls - defaultMaxCalls {
		r := p.next()
		if !strings.Contains(r.raw, "32 calls are already running") || refused[string(r.ID)] {
			t.Fatalf("got %s, want one refusal for each call beyond 32", r.raw)
		}
		refused[string(r.ID)] = true
	}
	p.send(`{"jsonrpc":"2.0","id":"list","method":"tools/list"}`)
	if r := p.next(); string(r.ID) != `"list"` {
		t.Errorf("tools/list while calls run: got %s", r.raw)
	}
	for i := range calls {
		if !refused[fmt.Sprint(i)] {
			p.send(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d}}`, i))
			break
		}
	}
	// The slot is free again as soon as the handler has seen the cancellation; until then calls are refused.
	for i := 0; ; i++ {
		p.send(call(fmt.Sprintf(`"again%d"`, i), `{"text":"a"}`, ""))
		if r := p.next(); strings.Contains(r.raw, `"verdict":"pass"`) {
			break
		}
	}
	p.in.Close()
	if took, err := p.exit(); err != nil || took > 2*time.Second {
		t.Errorf("exit: got %v after %v, want nil within a second", err, took)
	}
}

func TestProcessEnds(t *testing.T) {
	for _, text := range []string{"wait", "hang", "none"} {
		for _, how := range []string{"eof", "sigterm", "sigint"} {
			t.Run(text+" "+how, func(t *testing.T) {
				p := start(t)
				p.send(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)
				p.next()
				if text != "none" {
					p.send(call("2", `{"text":"`+text+`"}`, ""))
					p.send(call("3", `{"text":"a"}`, ""))
					p.next() // so the call before has been read
				}
				switch how {
				case "eof":
					p.in.Close()
				case "sigterm":
					_ = p.cmd.Process.Signal(syscall.SIGTERM)
				case "sigint":
					_ = p.cmd.Process.Signal(os.Interrupt)
				}
				took, err := p.exit()
				if err != nil || took > 2*time.Second {
					t.Errorf("got %v after %v, want nil within a second; log: %s", err, took, p.stderr.String())
				}
			})
		}
	}
}

// TestProcessClosedOutput has a client that goes away without closing its side of the input.
func TestProcessClosedOutput(t *testing.T) {
	p := start(t)
	p.out.Close()
	p.send(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)
	took, err := p.exit()
	if err != nil || took > 2*time.Second {
		t.Errorf("got %v after %v, want nil within a second", err, took)
	}
}

func TestProcessTwice(t *testing.T) {
	a, b := start(t), start(t)
	a.send(call("1", `{"text":"first"}`, ""))
	b.send(call("1", `{"text":"second"}`, modernMeta))
	if r := b.next(); !strings.Contains(r.raw, "second") {
		t.Errorf("got %s", r.raw)
	}
	if r := a.next(); !strings.Contains(r.raw, "first") {
		t.Errorf("got %s", r.raw)
	}
}

// TestProcessScript is the use in a pipe: the input ends at once, the answers still come.
func TestProcessScript(t *testing.T) {
	p := start(t)
	_, _ = io.WriteString(p.in, fmt.Sprintf(initialize, "2025-11-25")+"\n"+call("2", `{"text":"last line without end"}`, ""))
	p.in.Close()
	got := p.next().raw + p.next().raw
	if !strings.Contains(got, "last line without end") || !strings.Contains(got, "serverInfo") {
		t.Errorf("got %s", got)
	}
}
