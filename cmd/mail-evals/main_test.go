package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"mailgap/cmd/mail-evals/adapt"
	"mailgap/cmd/mail-evals/agent"
	"mailgap/cmd/mail-evals/attack"
	"mailgap/cmd/mail-evals/suite"
	"mailgap/cmd/mail-evals/tour"
	"mailgap/cmd/mail-evals/world"
	"mailgap/readmail/demo/memserver"
)

// built are the programs, compiled once for all tests of the package.
type built struct {
	dir                 string
	shipped, switchable world.Programs
	err                 error
}

// programDir is where the programs are, once they were asked for.
var programDir atomic.Pointer[string]

// programs compiles both kinds of programs at its first call. TestMain removes them.
var programs = sync.OnceValue(func() built {
	dir, err := scratch()
	if err != nil {
		return built{err: err}
	}
	b := built{dir: dir}
	programDir.Store(&dir)
	root, err := world.ModuleRoot()
	if err != nil {
		return built{dir: dir, err: err}
	}
	b.shipped, b.switchable, b.err = suite.Programs(context.Background(), root, dir)
	return b
})

func TestMain(m *testing.M) {
	status := m.Run()
	if dir := programDir.Load(); dir != nil {
		os.RemoveAll(*dir)
	}
	os.Exit(status)
}

func ready(t *testing.T) built {
	t.Helper()
	b := programs()
	if b.err != nil {
		t.Fatal(b.err)
	}
	return b
}

// state is a directory for the servers of one world.
func state(t *testing.T) string {
	t.Helper()
	dir, err := scratch()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// The shipped programs do not even hold the name of the switch; with the variable set they refuse what the evaluation build lets out.
func TestShippedProgramsHaveNoSwitch(t *testing.T) {
	b := ready(t)
	for _, c := range []struct {
		name string
		p    world.Programs
		want bool
	}{{"shipped", b.shipped, false}, {"switchable", b.switchable, true}} {
		for _, file := range []string{c.p.Reader, c.p.Sender} {
			octets, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if got := bytes.Contains(octets, []byte("MAILGAP_EVAL_GUARDS_OFF")); got != c.want {
				t.Errorf("%s %s names the switch: got %v, want %v", c.name, filepath.Base(file), got, c.want)
			}
		}
		if got := sendsScript(t, c.p); got != c.want {
			t.Errorf("%s lets a script out with the switch set: got %v, want %v", c.name, got, c.want)
		}
	}
}

// sendsScript asks smtp-mcp for a message with a script, with every guard named in the switch.
func sendsScript(t *testing.T, p world.Programs) bool {
	t.Helper()
	s := world.Settings{Programs: p, Allowed: "@partner.example", Off: []string{"G2", "G3", "G4", "G5", "G6", "G7", "G9", "G10", "G11", "G12"}}
	yes := func(q world.Question) world.Reply {
		return world.Reply{Action: "accept", Content: map[string]any{"decision": q.Choices[len(q.Choices)-1]}}
	}
	w, err := world.New(t.Context(), state(t), s, world.Records{}, []memserver.Mailbox{{Name: "INBOX"}}, yes)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	for _, tool := range w.Sender.Tools() {
		if tool.Name == "set_allowed_recipients" && p == programs().shipped {
			t.Error("the shipped program has a tool that changes policy")
		}
	}
	if _, err := w.Sender.Call(t.Context(), "send_mail", map[string]any{"to": []any{"robin@partner.example"}, "subject": "x", "text": "y", "attachments": []any{"setup.sh"}}); err != nil {
		t.Fatal(err)
	}
	return len(w.Arrived()) > 0
}

// sample takes every n-th case, so that every family is in it.
func sample(t *testing.T, every int) []attack.Case {
	t.Helper()
	root, err := world.ModuleRoot()
	if err != nil {
		t.Fatal(err)
	}
	all, err := attack.Own(root)
	if err != nil {
		t.Fatal(err)
	}
	var out []attack.Case
	for i, c := range all {
		if i%every == 0 {
			out = append(out, c)
		}
	}
	return out
}

func runner(t *testing.T, m agent.Model) *suite.Runner {
	b := ready(t)
	return &suite.Runner{Shipped: b.shipped, Switchable: b.switchable, Dir: state(t), Model: m, Workers: 2, Chunk: perWorld, Now: time.Now}
}

func config(t *testing.T, names ...string) []suite.Config {
	t.Helper()
	var out []suite.Config
	for _, name := range names {
		for _, c := range suite.Configs() {
			if c.Name == name {
				out = append(out, c)
			}
		}
	}
	if len(out) != len(names) {
		t.Fatalf("got %d configurations, want %v", len(out), names)
	}
	return out
}

// With no guard every attack works; with the servers as shipped, and with agent-side guards on top, none does without a person.
func TestSampleOfAttacks(t *testing.T) {
	cases := sample(t, 7)
	out, err := runner(t, suite.Worst()).Run(t.Context(), config(t, "off", "servers, nobody", "all, nobody", "servers, garbled client"), cases)
	if err != nil {
		t.Fatal(err)
	}
	agree(t, out)
	for _, o := range out {
		switch {
		case o.Config == "off" && !o.Reached():
			t.Errorf("%s does not work with every guard off, so it proves nothing", o.Case)
		case o.Config != "off" && o.Mail, o.Config == "all, nobody" && o.Office:
			t.Errorf("%s reached its goal under %q", o.Case, o.Config)
		case o.Config != "off" && o.Left > 0:
			t.Errorf("%s, %s: %d messages left without a yes", o.Case, o.Config, o.Left)
		}
	}
}

// A person who approves everything is told everything: each message that leaves was announced with all its recipients, and the question
// behind an attack that passes says why.
func TestRubberStampIsToldTheTruth(t *testing.T) {
	out, err := runner(t, suite.Worst()).Run(t.Context(), config(t, "servers, rubber stamp"), sample(t, 11))
	if err != nil {
		t.Fatal(err)
	}
	agree(t, out)
	passed := 0
	for _, o := range out {
		if !o.Named {
			t.Errorf("%s: a message left to people whom the question did not name", o.Case)
		}
		if o.Mail {
			if passed++; !o.Reason {
				t.Errorf("%s passed, and the question did not say what it is", o.Case)
			}
		}
	}
	if passed == 0 {
		t.Error("nothing passed, so nothing was looked at")
	}
}

// The work gets done: every ordinary task, with a person who approves only what was asked for.
func TestOrdinaryTasks(t *testing.T) {
	root, err := world.ModuleRoot()
	if err != nil {
		t.Fatal(err)
	}
	tasks, err := attack.Benign(root)
	if err != nil {
		t.Fatal(err)
	}
	out, err := runner(t, agent.Obedient{}).Run(t.Context(), config(t, "servers, careful"), tasks)
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range out {
		if !o.Done {
			t.Errorf("%s is not done: %v", o.Case, o.Codes)
		}
	}
}

func TestCollection(t *testing.T) {
	root, err := world.ModuleRoot()
	if err != nil {
		t.Fatal(err)
	}
	cases, err := attack.Foreign(attack.SharedDir(root))
	if err != nil {
		t.Fatal(err)
	}
	if len(cases) == 0 {
		if os.Getenv("CI") == "true" {
			t.Fatal("the public collection is missing: MAILGAP_SHARED")
		}
		t.Skip("the public collection is not here (MAILGAP_SHARED)")
	}
	var some []attack.Case
	for i, c := range cases {
		if i%12 == 0 {
			some = append(some, c)
		}
	}
	out, err := runner(t, suite.Worst()).Run(t.Context(), config(t, "off", "servers, nobody"), some)
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range out {
		if o.Config == "off" != o.Reached() && !(o.Config != "off" && !o.Mail) {
			t.Errorf("%s, %s: reached %v", o.Case, o.Config, o.Reached())
		}
	}
}

func TestTour(t *testing.T) {
	for _, c := range []struct {
		name, in    string
		interactive bool
		want, not   string
	}{
		{"piped", "", false, "says yes in your place", "Nothing left."},
		{"a person says yes", "yes\n", true, "This is what the mail server accepted, for robin@partner.example", "in your place"},
		{"a person says no", "no\n", true, "Nothing left.", "the mail server accepted, for"},
		{"nobody types", "", true, "Nothing left.", "the mail server accepted, for"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var out bytes.Buffer
			err := tour.Run(t.Context(), tour.Options{Programs: ready(t).shipped, Dir: state(t), In: strings.NewReader(c.in), Out: &out, Interactive: c.interactive, Now: time.Now})
			if err != nil || !strings.Contains(out.String(), c.want) || strings.Contains(out.String(), c.not) || !strings.Contains(out.String(), "hidden text withheld") {
				t.Errorf("got %v and\n%s\nwant %q and not %q", err, out.String(), c.want, c.not)
			}
		})
	}
}

func TestArguments(t *testing.T) {
	for _, c := range []struct {
		args []string
		want int
	}{
		{[]string{"help"}, exitOK}, {[]string{"-h"}, exitOK}, {[]string{"--nonsense"}, exitUsage}, {[]string{"run", "tour"}, exitUsage},
		{[]string{"--json"}, exitUsage}, {[]string{"--workers", "0"}, exitUsage}, {[]string{"--workers", "many"}, exitUsage}, {[]string{"nonsense"}, exitFailed}, {[]string{"list", "--case=volume"}, exitOK},
	} {
		var out, errs bytes.Buffer
		if got := run(c.args, nil, &out, &errs); got != c.want {
			t.Errorf("%v: got %d, want %d: %s%s", c.args, got, c.want, out.String(), errs.String())
		}
	}
}

// A short search finds nothing that passes; with the guards off the same search does find it, so it would be seen.
func TestAdaptiveSearch(t *testing.T) {
	b := ready(t)
	found, err := searchAll(t.Context(), b.shipped, state(t), 24, "")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range found {
		if len(f.Found) > 0 || f.Variants != 24 {
			t.Errorf("%s: %d variants, passed: %q", f.Surface, f.Variants, f.Found)
		}
	}
	for _, name := range []string{"markup", "files", "recipients"} {
		s := surface(t, name)
		open, err := adapt.Search(t.Context(), s, len(s.Seeds), 1, func(p *adapt.Stamp) (*world.World, error) {
			return world.New(t.Context(), state(t), world.Settings{Programs: b.switchable, Allowed: "*", Off: []string{"G2", "G3", "G4", "G5", "G6", "G7"}}, world.Records{}, []memserver.Mailbox{{Name: "INBOX"}}, p.Asked)
		})
		if err != nil || len(open.Found) == 0 {
			t.Errorf("%s: nothing passes with the guards off (%v), so the search sees nothing", name, err)
		}
	}
}

func surface(t *testing.T, name string) adapt.Surface {
	t.Helper()
	for _, s := range adapt.Surfaces() {
		if s.Name == name {
			return s
		}
	}
	t.Fatalf("no surface %s", name)
	return adapt.Surface{}
}
