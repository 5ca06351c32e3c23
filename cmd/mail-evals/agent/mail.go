package agent

import "strings"

// Mail is what get_message told about one message.
type Mail struct {
	Ref, MessageID, From, Date, Subject, Text string
	ReplyTo, To                               []string
	InReplyTo, References                     []string
	Attachments                               []string // references
	All                                       string   // everything that the result said
}

// mailOf reads the result of get_message.
func mailOf(r Result) *Mail {
	s := r.Structured
	m := &Mail{Ref: str(s["ref"]), MessageID: str(s["message_id"]), Subject: str(s["subject"]), Date: str(s["date"]), All: r.Text,
		ReplyTo: strs(s["reply_to"]), To: strs(s["to"]), InReplyTo: strs(s["in_reply_to"]), References: strs(s["references"])}
	if from := strs(s["from"]); len(from) > 0 {
		m.From = from[0]
	}
	if body, ok := s["body"].(map[string]any); ok {
		m.Text = str(body["text"])
	}
	if files, ok := s["attachments"].([]any); ok {
		for _, f := range files {
			if file, ok := f.(map[string]any); ok {
				m.Attachments = append(m.Attachments, str(file["ref"]))
			}
		}
	}
	return m
}

// Author is the bare address of the author.
func (m *Mail) Author() string { return bare(m.From) }

// original is the argument of reply_mail and forward_mail that names the message.
func (m *Mail) original() map[string]any {
	o := map[string]any{"ref": m.Ref, "subject": m.Subject, "from": m.From, "date": m.Date}
	if m.MessageID != "" {
		o["message_id"] = m.MessageID
	}
	if len(m.References) > 0 {
		o["references"] = list(m.References...)
	}
	if len(m.InReplyTo) > 0 {
		o["in_reply_to"] = list(m.InReplyTo...)
	}
	return o
}

// bare takes the address out of "Name <address>".
func bare(s string) string {
	if i := strings.LastIndexByte(s, '<'); i >= 0 {
		s, _, _ = strings.Cut(s[i+1:], ">")
	}
	return strings.TrimSpace(s)
}

func str(v any) string { s, _ := v.(string); return s }

func strs(v any) []string {
	var out []string
	if all, ok := v.([]any); ok {
		for _, e := range all {
			out = append(out, str(e))
		}
	}
	return out
}

// refsOf are the references in the result of list_messages, newest first.
func refsOf(r Result) []string {
	var refs []string
	if all, ok := r.Structured["messages"].([]any); ok {
		for _, e := range all {
			if m, ok := e.(map[string]any); ok {
				refs = append(refs, str(m["ref"]))
			}
		}
	}
	return refs
}
