package mcpserve

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"reflect"
	"runtime"
	"strings"
	"syscall"
	"unicode/utf8"
)

// What clients read when something failed that is not for them.
const (
	textInternal  = "internal error; the details are in the log of the server (standard error). Repeating the same call will hardly help"
	textCancelled = "the call was cancelled"
	textDeadline  = "the call took too long and was ended; try a narrower request"
)

// invoke runs one call: validates, runs the handler, contains what goes wrong, checks the result.
func (s *Server) invoke(ctx context.Context, t *Tool, c *Call, raw json.RawMessage) (o Outcome) {
	defer c.end()
	args, complaint := t.accept(raw)
	if complaint != "" {
		c.Log().Info("call refused", "reason", "arguments")
		return failure("%s refused the arguments: %s", t.spec.Name, complaint)
	}
	o, err := s.run(ctx, t, c, args)
	if err == nil && o.ask == nil && t.output != nil {
		err = t.checkOutput(o.Structured)
	}
	if err != nil {
		return failed(ctx, c.Log(), err)
	}
	return o
}

// run runs the handler, and again for each question that is answered within the call.
func (s *Server) run(ctx context.Context, t *Tool, c *Call, args json.RawMessage) (Outcome, error) {
	answer := c.answer
	for round := range maxAskRounds + 2 { // one more run to hear that there are no more questions
		o, err := s.contained(ctx, t, c, args, answer)
		if err != nil || o.ask == nil {
			return o, err
		}
		if answer = c.put(ctx, o.ask, round); answer == nil {
			return o, nil
		}
		if answer.Err != nil {
			c.Log().Info("question not answered", "reason", answer.Err.Error())
		}
	}
	return Outcome{}, errAsk
}

// contained runs the handler. A panic becomes errPanic; its text goes nowhere.
func (s *Server) contained(ctx context.Context, t *Tool, c *Call, args json.RawMessage, a *Answer) (o Outcome, err error) {
	defer func() {
		if r := recover(); r != nil {
			logPanic(c.Log(), r)
			o, err = Outcome{}, errPanic
		}
	}()
	return t.run(ctx, c, args, a)
}

var errPanic = errors.New("mcpserve: panic")

// failed turns an error of a handler into what the client reads.
func failed(ctx context.Context, log *slog.Logger, err error) Outcome {
	var te *ToolError
	if errors.As(err, &te) && te != nil && te.Text != nil {
		o := failure("%s", strings.ToValidUTF8(te.Text.SafeText(), "\uFFFD"))
		if te.Code != nil {
			if code, wordErr := wordOf(te.Code); wordErr == nil {
				o.Code = code
			}
		}
		log.Info("call failed", "code", o.Code)
		return o
	}
	var se *StateError
	if errors.As(err, &se) && se != nil && se.Text != nil {
		log.Info("request state refused")
		o := failure("%s", strings.ToValidUTF8(se.Text.SafeText(), "\uFFFD"))
		o.badState = true
		return o
	}
	log.Error("call failed", "class", classOf(err))
	switch {
	case errors.Is(err, context.Canceled) && ctx.Err() != nil:
		return failure(textCancelled)
	case errors.Is(err, context.DeadlineExceeded):
		return failure(textDeadline)
	}
	return failure(textInternal)
}

func failure(format string, args ...any) Outcome {
	return Outcome{IsError: true, Text: fmt.Sprintf(format, args...)}
}

// classOf describes an error without its text, which may hold anything: the types in its chain, and what the standard
// library knows about it.
func classOf(err error) string {
	var parts []string
	for e := err; e != nil && len(parts) < 6; e = errors.Unwrap(e) {
		parts = append(parts, reflect.TypeOf(e).String())
	}
	var netErr net.Error
	if errors.As(err, &netErr) && netErr.Timeout() {
		parts = append(parts, "timeout")
	}
	var errno syscall.Errno
	if errors.As(err, &errno) {
		parts = append(parts, fmt.Sprintf("errno=%d", int(errno)))
	}
	for _, known := range []error{errPanic, errDecode, errImageType, errUnlistedWord, errOutput, errAsk} {
		if errors.Is(err, known) {
			parts = append(parts, known.Error())
		}
	}
	return strings.Join(parts, " > ")
}

// maxFrames bounds the stack in the log.
const maxFrames = 24

// logPanic writes where a panic happened: functions and lines, no values. The panic value itself may hold message text,
// so only its type is named.
func logPanic(log *slog.Logger, r any) {
	pcs := make([]uintptr, maxFrames)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(3, pcs)])
	var b strings.Builder
	for {
		f, more := frames.Next()
		fmt.Fprintf(&b, "%s:%d\n", f.Function, f.Line)
		if !more {
			break
		}
	}
	log.Error("panic contained", "type", fmt.Sprintf("%T", r), "stack", b.String())
}

// cut shortens s to at most n octets, at a character boundary.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}
