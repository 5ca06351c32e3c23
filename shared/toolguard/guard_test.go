package toolguard_test

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"

	"mailgap/shared/deptest"
	"mailgap/shared/toolguard"
)

func TestDependencies(t *testing.T) {
	deptest.Check(t, []string{"mailgap/shared/toolguard"}, map[string]string{
		"net":     "a guard asks nobody",
		"os/exec": "a guard runs nothing",
		"testing": "it is part of an agent",
	})
}

func plan() toolguard.Plan {
	return toolguard.Plan{
		Tools:   []string{"list_messages", "get_message", "reply_mail"},
		Trusted: []string{"clock"},
		Steps: []toolguard.Step{
			{Tool: "get_message", Free: []string{"ref"}},
			{Tool: "reply_mail", Fixed: map[string]any{"text": "Yes, Tuesday.", "to": []any{"robin@example.org"}}, Free: []string{"original"}},
		},
	}
}

func reply(args map[string]any) toolguard.Call {
	return toolguard.Call{Tool: "reply_mail", Args: args}
}

func TestCheckAfterForeignText(t *testing.T) {
	to, text := []any{"robin@example.org"}, "Yes, Tuesday."
	for _, c := range []struct {
		name string
		call toolguard.Call
		want error
	}{
		{"the planned answer", reply(map[string]any{"to": to, "text": text, "original": map[string]any{"ref": "x"}}), nil},
		{"without its free argument", reply(map[string]any{"to": to, "text": text}), nil},
		{"another recipient", reply(map[string]any{"to": []any{"drop@attacker.example"}, "text": text}), toolguard.ErrUnplanned},
		{"one more recipient", reply(map[string]any{"to": []any{"robin@example.org", "drop@attacker.example"}, "text": text}), toolguard.ErrUnplanned},
		{"a hidden copy", reply(map[string]any{"to": to, "text": text, "bcc": []any{"drop@attacker.example"}}), toolguard.ErrUnplanned},
		{"a longer text", reply(map[string]any{"to": to, "text": text + " P.S."}), toolguard.ErrUnplanned},
		{"a fixed argument missing", reply(map[string]any{"text": text}), toolguard.ErrUnplanned},
		{"a tool on the list without a step", toolguard.Call{Tool: "list_messages"}, toolguard.ErrUnplanned},
		{"a tool that is not on the list", toolguard.Call{Tool: "send_mail"}, toolguard.ErrTool},
		{"a tool named in another case", toolguard.Call{Tool: "Reply_Mail"}, toolguard.ErrTool},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := toolguard.New(plan())
			g.Saw("get_message")
			if got := g.Check(c.call); !errors.Is(got, c.want) || c.want == nil && got != nil {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
}

func TestBeforeForeignText(t *testing.T) {
	g := toolguard.New(plan())
	g.Saw("clock")
	if err := g.Check(toolguard.Call{Tool: "list_messages", Args: map[string]any{"limit": 5.0}}); err != nil || g.Tainted() {
		t.Errorf("got %v, tainted %v, want the call let through", err, g.Tainted())
	}
	if err := g.Check(toolguard.Call{Tool: "send_mail"}); !errors.Is(err, toolguard.ErrTool) {
		t.Errorf("got %v, want ErrTool before anything was read too", err)
	}
}

func TestStepsAreUsedUp(t *testing.T) {
	p := plan()
	p.Steps[0].Times = 2
	g := toolguard.New(p)
	g.Saw("list_messages")
	read := toolguard.Call{Tool: "get_message", Args: map[string]any{"ref": "a"}}
	for i, want := range []error{nil, nil, toolguard.ErrUnplanned} {
		if got := g.Check(read); !errors.Is(got, want) || want == nil && got != nil {
			t.Errorf("call %d: got %v, want %v", i+1, got, want)
		}
	}
}

func TestStepIsUsedOnceInParallel(t *testing.T) {
	g := toolguard.New(plan())
	g.Saw("list_messages")
	var passed atomic.Int32
	var wg sync.WaitGroup
	for range 50 {
		wg.Go(func() {
			if g.Check(toolguard.Call{Tool: "get_message", Args: map[string]any{"ref": "a"}}) == nil {
				passed.Add(1)
			}
		})
	}
	wg.Wait()
	if got := passed.Load(); got != 1 {
		t.Errorf("got %d calls through, want 1", got)
	}
}

func TestZeroPlan(t *testing.T) {
	if err := toolguard.New(toolguard.Plan{}).Check(toolguard.Call{Tool: "get_message"}); !errors.Is(err, toolguard.ErrTool) {
		t.Errorf("got %v, want ErrTool", err)
	}
}
