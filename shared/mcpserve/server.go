package mcpserve

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"regexp"
	"slices"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// Config describes a server.
type Config struct {
	Name         string // such as "imap-mcp"
	Version      string
	Instructions string // for the model, sent once per connection
	Tools        []Tool
	Resources    []Resource
	Filter       Filter
	Logger       *slog.Logger // nil discards
}

// Server holds the tools. It is safe for concurrent use.
type Server struct {
	mcp       *server.MCPServer
	tools     []*Tool
	resources []*Resource
	log       *slog.Logger
	calls     atomic.Int64
	now       func() time.Time
}

// NewServer checks every tool (names, schemas, result types) and the filter. It reports all faults at once, reads nothing
// and starts nothing.
func NewServer(c Config) (*Server, error) {
	s := &Server{log: c.Logger, now: time.Now}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	var errs []error
	if c.Name == "" || c.Version == "" {
		errs = append(errs, errors.New("the server needs a name and a version"))
	}
	tools, err := c.Filter.apply(c.Tools)
	errs = append(errs, err, checkNames(c.Tools))
	s.mcp = newMCP(c)
	for _, t := range tools {
		if err := s.addTool(t); err != nil {
			errs = append(errs, fmt.Errorf("tool %s: %w", t.spec.Name, err))
		}
	}
	for _, r := range c.Resources {
		if err := s.addResource(r); err != nil {
			errs = append(errs, fmt.Errorf("resource %s: %w", r.spec.Name, err))
		}
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return s, nil
}

// newMCP makes the library's server. Its own argument validation stays off: it runs the same engine on the same schema,
// after ours, and its messages repeat values. Its recovery stays off too: it sends the text of the panic to the client.
func newMCP(c Config) *server.MCPServer {
	opts := []server.ServerOption{server.WithToolCapabilities(false), server.WithInstructions(c.Instructions)}
	if len(c.Resources) > 0 {
		opts = append(opts, server.WithResourceCapabilities(false, false))
	}
	return server.NewMCPServer(c.Name, c.Version, opts...)
}

var toolName = regexp.MustCompile(`^[a-z][a-z0-9]*(_[a-z0-9]+)*$`)

const maxToolNameOctets = 48 // some clients prefix the server's name and stop at 64

func checkNames(tools []Tool) error {
	var errs []error
	seen := map[string]bool{}
	for _, t := range tools {
		n := t.spec.Name
		if seen[n] {
			errs = append(errs, fmt.Errorf("tool %s is defined twice", n))
		}
		seen[n] = true
		if !toolName.MatchString(n) || len(n) > maxToolNameOctets {
			errs = append(errs, fmt.Errorf("tool %q: the name must be lower case words joined by _", n))
		}
	}
	return errors.Join(errs...)
}

// addTool checks t, compiles its schemas and hands it to the library.
func (s *Server) addTool(t Tool) error {
	if t.run == nil {
		return errors.New("it was not made by Define or DefineAsking")
	}
	if t.spec.Description == "" {
		return errors.New("it has no description")
	}
	if t.spec.Hints.ReadOnly && t.spec.Hints.Destructive {
		return errors.New("it cannot be both read-only and destructive")
	}
	if err := t.compile(); err != nil {
		return err
	}
	s.tools = append(s.tools, &t)
	s.mcp.AddTool(t.mcpTool(), s.toolHandler(&t))
	return nil
}

// compile checks the result type and compiles both schemas.
func (t *Tool) compile() error {
	in, err := compile(t.spec.InputSchema)
	if err != nil {
		return fmt.Errorf("input schema: %w", err)
	}
	if err := checkInputSchema(in.doc); err != nil {
		return fmt.Errorf("input schema: %w", err)
	}
	t.input = in
	if !t.structured() {
		return nil
	}
	if err := checkType(t.out); err != nil {
		return err
	}
	if t.spec.OutputSchema == nil {
		derived, err := schemaOf(t.out)
		if err != nil {
			return err
		}
		if t.spec.OutputSchema, err = json.Marshal(derived); err != nil {
			return err
		}
	}
	if t.output, err = compile(t.spec.OutputSchema); err != nil {
		return fmt.Errorf("output schema: %w", err)
	}
	return nil
}

func (t *Tool) mcpTool() mcp.Tool {
	h := t.spec.Hints
	return mcp.Tool{
		Name: t.spec.Name, Title: t.spec.Title, Description: t.spec.Description,
		RawInputSchema: t.spec.InputSchema, RawOutputSchema: t.spec.OutputSchema,
		Annotations: mcp.ToolAnnotation{
			ReadOnlyHint: &h.ReadOnly, DestructiveHint: &h.Destructive,
			IdempotentHint: &h.Idempotent, OpenWorldHint: &h.OpenWorld,
		},
	}
}

// ToolNames returns the names of the tools that the filter left, in the order of Config.Tools.
func (s *Server) ToolNames() []string {
	names := make([]string, len(s.tools))
	for i, t := range s.tools {
		names[i] = t.spec.Name
	}
	return names
}

func (s *Server) tool(name string) *Tool {
	i := slices.IndexFunc(s.tools, func(t *Tool) bool { return t.spec.Name == name })
	if i < 0 {
		return nil
	}
	return s.tools[i]
}

// ErrNoTool is returned by CallTool for a name that no tool has. The text of the error names the nearest one.
var ErrNoTool = errors.New("no such tool")

// noTool words ErrNoTool. The name asked for is not repeated.
func (s *Server) noTool(name string) error {
	if near := nearest(name, s.ToolNames()); near != "" {
		return fmt.Errorf("%w; the nearest is %s", ErrNoTool, near)
	}
	return fmt.Errorf("%w; there are %s", ErrNoTool, list(s.ToolNames()))
}

// CallTool runs a tool in this process, with the same validation and containment as over the protocol. args may be empty.
// The error is non-nil (ErrNoTool) only if there is no such tool; a refused or failed call is an Outcome with IsError set.
func (s *Server) CallTool(ctx context.Context, name string, args json.RawMessage) (Outcome, error) {
	t := s.tool(name)
	if t == nil {
		return Outcome{}, s.noTool(name)
	}
	c := s.newCall(t)
	return s.invoke(ctx, t, c, args), nil
}

// newCall numbers a call.
func (s *Server) newCall(t *Tool) *Call {
	n := s.calls.Add(1)
	return &Call{log: s.log.With("tool", t.spec.Name, "call", strconv.FormatInt(n, 10)), now: s.now, principal: principalInProcess}
}
