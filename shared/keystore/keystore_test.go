package keystore

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/zalando/go-keyring"

	"mailgap/shared/deptest"
)

func TestDeps(t *testing.T) {
	deptest.Check(t, []string{"github.com/zalando/go-keyring"}, map[string]string{
		"mailgap/readmail": "shared packages import nothing of ours", "mailgap/sanitize": "shared packages import nothing of ours",
		"mailgap/sendmail": "shared packages import nothing of ours", "mailgap/confirm": "shared packages import nothing of ours",
		"mailgap/shared/config": "it needs no settings", "net/http": "a key store is on this machine", "testing": "for tests only",
	})
}

// fake is a key store in memory.
type fake struct {
	entries map[string]string
	err     error
	block   chan struct{}
}

func (f *fake) Get(service, entry string) (string, error) {
	if f.block != nil {
		<-f.block
	}
	secret, ok := f.entries[service+"|"+entry]
	if f.err == nil && !ok {
		return "", keyring.ErrNotFound
	}
	return secret, f.err
}

func (f *fake) Set(service, entry, secret string) error {
	if f.err == nil {
		f.entries[service+"|"+entry] = secret
	}
	return f.err
}

func (f *fake) Delete(service, entry string) error {
	if _, ok := f.entries[service+"|"+entry]; f.err == nil && !ok {
		return keyring.ErrNotFound
	}
	delete(f.entries, service+"|"+entry)
	return f.err
}

func yes() bool { return true }

func TestStore(t *testing.T) {
	f := &fake{entries: map[string]string{}}
	reader, sender := &Store{"reader", f, yes}, &Store{"sender", f, yes}
	if err := reader.Set(t.Context(), "password a@b", "sEcReT"); err != nil {
		t.Fatal(err)
	}
	show := func(s *Store) string {
		secret, ok, err := s.Get(t.Context(), "password a@b")
		return fmt.Sprint(secret, ok, err)
	}
	if got, want := show(reader)+" "+show(sender), "sEcReTtrue<nil> false<nil>"; strings.ReplaceAll(got, " ", "") != strings.ReplaceAll(want, " ", "") {
		t.Errorf("got %s, want %s: the two services must not see each other's entries", got, want)
	}
	for range 2 { // the second time there is nothing left, which is as good
		if err := reader.Delete(t.Context(), "password a@b"); err != nil {
			t.Error(err)
		}
	}
	if _, ok, err := reader.Get(t.Context(), "password a@b"); ok || err != nil {
		t.Errorf("got %t, %v after Delete", ok, err)
	}
}

// What the library says may name an entry, so it is replaced.
func TestErrors(t *testing.T) {
	for _, c := range []struct {
		name  string
		from  error
		ready bool
		want  error
	}{
		{"no session", nil, false, ErrUnavailable},
		{"not built for this system", keyring.ErrUnsupportedPlatform, true, ErrUnavailable},
		{"too long", keyring.ErrSetDataTooBig, true, ErrTooLong},
		{"anything", errors.New("Password for 'sEcReT' on 'x'"), true, ErrFailed},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := &Store{"x", &fake{err: c.from, entries: map[string]string{}}, func() bool { return c.ready }}
			_, _, err := s.Get(t.Context(), "e")
			for _, err := range []error{err, s.Set(t.Context(), "e", "s"), s.Delete(t.Context(), "e")} {
				if !errors.Is(err, c.want) || strings.Contains(err.Error(), "sEcReT") {
					t.Errorf("got %v, want %v", err, c.want)
				}
			}
		})
	}
}

func TestTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fake{block: make(chan struct{})}
		start := time.Now()
		_, _, err := (&Store{"x", f, yes}).Get(context.Background(), "e")
		if !errors.Is(err, ErrTimeout) || time.Since(start) != patience {
			t.Errorf("got %v after %v", err, time.Since(start))
		}
		close(f.block)
	})
}

// Without a session bus nothing is launched to have one.
func TestNoSessionOfItsOwn(t *testing.T) {
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", "")
	t.Setenv("XDG_RUNTIME_DIR", t.TempDir())
	if hasSession() && !alwaysSession {
		t.Error("a session bus was found in an empty directory")
	}
	if _, _, err := New("mailgap test").Get(t.Context(), "none"); !alwaysSession && !errors.Is(err, ErrUnavailable) {
		t.Errorf("got %v, want ErrUnavailable", err)
	}
}
