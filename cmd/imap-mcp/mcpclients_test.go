package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// clientTimeout bounds one run of a client. Limit: the Inspector takes a few seconds to start on a busy machine.
const clientTimeout = 2 * time.Minute

// nodeModules is where the packages of .ci/mcp-clients are installed. Without it the test is skipped; in CI it fails.
func nodeModules(t *testing.T) string {
	t.Helper()
	dir := os.Getenv("MAILGAP_NODE_MODULES")
	if dir != "" {
		return dir
	}
	if os.Getenv("CI") == "true" {
		t.Fatal("MAILGAP_NODE_MODULES is not set")
	}
	t.Skip("MAILGAP_NODE_MODULES is not set: install .ci/mcp-clients/package.json somewhere and name its node_modules directory")
	return ""
}

// buildBinary builds the program once for a test.
func buildBinary(t *testing.T) string {
	t.Helper()
	out := filepath.Join(t.TempDir(), "imap-mcp")
	if text, err := exec.Command("go", "build", "-o", out, ".").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, text)
	}
	return out
}

// node runs a script of the clients and returns what it printed.
func node(t *testing.T, args ...string) []byte {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), clientTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, "node", args...)
	cmd.Env = append(os.Environ(), "MODULES="+nodeModules(t))
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("node %s: %v\n%s\n%s", strings.Join(args, " "), err, out, stderr.Bytes())
	}
	return out
}

// The TypeScript SDK's clients of both protocol eras list the tools, read a message and a resource, are told what is wrong with
// a call, and can give up waiting.
func TestTypeScriptClients(t *testing.T) {
	nodeModules(t)
	binary := buildBinary(t)
	for _, mode := range []string{"legacy", "auto", "modern"} {
		t.Run(mode, func(t *testing.T) {
			var got struct {
				Tools         []string
				OutputSchemas bool
				Hints         bool
				Messages      int
				Text          string
				Author        string
				Refused       string
				Templates     []string
				Resource      bool
				Wait          string
			}
			if err := json.Unmarshal(node(t, "../../.ci/mcp-clients/reader.mjs", mode, binary, "--demo"), &got); err != nil {
				t.Fatalf("output: %v", err)
			}
			if len(got.Tools) != 8 || !got.OutputSchemas || !got.Hints || got.Messages != 3 || got.Author == "" || !got.Resource || len(got.Templates) == 0 {
				t.Errorf("client saw %+v", got)
			}
			if !strings.Contains(got.Text, "From: ") || !strings.Contains(got.Refused, "limit") || got.Wait != "aborted" {
				t.Errorf("text %q, refusal %q, wait %q", got.Text, got.Refused, got.Wait)
			}
		})
	}
}

// The official Inspector accepts the schemas (--strict) and calls a tool, in both eras.
func TestInspector(t *testing.T) {
	inspector := filepath.Join(nodeModules(t), "@modelcontextprotocol", "inspector")
	var manifest struct {
		Bin map[string]string
	}
	text, err := os.ReadFile(filepath.Join(inspector, "package.json"))
	if err == nil {
		err = json.Unmarshal(text, &manifest)
	}
	if err != nil {
		t.Fatal(err)
	}
	script := filepath.Join(inspector, manifest.Bin["mcp-inspector"])
	binary := buildBinary(t)
	for _, era := range []string{"legacy", "modern"} {
		t.Run(era, func(t *testing.T) {
			list := node(t, script, "--cli", "--protocol-era", era, "--method", "tools/list", "--strict", binary, "--demo")
			if !bytes.Contains(list, []byte("wait_for_message")) {
				t.Errorf("tools/list = %s", list)
			}
			call := node(t, script, "--cli", "--protocol-era", era, "--method", "tools/call", "--tool-name", "list_messages",
				"--tool-arg", "limit=2", "--format", "json", binary, "--demo")
			if !bytes.Contains(call, []byte("imap://default/INBOX")) {
				t.Errorf("tools/call = %s", call)
			}
		})
	}
}
