package extract

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"time"
)

func (o Options) withDefaults() Options {
	setInt(&o.MaxInputOctets, DefaultMaxInputOctets)
	setInt(&o.MaxTextOctets, DefaultMaxTextOctets)
	setInt(&o.MaxPages, DefaultMaxPages)
	setInt(&o.MaxImageOctets, DefaultMaxImageOctets)
	if o.MaxMemoryOctets <= 0 {
		o.MaxMemoryOctets = DefaultMaxMemoryOctets
	}
	if o.Timeout <= 0 {
		o.Timeout = DefaultTimeout
	}
	if o.Location == nil {
		o.Location = time.Local
	}
	if o.Decode == nil {
		o.Decode = decodeDefault
	}
	return o
}

func setInt(p *int, v int) {
	if *p <= 0 {
		*p = v
	}
}

// DefaultCacheDir returns mailgap/wasm in the user's cache directory, or "" if the user has none. Nothing is created.
func DefaultCacheDir() string {
	dir, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "mailgap", "wasm")
}

func decodeDefault(_ string, b []byte) string { return string(b) }

func (x *Extractor) text(context.Context, Input) (Result, error) {
	return Result{}, errors.New("extract: not built yet")
}
