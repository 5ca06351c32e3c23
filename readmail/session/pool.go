package session

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"mailgap/shared/logingate"
)

// maxWatchers bounds the connections of Idle. Limit: providers count connections; two answers wait at a time at most.
const maxWatchers = 2

// knownFor is how long the last known number of messages is good for a guess without an upper end.
const knownFor = time.Hour

// shared is what all connections of a pool know together.
type shared struct {
	cfg  Config
	gate *logingate.Gate

	mu        sync.Mutex
	seen      map[string]seenState
	noCharset bool       // the server refuses CHARSET UTF-8
	oddNames  bool       // some mailbox names are only understood after a LIST
	refusedBy AuthMethod // the method of the last login, if that was refused
	info      Info
	total     Stats
}

type seenState struct {
	state State
	at    time.Time
}

// maxSeen bounds the remembered mailboxes.
const maxSeen = 2000

func (s *shared) remember(st State) {
	if len(st.Name) > maxNameOctets {
		return // it cannot be opened anyway
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.seen) >= maxSeen {
		clear(s.seen)
	}
	s.seen[st.Name] = seenState{st, s.cfg.Now()}
}

// recall returns the last known state of a mailbox and whether it is fresh.
func (s *shared) recall(name string) (st State, known, fresh bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e, ok := s.seen[name]
	return e.state, ok, ok && s.cfg.Now().Sub(e.at) < knownFor
}

func (s *shared) hasCap(caps map[string]bool, name string) bool {
	name = strings.ToUpper(name)
	if caps[name] {
		return true
	}
	// Quirk: a server of IMAP4rev2 alone has these built in (RFC 9051 appendix E).
	rev2 := []string{"ESEARCH", "LIST-EXTENDED", "LIST-STATUS", "NAMESPACE", "IDLE", "SPECIAL-USE", "SASL-IR", "LITERAL-", "UNSELECT"}
	return caps["IMAP4REV2"] && slices.Contains(rev2, name) || name == "CONDSTORE" && caps["QRESYNC"]
}

// Pool lends connections of one account. Use NewPool. All methods are safe for concurrent use.
type Pool struct {
	shared
	slots    chan struct{} // one token per connection that may exist
	watchers chan struct{}
	logins   chan struct{} // one login at a time, so that a refusal stops the others
	ctx      context.Context
	cancel   context.CancelFunc

	idleMu sync.Mutex
	idle   []*Conn // most recently used last
	timer  *time.Timer
}

// NewPool checks cfg and returns a pool without connecting. Close it. Errors: ErrBadConfig, ErrPlaintext.
func NewPool(cfg Config) (*Pool, error) {
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, err
	}
	p := &Pool{
		shared:   shared{cfg: cfg, gate: logingate.New(), seen: map[string]seenState{}},
		slots:    make(chan struct{}, cfg.PoolSize),
		watchers: make(chan struct{}, maxWatchers),
		logins:   make(chan struct{}, 1),
	}
	p.info = Info{Host: cfg.Host, Port: cfg.Port}
	p.ctx, p.cancel = context.WithCancel(context.Background())
	return p, nil
}

// Do lends a connection to fn and waits for one if all are busy. It prefers one that has mailbox examined ("" for no
// preference). fn must not keep the connection. If the connection dies while fn uses it, fn is run once more on a fresh
// one, so fn must be repeatable. If ctx ends, the connection is closed and replaced, and fn's calls return.
func (p *Pool) Do(ctx context.Context, mailbox string, fn func(ctx context.Context, c *Conn) error) error {
	ctx, stop := p.bind(ctx)
	defer stop()
	if err := acquire(ctx, p.slots); err != nil {
		return p.why(err)
	}
	defer func() { <-p.slots }()
	for attempt := 0; ; attempt++ {
		c, err := p.take(ctx, mailbox, attempt > 0)
		if err != nil {
			return p.why(err)
		}
		err = fn(ctx, c)
		again := err != nil && attempt == 0 && ctx.Err() == nil && c.retryable()
		p.give(c)
		if !again {
			return p.why(err)
		}
		p.log("reconnect after loss")
	}
}

// bind returns a context that also ends with the pool.
func (p *Pool) bind(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	unhook := context.AfterFunc(p.ctx, func() { cancel(ErrClosed) })
	return ctx, func() { unhook(); cancel(nil) }
}

// why says ErrClosed for what the end of the pool brought about.
func (p *Pool) why(err error) error {
	if err != nil && p.ctx.Err() != nil && errors.Is(err, context.Canceled) {
		return ErrClosed
	}
	return err
}

func acquire(ctx context.Context, slots chan struct{}) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case slots <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// take returns an idle connection or a new one. The caller holds a slot. After a loss the other idle connections are
// likely dead too, so a fresh one is made.
func (p *Pool) take(ctx context.Context, mailbox string, fresh bool) (*Conn, error) {
	for !fresh {
		c := p.pick(mailbox)
		if c == nil {
			break
		}
		if !c.lost() {
			c.proven = false
			return c, nil
		}
		p.retire(c)
	}
	if fresh {
		p.makeRoom()
	}
	return p.connect(ctx)
}

// pick takes the best idle connection out of the list, nil if there is none.
func (p *Pool) pick(mailbox string) *Conn {
	p.idleMu.Lock()
	defer p.idleMu.Unlock()
	if len(p.idle) == 0 {
		return nil
	}
	best := len(p.idle) - 1
	for i, c := range p.idle {
		if mailbox != "" && c.open == canonicalName(mailbox) {
			best = i
		}
	}
	c := p.idle[best]
	p.idle = slices.Delete(p.idle, best, best+1)
	return c
}

// makeRoom closes one idle connection if the pool would become too large. The caller holds a slot and has no connection.
func (p *Pool) makeRoom() {
	p.idleMu.Lock()
	var out *Conn
	if n := len(p.idle); n > 0 && n+len(p.slots) > p.cfg.PoolSize {
		out, p.idle = p.idle[0], slices.Delete(p.idle, 0, 1)
	}
	p.idleMu.Unlock()
	if out != nil {
		p.retire(out)
	}
}

// give puts a connection back, or retires it if it is lost or the pool is closed.
func (p *Pool) give(c *Conn) {
	c.touched = time.Now()
	if c.lost() || p.ctx.Err() != nil {
		p.retire(c)
		return
	}
	p.idleMu.Lock()
	p.idle = append(p.idle, c)
	if p.timer == nil {
		p.timer = time.AfterFunc(p.cfg.KeepAlive, p.tend)
	}
	p.idleMu.Unlock()
	if p.ctx.Err() != nil {
		p.drain()
	}
}

// tend keeps idle connections alive while they were used lately and logs out the others.
func (p *Pool) tend() {
	p.idleMu.Lock()
	p.timer = nil
	n := len(p.idle)
	p.idleMu.Unlock()
	for range n {
		select {
		case p.slots <- struct{}{}:
			p.tendOne()
			<-p.slots
		default: // all slots are busy: the idle ones will be used soon
		}
	}
	p.idleMu.Lock()
	defer p.idleMu.Unlock()
	if len(p.idle) > 0 && p.timer == nil && p.ctx.Err() == nil {
		p.timer = time.AfterFunc(p.cfg.KeepAlive, p.tend)
	}
}

// tendOne looks after the connection that was idle longest.
func (p *Pool) tendOne() {
	p.idleMu.Lock()
	if len(p.idle) == 0 {
		p.idleMu.Unlock()
		return
	}
	c := p.idle[0]
	p.idle = slices.Delete(p.idle, 0, 1)
	p.idleMu.Unlock()
	if c.lost() || time.Since(c.touched) >= p.cfg.IdleClose {
		p.retire(c)
		return
	}
	ctx, cancel := context.WithTimeout(p.ctx, p.cfg.CommandTimeout)
	defer cancel()
	if c.Noop(ctx) != nil && c.lost() {
		p.retire(c)
		return
	}
	p.idleMu.Lock()
	p.idle = append(p.idle, c)
	p.idleMu.Unlock()
	if p.ctx.Err() != nil {
		p.drain()
	}
}

// retire closes a connection and adds its counts to the total.
func (p *Pool) retire(c *Conn) {
	c.close()
	p.mu.Lock()
	p.total = p.total.plus(c.Stats())
	p.mu.Unlock()
}

func (s Stats) plus(o Stats) Stats {
	return Stats{
		OctetsIn: s.OctetsIn + o.OctetsIn, OctetsOut: s.OctetsOut + o.OctetsOut,
		RoundTrips: s.RoundTrips + o.RoundTrips, Connects: s.Connects + o.Connects, Commands: s.Commands + o.Commands,
	}
}

// connect makes a new logged-in connection.
func (p *Pool) connect(ctx context.Context) (*Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, p.cfg.DialTimeout)
	defer cancel()
	c, err := p.establish(ctx)
	if err != nil {
		p.log("connect failed")
		if errors.Is(err, context.DeadlineExceeded) {
			return nil, timeoutOr(context.DeadlineExceeded, err)
		}
		return nil, err
	}
	p.mu.Lock()
	p.info = c.info
	p.mu.Unlock()
	return c, nil
}

func (p *Pool) establish(ctx context.Context) (*Conn, error) {
	if err := acquire(ctx, p.logins); err != nil {
		return nil, err
	}
	defer func() { <-p.logins }()
	if err := p.paused(ctx); err != nil {
		return nil, err
	}
	o, err := open(ctx, &p.cfg)
	if err != nil {
		return nil, err
	}
	c, err := newConn(ctx, &p.shared, o)
	if err != nil {
		return nil, err
	}
	if err := c.begin(ctx, o); err != nil {
		p.retire(c)
		return nil, err
	}
	return c, nil
}

// begin takes a new connection from the greeting to the point where mailboxes can be opened.
func (c *Conn) begin(ctx context.Context, o *opening) error {
	if err := c.authenticated(ctx); err != nil {
		return err
	}
	c.compress(ctx, o)
	c.sendID()
	c.info.Connected = true
	return nil
}

// Info returns what is known about the server, without asking it.
func (p *Pool) Info() Info {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.info
}

// Stats returns the sum over all connections so far, those that are lent out right now left out.
func (p *Pool) Stats() Stats {
	p.idleMu.Lock()
	defer p.idleMu.Unlock()
	p.mu.Lock()
	defer p.mu.Unlock()
	sum := p.total
	for _, c := range p.idle {
		sum = sum.plus(c.Stats())
	}
	return sum
}

// Close ends all connections and makes Do and Idle return ErrClosed. It does not wait for the server.
func (p *Pool) Close() error {
	p.cancel()
	p.drain()
	return nil
}

func (p *Pool) drain() {
	p.idleMu.Lock()
	idle := p.idle
	p.idle = nil
	if p.timer != nil {
		p.timer.Stop()
		p.timer = nil
	}
	p.idleMu.Unlock()
	for _, c := range idle {
		p.retire(c)
	}
}

func (p *Pool) log(msg string) {
	if p.cfg.Logger != nil {
		p.cfg.Logger.Info(msg, "account", p.cfg.Account)
	}
}
