package mcpserve

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"

	"github.com/mark3labs/mcp-go/mcp"
)

// JSON-RPC 2.0 error codes, §5.1.
const (
	codeParse          = -32700
	codeInvalidRequest = -32600
	codeInvalidParams  = -32602
	codeInternal       = -32603
)

// maxIDOctets bounds a request id. Clients use small numbers or UUIDs.
const maxIDOctets = 256

// message is one line of input, parsed strictly.
type message struct {
	id      json.RawMessage // as the client wrote it; nil for notifications
	method  string
	params  map[string]json.RawMessage
	isReply bool            // has a result or an error instead of a method
	result  json.RawMessage // of a reply; nil if it has none
	failed  bool            // a reply with an error
	era     Era
	token   json.RawMessage // progress token; nil if none
	name    string          // of the tool, for tools/call
}

// fault is a message that is answered with a protocol error. A nil id is sent as null.
type fault struct {
	id   json.RawMessage
	code int
	text string

	isReply bool // the message is a reply, which is not answered
}

// parseMessage reads one line. Keys are compared exactly: Go's decoder would take "Method" for "method", and of two
// spellings the last, so what is checked could differ from what is used.
func parseMessage(line []byte) (*message, *fault) {
	if err := scan(line, true); err != nil {
		return nil, strictFault(line, err)
	}
	if line[0] != '{' {
		return nil, &fault{code: codeInvalidRequest, text: "a message must be one JSON object; batches are not supported"}
	}
	var top map[string]json.RawMessage
	if err := json.Unmarshal(line, &top); err != nil {
		return nil, &fault{code: codeParse, text: errNotJSON.Error()}
	}
	m := &message{}
	if raw, ok := top["id"]; ok {
		if !validID(raw) {
			return nil, &fault{code: codeInvalidRequest, text: "the id must be a string or a number"}
		}
		m.id = raw
	}
	if string(top["jsonrpc"]) != `"2.0"` {
		return nil, &fault{id: m.id, code: codeInvalidRequest, text: `the message needs "jsonrpc": "2.0"`}
	}
	if string(top["method"]) != `"`+string(mcp.MethodToolsCall)+`"` {
		if err := strictJSON(line); err != nil {
			return nil, strictFault(line, err)
		}
	}
	m.isReply = top["method"] == nil && (top["result"] != nil || top["error"] != nil)
	if m.isReply {
		m.result, m.failed = top["result"], top["error"] != nil
		return m, nil
	}
	if json.Unmarshal(top["method"], &m.method) != nil || m.method == "" {
		return nil, &fault{id: m.id, code: codeInvalidRequest, text: "the message needs a method"}
	}
	return m, m.readParams(top["params"])
}

// strictFault answers what strictJSON refused. The id is echoed if the line is JSON at all.
func strictFault(line []byte, err error) *fault {
	f := &fault{code: codeInvalidRequest, text: complaintAbout(err)}
	if errors.Is(err, errNotJSON) || errors.Is(err, errNotUTF8) {
		f.code = codeParse
		return f
	}
	var top map[string]json.RawMessage
	if json.Unmarshal(line, &top) == nil && validID(top["id"]) {
		f.id = top["id"]
		f.isReply = top["method"] == nil && (top["result"] != nil || top["error"] != nil)
	}
	return f
}

func complaintAbout(err error) string {
	var dup *duplicateKeyError
	if errors.As(err, &dup) {
		return complaintOf(err)
	}
	return err.Error()
}

// validID accepts strings and numbers.
func validID(raw json.RawMessage) bool {
	if len(raw) == 0 || len(raw) > maxIDOctets {
		return false
	}
	return raw[0] == '"' || raw[0] == '-' || raw[0] >= '0' && raw[0] <= '9'
}

// readParams takes what this package needs from the parameters.
func (m *message) readParams(raw json.RawMessage) *fault {
	m.era = EraLegacy
	if raw == nil || string(raw) == "null" {
		return nil
	}
	if json.Unmarshal(raw, &m.params) != nil {
		return &fault{id: m.id, code: codeInvalidParams, text: "params must be an object"}
	}
	var meta map[string]json.RawMessage
	if raw := m.params["_meta"]; raw != nil && json.Unmarshal(raw, &meta) != nil {
		return &fault{id: m.id, code: codeInvalidParams, text: "_meta must be an object"}
	}
	var version string
	if v := meta[mcp.MetaKeyProtocolVersion]; v != nil && json.Unmarshal(v, &version) != nil {
		return &fault{id: m.id, code: codeInvalidParams, text: "the protocol version in _meta must be a string"}
	}
	if mcp.IsModernProtocol(version) {
		m.era = EraModern
	}
	if t := meta["progressToken"]; validID(t) {
		m.token = t
	}
	return m.readTarget()
}

// readTarget checks the parameters that name a tool or a resource.
func (m *message) readTarget() *fault {
	var s string
	switch m.method {
	case string(mcp.MethodToolsCall):
		if json.Unmarshal(m.params["name"], &m.name) != nil || m.name == "" {
			return &fault{id: m.id, code: codeInvalidParams, text: "params.name must be the name of a tool"}
		}
		if a := m.params["arguments"]; a != nil && a[0] != '{' && string(a) != "null" {
			return &fault{id: m.id, code: codeInvalidParams, text: "params.arguments must be an object"}
		}
	case string(mcp.MethodResourcesRead):
		if json.Unmarshal(m.params["uri"], &s) != nil || s == "" {
			return &fault{id: m.id, code: codeInvalidParams, text: "params.uri must be the URI of a resource"}
		}
	}
	return nil
}

// keptParams lists, by method, the parameters that are passed on. The arguments of a call are not: the library would read
// their numbers as float64, and repeat in an error what does not fit; toolHandler takes them from the message. Answers to
// questions (inputResponses, requestState) are not among them either: resumed reads them, for tools that ask and for the
// one era that has them. Nor is task: there are no tasks here.
func keptParams(method string) []string {
	switch method {
	case string(mcp.MethodToolsCall):
		return []string{"name", "_meta"}
	case string(mcp.MethodResourcesRead):
		return []string{"uri", "_meta"}
	}
	return nil
}

// rebuild writes the message for the library, with nothing in it but what was checked.
func (m *message) rebuild() (json.RawMessage, error) {
	params := m.params
	if keep := keptParams(m.method); keep != nil {
		params = map[string]json.RawMessage{}
		for k, v := range m.params {
			if slices.Contains(keep, k) {
				params[k] = v
			}
		}
	}
	return marshal(struct {
		JSONRPC string                     `json:"jsonrpc"`
		ID      json.RawMessage            `json:"id"`
		Method  string                     `json:"method"`
		Params  map[string]json.RawMessage `json:"params,omitempty"`
	}{"2.0", m.id, m.method, params})
}

// marshal is json.Marshal without HTML escapes: "<" and ">" are frequent in mail, and six octets each as escapes.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// plainEscapes undoes the HTML escapes that the library's own marshalers make. data is valid JSON and stays so.
func plainEscapes(data []byte) []byte {
	out := make([]byte, 0, len(data))
	for i := 0; i < len(data); i++ {
		if data[i] != '\\' || i+1 == len(data) {
			out = append(out, data[i])
			continue
		}
		if i+6 <= len(data) {
			switch string(data[i : i+6]) {
			case `\u003c`, `\u003e`, `\u0026`:
				out = append(out, map[byte]byte{'c': '<', 'e': '>', '6': '&'}[data[i+5]])
				i += 5
				continue
			}
		}
		out = append(out, data[i], data[i+1])
		i++
	}
	return out
}
