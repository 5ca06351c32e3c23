package mcpserve

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"
)

// TestStartCost measures the time to the first answer and the memory of an idle server, and states both. The limits are
// wide, because the test binary is larger than a server and the machine may be busy.
func TestStartCost(t *testing.T) {
	const limit = 2 * time.Second
	best := time.Hour
	for range 5 {
		begin := time.Now()
		p := start(t)
		p.send(fmt.Sprintf(initialize, "2025-11-25"))
		p.next()
		best = min(best, time.Since(begin))
		if runtime.GOOS == "linux" {
			t.Logf("initialize after %v, resident %d kB", time.Since(begin), residentKB(t, p.cmd.Process.Pid))
		}
		p.in.Close()
		if _, err := p.exit(); err != nil {
			t.Error(err)
		}
	}
	if best > limit {
		t.Errorf("initialize: got %v, want less than %v", best, limit)
	}
}

func residentKB(t *testing.T, pid int) int {
	t.Helper()
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(data), "VmRSS:")
	kb, err := strconv.Atoi(strings.Fields(rest)[0])
	if err != nil {
		t.Fatal(err)
	}
	return kb
}

func BenchmarkCall(b *testing.B) {
	s := testServer(b, &lockedBuffer{}, gates{})
	b.ReportAllocs()
	for b.Loop() {
		if o, err := s.CallTool(b.Context(), "echo_text", []byte(`{"text":"a","count":5,"tags":["red"]}`)); err != nil || o.IsError {
			b.Fatal(o, err)
		}
	}
}
