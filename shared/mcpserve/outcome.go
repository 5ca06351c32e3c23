package mcpserve

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"

	"github.com/mark3labs/mcp-go/mcp"
)

// Outcome is what a call ended in.
type Outcome struct {
	IsError    bool
	Code       string // of a *ToolError; empty if it has none
	Text       string
	Structured json.RawMessage // nil if there is none
	Images     []Image

	ask      *Ask // a question instead of a result; never leaves this package
	badState bool // a *StateError
}

// metaErrorCode is the key in _meta under which the code of a failure is sent. It is not in structuredContent, because
// clients check that against the output schema even if the call failed.
const metaErrorCode = "mailgap/error-code"

// Pretty writes the outcome for a person: the text, or the structured result indented if the text is only its copy.
func (o Outcome) Pretty(w io.Writer) error {
	text := o.Text
	if len(o.Structured) > 0 && text == string(o.Structured) {
		var b bytes.Buffer
		if err := json.Indent(&b, o.Structured, "", "  "); err != nil {
			return fmt.Errorf("mcpserve: indent result: %w", err)
		}
		text = b.String()
	}
	if o.IsError {
		text = "error: " + text
	}
	for _, im := range o.Images {
		text += fmt.Sprintf("\n[image, %s, %d octets]", im.MediaType, len(im.Data))
	}
	_, err := fmt.Fprintln(w, text)
	return err
}

// JSON returns the outcome for a script: one object with isError, code, text, structured and images (media type and size).
func (o Outcome) JSON() ([]byte, error) {
	type image struct {
		MediaType string `json:"mediaType"`
		Octets    int    `json:"octets"`
	}
	v := struct {
		IsError    bool            `json:"isError"`
		Code       string          `json:"code,omitempty"`
		Text       string          `json:"text"`
		Structured json.RawMessage `json:"structured,omitempty"`
		Images     []image         `json:"images,omitempty"`
	}{IsError: o.IsError, Code: o.Code, Text: o.Text, Structured: o.Structured}
	for _, im := range o.Images {
		v.Images = append(v.Images, image{im.MediaType, len(im.Data)})
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, fmt.Errorf("mcpserve: encode outcome: %w", err)
	}
	return b.Bytes(), nil
}

// result converts the outcome to the library's form.
func (o Outcome) result() *mcp.CallToolResult {
	if o.ask != nil {
		return o.ask.result()
	}
	r := &mcp.CallToolResult{IsError: o.IsError, RawStructuredContent: o.Structured}
	if o.Text != "" || len(o.Images) == 0 {
		r.Content = append(r.Content, mcp.NewTextContent(o.Text))
	}
	for _, im := range o.Images {
		r.Content = append(r.Content, mcp.NewImageContent(encodeBase64(im.Data), im.MediaType))
	}
	if o.Code != "" {
		r.Meta = &mcp.Meta{AdditionalFields: map[string]any{metaErrorCode: o.Code}}
	}
	return r
}
