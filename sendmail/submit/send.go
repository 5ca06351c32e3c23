package submit

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"regexp"

	"github.com/emersion/go-smtp"

	"mailgap/sendmail/wire"
)

// maxLineOctets is the longest line of content without CRLF (RFC 5322 §2.1.1).
const maxLineOctets = 998

// Envelope is the SMTP envelope (RFC 5321 §2.3.1): bare addresses without angle brackets, domains as A-labels.
type Envelope struct {
	ReversePath  string
	ForwardPaths []string // at least one, no duplicates; 100 at most (RFC 5321 §4.5.3.1.8)
}

// Hooks are called by Send. Nil fields are left out.
type Hooks struct {
	// BeforeDot is called once, after the whole content has left and before the write with the final dot. An error
	// closes the connection: the message is not sent. It may block; a cancelled ctx is looked at again after it.
	BeforeDot func() error
}

// Send submits octets (CRLF line ends, no dot-stuffing) once and never repeats it. The error is nil exactly if the state is
// StateSent; Outcome is valid in any case. Ending ctx before the final dot closes the connection (StateFailed); after it
// ctx is ignored and the reply is awaited for FinalTimeout.
//
// Every recipient is tried; if one is refused the transaction ends before DATA with a *RecipientsError. Other errors:
// ErrContent, ErrEnvelope, *DialError, *TLSError, *AuthError, *LoginPausedError, *ExtensionError, *ReplyError, ErrBeforeDot,
// ErrUnknown, ErrTimeout, ErrConnLost, ErrLimited, ErrGarbage, the context's error. Explain turns any of them into advice.
func (c *Client) Send(ctx context.Context, env Envelope, octets []byte, h Hooks) (Outcome, error) {
	start := c.cfg.Now()
	out, err := c.send(ctx, env, octets, h)
	out.Took = c.cfg.Now().Sub(start)
	if log := c.cfg.Logger; log != nil {
		log.Info("submission ended", "state", out.State, "stage", out.Stage, "code", out.Reply.Code,
			"recipients", len(env.ForwardPaths), "octets", len(octets), "took", out.Took)
	}
	return out, err
}

func (c *Client) send(ctx context.Context, env Envelope, octets []byte, h Hooks) (Outcome, error) {
	failed := Outcome{State: StateFailed, Stage: StageCheck}
	tx := wire.NewTransaction(env.ReversePath, env.ForwardPaths, octets)
	tx.BeforeDot = h.BeforeDot
	if err := tx.Check(); err != nil {
		return failed, fmt.Errorf("%w: %w", ErrEnvelope, err)
	}
	if err := checkContent(octets); err != nil {
		return failed, err
	}
	if ctx.Err() != nil {
		return failed, context.Cause(ctx)
	}
	l, err := c.open(ctx)
	if err != nil {
		return Outcome{State: StateFailed, Stage: l.stage, Reply: replyOf(err)}, err
	}
	t := &transaction{link: l, env: env, octets: octets}
	err = t.run(tx)
	out, err := t.judge(err)
	l.leave(err)
	return out, err
}

// checkContent refuses what would not arrive as it is.
func checkContent(octets []byte) error {
	if len(octets) == 0 || !bytes.HasSuffix(octets, []byte("\r\n")) {
		return fmt.Errorf("%w: last line has no end", ErrContent)
	}
	for rest := octets; len(rest) > 0; {
		i := bytes.IndexByte(rest, '\n')
		if i < 1 || bytes.IndexByte(rest[:i], '\r') != i-1 {
			return fmt.Errorf("%w: lone CR or LF", ErrContent)
		}
		if i-1 > maxLineOctets {
			return fmt.Errorf("%w: line too long", ErrContent)
		}
		rest = rest[i+1:]
	}
	if bytes.IndexByte(octets, 0) >= 0 {
		return fmt.Errorf("%w: NUL", ErrContent)
	}
	return nil
}

// transaction is one MAIL with everything after it.
type transaction struct {
	link       *link
	env        Envelope
	octets     []byte
	recipients []Recipient
}

// run goes from MAIL to the reply to the dot. What its error means is judge's work.
func (t *transaction) run(tx wire.Transaction) error {
	l := t.link
	l.stage = StageExtensions
	utf8, err := t.needs()
	if err != nil {
		return err
	}
	l.stage = StageMail
	if err := l.wire.Expect(tx); err != nil {
		return err
	}
	if err := l.smtp.Mail(t.env.ReversePath, &smtp.MailOptions{Size: int64(len(t.octets)), UTF8: utf8}); err != nil {
		return l.fault(err)
	}
	l.stage = StageRcpt
	if err := t.rcpt(); err != nil {
		return err
	}
	l.stage = StageData
	w, err := l.smtp.Data()
	if err != nil {
		return l.fault(err)
	}
	l.stage = StageBody
	if _, err := w.Write(t.octets); err != nil {
		return l.fault(err)
	}
	if _, err = w.CloseWithResponse(); err != nil {
		return l.fault(err)
	}
	return nil
}

// needs compares what the message needs with what the server offers, before anything is proposed to it.
func (t *transaction) needs() (utf8 bool, err error) {
	info := t.link.info
	if size := int64(len(t.octets)); info.MaxOctets > 0 && size > info.MaxOctets {
		return false, &ExtensionError{Extension: ExtensionSize, MaxOctets: info.MaxOctets, Octets: size}
	}
	header, _, _ := bytes.Cut(t.octets, []byte("\r\n\r\n"))
	utf8 = notASCII(header) || notASCII([]byte(t.env.ReversePath))
	for _, p := range t.env.ForwardPaths {
		utf8 = utf8 || notASCII([]byte(p))
	}
	if utf8 && !info.HasSMTPUTF8 {
		return false, &ExtensionError{Extension: ExtensionSMTPUTF8}
	}
	if notASCII(t.octets) && !info.Has8BitMIME {
		return false, &ExtensionError{Extension: Extension8BitMIME}
	}
	return utf8, nil
}

func notASCII(b []byte) bool {
	for _, c := range b {
		if c >= 0x80 {
			return true
		}
	}
	return false
}

// rcpt tries every recipient, unless the connection ends.
func (t *transaction) rcpt() error {
	l := t.link
	t.recipients = make([]Recipient, len(t.env.ForwardPaths))
	for i, p := range t.env.ForwardPaths {
		t.recipients[i].ForwardPath = p
	}
	var refused []Recipient
	for i := range t.recipients {
		r := &t.recipients[i]
		r.Asked = true
		err := l.smtp.Rcpt(r.ForwardPath, nil)
		if err == nil {
			r.Accepted, r.Reply = true, Reply(l.wire.Last())
			continue
		}
		err = l.fault(err)
		var reply *ReplyError
		if !errors.As(err, &reply) || errors.Is(err, ErrConnLost) || reply.Reply.Code == 421 {
			if r.Reply = replyOf(err); len(refused) > 0 {
				break // what was refused before says more than how the connection ended
			}
			return err
		}
		r.Reply = reply.Reply
		refused = append(refused, *r)
	}
	if len(refused) > 0 {
		return &RecipientsError{Refused: refused}
	}
	return nil
}

// judge says what became of the message. The wire layer's record decides, not the library's error: the library takes any
// reply but 250 for an error, and any error for the end.
func (t *transaction) judge(err error) (Outcome, error) {
	l := t.link
	rec := l.wire.Record()
	out := Outcome{State: StateFailed, Stage: l.stage, Recipients: t.recipients, DotSent: rec.DotSent,
		DataOctets: rec.Octets, DataSHA256: rec.SHA256, Reply: replyOf(err)}
	if !rec.DotSent {
		if errors.Is(err, ErrBeforeDot) {
			l.stage, out.Stage = StageBeforeDot, StageBeforeDot
		}
		return out, orMissing(err)
	}
	l.stage, out.Stage = StageDot, StageDot
	out.Reply = Reply(rec.Final)
	switch {
	case out.Reply.Positive():
		out.State, out.QueueIDRaw = StateSent, queueID(out.Reply.TextRaw)
		return out, nil
	case out.Reply.Transient(), out.Reply.Permanent():
		return out, &ReplyError{Stage: StageDot, Reply: out.Reply}
	}
	out.State = StateUnknown
	if err == nil {
		return out, ErrUnknown
	}
	return out, fmt.Errorf("%w: %w", ErrUnknown, err)
}

var errNoDot = errors.New("submit: the library reports success without a final dot")

// orMissing guards against a success that cannot be.
func orMissing(err error) error {
	if err == nil {
		return errNoDot
	}
	return err
}

// replyOf finds the reply in an error.
func replyOf(err error) Reply {
	var (
		reply *ReplyError
		auth  *AuthError
		rcpt  *RecipientsError
	)
	switch {
	case errors.As(err, &reply):
		return reply.Reply
	case errors.As(err, &auth):
		return auth.Reply
	case errors.As(err, &rcpt) && len(rcpt.Refused) > 0:
		return rcpt.Refused[0].Reply
	}
	return Reply{}
}

// queueID guesses the server's name for the message from its reply: Postfix ("Ok: queued as 4F1x"), Exim ("OK id=1abc-0001-Xy"),
// Exchange ("[InternalId=123, ...]"), sendmail ("58a1 Message accepted for delivery"), Gmail ("OK 1700 ab12 - gsmtp").
func queueID(text string) string {
	const id = `([A-Za-z0-9._/+:-]{1,100})`
	for _, form := range []string{
		`(?i)queued as ` + id, `(?i)\bid=` + id, `(?i)InternalId=` + id, `(?i)^` + id + ` message accepted`, `(?i)^OK\s+(?:\d+ )?` + id + ` - gsmtp`,
	} {
		if m := regexp.MustCompile(form).FindStringSubmatch(text); m != nil {
			return m[1]
		}
	}
	return ""
}
