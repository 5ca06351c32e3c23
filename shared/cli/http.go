package cli

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"mailgap/shared/mcpserve"
)

// HTTP says how a program serves HTTP instead of standard input and output.
type HTTP struct {
	Address string                                // of the loopback interface, with a port
	Token   func(context.Context) (string, error) // nil if none is configured
	Setting string                                // that holds the token
	Log     *slog.Logger                          // is told the address, never the token
	Options mcpserve.Options
}

// ErrNoToken says that HTTP was asked for without a token.
var ErrNoToken = errors.New("HTTP needs a token that its clients send")

// ServeHTTP serves s until ctx is done. Errors: ErrNoToken, mcpserve.ErrShortToken, mcpserve.ErrNotLoopback, and those of
// fetching the token and of listening.
func ServeHTTP(ctx context.Context, s *mcpserve.Server, h HTTP) error {
	if h.Token == nil {
		return ErrNoToken
	}
	token, err := h.Token(ctx)
	if err != nil {
		return fmt.Errorf("%s: %w", h.Setting, err)
	}
	l, err := mcpserve.ListenHTTP(h.Address)
	if err != nil {
		return err
	}
	h.Log.Info("serving", "url", "http://"+l.Addr().String()+mcpserve.HTTPPath)
	return mcpserve.ServeHTTP(ctx, s, l, mcpserve.HTTPOptions{Options: h.Options, Token: token})
}

// HTTPHint says what to do about an error of ServeHTTP that comes from the configuration; "" for others.
func HTTPHint(err error, setting string) string {
	switch {
	case errors.Is(err, ErrNoToken), errors.Is(err, mcpserve.ErrShortToken):
		return "set " + setting + "_FILE to a file that holds the output of: openssl rand -hex 32"
	case errors.Is(err, mcpserve.ErrNotLoopback):
		return "write --http 127.0.0.1:8765; a tunnel or a proxy of yours can reach it from elsewhere"
	}
	return ""
}
