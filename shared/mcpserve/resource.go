package mcpserve

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
	"github.com/yosida95/uritemplate/v3"
)

// addResource hands a resource template to the library. The library decodes the values of a template and, if two match,
// picks one at random; the handler gets the URI as it came instead, and NewServer asks for disjoint templates in its doc.
func (s *Server) addResource(r Resource) error {
	if r.read == nil || r.spec.Name == "" || r.spec.Description == "" {
		return errors.New("it needs a name, a description and a function, and must be made by DefineResource")
	}
	tmpl, err := uritemplate.New(r.spec.URITemplate)
	if err != nil {
		return fmt.Errorf("URI template: %w", err)
	}
	s.resources = append(s.resources, &r)
	s.mcp.AddResourceTemplate(mcp.ResourceTemplate{
		URITemplate: &mcp.URITemplate{Template: tmpl}, Name: r.spec.Name, Title: r.spec.Title,
		Description: r.spec.Description, MIMEType: r.spec.MIMEType,
	}, s.resourceHandler(&r))
	return nil
}

// resourceHandler reads a resource for the library. The protocol has no error results for resources, so a failure is a
// protocol error whose text we wrote.
func (s *Server) resourceHandler(r *Resource) server.ResourceTemplateHandlerFunc {
	return func(ctx context.Context, req mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
		o := s.readResource(ctx, r, req.Params.URI)
		if o.IsError {
			return nil, errors.New(o.Text)
		}
		return []mcp.ResourceContents{mcp.TextResourceContents{URI: req.Params.URI, MIMEType: r.spec.MIMEType, Text: o.Text}}, nil
	}
}

func (s *Server) readResource(ctx context.Context, r *Resource, uri string) Outcome {
	log := s.log.With("resource", r.spec.Name, "call", s.calls.Add(1))
	text, err := containedRead(ctx, r, uri, func(p any) { logPanic(log, p) })
	if err == nil && text == nil {
		err = errors.New("mcpserve: resource has no text")
	}
	if err != nil {
		return failed(ctx, log, err)
	}
	return Outcome{Text: text.SafeText()}
}

func containedRead(ctx context.Context, r *Resource, uri string, onPanic func(any)) (text SafeText, err error) {
	defer func() {
		if p := recover(); p != nil {
			onPanic(p)
			text, err = nil, errPanic
		}
	}()
	return r.read(ctx, uri)
}

func encodeBase64(b []byte) string { return base64.StdEncoding.EncodeToString(b) }
