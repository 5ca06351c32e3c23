package compose

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"testing"
	"time"

	"mailgap/shared/addr"
)

// counter is a random source that is not random: 1, 2, 3, ... in eight octets each.
type counter struct{ n uint64 }

func (c *counter) Read(p []byte) (int, error) {
	for k := 0; k+8 <= len(p); k += 8 {
		c.n++
		binary.BigEndian.PutUint64(p[k:], c.n)
	}
	return len(p), nil
}

func fixed() Options {
	return Options{Clock: func() time.Time { return time.Date(2026, 3, 4, 5, 6, 7, 89, time.FixedZone("", 3600)) }, Random: &counter{}}
}

func address(t testing.TB, spec string) addr.Address {
	t.Helper()
	a, err := addr.ParseSpec(spec)
	if err != nil {
		t.Fatalf("%q: %v", spec, err)
	}
	return a
}

func addresses(t testing.TB, specs ...string) []addr.Address {
	t.Helper()
	var out []addr.Address
	for _, s := range specs {
		out = append(out, address(t, s))
	}
	return out
}

func named(t testing.TB, name, spec string) addr.Address {
	a := address(t, spec)
	a.DisplayName = name
	return a
}

func draft(t testing.TB) Draft {
	return Draft{From: named(t, "Jane Doe", "jane@example.com"), To: addresses(t, "john@example.net"), Subject: "Hello", Text: "Hello John,\n\nsee you.\n"}
}

func mustCompose(t testing.TB, d Draft, o Options) *Message {
	t.Helper()
	m, err := Compose(d, o)
	if err != nil {
		t.Fatalf("compose: %v", err)
	}
	return m
}

// testdata gives a path below the repository's testdata/mail.
func testdata(t testing.TB, name string) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return filepath.Join(dir, "testdata", "mail", name)
		}
		if filepath.Dir(dir) == dir {
			t.Fatal("no go.mod above the test")
		}
		dir = filepath.Dir(dir)
	}
}
