package confirm

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"time"
)

// ErrNoBrowser says that the page could not be put before a person: no port, or no browser that could be started. Nothing was
// approved.
var ErrNoBrowser = errors.New("confirm: no browser to ask in")

// Opener hands a URL to a person, outside the model. The URL is a secret that is good for one use. An error means that
// nobody got it; it must not hold the URL.
type Opener func(ctx context.Context, url string) error

// PageOptions configure a Page. Now, Random and Open are required.
type PageOptions struct {
	Now    func() time.Time
	Random io.Reader    // crypto/rand.Reader outside tests
	Open   Opener       // OpenBrowser outside tests
	Logger *slog.Logger // reasons and counts, never a URL; nil logs nothing
	// Factor, if not nil, is required for a yes to messages of the level FactorFrom and above. Their page has one script, which
	// speaks to the device, and is served on http://localhost, because devices accept no IP address.
	Factor     SecondFactor
	FactorFrom Level
}

// Page asks on a page that a browser of this machine shows. It is a [Path]. Safe for concurrent use: each question has a
// listener of its own, on a port of its own, so no two pages share an origin. The port is open while the question is, and
// for alarmTime after an alarm, when nothing can be approved any more but the person may still have to be told.
type Page struct{ o PageOptions }

// NewPage returns a Page. It opens nothing. It fails if o lacks something required.
func NewPage(o PageOptions) (*Page, error) {
	if o.Now == nil || o.Random == nil || o.Open == nil {
		return nil, errors.New("confirm: a page needs a clock, a random source and a way to open a browser")
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	return &Page{o}, nil
}

// Name implements Path.
func (*Page) Name() PathName { return PathPage }

// Ask opens the page and waits for the answer, the end of ctx, or the expiry of d. Pending.Open, if set, takes the place of
// PageOptions.Open. Errors, and then nobody was asked: ErrNoBrowser, ErrRandom, ErrTooMuch, and, where
// the second factor is required, ErrNotEnrolled and what it fails with.
func (p *Page) Ask(ctx context.Context, d Pending) (Answer, error) {
	if err := d.Question.check(); err != nil {
		return No(PathPage, AskFailed), err
	}
	left := d.Expires.Sub(p.o.Now())
	if left <= 0 {
		return No(PathPage, Expired), nil
	}
	s, err := newSheet(p.o, d, nil)
	if err != nil {
		return No(PathPage, CannotAsk), err
	}
	return s.run(ctx, left)
}

// Enrol opens a page that enrols a device as second factor, and waits for it, the end of ctx, or the time until. If a device is enrolled
// already, it has to confirm first. Whoever calls it knows that a person is there. Errors: *NotApprovedError and those of Ask and e;
// with an error, nothing was enrolled.
func (p *Page) Enrol(ctx context.Context, e Enroller, until time.Time) error {
	s, err := newSheet(p.o, Pending{Expires: until, Binding: Binding{Digest: NewDigest().AddText("purpose", "enrol").Sum()}}, e)
	if err != nil {
		return err
	}
	a, err := s.run(ctx, until.Sub(p.o.Now()))
	if err == nil && !a.Yes() {
		err = &NotApprovedError{a.Reason()}
	}
	return err
}

// run hands the page over and waits for its end.
func (s *sheet) run(ctx context.Context, left time.Duration) (Answer, error) {
	defer func() { go s.close() }() // the last response may still be on its way
	if err := s.handOver(ctx); err != nil {
		return No(PathPage, CannotAsk), err
	}
	expiry := time.NewTimer(left)
	defer expiry.Stop()
	select {
	case <-s.ended:
	case <-ctx.Done():
		s.end(endReason(ctx.Err()))
	case <-expiry.C:
		s.end(Expired)
	}
	return s.answer(), nil
}

// endReason names the end of a call.
func endReason(err error) Reason {
	if errors.Is(err, context.DeadlineExceeded) {
		return TimedOut
	}
	return CallEnded
}

// handOver gives the address to the person. A browser that has come already outweighs a failure to start one.
func (s *sheet) handOver(ctx context.Context) error {
	open := s.d.Open
	if open == nil {
		open = s.o.Open
	}
	err := open(ctx, s.origin+openPath+s.capability)
	if err == nil || s.opened() {
		return nil
	}
	s.end(CannotAsk)
	if errors.Is(err, ErrNoBrowser) {
		return err
	}
	return ErrNoBrowser // the text of err is not ours and may hold the address
}

var _ Path = (*Page)(nil)
