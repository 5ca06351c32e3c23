package mcpserve

import (
	"context"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// session is the library's view of a client, made anew for each request. The state of a legacy client lives in conn; a
// modern request brings its own capabilities and must not change those.
type session struct {
	conn  *conn
	era   Era
	notes chan mcp.JSONRPCNotification
}

// maxNotes is how many notifications the library may send within one request; it sends one, for subscriptions.
const maxNotes = 8

func newSession(c *conn, era Era) *session {
	return &session{conn: c, era: era, notes: make(chan mcp.JSONRPCNotification, maxNotes)}
}

// flush writes the library's notifications of this request, before its answer.
func (s *session) flush(w *lineWriter) {
	for {
		select {
		case n := <-s.notes:
			if data, err := marshal(n); err == nil {
				w.write(data)
			}
		default:
			return
		}
	}
}

func (s *session) SessionID() string                                   { return s.conn.principal }
func (s *session) NotificationChannel() chan<- mcp.JSONRPCNotification { return s.notes }

func (s *session) Initialize() {
	s.conn.mu.Lock()
	defer s.conn.mu.Unlock()
	s.conn.client.initialized = true
}

func (s *session) Initialized() bool {
	s.conn.mu.Lock()
	defer s.conn.mu.Unlock()
	return s.conn.client.initialized
}

func (s *session) GetClientInfo() mcp.Implementation { return mcp.Implementation{} }
func (s *session) SetClientInfo(mcp.Implementation)  {}

func (s *session) GetClientCapabilities() mcp.ClientCapabilities {
	s.conn.mu.Lock()
	defer s.conn.mu.Unlock()
	return s.conn.client.capabilities
}

func (s *session) SetClientCapabilities(c mcp.ClientCapabilities) {
	if s.era == EraModern {
		return
	}
	s.conn.mu.Lock()
	defer s.conn.mu.Unlock()
	s.conn.client.capabilities = c
}

var _ server.SessionWithClientInfo = (*session)(nil)

// capabilities returns what the client declared: with the request itself if it is a modern one, else at initialization.
func (c *conn) capabilities(ctx context.Context) mcp.ClientCapabilities {
	if info := server.RequestProtocolInfoFromContext(ctx); info != nil && info.Modern {
		if info.ClientCapabilities == nil {
			return mcp.ClientCapabilities{}
		}
		return *info.ClientCapabilities
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.client.capabilities
}

// elicitationOf reads the declaration. An empty one means forms.
func elicitationOf(c mcp.ClientCapabilities) Elicitation {
	e := c.Elicitation
	if e == nil {
		return Elicitation{}
	}
	return Elicitation{Form: e.Form != nil || e.URL == nil, URL: e.URL != nil}
}
