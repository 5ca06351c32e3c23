package extract

import (
	"context"
	"errors"
	"io"
	"os"
	"runtime/debug"
	"runtime/metrics"
	"time"

	"mailgap/readmail/extract/internal/confine"
	"mailgap/readmail/extract/internal/document"
	"mailgap/readmail/extract/internal/office"
	"mailgap/readmail/extract/internal/pdf"
)

// Exit statuses of the child.
const (
	exitOK       = 0
	exitProtocol = 70 // EX_SOFTWARE of sysexits.h
	exitMemory   = 77
	exitTimeout  = 78
)

const (
	maxChildInputOctets = 1 << 30 // what a request may announce at most; the parent's own limit is far lower
	memoryCheckPeriod   = 20 * time.Millisecond
	kernelHeadroom      = 64 << 20 // the kernel's limit is above ours, which gives the clearer answer
	softMemoryPercent   = 80       // of the hard limit, from where the garbage collector works hard
	wasmMemoryPercent   = 45       // of the hard limit: growing the WebAssembly memory holds the old and the new copy
)

// Child is the whole of the hidden subcommand ChildCommand: it reads one request from stdin, takes away its own
// rights and memory, reads the document, writes one reply to stdout and returns the exit status. It must be the only
// thing that the process does, before any configuration is read: afterwards the process can open no file and no
// connection. It ends the process by itself when the request's memory or time is used up.
func Child(ctx context.Context, stdin io.Reader, stdout io.Writer) int {
	var q request
	if err := readHeader(stdin, requestMagic, &q); err != nil {
		return exitProtocol
	}
	debug.SetMemoryLimit(q.MaxMemoryOctets / 100 * softMemoryPercent)
	confine.Memory(q.MaxMemoryOctets + kernelHeadroom)
	go watchMemory(uint64(q.MaxMemoryOctets))
	deadline := time.AfterFunc(q.StartTimeout, func() { os.Exit(exitTimeout) })

	doc, err := readDocument(ctx, q, stdin, func() error {
		deadline.Reset(q.Timeout)
		_, err := io.WriteString(stdout, readySign)
		return err
	})
	if errors.Is(err, errProtocol) {
		return exitProtocol
	}
	p, text := newReply(doc, err)
	if err := writeFrame(stdout, replyMagic, p, []byte(text)); err != nil {
		return exitProtocol
	}
	return exitOK
}

// readDocument prepares the reader for q.Kind, gives up every right, says so, and only then takes in the document.
func readDocument(ctx context.Context, q request, stdin io.Reader, ready func() error) (document.Document, error) {
	var engine *pdf.Engine
	if q.Kind == KindPDF {
		var err error
		engine, err = pdf.Open(ctx, pdf.Config{MaxMemoryOctets: q.MaxMemoryOctets / 100 * wasmMemoryPercent, CacheDir: q.CacheDir})
		if err != nil {
			return document.Document{}, document.ErrChild
		}
	}
	confine.Lock()
	if err := ready(); err != nil {
		return document.Document{}, errProtocol
	}
	data, err := readPayload(stdin, q.DataOctets, maxChildInputOctets)
	if err != nil {
		return document.Document{}, err
	}
	if engine != nil {
		return engine.Read(data, q.limits())
	}
	return office.Read(string(q.Kind), data, q.limits())
}

// newReply turns a result into its wire form. Text of a document that also failed is not sent.
func newReply(d document.Document, err error) (reply, string) {
	if err != nil {
		return reply{Failure: failureCode(err)}, ""
	}
	return reply{Title: d.Title, Pages: d.Pages, FirstPage: d.FirstPage, LastPage: d.LastPage, Truncated: d.Truncated,
		Hidden: d.Hidden, Notes: d.Notes, TextOctets: len(d.Text)}, d.Text
}

func failureCode(err error) string {
	for _, f := range failures() {
		if errors.Is(err, f.err) {
			return f.code
		}
	}
	return "damaged"
}

// watchMemory ends the process when it holds more than limit octets. Where the kernel enforces a limit as well, this
// one comes first and gives the clearer answer.
func watchMemory(limit uint64) {
	s := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	for range time.Tick(memoryCheckPeriod) {
		metrics.Read(s)
		if s[0].Value.Uint64()-s[1].Value.Uint64() > limit {
			os.Exit(exitMemory)
		}
	}
}
