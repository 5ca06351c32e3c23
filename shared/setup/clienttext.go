package setup

import (
	"reflect"
	"regexp"
	"strings"

	tomlfile "github.com/BurntSushi/toml"
)

// snippetTOML is a table for Codex.
func snippetTOML(e server) string {
	return "[mcp_servers." + e.name + "]\n" + strings.TrimSuffix(toml([]entry{set("command", e.command), set("args", e.args)}), "\n")
}

// notTables finds servers in an inline table or under dotted keys. TOML does not let a table be added to the former; the library here
// would.
var notTables = regexp.MustCompile(`(?m)^[ \t]*["']?mcp_servers["']?[ \t]*[.=]`)

// insertTOML adds a table at the end: everything before it stays as it is.
func insertTOML(text string, e server) (string, error) {
	var old, now map[string]any
	if _, err := tomlfile.Decode(text, &old); err != nil || notTables.MatchString(text) {
		return "", errForm
	}
	if servers, ok := old["mcp_servers"].(map[string]any); ok && servers[e.name] != nil {
		return "", errTaken
	}
	after := text
	if after != "" && !strings.HasSuffix(after, "\n") {
		after += "\n"
	}
	if after != "" && !strings.HasSuffix(after, "\n\n") {
		after += "\n"
	}
	after += snippetTOML(e) + "\n"
	if _, err := tomlfile.Decode(after, &now); err != nil {
		return "", errForm
	}
	servers := now["mcp_servers"].(map[string]any)
	delete(servers, e.name)
	if len(servers) == 0 && old["mcp_servers"] == nil {
		delete(now, "mcp_servers")
	}
	if len(old)+len(now) > 0 && !reflect.DeepEqual(old, now) {
		return "", errForm
	}
	return after, nil
}

// gooseTimeout is that of Goose's own examples, in seconds.
const gooseTimeout = "300"

// snippetYAML is an extension for Goose.
func snippetYAML(e server) string { return "extensions:\n" + extension(e, "  ") }

// extension is the lines of an extension, under a mapping whose children have this indentation.
func extension(e server, indent string) string {
	lines := []string{e.name + ":", "  name: " + e.name, "  type: stdio", "  enabled: true", "  cmd: " + yamlString(e.command), "  args:" + yamlList(e.args),
		"  timeout: " + gooseTimeout, "  envs: {}", "  env_keys: []"}
	return indent + strings.Join(lines, "\n"+indent)
}

func yamlList(items []string) string {
	if len(items) == 0 {
		return " []"
	}
	var quoted []string
	for _, item := range items {
		quoted = append(quoted, yamlString(item))
	}
	return " [" + strings.Join(quoted, ", ") + "]"
}

// yamlString is a single-quoted scalar: nothing but the quote is special in it.
func yamlString(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }

// insertYAML adds an extension below the line "extensions:", or that line at the end. There is no YAML parser here: what is
// not a plain block mapping, as Goose writes it, is errForm.
func insertYAML(text string, e server) (string, error) {
	lines := strings.SplitAfter(text, "\n")
	at, err := extensionsLine(lines)
	if err != nil {
		return "", err
	}
	if at < 0 {
		if text != "" && !strings.HasSuffix(text, "\n") {
			text += "\n"
		}
		return text + snippetYAML(e) + "\n", nil
	}
	indent := "  "
	for _, line := range lines[at+1:] {
		bare := strings.TrimLeft(line, " ")
		if strings.TrimSpace(line) == "" || strings.HasPrefix(bare, "#") {
			continue
		}
		if len(bare) < len(line) {
			indent = line[:len(line)-len(bare)]
			if err := childrenLeave(lines[at+1:], indent, e.name); err != nil {
				return "", err
			}
		}
		break
	}
	return strings.Join(lines[:at+1], "") + extension(e, indent) + "\n" + strings.Join(lines[at+1:], ""), nil
}

// extensionsLine finds the line; -1 means that there is none.
func extensionsLine(lines []string) (int, error) {
	at := -1
	for i, line := range lines {
		line = strings.TrimRight(line, "\r\n")
		switch {
		case strings.Contains(line, "\t"), strings.HasPrefix(line, "---") && i > 0, strings.HasPrefix(line, "..."), strings.HasPrefix(line, "{"),
			strings.HasPrefix(line, "["), strings.HasPrefix(line, "%"), strings.HasPrefix(line, "- "), strings.HasSuffix(lines[i], "\r\n"):
			return 0, errForm
		case !strings.HasPrefix(line, "extensions") && !strings.HasPrefix(line, `"extensions"`) && !strings.HasPrefix(line, `'extensions'`):
		case strings.TrimRight(line, " ") == "extensions:" && at < 0 && strings.HasSuffix(lines[i], "\n"):
			at = i
		default: // doubled, quoted, in flow style, anchored, or the last line
			return 0, errForm
		}
	}
	return at, nil
}

// childrenLeave says whether the name is free among the children with this indentation.
func childrenLeave(lines []string, indent, name string) error {
	for _, line := range lines {
		child, ok := strings.CutPrefix(line, indent)
		if !ok && strings.TrimSpace(line) != "" && !strings.HasPrefix(line, " ") && !strings.HasPrefix(line, "#") {
			break // the next key of the root
		}
		if strings.HasPrefix(child, "- ") {
			return errForm
		}
		for _, form := range []string{name, `"` + name + `"`, "'" + name + "'"} {
			if ok && (strings.HasPrefix(child, form+":") || strings.HasPrefix(child, form+" :")) {
				return errTaken
			}
		}
	}
	return nil
}
