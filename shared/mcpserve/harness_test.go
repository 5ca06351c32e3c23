package mcpserve

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"testing"
	"time"
)

// serverEnv makes the test binary a server instead.
const serverEnv = "MCPSERVE_TEST_SERVER"

func TestMain(m *testing.M) {
	if os.Getenv(serverEnv) == "" {
		os.Exit(m.Run())
	}
	s, err := NewServer(testConfig(os.Stderr, gates{open: make(chan struct{})}))
	if err == nil {
		err = Serve(context.Background(), s, os.Stdin, os.Stdout, Options{MaxLineOctets: 64 << 10})
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// process is a running server.
type process struct {
	t      *testing.T
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    io.ReadCloser
	lines  chan reply
	stderr lockedBuffer
}

// reply is any line that a server wrote.
type reply struct {
	JSONRPC string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Method  string          `json:"method"`
	Params  json.RawMessage `json:"params"`
	Result  json.RawMessage `json:"result"`
	Error   *responseError  `json:"error"`
	raw     string
}

type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}
func (l *lockedBuffer) String() string { l.mu.Lock(); defer l.mu.Unlock(); return l.b.String() }

// patience is how long a test waits for what must come. Nothing passes by waiting it out.
const patience = 20 * time.Second

func start(t *testing.T) *process {
	t.Helper()
	p := &process{t: t, cmd: exec.Command(os.Args[0]), lines: make(chan reply, 1000)}
	p.cmd.Env = append(os.Environ(), serverEnv+"=1")
	p.cmd.Stderr = &p.stderr
	var err error
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if p.out, err = p.cmd.StdoutPipe(); err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.cmd.Process.Kill() })
	go p.read()
	return p
}

// read checks that every line on standard output is one JSON-RPC message.
func (p *process) read() {
	defer close(p.lines)
	sc := bufio.NewScanner(p.out)
	sc.Buffer(nil, 4<<20)
	for sc.Scan() {
		r := reply{raw: sc.Text()}
		if err := json.Unmarshal(sc.Bytes(), &r); err != nil || r.JSONRPC != "2.0" {
			p.t.Errorf("standard output has %q, want JSON-RPC only", sc.Text())
		}
		p.lines <- r
	}
}

func (p *process) send(lines ...string) {
	p.t.Helper()
	for _, l := range lines {
		if _, err := io.WriteString(p.in, l+"\n"); err != nil {
			p.t.Fatal(err)
		}
	}
}

// next returns the next line.
func (p *process) next() reply {
	p.t.Helper()
	select {
	case r, ok := <-p.lines:
		if !ok {
			p.t.Fatalf("the server ended; its log: %s", p.stderr.String())
		}
		return r
	case <-time.After(patience):
		p.t.Fatal("no answer")
	}
	return reply{}
}

// exit waits for the end of the process and returns how long that took.
func (p *process) exit() (time.Duration, error) {
	p.t.Helper()
	begin, done := time.Now(), make(chan error, 1)
	go func() {
		for range p.lines { // Wait closes the pipe; read to its end first
		}
		done <- p.cmd.Wait()
	}()
	select {
	case err := <-done:
		return time.Since(begin), err
	case <-time.After(patience):
		p.t.Fatal("the server did not end")
	}
	return 0, nil
}

const modernMeta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`

// eras are the two ways to say the same.
func eras() map[string]string { return map[string]string{"legacy": "", "modern": modernMeta} }

// call writes a tools/call with the arguments given as JSON.
func call(id, args, meta string) string {
	if meta != "" {
		meta = "," + meta
	}
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":"echo_text","arguments":%s%s}}`, id, args, meta)
}

const initialize = `{"jsonrpc":"2.0","id":"init","method":"initialize","params":{"protocolVersion":"%s","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`
