package mcpserve

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// served is a server on pipes inside a synctest bubble, so that time is ours.
type served struct {
	t     *testing.T
	in    *io.PipeWriter
	lines chan string
	done  chan error
}

func serveHere(t *testing.T, ctx context.Context, g gates, o Options) *served {
	t.Helper()
	in, inW := io.Pipe()
	outR, out := io.Pipe()
	v := &served{t: t, in: inW, lines: make(chan string, 100), done: make(chan error, 1)}
	s := testServer(t, &lockedBuffer{}, g)
	go func() {
		v.done <- s.serve(ctx, in, out, o.withDefaults())
		out.Close()
		in.Close()
	}()
	go readLines(outR, v.lines)
	return v
}

func readLines(r io.Reader, lines chan<- string) {
	for sc := bufio.NewScanner(r); sc.Scan(); {
		lines <- sc.Text()
	}
	close(lines)
}

func (v *served) send(line string) {
	v.t.Helper()
	if _, err := io.WriteString(v.in, line+"\n"); err != nil {
		v.t.Fatal(err)
	}
}

// ended returns the error of serve and the time until it came.
func (v *served) ended() (time.Duration, error) {
	begin := time.Now()
	err := <-v.done
	return time.Since(begin), err
}

func newGates() gates {
	return gates{started: make(chan string, 100), ended: make(chan error, 100), open: make(chan struct{})}
}

func TestShutdown(t *testing.T) {
	tests := []struct {
		name, text string // the call that runs; empty for none
		eof        bool   // or the context ends
		want       time.Duration
	}{
		{"end of input, idle", "", true, 0},
		{"end of input, call that heeds its context", "wait", true, eofGrace},
		{"end of input, call that does not", "hang", true, hardDeadline},
		{"context ends, idle", "", false, 0},
		{"context ends, call that heeds it", "wait", false, 0},
		{"context ends, call that does not", "hang", false, hardDeadline},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g := newGates()
				defer close(g.open)
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				v := serveHere(t, ctx, g, Options{})
				if tt.text != "" {
					v.send(call("1", `{"text":"`+tt.text+`"}`, ""))
					<-g.started
				}
				if tt.eof {
					v.in.Close()
				} else {
					cancel()
				}
				if took, err := v.ended(); err != nil || took != tt.want {
					t.Errorf("got %v after %v, want nil after %v", err, took, tt.want)
				}
			})
		})
	}
}

func TestShutdownReadError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := serveHere(t, t.Context(), newGates(), Options{})
		broken := errors.New("broken")
		v.in.CloseWithError(broken)
		if _, err := v.ended(); !errors.Is(err, broken) {
			t.Errorf("got %v, want %v", err, broken)
		}
	})
}

// TestDrain: Drain runs when the input ends, may take longer than the second, but not longer than its own limit.
func TestDrain(t *testing.T) {
	tests := []struct {
		name         string
		takes, limit time.Duration
		want         time.Duration
	}{
		{"nothing to do", 0, 0, 0},
		{"within the second", 500 * time.Millisecond, 0, 500 * time.Millisecond},
		{"beyond the second, not allowed", time.Hour, 0, hardDeadline},
		{"beyond the second, allowed", 20 * time.Second, time.Minute, 20 * time.Second},
		{"beyond what is allowed", time.Hour, time.Minute, time.Minute},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				drain := func(ctx context.Context) {
					select {
					case <-time.After(tt.takes):
					case <-ctx.Done():
					}
				}
				v := serveHere(t, t.Context(), newGates(), Options{Drain: drain, DrainTimeout: tt.limit})
				v.in.Close()
				if took, err := v.ended(); err != nil || took != tt.want {
					t.Errorf("got %v after %v, want nil after %v", err, took, tt.want)
				}
			})
		})
	}
}

func TestCancel(t *testing.T) {
	for era, meta := range eras() {
		t.Run(era, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g := newGates()
				v := serveHere(t, t.Context(), g, Options{})
				v.send(call("1", `{"text":"wait"}`, meta))
				v.send(call(`"1"`, `{"text":"wait"}`, meta)) // the string is another id than the number
				<-g.started
				<-g.started
				v.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"1"}}`)
				if err := <-g.ended; !errors.Is(err, context.Canceled) {
					t.Errorf("handler: got %v, want %v", err, context.Canceled)
				}
				v.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":99}}`)
				v.send(`{"jsonrpc":"2.0","method":"notifications/cancelled"}`)
				v.send(call("2", `{"text":"a"}`, meta))
				if got := <-v.lines; !strings.Contains(got, `"id":2`) {
					t.Errorf("got %s, want no answer to the cancelled call", got)
				}
				synctest.Wait()
				if len(g.ended) != 0 {
					t.Error("the other call was cancelled too")
				}
				v.in.Close()
				_, _ = v.ended()
			})
		})
	}
}

func TestIDInUse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGates()
		v := serveHere(t, t.Context(), g, Options{})
		v.send(call("1", `{"text":"wait"}`, ""))
		<-g.started
		v.send(call("1", `{"text":"a"}`, ""))
		if got := <-v.lines; !strings.Contains(got, "still running") {
			t.Errorf("got %s, want a refusal", got)
		}
		v.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)
		<-g.ended
		synctest.Wait()
		v.send(call("1", `{"text":"a"}`, ""))
		if got := <-v.lines; !strings.Contains(got, `"verdict":"pass"`) {
			t.Errorf("got %s, want the id to be free again", got)
		}
		v.in.Close()
		_, _ = v.ended()
	})
}

// TestClientThatDoesNotRead: requests go on being read, and cancellations with them, until many answers wait. In real
// time, because goroutines that wait for a mutex stop the clock of synctest.
func TestClientThatDoesNotRead(t *testing.T) {
	g := newGates()
	in, inW := io.Pipe()
	_, out := io.Pipe() // nobody reads
	s := testServer(t, &lockedBuffer{}, g)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- s.serve(ctx, in, out, Options{MaxCalls: 1}.withDefaults()) }()
	t.Cleanup(func() { out.Close(); inW.Close() })
	go func() {
		send := func(l string) { _, _ = io.WriteString(inW, l+"\n") }
		send(call("1", `{"text":"wait"}`, ""))
		<-g.started
		for i := range 100 {
			send(call(fmt.Sprint(i+2), `{"text":"a"}`, "")) // refused, and the refusals wait
		}
		send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)
	}()
	select {
	case err := <-g.ended:
		if !errors.Is(err, context.Canceled) {
			t.Errorf("got %v, want the call cancelled", err)
		}
	case <-time.After(patience):
		t.Fatal("the cancellation was not read")
	}
	cancel()
	select {
	case err := <-done:
		if err != nil {
			t.Errorf("got %v, want nil", err)
		}
	case <-time.After(patience):
		t.Error("serve did not return")
	}
}

func TestProgressRate(t *testing.T) {
	now := time.Unix(0, 0)
	var got []string
	c := &Call{now: func() time.Time { return now }, notify: func(done, _ float64, note string) {
		got = append(got, fmt.Sprint(done, note))
	}}
	at := func(after time.Duration, done float64, note SafeText) {
		now = now.Add(after)
		c.Progress(done, 0, note)
	}
	at(0, 1, Constant("a"))
	at(time.Millisecond, 2, Constant("too soon"))
	at(progressInterval, 1, Constant("not more"))
	at(0, 3, constant(strings.Repeat("\u00e9", maxProgressOctets)))
	c.end()
	at(time.Hour, 4, Constant("after the end"))
	want := []string{"1a", "3" + strings.Repeat("\u00e9", maxProgressOctets/2)}
	if strings.Join(got, ",") != strings.Join(want, ",") {
		t.Errorf("got %q, want %q", got, want)
	}
	var none *Call
	none.Progress(1, 2, nil)
	if none.Log() == nil || none.Principal() == "" || none.Era() != EraDirect || none.ClientElicitation() != (Elicitation{}) {
		t.Error("a nil Call must answer")
	}
}

func TestLineReader(t *testing.T) {
	const limit = 100
	long := strings.Repeat("x", 300<<10)
	tests := []struct {
		name, in string
		want     []string // lines; "!" and the id stand for a dropped line
	}{
		{"lines", "a\nb\r\n\nc\n", []string{"a", "b", "", "c"}},
		{"no end", "a\nb", []string{"a", "b"}},
		{"at the limit", strings.Repeat("y", limit-1) + "\nb\n", []string{strings.Repeat("y", limit-1), "b"}},
		{"past it", strings.Repeat("y", limit) + "\nb\n", []string{"!", "b"}},
		{"long", long + "\nb\n", []string{"!", "b"}},
		{"long without end", long, []string{"!"}},
		{"two long", long + "\n" + long + "\nb", []string{"!", "!", "b"}},
		{"id first", `{"id":5,"params":{"id":6,"x":"` + long + "\"}}\nb", []string{"!5", "b"}},
		{"id last", `{"params":{"id":6,"x":"` + long + "\"},\"id\":\"q\"}\nb", []string{"!\"q\"", "b"}},
		{"id inside only", `{"params":{"id":6,"x":"` + long + "\"}}\nb", []string{"!", "b"}},
		{"empty", "", nil},
	}
	for _, tt := range tests {
		r := newLineReader(strings.NewReader(tt.in), limit)
		var got []string
		for {
			line, err := r.next()
			var over *oversized
			if errors.As(err, &over) {
				got = append(got, "!"+string(over.id))
				continue
			}
			if err != nil {
				if !errors.Is(err, io.EOF) {
					t.Errorf("%s: %v", tt.name, err)
				}
				break
			}
			got = append(got, string(line))
		}
		if strings.Join(got, "|") != strings.Join(tt.want, "|") {
			t.Errorf("%s: got %.60q, want %.60q", tt.name, got, tt.want)
		}
	}
}

// chatter returns endless octets without a line end, and counts them.
type chatter struct{ n int }

func (c *chatter) Read(p []byte) (int, error) {
	if c.n > 64<<20 {
		return 0, io.EOF
	}
	for i := range p {
		p[i] = 'x'
	}
	c.n += len(p)
	return len(p), nil
}

// TestLineReaderMemory: 64 MiB without a line end are read in bounded memory.
func TestLineReaderMemory(t *testing.T) {
	allocated := testing.Benchmark(func(b *testing.B) {
		b.ReportAllocs()
		for range b.N {
			_, _ = newLineReader(&chatter{}, defaultMaxLineOctets).next()
		}
	}).AllocedBytesPerOp()
	if limit := int64(16 << 20); allocated > limit {
		t.Errorf("got %d octets allocated, want at most %d", allocated, limit)
	}
}

func FuzzLineReader(f *testing.F) {
	f.Add([]byte("a\nbb\nccc"), 3)
	f.Fuzz(func(t *testing.T, data []byte, limit int) {
		if limit < 1 || limit > 1<<16 {
			return
		}
		r := newLineReader(bytes.NewReader(data), limit)
		want := bytes.Split(data, []byte("\n"))
		if len(want[len(want)-1]) == 0 {
			want = want[:len(want)-1]
		}
		for i, w := range want {
			line, err := r.next()
			var over *oversized
			tooLong := len(w)+1 > limit
			if i == len(want)-1 && !bytes.HasSuffix(data, []byte("\n")) {
				tooLong = len(w) > limit
			}
			if errors.As(err, &over) != tooLong {
				t.Fatalf("line %d of %d octets: got %v, want dropped %v", i, len(w), err, tooLong)
			}
			if !tooLong && !bytes.Equal(line, bytes.TrimSpace(w)) {
				t.Fatalf("line %d: got %q, want %q", i, line, w)
			}
		}
		if _, err := r.next(); !errors.Is(err, io.EOF) {
			t.Fatalf("at the end: got %v", err)
		}
	})
}

// TestHugeArguments: a message of a mebibyte is refused by its schema, not by its weight.
func TestHugeArguments(t *testing.T) {
	s := testServer(t, &lockedBuffer{}, gates{})
	args, err := json.Marshal(map[string]string{"text": strings.Repeat("x", 1<<20)})
	if err != nil {
		t.Fatal(err)
	}
	o, err := s.CallTool(t.Context(), "echo_text", args)
	if err != nil || !o.IsError || len(o.Text) > 500 {
		t.Errorf("got %.100s (%d octets), %v", o.Text, len(o.Text), err)
	}
}
