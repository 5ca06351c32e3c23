package mcpserve

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"os"
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
	Form    bool     `json:"form"`
	URL     bool     `json:"url"`
	Era     int      `json:"era"`
}

const echoSchema = `{"type":"object","additionalProperties":false,"required":["text"],"properties":{
	"text":{"type":"string","minLength":1,"maxLength":100,"description":"what to echo"},
	"count":{"type":"integer","minimum":1,"maximum":10},
	"tags":{"type":"array","maxItems":3,"items":{"type":"string","enum":["red","green"]}}}}`

// secretText stands for text that must never leave: neither to the client nor to the log.
const secretText = "hunter2-in-a-panic"

// gates lets a test see and steer the handlers.
type gates struct {
	started chan string   // receives the text of calls that wait, if it is not nil
	ended   chan error    // receives the context's error of calls that wait, if it is not nil
	open    chan struct{} // "hang" returns when it is closed, and ignores its context
}

// echo is a tool with several behaviours, chosen by its text.
func echo(g gates) Tool {
	return Define(Spec{
		Name: "echo_text", Description: "Echoes.", InputSchema: json.RawMessage(echoSchema),
		Hints: Hints{ReadOnly: true, Idempotent: true},
	}, func(ctx context.Context, c *Call, in echoIn) (Result[echoOut], error) {
		e := c.ClientElicitation()
		out := echoOut{Text: constant(in.Text), Count: in.Count, Verdict: "pass", Form: e.Form, URL: e.URL, Era: int(c.Era())}
		switch in.Text {
		case "panic":
			panic(secretText)
		case "error":
			return Result[echoOut]{}, errors.New(secretText)
		case "toolerror":
			return Result[echoOut]{}, &ToolError{Text: Constant("not done. hint: try again"), Code: verdict("fail")}
		case "badword":
			out.Verdict = secretText
		case "emptyword":
			out.Verdict = ""
		case "wait", "hang":
			return g.block(ctx, in.Text, out)
		case "print":
			os.Stdout.WriteString("stray\n")
		case "progress":
			c.Progress(1, 2, Constant("half"))
			c.Progress(1, 2, Constant("again"))
		case "svg":
			return Result[echoOut]{Structured: out, Images: []Image{{MediaType: "image/svg+xml"}}}, nil
		case "image":
			return Result[echoOut]{Structured: out, Text: Constant("see"), Images: []Image{{"image/png", []byte("png")}}}, nil
		}
		return Result[echoOut]{Structured: out}, nil
	})
}

func (g gates) block(ctx context.Context, text string, out echoOut) (Result[echoOut], error) {
	if g.started != nil {
		g.started <- text
	}
	if text == "hang" {
		<-g.open
		return Result[echoOut]{Structured: out}, nil
	}
	<-ctx.Done()
	if g.ended != nil {
		g.ended <- ctx.Err()
	}
	return Result[echoOut]{}, ctx.Err()
}

// thing is a resource with several behaviours, chosen by its URI.
func thing() Resource {
	return DefineResource(ResourceSpec{URITemplate: "thing://{+path}", Name: "thing", Description: "A thing.", MIMEType: "text/plain"},
		func(_ context.Context, uri string) (SafeText, error) {
			switch uri {
			case "thing://panic":
				panic(secretText)
			case "thing://missing":
				return nil, &ToolError{Text: Constant("there is no such thing")}
			case "thing://error":
				return nil, errors.New(secretText)
			case "thing://nothing":
				return nil, nil
			}
			return constant(uri), nil
		})
}

func testServer(t testing.TB, log io.Writer, g gates) *Server {
	t.Helper()
	s, err := NewServer(testConfig(log, g))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func testConfig(log io.Writer, g gates) Config {
	return Config{
		Name: "test-mcp", Version: "1.0.0", Instructions: "Test.", Tools: []Tool{echo(g)}, Resources: []Resource{thing()},
		Logger: slog.New(slog.NewTextHandler(log, nil)),
	}
}
