package htmltext

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// BenchmarkPeer converts the newsletter of BenchmarkConvert with html-to-text (npm), in one process of its own: ns/peer-op is
// the time of one conversion there. It needs the packages of .ci/peers in MAILGAP_NODE_MODULES.
func BenchmarkPeer(b *testing.B) {
	modules := os.Getenv("MAILGAP_NODE_MODULES")
	if _, err := os.Stat(filepath.Join(modules, "html-to-text")); modules == "" || err != nil {
		b.Skip("html-to-text is not installed: install .ci/peers/package.json and name its node_modules in MAILGAP_NODE_MODULES")
	}
	src := newsletterOf(220_000)
	file := filepath.Join(b.TempDir(), "newsletter.html")
	if err := os.WriteFile(file, []byte(src), 0o600); err != nil {
		b.Fatal(err)
	}
	var ns float64
	for b.Loop() {
		cmd := exec.Command("node", "../../.ci/peers/htmltotext.mjs", file, "20")
		cmd.Env = append(os.Environ(), "MODULES="+modules)
		out, err := cmd.Output()
		if err != nil {
			b.Fatal(err)
		}
		if ns, err = strconv.ParseFloat(strings.TrimSpace(string(out)), 64); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(ns, "ns/peer-op")
	b.ReportMetric(float64(len(src))/ns*1e3, "peer-MB/s")
}
