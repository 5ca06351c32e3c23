// Package pdf reads the text of PDF files with PDFium compiled to WebAssembly. It is used in the child process only:
// making an Engine costs seconds without a cache and some 300 MB of memory.
//
// Security: PDFium runs as WebAssembly without a file system, environment, clock of its own or network; what a
// malicious file can break is the instance, which is thrown away. The child process around it is the second wall.
package pdf

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"time"

	"github.com/klippa-app/go-pdfium"
	"github.com/klippa-app/go-pdfium/webassembly"
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
)

const (
	wasmPageOctets = 64 << 10         // WebAssembly core specification, §4.2.8
	instanceWait   = 60 * time.Second // longer than any deadline of the process around it
)

// Config says what an Engine may use.
type Config struct {
	MaxMemoryOctets int64  // of the WebAssembly instance: file, objects and text
	CacheDir        string // keeps the compiled code; empty means compile every time
}

// Engine is a loaded PDFium. Close it after use. Not safe for concurrent use.
type Engine struct {
	pool  pdfium.Pool
	pdf   pdfium.Pdfium
	cache wazero.CompilationCache
}

// Open compiles PDFium, or loads it from the cache, and starts one instance.
func Open(ctx context.Context, c Config) (*Engine, error) {
	rc := wazero.NewRuntimeConfig().
		WithCoreFeatures(api.CoreFeaturesV2 | experimental.CoreFeaturesExceptionHandling).
		WithMemoryLimitPages(uint32(min(c.MaxMemoryOctets/wasmPageOctets, 65536)))
	e := &Engine{}
	if c.CacheDir != "" {
		cache, err := wazero.NewCompilationCacheWithDir(c.CacheDir)
		if err == nil { // a cache that cannot be used costs time only
			e.cache, rc = cache, rc.WithCompilationCache(cache)
		}
	}
	pool, err := webassembly.Init(webassembly.Config{
		Context: experimental.WithCompilationWorkers(ctx, runtime.GOMAXPROCS(0)),
		MinIdle: 0, MaxIdle: 1, MaxTotal: 1,
		FSConfig:      wazero.NewFSConfig(), // Security: the library's default would mount the root directory
		RuntimeConfig: rc,
		Stdout:        io.Discard,
		Stderr:        io.Discard,
		ReuseWorkers:  true,
	})
	if err != nil {
		return nil, fmt.Errorf("pdf: load engine: %w", err)
	}
	e.pool = pool
	if e.pdf, err = pool.GetInstance(instanceWait); err != nil {
		return nil, errors.Join(fmt.Errorf("pdf: start engine: %w", err), e.Close())
	}
	return e, nil
}

// Close frees what the engine holds.
func (e *Engine) Close() error {
	err := e.pool.Close()
	if e.cache != nil {
		err = errors.Join(err, e.cache.Close(context.Background()))
	}
	return err
}
