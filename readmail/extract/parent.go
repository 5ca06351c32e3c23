package extract

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"time"
)

const (
	maxStderrOctets = 4 << 10          // looked at for the runtime's "out of memory" only, never shown
	killGrace       = 2 * time.Second  // for the pipes of a killed child to close
	engineTimeout   = 90 * time.Second // to compile the PDF engine: 2 s on an idle machine with two cores, far more on a busy one
)

// runChild reads in.Data as kind in a child process.
func (x *Extractor) runChild(ctx context.Context, kind Kind, in Input) (Result, error) {
	select {
	case x.slots <- struct{}{}:
		defer func() { <-x.slots }()
	case <-ctx.Done():
		return Result{Kind: kind}, ctx.Err()
	}
	q := request{Kind: kind, DataOctets: len(in.Data), MaxTextOctets: x.o.MaxTextOctets, MaxPages: x.o.MaxPages,
		FirstPage: max(in.FirstPage, 1), MaxMemoryOctets: x.o.MaxMemoryOctets, StartTimeout: x.o.Timeout, Timeout: x.o.Timeout}
	if kind == KindPDF {
		q.CacheDir, q.StartTimeout = x.cacheDir(), max(engineTimeout, x.o.Timeout)
	}
	limited, cancel := context.WithCancel(ctx)
	defer cancel()
	deadline := time.AfterFunc(q.StartTimeout, cancel)
	defer deadline.Stop()
	p, text, err := x.exchange(limited, q, in.Data, func() { deadline.Reset(q.Timeout) })
	if err != nil {
		return Result{Kind: kind}, childError(ctx, limited, kind, err)
	}
	return childResult(kind, p, text)
}

// exchange starts one child, passes the request, takes the reply, and waits until the child is gone. It calls ready when
// the child is ready to take in the document.
func (x *Extractor) exchange(ctx context.Context, q request, data []byte, ready func()) (reply, []byte, error) {
	cmd, cleanup, err := x.command(ctx)
	if err != nil {
		return reply{}, nil, err
	}
	defer cleanup()
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return reply{}, nil, err
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return reply{}, nil, err
	}
	// The parent-death signal on Linux is tied to the thread that starts the child: keep it until the child is gone.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := cmd.Start(); err != nil {
		return reply{}, nil, err
	}
	go func() { // a child that dies early makes this fail; its exit status says why
		_ = writeFrame(stdin, requestMagic, q, data)
		_ = stdin.Close()
	}()
	p, text, readErr := readReply(stdout, q.MaxTextOctets, ready)
	if readErr != nil && !isEOF(readErr) { // nonsense: no need to hear more
		_ = cmd.Cancel()
		_ = cmd.Wait()
		return reply{}, nil, readErr
	}
	waitErr := cmd.Wait() // a child that ended without a reply says why by its status
	if readErr != nil {
		return reply{}, nil, errors.Join(errProtocol, waitErr, memoryHint(cmd.Stderr))
	}
	return p, text, nil
}

func isEOF(err error) bool { return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) }

// command prepares the child: no environment, an empty working directory, bounded standard error.
func (x *Extractor) command(ctx context.Context) (*exec.Cmd, func(), error) {
	args := x.o.Command
	if len(args) == 0 {
		self, err := os.Executable()
		if err != nil {
			return nil, nil, err
		}
		args = []string{self, ChildCommand}
	}
	dir, err := os.MkdirTemp("", "mailgap-extract-")
	if err != nil {
		return nil, nil, err
	}
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Dir = dir
	cmd.Env = []string{} // Security: not nil, which would pass on ours with its passwords
	cmd.Stderr = &headBuffer{max: maxStderrOctets}
	cmd.WaitDelay = killGrace
	cmd.SysProcAttr = childAttributes()
	return cmd, func() { _ = os.RemoveAll(dir) }, nil
}

func readReply(r io.Reader, maxText int, ready func()) (reply, []byte, error) {
	if err := readReady(r); err != nil {
		return reply{}, nil, err
	}
	ready()
	var p reply
	if err := readHeader(r, replyMagic, &p); err != nil {
		return reply{}, nil, err
	}
	text, err := readPayload(r, p.TextOctets, maxText)
	if err != nil {
		return reply{}, nil, err
	}
	if n, err := r.Read(make([]byte, 1)); n != 0 || !errors.Is(err, io.EOF) {
		return reply{}, nil, fmt.Errorf("%w: octets after the reply", errProtocol)
	}
	return p, text, nil
}

// childError says in our words why there is no reply. ctx is the caller's, limited the one with our deadline.
func childError(ctx, limited context.Context, kind Kind, err error) error {
	if ctx.Err() != nil {
		return fmt.Errorf("extract: given up: %w", ctx.Err())
	}
	var exit *exec.ExitError
	code := -1
	if errors.As(err, &exit) {
		code = exit.ExitCode()
	}
	switch {
	case limited.Err() != nil || code == exitTimeout:
		return newError(ErrTimeout, kind, "")
	case code == exitMemory || errors.Is(err, ErrMemory):
		return newError(ErrMemory, kind, "")
	case exit == nil && !errors.Is(err, errProtocol):
		return newError(ErrChild, kind, "it could not be started")
	case code > 0:
		return newError(ErrChild, kind, fmt.Sprintf("it ended with status %d", code))
	case code < 0 && exit != nil:
		return newError(ErrChild, kind, "it was ended by a signal")
	}
	return newError(ErrChild, kind, "it answered something that is not a reply")
}

// childResult checks a reply and turns it into a result.
func childResult(kind Kind, p reply, text []byte) (Result, error) {
	if p.Failure != "" {
		i := slices.IndexFunc(failures(), func(f failure) bool { return f.code == p.Failure })
		if i < 0 {
			return Result{Kind: kind}, newError(ErrChild, kind, "it answered something that is not a reply")
		}
		return Result{Kind: kind}, newError(failures()[i].err, kind, p.Detail)
	}
	return Result{Kind: kind, Title: p.Title, Text: string(text), Pages: p.Pages, FirstPage: p.FirstPage, LastPage: p.LastPage,
		Truncated: p.Truncated, Hidden: p.Hidden, Notes: p.Notes}, nil
}

// headBuffer keeps the first max octets and takes the rest without keeping it.
type headBuffer struct {
	b   bytes.Buffer
	max int
}

// Write never fails.
func (h *headBuffer) Write(p []byte) (int, error) {
	h.b.Write(p[:min(len(p), h.max-h.b.Len())])
	return len(p), nil
}

// memoryHint recognises the last words of a Go program that got no memory from the kernel.
//
// Quirk: Go 1.26's garbage collector does not always check what it got, and then dies of a nil pointer of its own.
func memoryHint(stderr io.Writer) error {
	h, ok := stderr.(*headBuffer)
	if !ok {
		return nil
	}
	said := func(sign string) bool { return bytes.Contains(h.b.Bytes(), []byte(sign)) }
	if said("out of memory") || said("cannot allocate memory") || said("failed to create new OS thread") || said("pthread_create failed: Resource") ||
		said("SIGSEGV: segmentation violation\nPC=") && said("/src/runtime/m") {
		return ErrMemory
	}
	return nil
}
