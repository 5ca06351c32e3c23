package mcpserve

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
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

// Filter selects tools by name. Empty Allow means all; Deny wins. A name that no tool has makes NewServer fail.
type Filter struct{ Allow, Deny []string }

// Server holds the tools. It is safe for concurrent use.
type Server struct{}

// NewServer checks every tool (names, schemas, result types) and the filter. It reports all faults at once, reads nothing
// and starts nothing.
func NewServer(c Config) (*Server, error) { return nil, errors.New("mcpserve: not implemented") }

// ToolNames returns the names of the tools that the filter left, in the order of Config.Tools.
func (s *Server) ToolNames() []string { return nil }

// ToolList returns the tools/list result as a client of the newest revision sees it.
func (s *Server) ToolList() json.RawMessage { return nil }

// ToolJSON returns one entry of ToolList, indented, or nil if there is no such tool.
func (s *Server) ToolJSON(name string) []byte { return nil }

// CallTool runs a tool in this process, with the same validation and containment as over the protocol. args may be empty.
// The error is non-nil only if there is no such tool; a refused or failed call is an Outcome with IsError set.
func (s *Server) CallTool(ctx context.Context, name string, args json.RawMessage) (Outcome, error) {
	return Outcome{}, errors.New("mcpserve: not implemented")
}

// Outcome is the result of CallTool.
type Outcome struct {
	IsError    bool
	Text       string
	Structured json.RawMessage // nil if there is none
	Images     []Image
}

// Pretty writes the outcome for a person.
func (o Outcome) Pretty(w io.Writer) error { return errors.New("mcpserve: not implemented") }

// JSON returns the outcome for a script: one object with isError, text, structured and images (media type and size).
func (o Outcome) JSON() ([]byte, error) { return nil, errors.New("mcpserve: not implemented") }
