package sendmail

import (
	"encoding/json"
	"flag"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mailgap/shared/mcpserve/toolsnap"
)

var update = flag.Bool("update", false, "write the golden tool files instead of comparing")

// Limit: every conversation of a model pays for the list of tools.
const maxToolListOctets = 12_000

// The tools as a client sees them are kept in files: a changed word can change what a model does.
func TestToolsAreGolden(t *testing.T) {
	_, m := newWorld(t).server(t, nil)
	toolsnap.Check(t, m, toolsnap.Options{Dir: filepath.Join("..", "testdata", "tools", "smtp-mcp"), Update: *update, MaxListOctets: maxToolListOctets})
	t.Logf("tools/list has %d octets", toolsnap.ListOctets(m))
}

// Sending is absent until it is switched on.
func TestToolsWithoutSending(t *testing.T) {
	w := newWorld(t, func(c *setup) { c.Off = true })
	_, m := w.server(t, nil)
	want := []string{"get_server_info", "validate_recipients", "preview_mail", "test_connection"}
	if got := m.ToolNames(); !slices.Equal(got, want) {
		t.Errorf("tools: got %v, want %v", got, want)
	}
	if out, _ := callTool(t, m, "get_server_info", "{}"); !strings.Contains(out.Text, "Sending is off") {
		t.Errorf("got %s", out.Text)
	}
	for _, modern := range []bool{false, true} {
		c := w.start(t, modern, formCapability)
		c.call("send_mail", hello, "")
		if r := c.next(); r.Error == nil || strings.Contains(strings.ToLower(r.raw), "smtp_allow") {
			t.Errorf("got %s, want a protocol error", r.raw)
		}
	}
	w.wantNothing(t)
}

// What a tool does to the world is said by hand: the three that send are destructive, repeat nothing, and reach out.
func TestHints(t *testing.T) {
	_, m := newWorld(t).server(t, nil)
	var list struct {
		Tools []struct {
			Name        string
			Annotations struct{ ReadOnlyHint, DestructiveHint, IdempotentHint, OpenWorldHint bool }
			InputSchema struct {
				Properties map[string]json.RawMessage
			}
		}
	}
	if err := json.Unmarshal(m.ToolList(), &list); err != nil {
		t.Fatal(err)
	}
	for _, tool := range list.Tools {
		sends := slices.Contains([]string{"send_mail", "reply_mail", "forward_mail"}, tool.Name)
		a := tool.Annotations
		if a.ReadOnlyHint == sends || a.DestructiveHint != sends || a.IdempotentHint == sends || sends && !a.OpenWorldHint {
			t.Errorf("%s: got %+v", tool.Name, a)
		}
		for name := range tool.InputSchema.Properties { // a model cannot approve, and chooses no sender
			if slices.Contains([]string{"from", "sender", "approve", "approved", "confirm", "confirmed", "force", "yes", "headers"}, name) {
				t.Errorf("%s has an argument %s", tool.Name, name)
			}
		}
	}
}
