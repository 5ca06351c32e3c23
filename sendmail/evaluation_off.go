//go:build !evalguards

package sendmail

import "mailgap/shared/mcpserve"

// evaluationTools are what the evaluation build adds to the tools: nothing here.
func (s *Server) evaluationTools() []mcpserve.Tool { return nil }
