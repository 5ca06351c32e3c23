package confirm

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// fakeTerminal types what was prepared, and records what is shown.
type fakeTerminal struct {
	typed  io.Reader
	mu     sync.Mutex
	shown  bytes.Buffer
	broken bool
	closed bool
}

func (f *fakeTerminal) Read(p []byte) (int, error) { return f.typed.Read(p) }

// lines is what a person types, one line for each time that the program reads.
type lines []string

func (l *lines) Read(p []byte) (int, error) {
	if len(*l) == 0 {
		return 0, io.EOF
	}
	n := copy(p, (*l)[0])
	*l = (*l)[1:]
	return n, nil
}

func (f *fakeTerminal) Write(p []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.broken {
		return 0, io.ErrClosedPipe
	}
	return f.shown.Write(p)
}

func (f *fakeTerminal) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.closed = true
	return nil
}

func TestTerminal(t *testing.T) {
	tests := []struct {
		name, typed string
		want        Reason
	}{
		{"the word", "send\n", Approved},
		{"the word as Windows ends lines", "send\r\n", Approved},
		{"with blanks", "  send \n", Approved},
		{"abbreviated", "s\n", DoNotSend},
		{"yes", "y\n", DoNotSend},
		{"empty", "\n", DoNotSend},
		{"other case", "SEND\n", DoNotSend},
		{"with more", "send it\n", DoNotSend},
		{"on the second line", "\nsend\n", DoNotSend},
		{"unfinished", "send", Disconnected},
		{"nothing", "", Disconnected},
		{"too long", strings.Repeat(" ", 300) + "send\n", Disconnected},
		{"no", "no\n", DoNotSend},
		{"lock", "lock\n", DeclinedAndLock},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := &fakeTerminal{typed: strings.NewReader(tt.typed)}
			var p Path = Terminal{Open: func() (io.ReadWriteCloser, error) { return f, nil }}
			q := put("\x1b[2J\u202Efake\nTo 1/1:")
			q.Notes = nil
			a, err := p.Ask(t.Context(), Pending{Question: q})
			if err != nil || a.Reason() != tt.want || a.Yes() != (tt.want == Approved) || a.Path() != PathTerminal || p.Name() != PathTerminal {
				t.Errorf("got %v, %v, want %v", a, err, tt.want)
			}
			if !f.closed || !strings.Contains(f.shown.String(), render(t, q)) || strings.ContainsRune(f.shown.String(), 0x1b) {
				t.Errorf("shown: got %q", f.shown.String())
			}
		})
	}
}

func TestTerminalFails(t *testing.T) {
	none := Terminal{Open: func() (io.ReadWriteCloser, error) { return nil, errors.New("no such device") }}
	if a, err := none.Ask(t.Context(), Pending{Question: sample()}); !errors.Is(err, ErrNoTerminal) || a.Reason() != CannotAsk {
		t.Errorf("no terminal: got %v, %v", a, err)
	}
	f := &fakeTerminal{typed: strings.NewReader("send\n"), broken: true}
	broken := Terminal{Open: func() (io.ReadWriteCloser, error) { return f, nil }}
	if a, err := broken.Ask(t.Context(), Pending{Question: sample()}); err != nil || a.Yes() {
		t.Errorf("nothing could be shown: got %v, %v, want a no", a, err)
	}
	if a, err := broken.Ask(t.Context(), Pending{}); !errors.Is(err, ErrTooMuch) || a.Yes() {
		t.Errorf("no question: got %v, %v, want ErrTooMuch", a, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if a := unlessEnded(ctx, yes); a.Yes() || a.Reason() != CallEnded {
		t.Errorf("answer and cancellation at once: got %v, want a no", a)
	}
	if a := unlessEnded(t.Context(), yes); !a.Yes() {
		t.Errorf("answer alone: got %v, want a yes", a)
	}
	f = &fakeTerminal{typed: strings.NewReader("send\n")}
	if a, _ := (Terminal{Open: func() (io.ReadWriteCloser, error) { return f, nil }}).Ask(ctx, Pending{Question: sample()}); a.Yes() || a.Reason() != CallEnded {
		t.Errorf("answer after cancellation: got %v, want a no", a)
	}
}

func TestTerminalWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, w := io.Pipe()
		defer w.Close()
		f := &fakeTerminal{typed: r}
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
		defer cancel()
		begin := time.Now()
		a, err := Terminal{Open: func() (io.ReadWriteCloser, error) { return f, nil }}.Ask(ctx, Pending{Question: sample()})
		if err != nil || a.Reason() != TimedOut || time.Since(begin) != 3*time.Minute || !f.closed {
			t.Errorf("got %v, %v after %v, want a no after three minutes", a, err, time.Since(begin))
		}
	})
}

// At an elevated level the domain is typed after the word, and a wrong one three times is the end.
func TestTerminalTypedDomain(t *testing.T) {
	tests := []struct {
		name  string
		typed lines
		want  Reason
	}{
		{"right", lines{"send\n", "example.org\n"}, Approved},
		{"right at the third try", lines{"send\n", "example.net\n", "\n", "Example.ORG \n"}, Approved},
		{"wrong", lines{"send\n", "a\n", "example.orgg\n", "send\n", "example.org\n"}, WrongForms},
		{"a letter of another script", lines{"send\n", "ex\u0430mple.org\n", "\n", "\n"}, WrongForms},
		{"not typed", lines{"send\n"}, Disconnected},
		{"before the word", lines{"example.org\n", "send\n"}, DoNotSend},
		{"typed ahead in one go", lines{"send\nexample.org\n"}, Disconnected},
		{"lock needs none", lines{"lock\n"}, DeclinedAndLock},
	}
	q := Question{From: "me@example.com", To: []Recipient{{Address: "bob@example.com"}, {Address: "eve@example.org", Level: LevelElevated}}}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := &fakeTerminal{typed: &tt.typed}
			a, err := Terminal{Open: func() (io.ReadWriteCloser, error) { return f, nil }}.Ask(t.Context(), Pending{Question: q})
			if err != nil || a.Reason() != tt.want {
				t.Errorf("got %v, %v, want %v\n%s", a, err, tt.want, f.shown.String())
			}
		})
	}
	f := &fakeTerminal{typed: &lines{"send\n", "example.org\n"}}
	shown := Shown{Text: shown("x\n"), Level: LevelElevated} // nothing to type by
	if a, err := (Terminal{Open: func() (io.ReadWriteCloser, error) { return f, nil }}).Put(t.Context(), shown); err != nil || a.Yes() {
		t.Errorf("got %v, %v, want a no", a, err)
	}
}

// A message that may wait is left alone by anything but one of the words.
func TestTerminalMayWait(t *testing.T) {
	for typed, want := range map[string]Reason{"\n": Unanswered, "yes\n": Unanswered, "send\n": Approved, "no\n": DoNotSend, "lock\n": DeclinedAndLock} {
		f := &fakeTerminal{typed: strings.NewReader(typed)}
		a, err := Terminal{Open: func() (io.ReadWriteCloser, error) { return f, nil }}.Put(t.Context(), Shown{Text: shown("x\n"), MayWait: true})
		if err != nil || a.Reason() != want {
			t.Errorf("%q: got %v, %v, want %v", typed, a, err, want)
		}
	}
}
