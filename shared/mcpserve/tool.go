package mcpserve

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"strings"
)

// Spec describes a tool. Every field is required except Title and OutputSchema.
type Spec struct {
	// Name is the name that clients call: lower case, digits and underscores, verb first.
	Name string
	// Title is shown to people by some clients.
	Title string
	// Description tells a model what the tool does, its limits and units, and what it cannot do.
	Description string
	// InputSchema is a hand-written JSON Schema (2020-12) of an object. Every object in it must say additionalProperties:
	// false (or give a schema for them), or NewServer refuses it.
	InputSchema json.RawMessage
	// OutputSchema describes the structured result. Nil means: derived from the Go type.
	OutputSchema json.RawMessage
	// Hints are sent in full, whatever they are.
	Hints Hints
}

// Hints are the four MCP tool annotations. They inform; they protect nothing.
type Hints struct {
	ReadOnly    bool // does not change its environment
	Destructive bool // may change or remove what exists; meaningful only if not ReadOnly
	Idempotent  bool // a repeated call with the same arguments has no further effect
	OpenWorld   bool // touches things outside this process, such as mail from strangers
}

// Result is what a handler returns.
type Result[Out any] struct {
	// Structured becomes structuredContent, and is checked against the output schema.
	Structured Out
	// Text becomes the text content. Nil means: Structured as JSON.
	Text SafeText
	// Images follow the text.
	Images []Image
}

// Image is image content. MediaType must be image/png, image/jpeg, image/gif or image/webp.
type Image struct {
	MediaType string
	Data      []byte
}

// ToolError is a failure that the model and the person should read: what was not done and what to do next. Any other Go
// error that a handler returns is answered with a constant sentence, because its text may hold anything.
type ToolError struct {
	Text SafeText
	Code Word // optional; sent in _meta beside the text
}

// Error implements error. It gives the code only: the text is for the client and stays out of logs.
func (e *ToolError) Error() string { return "mcpserve: tool error" }

// Tool is a tool that was made by Define or DefineAsking.
type Tool struct {
	spec Spec
	out  reflect.Type
	run  func(ctx context.Context, c *Call, args json.RawMessage, a *Answer) (Outcome, error)
	asks bool // made by DefineAsking

	input, output *schema // set by NewServer; output is nil if the tool has no structured result
}

// Name returns the name of the tool.
func (t Tool) Name() string { return t.spec.Name }

// Define makes a tool. Out is inspected: it may hold numbers, booleans, time.Time, SafeText, Word types, and slices, maps and
// structs of those; a plain string anywhere in it is refused when NewServer is called. An Out without fields means that the
// tool has no structured result. In is decoded from arguments that were validated against InputSchema before. handler may
// run many times at once.
func Define[In, Out any](s Spec, handler func(context.Context, *Call, In) (Result[Out], error)) Tool {
	run := func(ctx context.Context, c *Call, args json.RawMessage, _ *Answer) (Outcome, error) {
		var in In
		if err := json.Unmarshal(args, &in); err != nil {
			return Outcome{}, errDecode
		}
		res, err := handler(ctx, c, in)
		if err != nil {
			return Outcome{}, err
		}
		return render(reflect.ValueOf(&res.Structured).Elem(), res.Text, res.Images)
	}
	return Tool{spec: s, out: reflect.TypeFor[Out](), run: run}
}

// errDecode says that validated arguments do not fit the Go type: the schema and the type disagree, which is our fault.
var errDecode = errors.New("mcpserve: arguments do not fit their Go type")

// structured says whether the tool has a structured result.
func (t Tool) structured() bool {
	return t.out.Kind() != reflect.Struct || t.out.NumField() > 0 || t.out.Implements(safeTextType)
}

// render makes the outcome of a successful call. It is the only way from a handler's result to the client.
func render(structured reflect.Value, text SafeText, images []Image) (Outcome, error) {
	var o Outcome
	if structured.Kind() != reflect.Struct || structured.NumField() > 0 {
		raw, err := encode(structured)
		if err != nil {
			return Outcome{}, err
		}
		o.Structured, o.Text = raw, string(raw)
	}
	if text != nil {
		o.Text = strings.ToValidUTF8(text.SafeText(), "\uFFFD")
	}
	for _, im := range images {
		if !slices.Contains(imageTypes(), im.MediaType) {
			return Outcome{}, errImageType
		}
	}
	o.Images = images
	return o, nil
}

var errImageType = errors.New("mcpserve: an image has a media type that is not allowed")

// imageTypes are the media types that clients show. SVG is not among them: it is a program.
func imageTypes() []string { return []string{"image/png", "image/jpeg", "image/gif", "image/webp"} }

// ResourceSpec describes a resource template.
type ResourceSpec struct {
	// URITemplate is an RFC 6570 template. The templates of a server must not overlap.
	URITemplate string
	Name        string
	Title       string
	Description string
	MIMEType    string
}

// Resource is a resource template that was made by DefineResource.
type Resource struct {
	spec ResourceSpec
	read func(ctx context.Context, uri string) (SafeText, error)
}

// DefineResource makes a resource template. read gets the URI as the client wrote it, not decoded, and must validate it.
// Return a *ToolError for what the client should read; any other error becomes a constant sentence.
func DefineResource(s ResourceSpec, read func(ctx context.Context, uri string) (SafeText, error)) Resource {
	return Resource{spec: s, read: read}
}
