package mcpserve

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"time"

	"golang.org/x/net/netutil"
)

const (
	// HTTPPath is where the protocol is served; every other path is 404.
	HTTPPath = "/mcp"

	minTokenOctets = 32               // 128 bits in hexadecimal digits are 32
	maxHTTPConns   = 128              // open connections; a stream takes one for as long as its call runs
	maxSessions    = 64               // clients of the old revisions; the one idle longest makes room
	sessionIdle    = time.Hour        // a client of the old revisions that is silent for longer initializes again
	headerTime     = 10 * time.Second // to send the header of a request
	bodyTime       = 30 * time.Second // to send a whole request
	idleTime       = 2 * time.Minute  // between two requests on a connection
	writeTime      = 30 * time.Second // for one write to a client that reads slowly
	maxHeaders     = 16 << 10         // octets
	streamInterval = 15 * time.Second // between signs of life while a call runs; proxies and clients give up at 30 to 60 s
)

// HTTPOptions are for ServeHTTP. Token is required.
type HTTPOptions struct {
	Options // MaxLineOctets bounds the body of a request
	// Token is what clients send as "Authorization: Bearer TOKEN"; at least 32 octets.
	Token string
}

// Errors of ListenHTTP and ServeHTTP.
var (
	ErrNotLoopback = errors.New("mcpserve: HTTP is served on a loopback address only, such as 127.0.0.1:8765")
	ErrShortToken  = errors.New("mcpserve: the token for HTTP needs at least 32 characters")
)

// ListenHTTP listens on address, which must be an IP address of the loopback interface with a port. Errors:
// ErrNotLoopback, those of net.Listen.
func ListenHTTP(address string) (net.Listener, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil || port == "" {
		return nil, ErrNotLoopback
	}
	if host == "localhost" { // one address, so that one name and one number mean it
		host = "127.0.0.1"
	}
	if ip := net.ParseIP(host); ip == nil || !ip.IsLoopback() {
		return nil, ErrNotLoopback
	}
	return net.Listen("tcp", net.JoinHostPort(host, port))
}

// ServeHTTP answers Streamable HTTP requests on l, at HTTPPath, until ctx is done; it then ends as Serve does. It closes l.
//
// Every request needs the token, and is refused if it comes from a browser page or for another host name: a page that the
// person looks at must not reach the server through a name that resolves to this machine. Clients of the old revisions
// get a session; clients of 2026-07-28 have none. There is no stream without a request (GET is 405), and nothing is
// resumed: a call whose connection breaks is cancelled. All clients share one principal, which the token names.
func ServeHTTP(ctx context.Context, s *Server, l net.Listener, o HTTPOptions) error {
	h, err := newEndpoint(s, l.Addr(), o)
	if err != nil {
		return errors.Join(err, l.Close())
	}
	srv := &http.Server{
		Handler: h, ReadHeaderTimeout: headerTime, ReadTimeout: bodyTime, IdleTimeout: idleTime, MaxHeaderBytes: maxHeaders,
		ErrorLog:    slog.NewLogLogger(discardText{s.log.Handler()}, slog.LevelWarn),
		BaseContext: func(net.Listener) context.Context { return context.WithoutCancel(ctx) },
	}
	served := make(chan error, 1)
	go func() { served <- srv.Serve(netutil.LimitListener(l, maxHTTPConns)) }()
	select {
	case err = <-served:
	case <-ctx.Done():
		err = nil
	}
	h.end(srv, o.withDefaults())
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}

// end cancels what runs and waits for it, no longer than Serve does.
func (h *endpoint) end(srv *http.Server, o Options) {
	drained := make(chan struct{})
	go func() {
		defer close(drained)
		if o.Drain != nil {
			ctx, stop := context.WithTimeout(context.WithoutCancel(h.ctx), o.DrainTimeout)
			defer stop()
			o.Drain(ctx)
		}
	}()
	h.cancel(ErrEnding)
	ctx, stop := context.WithTimeout(context.Background(), hardDeadline)
	defer stop()
	if err := srv.Shutdown(ctx); err != nil {
		h.log.Warn("calls did not end in time")
		_ = srv.Close() // what is left is cut off
	}
	limit := time.NewTimer(o.DrainTimeout)
	defer limit.Stop()
	select {
	case <-drained:
	case <-limit.C:
	}
}

// newEndpoint checks o.
func newEndpoint(s *Server, addr net.Addr, o HTTPOptions) (*endpoint, error) {
	if len(o.Token) < minTokenOctets {
		return nil, ErrShortToken
	}
	tcp, ok := addr.(*net.TCPAddr)
	if !ok || !tcp.IP.IsLoopback() {
		return nil, ErrNotLoopback
	}
	options := o.withDefaults()
	h := &endpoint{
		server: s, log: s.log, token: sha256.Sum256([]byte(o.Token)), maxBody: int64(options.MaxLineOctets),
		limits: newLimits(options), sessions: map[string]*httpSession{}, now: time.Now,
	}
	h.ctx, h.cancel = context.WithCancelCause(context.Background())
	port := strconv.Itoa(tcp.Port)
	h.hosts = []string{net.JoinHostPort(tcp.IP.String(), port), "localhost:" + port}
	// A digest of a digest: it names the token and helps nobody to find it.
	named := sha256.Sum256(h.token[:])
	h.principal = "http:" + hex.EncodeToString(named[:4])
	return h, nil
}

// discardText keeps the level and the fact of what net/http logs; its text quotes what clients sent.
type discardText struct{ slog.Handler }

// Handle implements slog.Handler.
func (d discardText) Handle(ctx context.Context, r slog.Record) error {
	return d.Handler.Handle(ctx, slog.NewRecord(r.Time, r.Level, "http: a connection failed", r.PC))
}
