package extract

import (
	"testing"
	"time"

	"mailgap/readmail/extract/internal/fixture"
)

func TestPDFThroughChild(t *testing.T) {
	x := New(Options{CacheDir: "/tmp/mailgap/wasmcache", Timeout: 20 * time.Second})
	for range 3 {
		t0 := time.Now()
		r, err := x.Text(t.Context(), Input{Data: fixture.TextPDF("A title", "first page", "second page")})
		t.Logf("%v %+v %v", time.Since(t0), r, err)
	}
}
