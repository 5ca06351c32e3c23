package sendmail

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"mailgap/sendmail/outbox"
)

const urlCapability = `{"elicitation":{"url":{}}}`

// handedOver is the address of a page that a client was given.
type handedOver struct {
	id, state, url string
}

// handOver reads the next line, which must ask the client to open an address.
func (c *client) handOver() handedOver {
	c.t.Helper()
	r := c.next()
	h := handedOver{id: string(r.ID), state: r.Result.RequestState}
	params := r.Params
	if c.modern {
		var in struct{ Params json.RawMessage }
		if err := json.Unmarshal(r.Result.InputRequests["confirm"], &in); err != nil {
			c.t.Fatalf("%v: %s", err, r.raw)
		}
		params = in.Params
	}
	var p struct{ Mode, URL, Message, ElicitationID string }
	if err := json.Unmarshal(params, &p); err != nil || p.Mode != "url" || p.Message == "" || (p.ElicitationID == "") != c.modern {
		c.t.Fatalf("got %s, want an address to open", r.raw)
	}
	c.w.secret(strings.TrimPrefix(p.URL[strings.LastIndex(p.URL, "/open/"):], "/open/"))
	h.url = p.URL
	return h
}

func (c *client) reply(h handedOver, tool, args, result string) {
	c.t.Helper()
	if c.modern {
		c.call(tool, args, resumption(h.state, result))
		return
	}
	c.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, h.id, result))
}

// A client that opens addresses is given that of the page if the operator wants it. That it was opened is no answer; nothing but the
// request to open it holds the address (the check of every test with a server).
func TestURLMode(t *testing.T) {
	inEras(t, func(t *testing.T, modern bool) {
		w := newWorld(t, func(c *setup) { c.URL = true })
		c, d := w.start(t, modern, urlCapability), w.desk(t)
		c.call("get_server_info", `{}`, "")
		if r := c.next(); !strings.Contains(r.raw, `"approval":"page_opened_by_client"`) {
			t.Errorf("info: got %s", r.raw)
		}
		c.call("send_mail", plain, "")
		h := c.handOver()
		p := w.openAddress(t, h.url)
		c.reply(h, "send_mail", plain, accept)
		m := waits(t, d, 1)
		w.wantNothing(t)
		w.approve(m.Text)
		p.press("send")
		if r := c.next(); !r.Result.Structured.Sent || r.Result.Structured.Approved != "page" {
			t.Errorf("got %s, want sent", r.raw)
		}
		w.wantMessages(t, 1)

		c.call("send_mail", hello, "")
		h = c.handOver()
		c.reply(h, "send_mail", hello, decline)
		c.refused("is kept as number")
		w.wantStates(t, outbox.StateReserved, outbox.StateSent)
		w.openAddress(t, h.url).press("no")
		await(t, "the no", func() bool { return w.attempts(t)[0].State == outbox.StateDeclined })
		c.call("send_mail", hello, "")
		c.refused("do_not_send")
		if len(w.addresses()) != 0 {
			t.Error("a browser was started")
		}
	})
}

// The state of a handed over page is good for its message, once.
func TestURLModeStateIsBound(t *testing.T) {
	w := newWorld(t, func(c *setup) { c.URL = true })
	c := w.start(t, true, urlCapability)
	c.call("send_mail", plain, "")
	h := c.handOver()
	for _, try := range []struct{ args, state string }{
		{strings.Replace(plain, "bob@", "eve@", 1), h.state}, {plain, strings.Repeat("0", 64)}, {plain, h.state[:32]},
	} {
		c.call("send_mail", try.args, resumption(try.state, accept))
		if r := c.refused("not known here"); r.Error == nil {
			t.Errorf("got %s, want a protocol error", r.raw)
		}
	}
	c.reply(h, "send_mail", plain, decline)
	c.refused("is kept as number")
	c.reply(h, "send_mail", plain, accept)
	if r := c.refused("not known here"); r.Error == nil {
		t.Errorf("a state that was spent: got %s, want a protocol error", r.raw)
	}
	w.openAddress(t, h.url).press("no")
	await(t, "the no", func() bool { return w.attempts(t)[0].State == outbox.StateDeclined })
	c.call("send_mail", plain, "")
	c.refused("do_not_send")
	w.wantNothing(t)
}

// Without the operator's wish, or without the client's capability, nobody is given the address.
func TestURLModeIsOff(t *testing.T) {
	inEras(t, func(t *testing.T, modern bool) {
		w := newWorld(t)
		c := w.start(t, modern, urlCapability)
		c.call("send_mail", plain, "")
		c.refused("is kept as number")
		w = newWorld(t, func(c *setup) { c.URL = true })
		c = w.start(t, modern, `{}`)
		c.call("send_mail", plain, "")
		c.refused("is kept as number")
	})
}
