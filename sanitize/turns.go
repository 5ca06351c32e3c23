package sanitize

import "strings"

// turns looks for the delimiters of chat turns, frames and tool calls.
func (m *matcher) turns(s string) {
	for i := 0; i < len(s); {
		k := strings.IndexAny(s[i:], "<[\n")
		if k < 0 {
			return
		}
		i += k
		switch rest := s[i+1:]; s[i] {
		case '<':
			m.tag(rest)
		case '[':
			m.bracket(rest)
		case '\n':
			m.roleLine(rest)
		}
		i++
	}
}

func (m *matcher) tag(rest string) {
	if strings.HasPrefix(rest, "|") || strings.HasPrefix(rest, "｜") || hasFoldPrefix(rest, "<sys>>") {
		m.report(SignalTurn)
		return
	}
	name := strings.ToLower(rest[:min(len(rest), 24)])
	closing := strings.HasPrefix(name, "/")
	name = strings.TrimLeft(name, "/ ")
	k := 0
	for k < len(name) && (isAlnum(name[k]) || name[k] == '_' || name[k] == '-') {
		k++
	}
	if k < len(name) && name[k] != '>' && name[k] != ' ' && name[k] != '\n' {
		return
	}
	switch name[:k] {
	case "system", "assistant", "user", "human", "start_of_turn", "end_of_turn", "think", "thinking", "instructions", "instruction", "prompt", "system_prompt", "context", "untrusted", "untrusted_email",
		"untrusted_content", "email", "mail", "inbox", "message", "data", "document", "information", "im_start", "im_end", "summary", "task", "user_query", "important":
		m.report(SignalTurn)
	case "tool_call", "tool_result", "function_calls", "function_call", "function_results", "invoke", "tool", "tools", "tool_use", "tool_response", "api_exec", "api_function_exec":
		m.report(SignalTool)
	default:
		if closing && (strings.HasSuffix(name[:k], "_email") || strings.HasSuffix(name[:k], "_content") || strings.HasSuffix(name[:k], "_data")) {
			m.report(SignalTurn)
		}
	}
}

func (m *matcher) bracket(rest string) {
	name, _, ok := strings.Cut(rest[:min(len(rest), 40)], "]")
	if !ok {
		name, _, ok = strings.Cut(rest[:min(len(rest), 40)], "］")
	}
	if !ok {
		return
	}
	switch name = strings.ToLower(strings.Trim(name, "/# ")); {
	case name == "inst", name == "system", name == "assistant", name == "user", name == "summary", name == "end summary", name == "system message", name == "instructions", name == "end of email", name == "end email",
		strings.HasPrefix(name, "end of "), strings.HasPrefix(name, "begin "), strings.HasPrefix(name, "start of "):
		m.report(SignalTurn)
	case name == "send_email", name == "tool_call", name == "tool", name == "function", name == "api_exec":
		m.report(SignalTool)
	}
}

// roleLine reports a line that speaks for a party of the conversation: "assistant: …", "### System".
func (m *matcher) roleLine(rest string) {
	line := strings.TrimLeft(rest[:min(len(rest), 40)], " \t*#>-_=`\"")
	for _, role := range []string{"assistant", "system", "user", "human", "ai"} {
		if !hasFoldPrefix(line, role) {
			continue
		}
		switch after := strings.TrimLeft(line[len(role):], "* "); {
		case strings.HasPrefix(after, ":") && role != "system" && role != "user", strings.HasPrefix(after, ":") && len(rest) > 1 && strings.IndexByte("#*", rest[0]) >= 0,
			strings.HasPrefix(after, "\n") && strings.HasPrefix(rest, "#"):
			m.report(SignalTurn)
		}
	}
}
