package sendmail

import (
	"context"
	"errors"
	"strings"

	"mailgap/confirm"
	"mailgap/sanitize"
	"mailgap/sendmail/provenance"
	"mailgap/shared/audit"
	"mailgap/shared/mcpserve"
)

const (
	defaultLogEntries = 20
	maxLogEntries     = 50  // Limit: some thousand words
	maxDetailOctets   = 250 // of a record, which cuts at 256
)

// recordRaised writes to the audit log that a question is put at a higher level, or refused for it, and the names of the findings: never
// a value.
func (s *Server) recordRaised(call *mcpserve.Call, p *pending, q confirm.Question) {
	if q.Level() == confirm.LevelNormal {
		return
	}
	var names []string
	for _, c := range p.report.Raised {
		names = append(names, string(c))
	}
	if more := len(q.Reasons(confirm.LevelElevated)) - len(names); more > 0 || len(names) == 0 {
		names = append(names, otherFindings)
	}
	detail := strings.Join(names, " ")
	s.note(audit.Record{
		Outcome: audit.OutcomeRaised, Tool: p.tool, Principal: call.Principal(), MessageID: p.message.MessageID, Code: q.Level().String(),
		RecipientsCount: len(p.message.Envelope.ForwardPaths), Detail: detail[:min(len(detail), maxDetailOctets)],
	})
}

// otherFindings stands for what was found in the message itself: hidden recipients, the shape of instructions, links, HTML.
const otherFindings = "content"

// logArgs are the arguments of security_log.
type logArgs struct {
	Limit int `json:"limit,omitempty"`
}

// logResult is the answer of security_log.
type logResult struct {
	Entries []logEntry `json:"entries"`
	Damaged bool       `json:"damaged,omitempty"` // lines of the log cannot be read
}

// logEntry is one event. There is no address, no subject and no text in it.
type logEntry struct {
	Time      sanitize.Clean   `json:"time"`
	What      logEvent         `json:"what"`
	Tool      sanitize.Clean   `json:"tool,omitzero"`
	Code      sanitize.Clean   `json:"code,omitzero"`
	Findings  []sanitize.Clean `json:"findings,omitempty"`
	MessageID sanitize.Clean   `json:"message_id,omitzero"`
}

// logEvent says what happened.
type logEvent string

// Words implements mcpserve.Word.
func (logEvent) Words() []string {
	var out []string
	for _, o := range loggedOutcomes() {
		out = append(out, string(o))
	}
	return out
}

// loggedOutcomes are the events that security_log lists.
func loggedOutcomes() []audit.Outcome {
	return []audit.Outcome{audit.OutcomeRaised, audit.OutcomeRefused, audit.OutcomeDeclined, audit.OutcomeTokenRefused, audit.OutcomeLocked, audit.OutcomeUnlocked}
}

// securityLog is the handler of security_log.
func (s *Server) securityLog(_ context.Context, _ *mcpserve.Call, a logArgs) (mcpserve.Result[logResult], error) {
	n := defaultLogEntries
	if a.Limit > 0 {
		n = min(a.Limit, maxLogEntries)
	}
	entries, err := audit.Read(s.cfg.AuditLog, audit.Filter{Outcomes: loggedOutcomes(), Last: n})
	if err != nil && !errors.Is(err, audit.ErrDamaged) {
		s.log.Error("audit log not read", "error", err)
		return mcpserve.Result[logResult]{}, &mcpserve.ToolError{Code: refusedState, Text: sanitize.Literal("The audit log cannot be read. hint: a person should check SMTP_AUDIT_LOG: rights, room, damage.")}
	}
	r := logResult{Entries: []logEntry{}, Damaged: err != nil}
	lines := []sanitize.Clean{sanitize.Sprintf("The newest %d of what was raised, refused, declined or locked, oldest first.", len(entries))}
	if r.Damaged {
		lines = append(lines, sanitize.Literal("Lines of the log cannot be read, so something may be missing. hint: a person should run smtp-mcp log --verify."))
	}
	for _, e := range entries {
		item := logItem(e)
		r.Entries = append(r.Entries, item)
		lines = append(lines, item.line())
	}
	return mcpserve.Result[logResult]{Structured: r, Text: sanitize.Join(lines, "\n")}, nil
}

func logItem(e audit.Entry) logEntry {
	item := logEntry{Time: clock(e.Time), What: logEvent(e.Outcome), Tool: sanitize.Line(e.Tool, 64), Code: sanitize.Line(e.Code, 64), MessageID: sanitize.Address(e.MessageID)}
	if e.Outcome == audit.OutcomeRaised {
		for name := range strings.FieldsSeq(e.Detail) {
			item.Findings = append(item.Findings, provenance.Explain(provenance.Code(name)))
		}
	}
	return item
}

func (e logEntry) line() sanitize.Clean {
	text := sanitize.Sprintf("%s  %s  %s  %s", e.Time, string(e.What), e.Tool, e.Code)
	if len(e.Findings) > 0 {
		text = sanitize.Sprintf("%s: %s", text, sanitize.Join(e.Findings, "; "))
	}
	return text
}

// Why explains in lines what is known of the messages with a Message-ID, from the audit log: what was raised and why, how it was approved,
// and what became of it. It is for the person at the terminal and names recipients. Errors: those of audit.Read.
func Why(auditLog, messageID string) ([]string, error) {
	entries, err := audit.Read(auditLog, audit.Filter{MessageID: strings.Trim(messageID, "<> ")})
	var out []string
	for _, e := range entries {
		out = append(out, audit.Format(e))
		if e.Outcome == audit.OutcomeRaised {
			for name := range strings.FieldsSeq(e.Detail) {
				out = append(out, "    "+name+": "+provenance.Explain(provenance.Code(name)).String())
			}
		}
	}
	return out, err
}
