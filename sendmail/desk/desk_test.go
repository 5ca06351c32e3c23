package desk

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"mailgap/confirm"
)

// clock is a clock that tests move.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func newClock() *clock { return &clock{now: time.Date(2030, 5, 1, 12, 0, 0, 0, time.UTC)} }

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) add(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

func openDesk(t *testing.T, dir string, c *clock) *Desk {
	t.Helper()
	d, err := Open(dir, Options{Clock: c.Now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

const secretText = "the quick brown words of a body"

// entry is a message that differs from others by its number.
func entry(n byte) Entry {
	return Entry{
		Binding: confirm.Binding{Principal: "stdio", Tool: "send_mail", Digest: [32]byte{1, n}}, Identity: [32]byte{2, n}, Attempt: int64(n),
		MessageID: "id@example.com", ReversePath: "me@example.com", ForwardPaths: []string{"you@example.org"},
		Octets: []byte("Subject: x\r\n\r\n" + secretText + "\r\n"), Text: "Send?\n> " + secretText + "\n",
	}
}

func put(t *testing.T, d *Desk, e Entry) Message {
	t.Helper()
	m, err := d.Put(t.Context(), e)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// typed is what package confirm says of somebody who types at a terminal.
func typed(t testing.TB, words string) confirm.Answer {
	t.Helper()
	terminal := confirm.Terminal{Open: func() (io.ReadWriteCloser, error) { return &keys{strings.NewReader(words)}, nil }}
	a, err := terminal.Ask(context.Background(), confirm.Pending{Question: confirm.Question{From: "me@example.com", To: []confirm.Recipient{{Address: "you@example.com"}}}})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

type keys struct{ *strings.Reader }

func (*keys) Write(p []byte) (int, error) { return len(p), nil }
func (*keys) Close() error                { return nil }

func wantErr(t *testing.T, what string, got, want error) {
	t.Helper()
	if !errors.Is(got, want) {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

// onDisk reports whether the words stand in any file of the directory.
func onDisk(t *testing.T, dir, words string) bool {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range names {
		text, err := os.ReadFile(n)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(text, []byte(words)) {
			return true
		}
	}
	return false
}

// A yes is given out once, with what was put down, and to whoever asks under the same binding, in this process or another.
func TestYesIsTakenOnce(t *testing.T) {
	dir, c := filepath.Join(t.TempDir(), "state"), newClock()
	server, terminal := openDesk(t, dir, c), openDesk(t, dir, c)
	m := put(t, server, entry(1))
	seen, err := terminal.Show(t.Context(), m.ID)
	if err != nil || seen.Text != m.Text || seen.Shown != m.Shown || seen.Status != StatusWaiting {
		t.Fatalf("got %+v, %v", seen, err)
	}
	_, err = server.Take(t.Context(), m.ID, m.Shown)
	wantErr(t, "take before the answer", err, ErrUnanswered)
	if err := terminal.Answer(t.Context(), m.ID, seen.Shown, typed(t, "send\n")); err != nil {
		t.Fatal(err)
	}
	wantErr(t, "second answer", server.Answer(t.Context(), m.ID, m.Shown, typed(t, "no\n")), ErrAnswered)
	found, err := openDesk(t, dir, c).Find(t.Context(), m.Binding)
	if err != nil || found.ID != m.ID || found.Status != StatusAnswered || !bytes.Equal(found.Octets, m.Octets) {
		t.Fatalf("got %+v, %v", found, err)
	}
	rec, err := server.Take(t.Context(), m.ID, m.Shown)
	want := confirm.Record{Binding: m.Binding, Shown: m.Shown, Reason: confirm.Approved, Path: confirm.PathTerminal, Expires: m.Expires}
	if err != nil || !rec.Expires.Equal(want.Expires) || rec.Reason != want.Reason || rec.Path != want.Path || rec.Binding != want.Binding || rec.Shown != want.Shown {
		t.Errorf("got %+v, %v", rec, err)
	}
	_, err = terminal.Take(t.Context(), m.ID, m.Shown)
	wantErr(t, "second take", err, ErrEnded)
	_, err = server.Find(t.Context(), m.Binding)
	wantErr(t, "find after the take", err, ErrNone)
}

// The answer is bound to what was shown.
func TestAnswerIsBound(t *testing.T) {
	d := openDesk(t, filepath.Join(t.TempDir(), "state"), newClock())
	first := put(t, d, entry(1))
	other := entry(1)
	other.Octets = append(other.Octets, "more\r\n"...)
	second := put(t, d, other) // the same binding: the first question is over
	yes := typed(t, "send\n")
	wantErr(t, "the old question", d.Answer(t.Context(), first.ID, first.Shown, yes), ErrEnded)
	wantErr(t, "the old digest", d.Answer(t.Context(), second.ID, first.Shown, yes), ErrChanged)
	wantErr(t, "no such message", d.Answer(t.Context(), 99, first.Shown, yes), ErrNone)
	wantErr(t, "nobody's answer", d.Answer(t.Context(), second.ID, second.Shown, confirm.No(confirm.PathTerminal, confirm.TimedOut)), ErrEntry)
	wantErr(t, "the client's answer", d.Answer(t.Context(), second.ID, second.Shown, confirm.FromElicitation(nil)), ErrEntry)
	if err := d.Answer(t.Context(), second.ID, second.Shown, yes); err != nil {
		t.Fatal(err)
	}
	_, err := d.Take(t.Context(), second.ID, first.Shown)
	wantErr(t, "take with another digest", err, ErrChanged)
}

// Every part of an entry counts in the digest.
func TestDigestCoversEverything(t *testing.T) {
	base := Message{Entry: entry(1), CreatedAt: time.UnixMicro(1), Expires: time.UnixMicro(2)}
	for name, change := range map[string]func(*Message){
		"principal": func(m *Message) { m.Binding.Principal = "x" }, "tool": func(m *Message) { m.Binding.Tool = "x" },
		"binding": func(m *Message) { m.Binding.Digest[5]++ }, "identity": func(m *Message) { m.Identity[5]++ },
		"message-id": func(m *Message) { m.MessageID = "x" }, "reverse-path": func(m *Message) { m.ReversePath = "x" },
		"forward-paths": func(m *Message) { m.ForwardPaths = []string{"you@example.org", "x"} }, "octets": func(m *Message) { m.Octets = []byte("x") },
		"text": func(m *Message) { m.Text = "x" }, "level": func(m *Message) { m.Level = confirm.LevelElevated },
		"created": func(m *Message) { m.CreatedAt = time.UnixMicro(3) }, "expires": func(m *Message) { m.Expires = time.UnixMicro(3) },
		"typed": func(m *Message) { m.Typed = []confirm.Recipient{{Address: "x"}} },
	} {
		m := base
		change(&m)
		if m.digest() == base.digest() {
			t.Errorf("%s does not count", name)
		}
	}
}

// Of many answers and takes at once, from several handles, one each is kept.
func TestRaces(t *testing.T) {
	dir, c := filepath.Join(t.TempDir(), "state"), newClock()
	m := put(t, openDesk(t, dir, c), entry(1))
	answers := []confirm.Answer{typed(t, "send\n"), confirm.No(confirm.PathPage, confirm.DoNotSend)}
	count := func(f func(i int, d *Desk) error, other error) (won []int) {
		var mu sync.Mutex
		var all sync.WaitGroup
		for i := range 8 {
			d := openDesk(t, dir, c)
			all.Go(func() {
				err := f(i, d)
				mu.Lock()
				defer mu.Unlock()
				if err == nil {
					won = append(won, i)
				} else if !errors.Is(err, other) {
					t.Errorf("got %v, want %v", err, other)
				}
			})
		}
		all.Wait()
		return won
	}
	won := count(func(i int, d *Desk) error { return d.Answer(t.Context(), m.ID, m.Shown, answers[i%2]) }, ErrAnswered)
	if len(won) != 1 {
		t.Fatalf("%d answers were written, want 1", len(won))
	}
	takes := count(func(_ int, d *Desk) error {
		rec, err := d.Take(t.Context(), m.ID, m.Shown)
		if err == nil && rec.Reason != answers[won[0]%2].Reason() {
			t.Errorf("taken: %s, written: %s", rec.Reason, answers[won[0]%2].Reason())
		}
		return err
	}, ErrEnded)
	if len(takes) != 1 {
		t.Errorf("%d takes, want 1", len(takes))
	}
}

// What is over is wiped: taken, refused, ended, expired, and by the next process where nobody was left.
func TestWiped(t *testing.T) {
	ends := map[string]func(*testing.T, *Desk, *clock, Message){
		"refused": func(t *testing.T, d *Desk, _ *clock, m Message) {
			wantErr(t, "answer", d.Answer(t.Context(), m.ID, m.Shown, typed(t, "no\n")), nil)
		},
		"taken": func(t *testing.T, d *Desk, _ *clock, m Message) {
			wantErr(t, "answer", d.Answer(t.Context(), m.ID, m.Shown, typed(t, "send\n")), nil)
			_, err := d.Take(t.Context(), m.ID, m.Shown)
			wantErr(t, "take", err, nil)
		},
		"ended": func(t *testing.T, d *Desk, _ *clock, m Message) { wantErr(t, "end", d.End(t.Context(), m.ID), nil) },
		"expired": func(t *testing.T, d *Desk, c *clock, m Message) {
			c.add(DefaultLifetime)
			wantErr(t, "answer", d.Answer(t.Context(), m.ID, m.Shown, typed(t, "send\n")), ErrExpired)
		},
		"answered too long ago": func(t *testing.T, d *Desk, c *clock, m Message) {
			wantErr(t, "answer", d.Answer(t.Context(), m.ID, m.Shown, typed(t, "send\n")), nil)
			c.add(DefaultLifetime)
			_, err := d.Take(t.Context(), m.ID, m.Shown)
			wantErr(t, "take", err, ErrExpired)
		},
		"from the future": func(t *testing.T, d *Desk, c *clock, m Message) {
			c.add(-time.Hour)
			wantErr(t, "answer", d.Answer(t.Context(), m.ID, m.Shown, typed(t, "send\n")), ErrExpired)
		},
	}
	for name, end := range ends {
		t.Run(name, func(t *testing.T) {
			dir, c := filepath.Join(t.TempDir(), "state"), newClock()
			first := openDesk(t, dir, c)
			m := put(t, first, entry(1))
			if !onDisk(t, dir, secretText) {
				t.Fatal("the words are not on the disk: this test sees nothing")
			}
			if err := first.Close(); err != nil {
				t.Fatal(err)
			}
			d := openDesk(t, dir, c)
			end(t, d, c, m)
			if onDisk(t, dir, secretText) {
				t.Error("the words are still on the disk")
			}
			if _, err := d.Find(t.Context(), m.Binding); name != "refused" {
				wantErr(t, "find", err, ErrNone)
			}
			got, err := d.Show(t.Context(), m.ID)
			if err != nil || got.Text != "" || got.Octets != nil || got.ForwardPaths != nil {
				t.Errorf("got %+v, %v", got, err)
			}
		})
	}
}

// What was changed on the disk is neither shown nor given out.
func TestDamage(t *testing.T) {
	for name, stmt := range map[string]string{
		"octets": "UPDATE content SET octets = x'61'", "text": "UPDATE content SET text = 'Send this?'",
		"escape": "UPDATE content SET text = text || char(27)", "gone": "DELETE FROM content", "level": "UPDATE message SET level = 1",
		"recipient": `UPDATE content SET forward_paths = '["x@example.com"]'`, "longer": "UPDATE message SET expires_at = expires_at + 1",
	} {
		t.Run(name, func(t *testing.T) {
			d := openDesk(t, filepath.Join(t.TempDir(), "state"), newClock())
			m := put(t, d, entry(1))
			if _, err := d.db.Exec(stmt); err != nil {
				t.Fatal(err)
			}
			_, err := d.Show(t.Context(), m.ID)
			wantErr(t, "show", err, ErrDamaged)
			_, err = d.Find(t.Context(), m.Binding)
			wantErr(t, "find", err, ErrDamaged)
		})
	}
}

func TestRefused(t *testing.T) {
	d := openDesk(t, filepath.Join(t.TempDir(), "state"), newClock())
	for name, change := range map[string]func(*Entry){
		"no binding": func(e *Entry) { e.Binding = confirm.Binding{} }, "no octets": func(e *Entry) { e.Octets = nil },
		"no text": func(e *Entry) { e.Text = "" }, "escape": func(e *Entry) { e.Text += "\x1b[2J" }, "bidi": func(e *Entry) { e.Text += "\u202e" },
		"carriage return": func(e *Entry) { e.Text += "\r" }, "nothing to type": func(e *Entry) { e.Level = confirm.LevelElevated },
		"nobody": func(e *Entry) { e.ForwardPaths = nil },
	} {
		e := entry(1)
		change(&e)
		_, err := d.Put(t.Context(), e)
		wantErr(t, name, err, ErrEntry)
	}
	for _, o := range []Options{{Lifetime: -1}, {Lifetime: MaxLifetime + 1}} {
		_, err := Open("x", o)
		wantErr(t, "options", err, ErrOptions)
	}
	for i := range maxPending {
		put(t, d, entry(byte(i)))
	}
	_, err := d.Put(t.Context(), entry(200))
	wantErr(t, "too many", err, ErrFull)
	if list, err := d.List(t.Context()); err != nil || len(list) != maxPending || list[0].Octets != nil {
		t.Errorf("got %d, %v", len(list), err)
	}
}

// Wait sees an answer of another handle, an expiry, and the end of its context.
func TestWait(t *testing.T) {
	dir, c := filepath.Join(t.TempDir(), "state"), newClock()
	d, other := openDesk(t, dir, c), openDesk(t, dir, c)
	m := put(t, d, entry(1))
	done := make(chan Message)
	go func() {
		got, err := d.Wait(context.Background(), m.ID)
		if err != nil {
			t.Error(err)
		}
		done <- got
	}()
	if err := other.Answer(t.Context(), m.ID, m.Shown, typed(t, "send\n")); err != nil {
		t.Fatal(err)
	}
	if got := <-done; got.Status != StatusAnswered || got.Reason != confirm.Approved {
		t.Errorf("got %+v", got)
	}
	m = put(t, d, entry(2))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := d.Wait(ctx, m.ID)
	wantErr(t, "cancelled", err, context.Canceled)
	c.add(DefaultLifetime)
	if got, err := d.Wait(t.Context(), m.ID); err != nil || got.Status != StatusExpired {
		t.Errorf("got %+v, %v", got, err)
	}
}
