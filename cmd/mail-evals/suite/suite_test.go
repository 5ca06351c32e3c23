package suite

import (
	"slices"
	"strings"
	"testing"

	"mailgap/cmd/mail-evals/agent"
	"mailgap/cmd/mail-evals/attack"
	"mailgap/cmd/mail-evals/world"
	"mailgap/shared/toolguard"
)

func find(t *testing.T, name string) Config {
	t.Helper()
	for _, c := range Configs() {
		if c.Name == name {
			return c
		}
	}
	t.Fatalf("no configuration %q", name)
	return Config{}
}

// A configuration leaves out exactly the guards that it does not name.
func TestSettings(t *testing.T) {
	shipped, switchable := world.Programs{Sender: "shipped"}, world.Programs{Sender: "switchable"}
	for _, c := range []struct {
		name    string
		program string
		off     int // guards switched off in the build for the evaluation
		open    bool
		token   bool
		silent  bool
		label   bool
	}{
		{"off", "switchable", 10, true, true, false, false},
		{"servers, nobody", "shipped", 0, false, false, false, true},
		{"all, nobody", "shipped", 0, false, false, false, true},
		{"only G1", "switchable", 10, true, true, true, false},
		{"only G2", "switchable", 9, false, true, false, false},
		{"only G4", "switchable", 9, true, true, false, true},
		{"only G8", "switchable", 10, true, false, false, false},
		{"only A2", "switchable", 10, true, true, false, false},
		{"without G6", "switchable", 1, false, false, false, true},
	} {
		s := find(t, c.name).settings(shipped, switchable)
		if s.Programs.Sender != c.program || len(s.Off) != c.off || (s.Allowed == "*") != c.open || s.Token != c.token || s.NoSending != c.silent || (s.Labelled != "") != c.label {
			t.Errorf("%s: got %+v", c.name, s)
		}
	}
	for _, c := range Configs() {
		if s := c.settings(shipped, switchable); (s.Programs.Sender == "shipped") != (strings.HasPrefix(c.Name, "servers, ") || strings.HasPrefix(c.Name, "all, ")) {
			t.Errorf("%s runs the %s programs", c.Name, s.Programs.Sender)
		}
	}
}

func TestConfigs(t *testing.T) {
	names := map[string]bool{}
	for _, c := range Configs() {
		if names[c.Name] {
			t.Errorf("%s occurs twice", c.Name)
		}
		names[c.Name] = true
	}
	for _, g := range Guards() {
		if !names["only "+g.ID] {
			t.Errorf("%s is not measured alone", g.ID)
		}
	}
	if len(Core()) != 7 {
		t.Errorf("got %d core configurations", len(Core()))
	}
}

// The plan is made from the request alone: what the user said is fixed, whom to answer is free.
func TestPlan(t *testing.T) {
	r := agent.Request{Steps: []agent.Step{{Do: agent.DoRead, Count: 2}, {Do: agent.DoReply, Text: "Yes."}}}
	g := toolguard.New(planOf(r))
	g.Saw("list_messages")
	call := func(tool string, args map[string]any) bool {
		return g.Check(toolguard.Call{Tool: tool, Args: args}) == nil
	}
	if !call("get_message", map[string]any{"ref": "a"}) || !call("get_message", map[string]any{"ref": "b"}) || call("get_message", map[string]any{"ref": "c"}) {
		t.Error("two messages may be read, no third")
	}
	if call("reply_mail", map[string]any{"text": "Yes. And gold."}) || call("reply_mail", map[string]any{"text": "Yes.", "bcc": []any{"x@y.example"}}) || call("send_mail", map[string]any{"text": "Yes."}) {
		t.Error("a call that was not planned passed")
	}
	if !call("reply_mail", map[string]any{"text": "Yes.", "to": []any{"robin@partner.example"}, "original": map[string]any{}}) {
		t.Error("the planned answer was refused")
	}
}

// Cases that count messages have a world of their own where the cap stands; others share one.
func TestTogether(t *testing.T) {
	r := Runner{Chunk: 3}
	plain, counts := attack.Case{ID: "a"}, attack.Case{ID: "v", Goal: attack.Goal{Kind: attack.GoalVolume, Value: "20"}}
	for _, c := range []struct {
		config string
		cases  []attack.Case
		want   int
	}{
		{"servers, nobody", []attack.Case{plain, plain, plain, plain}, 3},
		{"servers, nobody", []attack.Case{plain, counts, plain}, 1},
		{"servers, nobody", []attack.Case{counts, counts}, 1},
		{"only G9", []attack.Case{plain, plain}, 1},
		{"off", []attack.Case{counts, plain}, 2},
	} {
		if got := r.together(find(t, c.config), c.cases); got != c.want {
			t.Errorf("%s, %d cases: got %d, want %d", c.config, len(c.cases), got, c.want)
		}
	}
}

func TestFailedRunIsNoRefusal(t *testing.T) {
	r := Runner{Shipped: world.Programs{Reader: "/nonexistent", Sender: "/nonexistent"}, Dir: t.TempDir(), Model: agent.Obedient{}, Workers: 1, Chunk: 1, Now: attack.Epoch}
	if _, err := r.Run(t.Context(), []Config{find(t, "servers, nobody")}, []attack.Case{{ID: "x", Task: "answer"}}); err == nil {
		t.Error("a run whose programs do not start was counted")
	}
	if !slices.Contains(find(t, "servers, nobody").On, "G8") {
		t.Error("nobody is asked")
	}
}
