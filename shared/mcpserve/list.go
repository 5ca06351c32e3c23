package mcpserve

import (
	"bytes"
	"context"
	"encoding/json"

	"github.com/mark3labs/mcp-go/mcp"
)

// ToolList returns the tools/list result, as the protocol sends it, with its members in a fixed order.
func (s *Server) ToolList() json.RawMessage {
	msg := json.RawMessage(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	r, ok := s.mcp.HandleMessage(context.Background(), msg).(mcp.JSONRPCResponse)
	if !ok {
		return nil
	}
	data, err := marshal(r.Result)
	if err != nil {
		return nil
	}
	return plainEscapes(data)
}

// ToolJSON returns one entry of ToolList, indented and with a line end, or nil if there is no such tool.
func (s *Server) ToolJSON(name string) []byte {
	var l struct {
		Tools []json.RawMessage `json:"tools"`
	}
	if json.Unmarshal(s.ToolList(), &l) != nil {
		return nil
	}
	for _, raw := range l.Tools {
		var t struct {
			Name string `json:"name"`
		}
		if json.Unmarshal(raw, &t) != nil || t.Name != name {
			continue
		}
		var b bytes.Buffer
		if json.Indent(&b, raw, "", "  ") != nil {
			return nil
		}
		return append(b.Bytes(), '\n')
	}
	return nil
}
