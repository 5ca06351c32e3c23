//go:build linux || darwin

package outbox

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"mailgap/shared/audit/filelock"
)

func TestEightProcessesSendOnce(t *testing.T) {
	dir := testDir(t)
	var children []*child
	for range 8 {
		children = append(children, start(t, envRole+"=race", envDir+"="+dir, envName+"=a"))
	}
	for _, c := range children {
		if got := c.line(t); got != "ready" {
			t.Fatalf("child says %q", got)
		}
	}
	for _, c := range children {
		if _, err := c.in.Write([]byte("go\n")); err != nil {
			t.Fatal(err)
		}
	}
	count := map[string]int{}
	for _, c := range children {
		count[c.line(t)]++ // the winner still holds its attempt
	}
	if count["sending"] != 1 || count["in progress"] != 7 {
		t.Errorf("outcomes = %v, want 1 sending and 7 in progress", count)
	}
	for _, c := range children {
		c.finish(t)
	}
	if n := accepted(t, dir, "a"); n != 1 {
		t.Errorf("accepted %d times, want 1", n)
	}
	box := openTest(t, dir, Options{})
	if _, replay, err := box.Begin(t.Context(), intent("a")); replay == nil {
		t.Errorf("Begin afterwards = %v, want the replay", err)
	}
}

func TestRacingProcessesKeepTheCap(t *testing.T) {
	dir := testDir(t)
	var children []*child
	for range 6 {
		children = append(children, start(t, envRole+"=cap", envDir+"="+dir, envMax+"=7"))
	}
	for _, c := range children {
		c.line(t)
	}
	asked := 0
	for _, c := range children {
		must(t, "close", c.in.Close()) // the end of input starts
	}
	for _, c := range children {
		for c.line(t) == "asked" {
			asked++
		}
		must(t, "Wait", c.cmd.Wait())
	}
	if asked != 7 {
		t.Errorf("%d questions, want the cap of 7", asked)
	}
}

func TestDeadProcess(t *testing.T) {
	for _, c := range []struct {
		kill string
		want State
	}{{"reserve:after", StateExpired}, {"sending:after", StateUnknown}} {
		t.Run(c.kill, func(t *testing.T) {
			dir := testDir(t)
			box := openTest(t, dir, Options{MaxPerHour: 1})
			must(t, "Ready", box.Ready(t.Context()))
			p := start(t, envRole+"=send", envDir+"="+dir, envName+"=a", envKill+"="+c.kill)
			if _, killed := p.finish(t); !killed {
				t.Fatal("child was not killed")
			}
			list, err := box.List(t.Context(), 0)
			must(t, "List", err)
			if len(list) != 1 || list[0].State != c.want || list[0].Detail != detailProcessEnded {
				t.Errorf("List = %+v, want %s", list, c.want)
			}
			if _, _, err := box.Begin(t.Context(), intent("b")); !errors.Is(err, ErrCapReached) {
				t.Errorf("Begin = %v: the slot of a dead process must stay spent", err)
			}
			if a := attempt(t, box, list[0].ID); a.State != c.want || a.Detail != detailProcessEnded {
				t.Errorf("recorded = %+v, want %s", a, c.want)
			}
			names, err := os.ReadDir(dir)
			must(t, "ReadDir", err)
			if n := strings.Count(fmt.Sprint(names), "life-"); n != 1 {
				t.Errorf("%d life files, want only that of this process", n)
			}
		})
	}
}

func TestLifeFilesStayWhileSomebodyOpens(t *testing.T) {
	dir := testDir(t)
	box := openTest(t, dir, Options{})
	must(t, "Ready", box.Ready(t.Context()))
	opening := box.lifePath(strings.Repeat("0", 2*ownerOctets)) // created, not locked yet
	must(t, "WriteFile", os.WriteFile(opening, nil, 0o600))
	turn, err := os.OpenFile(filepath.Join(dir, openLockName), os.O_RDWR, 0)
	must(t, "OpenFile", err)
	must(t, "Lock", filelock.Lock(t.Context(), turn))
	begin(t, box, "a")
	if _, err := os.Stat(opening); err != nil {
		t.Errorf("life file of a process that is opening: %v", err)
	}
	must(t, "Close", turn.Close())
	begin(t, box, "b")
	if _, err := os.Stat(opening); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("life file of a dead process: Stat = %v, want it gone", err)
	}
}

// killRuns is how many processes TestKilledAnywhere kills: quick by default, the full number where CI=true.
func killRuns(t *testing.T) int {
	if s := os.Getenv("MAILGAP_KILL_RUNS"); s != "" {
		n, err := strconv.Atoi(s)
		must(t, "MAILGAP_KILL_RUNS", err)
		return n
	}
	if os.Getenv("CI") == "true" {
		return 1000
	}
	return 30
}

// steps are the journal writes in their order; at those up to lastCertain the message certainly has not left.
func steps() []string {
	return []string{"create:before", "create:after", "tidy:before", "tidy:after", "reserve:before", "reserve:after", "sending:before",
		"sending:after", "accept:before", "accept:after", "settle:before", "settle:after"}
}

const lastCertain = 6

// TestKilledAnywhere kills a sending process at every journal write and at random moments, and asks afterwards, in
// another process, what became of it.
func TestKilledAnywhere(t *testing.T) {
	const perDir = 22 // so that a new directory meets each step in turn
	runs, killed := killRuns(t), 0
	var dir string
	for i := range runs {
		if i%perDir == 0 {
			dir = testDir(t)
		}
		if checkKilled(t, dir, i) {
			killed++
		}
		if t.Failed() {
			t.Fatalf("run %d", i)
		}
	}
	t.Logf("%d runs, %d killed", runs, killed)
	if killed < runs/3 {
		t.Errorf("only %d of %d processes were killed", killed, runs)
	}
}

func checkKilled(t *testing.T, dir string, i int) bool {
	name := fmt.Sprint("run", i)
	step := i / 2 % len(steps())
	var p *child
	if i%2 == 0 {
		p = start(t, envRole+"=send", envDir+"="+dir, envName+"="+name, envMax+"=1000", envKill+"="+steps()[step])
	} else {
		p = start(t, envRole+"=send", envDir+"="+dir, envName+"="+name, envMax+"=1000")
		timer := time.AfterFunc(time.Duration(rand.IntN(30_000))*time.Microsecond, func() { _ = p.cmd.Process.Kill() }) // it may have ended
		defer timer.Stop()
		step = -1
	}
	out, killed := p.finish(t)
	left := accepted(t, dir, name)
	if left > 1 {
		t.Errorf("%s: accepted %d times", name, left)
	}
	box, err := Open(dir, Options{MaxPerHour: 1000})
	must(t, "Open", err)
	ticket, replay, err := box.Begin(t.Context(), intent(name))
	must(t, "Begin", err)
	switch {
	case left == 1 && replay == nil && ticket.Earlier == nil:
		t.Errorf("%s: accepted, but the journal would send it again", name)
	case left == 0 && replay != nil:
		t.Errorf("%s: not accepted, but the journal says so", name)
	case killed && step >= 0 && step <= lastCertain && ticket != nil && ticket.Earlier != nil:
		t.Errorf("%s: killed at %s, where nothing had left, but taken for unknown", name, steps()[step])
	case killed && step > lastCertain && step < len(steps())-1 && (ticket == nil || ticket.Earlier == nil):
		t.Errorf("%s: killed at %s, want unknown", name, steps()[step])
	case !killed && (replay == nil || !strings.Contains(out, "sending")):
		t.Errorf("%s: not killed, said %q, want a replay", name, out)
	}
	if ticket != nil {
		must(t, "Expired", ticket.Expired(t.Context()))
	}
	must(t, "Close", box.Close())
	return killed
}
