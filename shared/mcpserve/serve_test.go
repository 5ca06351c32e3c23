package mcpserve

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"os"
	"strings"
	"testing"
)

// verdict is a Word for tests.
type verdict string

func (verdict) Words() []string { return []string{"pass", "fail"} }

type echoIn struct {
	Text  string   `json:"text"`
	Count int      `json:"count"`
	Tags  []string `json:"tags"`
}

type echoOut struct {
	Text    SafeText `json:"text"`
	Count   int      `json:"count"`
	Verdict verdict  `json:"verdict"`
}

const echoSchema = `{"type":"object","additionalProperties":false,"required":["text"],"properties":{
	"text":{"type":"string","minLength":1,"maxLength":100,"description":"what to echo"},
	"count":{"type":"integer","minimum":1,"maximum":10},
	"tags":{"type":"array","maxItems":3,"items":{"type":"string","enum":["red","green"]}}}}`

// secretText stands for text that must never leave.
const secretText = "hunter2-in-a-panic"

// echo is a tool with several behaviours, chosen by its text.
func echo(gate chan struct{}) Tool {
	return Define(Spec{
		Name: "echo_text", Description: "Echoes.", InputSchema: json.RawMessage(echoSchema),
		Hints: Hints{ReadOnly: true, Idempotent: true},
	}, func(ctx context.Context, c *Call, in echoIn) (Result[echoOut], error) {
		switch in.Text {
		case "panic":
			panic(secretText)
		case "error":
			return Result[echoOut]{}, errors.New(secretText)
		case "toolerror":
			return Result[echoOut]{}, &ToolError{Text: Constant("not done. hint: try again"), Code: verdict("fail")}
		case "badword":
			return Result[echoOut]{Structured: echoOut{Verdict: secretText}}, nil
		case "wait":
			<-ctx.Done()
			return Result[echoOut]{}, ctx.Err()
		case "hang":
			<-gate
		case "print":
			os.Stdout.WriteString("stray\n")
		case "progress":
			c.Progress(1, 2, Constant("half"))
			c.Progress(1, 2, Constant("again"))
		}
		return Result[echoOut]{Structured: echoOut{Text: constant(in.Text), Count: in.Count, Verdict: "pass"}}, nil
	})
}

func testServer(t testing.TB, log io.Writer, gate chan struct{}) *Server {
	t.Helper()
	s, err := NewServer(Config{
		Name: "test-mcp", Version: "1.0.0", Instructions: "Test.", Tools: []Tool{echo(gate)}, Resources: []Resource{thing()},
		Logger: slog.New(slog.NewTextHandler(log, nil)),
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func thing() Resource {
	return DefineResource(ResourceSpec{URITemplate: "thing://{+path}", Name: "thing", Description: "A thing.", MIMEType: "text/plain"},
		func(ctx context.Context, uri string) (SafeText, error) {
			switch uri {
			case "thing://panic":
				panic(secretText)
			case "thing://missing":
				return nil, &ToolError{Text: Constant("there is no such thing")}
			case "thing://error":
				return nil, errors.New(secretText)
			}
			return constant(uri), nil
		})
}

func TestServeFirst(t *testing.T) {
	in, inW := io.Pipe()
	outR, out := io.Pipe()
	s := testServer(t, io.Discard, nil)
	done := make(chan error, 1)
	go func() { done <- s.serve(t.Context(), in, out, Options{}.withDefaults()) }()
	lines := bufio.NewScanner(outR)
	for _, l := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`,
		`{"jsonrpc":"2.0","id":"x2","method":"tools/list"}`,
		`{"jsonrpc":"2.0","id":9007199254740993,"method":"tools/call","params":{"name":"echo_text","arguments":{"text":"a<b>"}}}`,
		`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"echo_text","arguments":{"text":5,"cuont":"7","tags":["blue"]}}}`,
		`{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"echo_text","arguments":{"text":"panic"}}}`,
		`{"jsonrpc":"2.0","id":5,"method":"resources/read","params":{"uri":"thing://a%0Ab"}}`,
		`{"jsonrpc":"2.0","id":6,"method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`,
		`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"echo_text","arguments":{"text":"b"},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`,
	} {
		io.WriteString(inW, l+"\n")
		if !lines.Scan() {
			t.Fatal("no answer")
		}
		t.Log(lines.Text())
		if strings.Contains(lines.Text(), secretText) {
			t.Error("secret left")
		}
	}
	inW.Close()
	if err := <-done; err != nil {
		t.Errorf("serve: got %v, want nil", err)
	}
}
