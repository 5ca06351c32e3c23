package submit

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"slices"
	"strconv"
	"strings"

	"github.com/emersion/go-smtp"

	"mailgap/sendmail/wire"
	"mailgap/shared/tlsdial"
)

// link is one connection to the server. Its steps run in the order dial, protect, greet, hello, login.
type link struct {
	cfg   *Config
	c     *Client // nil in Diagnose, which has no memory of refused logins
	stage Stage   // the step that runs or ran last
	raw   net.Conn
	wire  *wire.Conn
	smtp  *smtp.Client
	state *tls.ConnectionState // nil for plain text
	info  Info
	ctx   context.Context
	stop  func() bool
}

// open runs all steps. On an error the link is closed; its stage tells where.
func (c *Client) open(ctx context.Context) (*link, error) {
	l := &link{cfg: &c.cfg, c: c, ctx: ctx}
	for _, step := range []func(context.Context) error{l.dial, l.protect, l.greet, l.hello, l.login} {
		if err := step(ctx); err != nil {
			l.leave(err)
			return l, err
		}
	}
	return l, nil
}

func (l *link) dial(ctx context.Context) error {
	l.stage = StageConnect
	cfg := l.cfg
	limited, cancel := context.WithTimeout(ctx, cfg.DialTimeout)
	defer cancel()
	conn, err := cfg.Dial(limited, "tcp", net.JoinHostPort(cfg.Host, strconv.Itoa(cfg.Port)))
	if err != nil {
		return l.dialFault(ctx, limited, err)
	}
	// Security: a name such as localhost may be made to point elsewhere.
	if cfg.TLS == TLSNone && !tlsdial.IsLoopbackConn(conn) {
		conn.Close()
		return ErrPlaintext
	}
	l.raw = conn
	return nil
}

func (l *link) dialFault(ctx, limited context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	step := "tcp"
	var dns *net.DNSError
	if errors.As(err, &dns) {
		step = "dns"
	}
	if limited.Err() != nil {
		err = errors.Join(ErrTimeout, err)
	}
	return &DialError{Step: step, Host: l.cfg.Host, Port: l.cfg.Port, Err: err}
}

// protect brings up TLS as configured and puts the wire layer on the connection.
func (l *link) protect(ctx context.Context) error {
	l.stage = StageTLS
	limited, cancel := context.WithTimeout(ctx, l.cfg.CommandTimeout)
	defer cancel()
	opt := wire.Options{Limits: l.cfg.limits(), Private: true} // plain text is to this machine only, see dial
	conn := l.raw
	if l.cfg.TLS != TLSNone {
		secured, greeting, err := l.secure(limited)
		if err != nil {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			return err
		}
		state := secured.ConnectionState()
		conn, l.state, opt.Greeting = secured, &state, greeting
	}
	l.wire = wire.New(conn, opt)
	l.stop = context.AfterFunc(ctx, func() { l.wire.Abort(context.Cause(ctx)) })
	l.smtp = smtp.NewClient(l.wire)
	l.describe()
	return nil
}

// secure returns the encrypted connection, and the greeting to repeat if the server's was read already.
func (l *link) secure(ctx context.Context) (*tls.Conn, string, error) {
	conf, err := l.cfg.tls().Client()
	if err != nil {
		return nil, "", err
	}
	if l.cfg.TLS == TLSImplicit {
		conn := tls.Client(l.raw, conf)
		if err := conn.HandshakeContext(ctx); err != nil {
			return nil, "", l.tlsFault(ctx, err)
		}
		return conn, "", nil
	}
	conn, greeting, err := wire.StartTLS(ctx, l.raw, l.cfg.HELO, conf)
	l.info.GreetingRaw = greeting.TextRaw
	if err != nil {
		return nil, "", l.startTLSFault(ctx, err)
	}
	return conn, "220 ready", nil
}

func (l *link) describe() {
	l.info.Host, l.info.Port = l.cfg.Host, l.cfg.Port
	if l.state == nil {
		return
	}
	l.info.TLS, l.info.TLSVersion = true, tls.VersionName(l.state.Version)
	if len(l.state.PeerCertificates) > 0 {
		l.info.Fingerprint = tlsdial.Fingerprint(l.state.PeerCertificates[0])
	}
}

func (l *link) tlsFault(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return errors.Join(ErrTimeout, err)
	}
	return tlsdial.Fault(l.cfg.TLS, l.cfg.Host, err)
}

// startTLSFault explains what went wrong before or during TLS.
func (l *link) startTLSFault(ctx context.Context, err error) error {
	fault := func(r tlsdial.Reason) error { return &TLSError{Reason: r, Host: l.cfg.Host, Err: err} }
	var reply *wire.ReplyError
	switch {
	case errors.As(err, &reply):
		l.stage = StageGreeting
		if reply.Command == "EHLO" {
			l.stage = StageEHLO
		}
		return &ReplyError{Stage: l.stage, Reply: Reply(reply.Reply)}
	case errors.Is(err, wire.ErrNoStartTLS):
		return fault(tlsdial.NotOffered)
	case errors.Is(err, wire.ErrInjection):
		return fault(tlsdial.Injected)
	case l.cfg.Port == portSubmissions && (ctx.Err() != nil || errors.Is(err, wire.ErrFraming) || errors.Is(err, wire.ErrLimit)):
		return fault(tlsdial.TLSOnPlain)
	case ctx.Err() != nil:
		return errors.Join(ErrTimeout, err)
	case errors.Is(err, wire.ErrFraming), errors.Is(err, wire.ErrLimit), errors.Is(err, wire.ErrLost):
		return wireFault(err)
	}
	return tlsdial.Fault(l.cfg.TLS, l.cfg.Host, err)
}

// greet waits for the greeting, unless STARTTLS had it already.
func (l *link) greet(context.Context) error {
	l.stage = StageGreeting
	if l.cfg.TLS == TLSStartTLS {
		return nil
	}
	r, err := l.wire.Greeting()
	if err != nil {
		return l.fault(err)
	}
	l.info.GreetingRaw = r.TextRaw
	if r.Code != 220 {
		return &ReplyError{Stage: StageGreeting, Reply: Reply(r)}
	}
	return nil
}

// hello says EHLO and takes over the extensions.
func (l *link) hello(context.Context) error {
	l.stage = StageEHLO
	if err := l.smtp.Hello(l.cfg.HELO); err != nil {
		return l.fault(err)
	}
	l.info.Has8BitMIME, _ = l.smtp.Extension("8BITMIME")
	l.info.HasSMTPUTF8, _ = l.smtp.Extension("SMTPUTF8")
	if n, ok := l.smtp.MaxMessageSize(); ok {
		l.info.MaxOctets = int64(n)
	}
	lines := strings.Split(l.wire.Last().TextRaw, "\n")
	for _, line := range lines[1:] {
		word, args, _ := strings.Cut(strings.TrimSpace(line), " ")
		l.info.ExtensionRaw = append(l.info.ExtensionRaw, strings.TrimSpace(strings.ToUpper(word)+" "+args))
	}
	slices.Sort(l.info.ExtensionRaw)
	return nil
}

// fault turns an error of the library or the wire into one of ours.
func (l *link) fault(err error) error {
	// First: a server may refuse and close at once, and then the refusal says more.
	if refused := (&smtp.SMTPError{}); errors.As(err, &refused) {
		return &ReplyError{Stage: l.stage, Reply: Reply(l.wire.Last())}
	}
	if end := l.wire.Err(); end != nil {
		if errors.Is(end, wire.ErrAborted) && l.ctx.Err() != nil {
			return context.Cause(l.ctx)
		}
		var early *wire.EarlyError
		if errors.As(end, &early) {
			return errors.Join(ErrConnLost, &ReplyError{Stage: l.stage, Reply: Reply(early.Reply)})
		}
		if !errors.Is(end, net.ErrClosed) {
			err = end
		}
	}
	return wireFault(err)
}

// wireFault finds our word for what ended the connection.
func wireFault(err error) error {
	for _, w := range []struct{ is, our error }{
		{wire.ErrBeforeDot, ErrBeforeDot}, {wire.ErrTimeout, ErrTimeout}, {wire.ErrLimit, ErrLimited},
		{wire.ErrFraming, ErrGarbage}, {wire.ErrContent, ErrContent}, {wire.ErrLost, ErrConnLost}, {net.ErrClosed, ErrConnLost},
	} {
		if errors.Is(err, w.is) {
			return errors.Join(w.our, err)
		}
	}
	return err
}

// leave says goodbye if that is safe, then closes. cause is what ended the work, nil after success.
//
// Security: after a broken DATA nothing is said any more. The wire layer would refuse it too.
func (l *link) leave(cause error) {
	defer l.close()
	if l.wire == nil || l.wire.Err() != nil || l.stage == StageBody || l.stage == StageBeforeDot || l.stage == StageGreeting || errors.Is(cause, ErrUnknown) {
		return
	}
	var reply *ReplyError
	if l.stage == StageData && !(errors.As(cause, &reply) && (reply.Reply.Transient() || reply.Reply.Permanent())) {
		return
	}
	if errors.As(cause, &reply) && reply.Reply.Code == 421 {
		return // the server has closed already (RFC 5321 §3.8)
	}
	if l.stage == StageRcpt {
		_ = l.smtp.Reset()
	}
	if l.wire.Err() == nil {
		_ = l.smtp.Quit()
	}
}

func (l *link) close() {
	if l.stop != nil {
		l.stop()
	}
	switch {
	case l.wire != nil:
		l.wire.Close()
	case l.raw != nil:
		l.raw.Close()
	}
}
