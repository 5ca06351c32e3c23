package mcpserve

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
)

// headerSession names a client of the old revisions.
const headerSession = "Mcp-Session-Id"

// endpoint serves the protocol over HTTP. Each request is one message, which takes the way of conn.go.
type endpoint struct {
	server    *Server
	log       *slog.Logger
	hosts     []string // names of this server, with the port
	token     [32]byte // its digest
	principal string
	maxBody   int64
	limits
	now    func() time.Time
	ctx    context.Context
	cancel context.CancelCauseFunc

	mu       sync.Mutex
	sessions map[string]*httpSession
}

// httpSession is a client of the old revisions.
type httpSession struct {
	conn *conn
	end  context.CancelFunc
	used time.Time
}

// ServeHTTP implements http.Handler.
func (h *endpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	_ = http.NewResponseController(w).SetWriteDeadline(h.now().Add(writeTime)) // a transport without deadlines has none to miss
	if !h.guard(w, r) {
		return
	}
	if r.Method == http.MethodDelete {
		h.delete(w, r)
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, h.maxBody))
	if err != nil {
		if tooLong := (*http.MaxBytesError)(nil); errors.As(err, &tooLong) {
			http.Error(w, "the message is too long; at most "+count(int(h.maxBody), "octet")+" are read", http.StatusRequestEntityTooLarge)
		}
		return
	}
	m, f := parseMessage(body)
	if f == nil {
		f = headerFault(r.Header, m)
	}
	if f != nil {
		h.log.Warn("message refused", "reason", f.text)
		writeMessage(w, http.StatusBadRequest, *f.response())
		return
	}
	h.message(w, r, m)
}

// message finds the connection that m belongs to.
func (h *endpoint) message(w http.ResponseWriter, r *http.Request, m *message) {
	if m.era == EraModern {
		h.dispatch(w, r, h.newConn(), m)
		return
	}
	if m.method == string(mcp.MethodInitialize) && m.id != nil {
		h.initialize(w, r, m)
		return
	}
	id := r.Header.Get(headerSession)
	c := h.session(id)
	switch {
	case id == "":
		http.Error(w, "initialize first, and send "+headerSession, http.StatusBadRequest)
	case c == nil: // the specification: a client that gets this starts anew
		http.Error(w, "this session has ended; initialize again", http.StatusNotFound)
	default:
		h.dispatch(w, r, c, m)
	}
}

// newConn makes what a connection is on stdio; its messages are written with the answers to requests.
func (h *endpoint) newConn() *conn {
	c := newConn(h.ctx, h.server, &lineWriter{w: io.Discard, failed: func() {}}, h.limits)
	c.principal = h.principal
	return c
}

// dispatch answers m on c.
func (h *endpoint) dispatch(w http.ResponseWriter, r *http.Request, c *conn, m *message) {
	switch {
	case m.isReply:
		c.reply(m.id, m.answerOf())
		w.WriteHeader(http.StatusAccepted)
	case m.id == nil:
		c.notification(m)
		w.WriteHeader(http.StatusAccepted)
	default:
		h.request(w, r, c, m)
	}
}

// request runs a request, and ends with it when the client goes away.
func (h *endpoint) request(w http.ResponseWriter, r *http.Request, c *conn, m *message) {
	a, refused := c.admit(c.ctx, m)
	if refused != nil {
		writeMessage(w, statusOf(m.era, refused.Error), *refused)
		return
	}
	defer a.release()
	cancel := func() { c.cancelRequest(m.id) }
	defer context.AfterFunc(r.Context(), cancel)()
	stream := newStream(w)
	defer stream.close()
	data, code := c.respond(a.ctx, m, &lineWriter{w: stream, failed: cancel})
	if c.finish(m.id) { // HTTP wants an answer to what was cancelled too
		data, code = c.encode(*(&fault{id: m.id, code: codeInvalidRequest, text: textCancelled}).response())
	}
	if data == nil {
		data, code = c.encode(response{ID: m.id, Error: &responseError{codeInternal, textInternal, nil}})
	}
	var failure *responseError
	if code != 0 {
		failure = &responseError{Code: code}
	}
	stream.finish(statusOf(m.era, failure), data)
}

// cancelRequest ends a request that runs.
func (c *conn) cancelRequest(id json.RawMessage) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if r := c.running[string(id)]; r != nil {
		r.cancelled = true
		r.cancel()
	}
}

// initialize opens a session. A client that the library refuses gets none.
func (h *endpoint) initialize(w http.ResponseWriter, r *http.Request, m *message) {
	ctx, end := context.WithCancel(h.ctx)
	c := h.newConn()
	c.ctx = ctx
	id := strings.ToLower(rand.Text()) + strings.ToLower(rand.Text()) // 256 bits
	if !h.keep(id, &httpSession{c, end, h.now()}) {
		end()
		http.Error(w, "too many clients at once; end one of them", http.StatusServiceUnavailable)
		return
	}
	w.Header().Set(headerSession, id)
	h.dispatch(w, r, c, m)
}

// keep stores a session. Where there are too many, the idle ones go; it is false if none is.
func (h *endpoint) keep(id string, s *httpSession) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.sessions) >= maxSessions {
		oldest := ""
		for k, v := range h.sessions {
			if v.conn.runningCalls() == 0 && (oldest == "" || v.used.Before(h.sessions[oldest].used)) {
				oldest = k
			}
		}
		if oldest == "" {
			return false
		}
		h.drop(oldest)
	}
	h.sessions[id] = s
	return true
}

// session returns the connection of a session that has not ended, or nil.
func (h *endpoint) session(id string) *conn {
	h.mu.Lock()
	defer h.mu.Unlock()
	s := h.sessions[id]
	if s == nil {
		return nil
	}
	if h.now().Sub(s.used) > sessionIdle && s.conn.runningCalls() == 0 {
		h.drop(id)
		return nil
	}
	s.used = h.now()
	return s.conn
}

// drop ends a session; h.mu is held.
func (h *endpoint) drop(id string) {
	s := h.sessions[id]
	delete(h.sessions, id)
	s.conn.close()
	s.end()
}

// delete ends a session at the wish of its client.
func (h *endpoint) delete(w http.ResponseWriter, r *http.Request) {
	h.mu.Lock()
	defer h.mu.Unlock()
	id := r.Header.Get(headerSession)
	if h.sessions[id] == nil {
		http.Error(w, "there is no such session", http.StatusNotFound)
		return
	}
	h.drop(id)
	w.WriteHeader(http.StatusNoContent)
}

// headerFault compares the headers that revision 2026-07-28 asks for with the message: a proxy may have decided by them.
func headerFault(header http.Header, m *message) *fault {
	v := header.Get(mcp.HeaderProtocolVersion)
	if m.era != EraModern {
		if mcp.IsModernProtocol(v) && !m.isReply {
			return &fault{id: m.id, code: codeInvalidParams, text: "the message lacks the protocol version in _meta that the header names"}
		}
		return nil
	}
	var meta map[string]string
	_ = json.Unmarshal(onlyStrings(m.params["_meta"]), &meta) // readParams has checked it
	if v != meta[mcp.MetaKeyProtocolVersion] {
		return &fault{id: m.id, code: mcp.HEADER_MISMATCH, text: "the header " + mcp.HeaderProtocolVersion + " must name the version that _meta names"}
	}
	if m.id == nil {
		return nil
	}
	params, err := marshal(m.params)
	if err == nil {
		err = mcp.ValidateStandardHeaders(header.Get, v, mcp.MCPMethod(m.method), params)
	}
	if mismatch := (mcp.HeaderMismatchError{}); errors.As(err, &mismatch) {
		return &fault{id: m.id, code: mcp.HEADER_MISMATCH, text: "the header " + mismatch.Header + " is missing or does not match the message"}
	}
	return nil
}

// onlyStrings leaves the string values of an object.
func onlyStrings(raw json.RawMessage) json.RawMessage {
	var all map[string]json.RawMessage
	_ = json.Unmarshal(raw, &all) // readParams has checked it
	for k, v := range all {
		if len(v) == 0 || v[0] != '"' {
			delete(all, k)
		}
	}
	out, _ := marshal(all)
	return out
}

// statusOf maps an answer to a status; the specification of 2026-07-28 does so, the old ones say 200.
func statusOf(era Era, e *responseError) int {
	if era != EraModern || e == nil {
		return http.StatusOK
	}
	switch e.Code {
	case mcp.METHOD_NOT_FOUND:
		return http.StatusNotFound
	case mcp.HEADER_MISMATCH, mcp.MISSING_REQUIRED_CLIENT_CAPABILITY, mcp.UNSUPPORTED_PROTOCOL_VERSION, codeInvalidRequest, codeInvalidParams, codeParse:
		return http.StatusBadRequest
	}
	return http.StatusOK
}
