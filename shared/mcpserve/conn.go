package mcpserve

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// conn is one client on a pair of pipes.
//
// The library's own stdio loop is not used: its session is one variable per process, its queue of calls stops the read
// loop when it is full, a queued call cannot be cancelled, and it reads lines without limit. Here every request runs in its
// own goroutine under a limit, and what is beyond the limit is answered at once.
type conn struct {
	ctx    context.Context // of all calls; ends at shutdown
	server *Server
	w      *lineWriter
	log    *slog.Logger
	wg     sync.WaitGroup

	principal string // see Call.Principal
	limits

	mu      sync.Mutex
	running map[string]*running // by id as written
	closing bool                // nothing new is started
	client  clientState

	asked     int64                  // questions so far
	questions map[string]chan Answer // open ones, by id
	gone      chan struct{}          // closed when no further answer can come
}

// limits are semaphores; several connections may share them.
type limits struct{ calls, other, refusals chan struct{} }

func newLimits(o Options) limits {
	return limits{calls: make(chan struct{}, o.MaxCalls), other: make(chan struct{}, maxOther), refusals: make(chan struct{}, maxRefusals)}
}

// running is a request that has not been answered.
type running struct {
	cancel    context.CancelFunc
	isCall    bool
	cancelled bool
}

// clientState is what a legacy client said when it initialized.
type clientState struct {
	capabilities mcp.ClientCapabilities
	initialized  bool
}

func newConn(ctx context.Context, s *Server, w *lineWriter, l limits) *conn {
	return &conn{
		ctx: ctx, server: s, w: w, log: s.log, running: map[string]*running{}, principal: principalStdio, limits: l,
		questions: map[string]chan Answer{}, gone: make(chan struct{}),
	}
}

// receive takes one line. It blocks only if the client has stopped reading while it goes on writing.
func (c *conn) receive(line []byte) {
	m, f := parseMessage(line)
	switch {
	case f != nil && f.isReply:
		c.log.Warn("answer refused", "reason", f.text)
		c.reply(f.id, Answer{Err: ErrBadAnswer})
	case f != nil && f.id == nil && m != nil:
		c.log.Warn("notification dropped", "reason", f.text)
	case f != nil:
		c.log.Warn("message refused", "reason", f.text)
		c.refuse(f)
	case m.isReply:
		c.reply(m.id, m.answerOf())
	case m.id == nil:
		c.notification(m)
	default:
		c.request(m)
	}
}

// notification handles what needs no answer. Only cancellations matter to a server that keeps no state.
func (c *conn) notification(m *message) {
	if m.method != "notifications/cancelled" {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if r := c.running[string(m.params["requestId"])]; r != nil {
		r.cancelled = true
		r.cancel()
	}
}

// request starts a request, or refuses it.
func (c *conn) request(m *message) {
	a, refused := c.admit(c.ctx, m)
	if refused != nil {
		c.answerLater(*refused)
		return
	}
	c.spawn(func() {
		defer a.release()
		data, _ := c.respond(a.ctx, m, c.w)
		if c.finish(m.id) || data == nil {
			return // cancelled: the client no longer waits for an answer
		}
		c.w.write(data)
	})
}

// admitted is a request that has a slot.
type admitted struct {
	ctx     context.Context
	release func() // ends ctx and gives the slot back
}

// admit takes a slot for m and registers it under its id, or says why not. finish undoes the second.
func (c *conn) admit(ctx context.Context, m *message) (admitted, *response) {
	isCall := m.method == string(mcp.MethodToolsCall)
	if isCall && c.server.tool(m.name) == nil {
		f := fault{id: m.id, code: codeInvalidParams, text: c.server.noTool(m.name).Error()}
		c.log.Warn("message refused", "reason", "no such tool")
		return admitted{}, f.response()
	}
	slots := c.other
	if isCall {
		slots = c.calls
	}
	select {
	case slots <- struct{}{}:
	default:
		return admitted{}, c.busy(m, isCall)
	}
	ctx, cancel := context.WithCancel(ctx)
	release := func() { cancel(); <-slots }
	if !c.register(m.id, &running{cancel: cancel, isCall: isCall}) {
		release()
		return admitted{}, (&fault{id: m.id, code: codeInvalidRequest, text: "a request with this id is still running"}).response()
	}
	return admitted{ctx, release}, nil
}

// busy refuses for lack of a slot. A call gets a tool result, because the model should read it.
func (c *conn) busy(m *message, isCall bool) *response {
	c.log.Warn("request refused", "reason", "too many at once", "call", isCall)
	if !isCall {
		return (&fault{id: m.id, code: codeInternal, text: "too many requests at once; wait for answers"}).response()
	}
	o := failure("%d calls are already running; nothing was done. Wait for one of them to end, then repeat this call", cap(c.calls))
	r := o.result()
	if m.era == EraModern {
		r.ResultType = mcp.ResultTypeComplete
	}
	return &response{ID: m.id, Result: r}
}

func (f *fault) response() *response {
	return &response{ID: f.id, Error: &responseError{Code: f.code, Message: f.text}}
}

// refuse answers with a protocol error.
func (c *conn) refuse(f *fault) {
	c.answerLater(*f.response())
}

// answerLater writes without holding up the read loop, so that a cancellation is still read when the client is slow. With
// maxRefusals answers waiting, the read loop waits too.
func (c *conn) answerLater(r response) {
	data, _ := c.encode(r)
	select {
	case c.refusals <- struct{}{}:
		c.spawn(func() {
			defer func() { <-c.refusals }()
			c.w.write(data)
		})
	default:
		c.w.write(data)
	}
}

// spawn runs f beside the read loop. After close nothing is started: the read loop may still find requests in a pipe
// that shutdown no longer waits for.
func (c *conn) spawn(f func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.closing {
		c.wg.Go(f)
	}
}

func (c *conn) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.closing {
		close(c.gone)
	}
	c.closing = true
}

func (c *conn) register(id json.RawMessage, r *running) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.running[string(id)] != nil {
		return false
	}
	c.running[string(id)] = r
	return true
}

// finish forgets a request and says whether the client cancelled it.
func (c *conn) finish(id json.RawMessage) (cancelled bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	r := c.running[string(id)]
	delete(c.running, string(id))
	return r != nil && r.cancelled
}

func (c *conn) runningCalls() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.running)
}

// requestKey finds the *request in a context.
type requestKey struct{}

// request is what a handler may ask about the message it serves.
type request struct {
	conn  *conn
	msg   *message
	w     *lineWriter // for what comes before the answer
	fault *fault      // set if the handler refused the state; sent instead of the library's answer
}

// respond runs one request through the library and encodes the answer; what comes before the answer goes to w. code is that of
// a JSON-RPC error, or 0. Without data there is no answer.
func (c *conn) respond(ctx context.Context, m *message, w *lineWriter) (data []byte, code int) {
	defer func() {
		if p := recover(); p != nil {
			logPanic(c.log, p)
			data, code = c.encode(response{ID: m.id, Error: &responseError{codeInternal, textInternal, nil}})
		}
	}()
	raw, err := m.rebuild()
	if err != nil {
		panic(fmt.Sprintf("rebuild: %T", err))
	}
	sess := newSession(c, m.era)
	req := &request{conn: c, msg: m, w: w}
	ctx = context.WithValue(ctx, requestKey{}, req)
	answer := c.server.mcp.HandleMessage(c.server.mcp.WithContext(ctx, sess), raw)
	sess.flush(w)
	if answer == nil {
		return nil, 0
	}
	answered := responseOf(m.id, answer)
	if f := req.fault; f != nil {
		answered = *f.response()
	}
	return c.encode(answered)
}

// encode writes r, or that it cannot be written.
func (c *conn) encode(r response) (data []byte, code int) {
	data, err := r.encode()
	if err != nil {
		c.log.Error("answer not encoded", "class", classOf(err))
		r = response{ID: r.ID, Error: &responseError{codeInternal, textInternal, nil}}
		data, _ = r.encode()
	}
	if r.Error != nil {
		code = r.Error.Code
	}
	return data, code
}

// response is one answer on the wire.
type response struct {
	ID     json.RawMessage
	Result any
	Error  *responseError
}

type responseError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
	Data    any    `json:"data,omitempty"`
}

// responseOf takes the library's answer and puts the id of the client back, octet for octet: the library reads ids as
// floating point numbers.
func responseOf(id json.RawMessage, answer mcp.JSONRPCMessage) response {
	switch a := answer.(type) {
	case mcp.JSONRPCResponse:
		return response{ID: id, Result: a.Result}
	case mcp.JSONRPCError:
		return response{ID: id, Error: &responseError{a.Error.Code, a.Error.Message, a.Error.Data}}
	}
	return response{ID: id, Error: &responseError{codeInternal, textInternal, nil}}
}

func (r response) encode() ([]byte, error) {
	id := r.ID
	if id == nil {
		id = json.RawMessage("null")
	}
	var data []byte
	var err error
	if r.Error != nil {
		data, err = marshal(struct {
			JSONRPC string          `json:"jsonrpc"`
			ID      json.RawMessage `json:"id"`
			Error   *responseError  `json:"error"`
		}{"2.0", id, r.Error})
	} else {
		data, err = marshal(struct {
			JSONRPC string          `json:"jsonrpc"`
			ID      json.RawMessage `json:"id"`
			Result  any             `json:"result"`
		}{"2.0", id, r.Result})
	}
	return plainEscapes(data), err
}

// toolHandler runs a tool for the library.
func (s *Server) toolHandler(t *Tool) server.ToolHandlerFunc {
	return func(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		r, ok := ctx.Value(requestKey{}).(*request)
		if !ok {
			return nil, errors.New("mcpserve: a call came past the connection")
		}
		c := s.newCall(t)
		r.describe(ctx, c)
		if t.asks {
			c.ask = r.ask
			if c.answer, r.fault = r.msg.resumed(); r.fault != nil {
				return &mcp.CallToolResult{}, nil
			}
		}
		o := s.invoke(ctx, t, c, r.msg.params["arguments"])
		if o.badState && c.era == EraModern {
			r.fault = &fault{id: r.msg.id, code: codeInvalidParams, text: o.Text}
		}
		return o.result(), nil
	}
}

// describe tells a call about the request that it serves.
func (r *request) describe(ctx context.Context, c *Call) {
	c.era, c.principal = r.msg.era, r.conn.principal
	c.elicit = elicitationOf(r.conn.capabilities(ctx))
	if r.msg.token != nil {
		c.notify = func(done, total float64, note string) { r.progress(done, total, note) }
	}
}

// progress writes a progress note directly, in order with the answer.
func (r *request) progress(done, total float64, note string) {
	data, err := marshal(struct {
		JSONRPC string         `json:"jsonrpc"`
		Method  string         `json:"method"`
		Params  progressParams `json:"params"`
	}{"2.0", "notifications/progress", progressParams{r.msg.token, done, total, note}})
	if err == nil {
		r.w.tryWrite(data)
	}
}

type progressParams struct {
	Token    json.RawMessage `json:"progressToken"`
	Progress float64         `json:"progress"`
	Total    float64         `json:"total,omitempty"`
	Message  string          `json:"message,omitempty"`
}
