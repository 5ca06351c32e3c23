//go:build unix

package main

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"
)

const (
	killPerDir = 22                    // runs with one state directory, so that new ones are met too
	killWithin = 15 * time.Millisecond // Limit: a send takes some milliseconds on a quiet machine
)

// killRuns is how many processes TestKilledWhileSending kills: the full number where CI is "true".
func killRuns(t *testing.T) int {
	t.Helper()
	if s := os.Getenv("MAILGAP_KILL_RUNS"); s != "" {
		n, err := strconv.Atoi(s)
		if err != nil {
			t.Fatalf("MAILGAP_KILL_RUNS: %v", err)
		}
		return n
	}
	if os.Getenv("CI") == "true" && !testing.Short() {
		return 1000
	}
	return 50
}

// seconds are the answers that an identical proposal may get after the program was killed and started again.
type seconds int

const (
	fresh    seconds = 1 << iota // a question that knows of nothing
	unknown                      // a question that names the earlier attempt
	replayed                     // no question: it was sent
	anything = fresh | unknown | replayed
)

// killMoment is where a process dies. Nothing set: at a random time after the person's answer.
type killMoment struct {
	name     string
	step     string             // of the journal, in a program with faults
	asked    bool               // while the question is open
	line     func(tapLine) bool // before this line of the connection passes
	pass     bool               // the line passes nevertheless, once the process is gone
	accepted int                // how often the server takes the message; anyNumber
	second   seconds
}

const anyNumber = -1 // not more than once

// journalMoments are all writes of the journal in their order. From "dot" on the message may have been accepted.
func journalMoments() []killMoment {
	out := []killMoment{}
	for _, step := range []string{"tidy", "reserve", "sending", "dot", "settle"} {
		for _, when := range []string{"before", "after"} {
			m := killMoment{name: step + ":" + when, step: step + ":" + when, second: fresh}
			switch {
			case m.step == "dot:after":
				m.second = unknown
			case m.step == "settle:before":
				m.accepted, m.second = 1, unknown
			case m.step == "settle:after":
				m.accepted, m.second = 1, replayed
			}
			out = append(out, m)
		}
	}
	return out
}

// wireMoments are the steps of the connection, with and without the line that was under way, and random times.
func wireMoments() []killMoment {
	random := killMoment{name: "random", accepted: anyNumber, second: anything}
	out := []killMoment{
		{name: "question", asked: true, second: fresh}, random,
		{name: "greeting", line: serverSays("220"), second: fresh},
	}
	for _, verb := range []string{"EHLO", "MAIL", "RCPT", "DATA"} {
		out = append(out, killMoment{name: verb + " lost", line: clientSays(verb), second: fresh}, random,
			killMoment{name: verb, line: clientSays(verb), pass: true, second: fresh})
	}
	content := func(l tapLine) bool { return l.Content }
	dot := func(l tapLine) bool { return l.dot() }
	return append(out,
		killMoment{name: "354", line: serverSays("354"), second: fresh}, random,
		killMoment{name: "content lost", line: content, second: fresh | unknown}, random,
		killMoment{name: "dot lost", line: dot, second: unknown}, random,
		killMoment{name: "dot", line: dot, pass: true, accepted: 1, second: unknown}, random,
		killMoment{name: "final reply", line: func(l tapLine) bool { return l.Final }, accepted: 1, second: unknown}, random,
		killMoment{name: "QUIT", line: clientSays("QUIT"), pass: true, accepted: 1, second: unknown | replayed}, random)
}

func clientSays(verb string) func(tapLine) bool {
	return func(l tapLine) bool { return !l.FromServer && !l.Content && strings.HasPrefix(l.Text, verb) }
}

func serverSays(code string) func(tapLine) bool {
	return func(l tapLine) bool { return l.FromServer && strings.HasPrefix(l.Text, code) }
}

// TestKilledWhileSending kills the program at every write of its journal, at every step of the connection, around the final dot and at
// random times, starts it again, and proposes the same message again, as a client does that obeys. Never is a message sent
// twice without the person having been told, never reported as sent that was not accepted, never taken for not sent that was.
func TestKilledWhileSending(t *testing.T) {
	runs := killRuns(t)
	parts := []struct {
		name    string
		program string
		moments []killMoment
		runs    int
	}{
		{"journal", faultyProgram(t), journalMoments(), runs * 2 / 5},
		{"connection", shippedProgram(t), wireMoments(), runs - runs*2/5},
	}
	for _, p := range parts {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			k := newKiller(t, p.program)
			for i := 0; k.count.Runs < p.runs; i++ {
				m := p.moments[i%len(p.moments)]
				if i%killPerDir == 0 {
					k.newDir(t)
					if m.step != "" { // the journal itself is made now
						m = killMoment{step: "create:" + []string{"before", "after"}[i/killPerDir%2], second: fresh}
						m.name = m.step
					}
				}
				k.run(t, i, m)
				if t.Failed() {
					t.Fatalf("run %d, killed at %s: %s", i, m.name, k.peer.stderr)
				}
			}
			k.finish(t)
			t.Logf("%+v", k.count)
			if k.count.Killed < p.runs/2 {
				t.Errorf("only %d of %d processes died before they had answered", k.count.Killed, p.runs)
			}
		})
	}
}

// run is one message: proposed, killed, proposed again. Two of seven are killed twice.
func (k *killer) run(t *testing.T, i int, m killMoment) {
	t.Helper()
	fields := mailFields{"to": []string{"a@example.com", "b@example.com"}, "subject": fmt.Sprint("run ", i), "text": strings.Repeat("A line of text.\n", 20)}
	first := k.die(t, m, fields, 0)
	checkFirst(t, m, first)
	before := first.taken
	if i%7 < 2 {
		second := k.die(t, m, fields, before)
		if second.taken > before+1 || second.taken > before && before > 0 && !second.told {
			t.Errorf("%s, twice: accepted %d times, then %d times, told: %t", m.name, before, second.taken, second.told)
		}
		before, m.second = second.taken, anything
	}
	k.count.Accepted += before
	k.again(t, i, m, fields, before)
}

// death is what is known of a process that died.
type death struct {
	got      sendGot
	answered bool // before it died
	told     bool // the question named an earlier attempt
	taken    int  // how often the server has taken the message by now
}

// die proposes a message to a process that dies at the moment m, and starts the next one.
func (k *killer) die(t *testing.T, m killMoment, fields mailFields, before int) death {
	t.Helper()
	if err := k.arm(m); err != nil {
		t.Fatal(err)
	}
	var d death
	answer := k.person(m)
	got, err := k.peer.call("send_mail", fields, func(q string) (string, string) {
		d.told = strings.Contains(q, "its outcome is unknown")
		return answer(q)
	})
	if err != nil && !errors.Is(err, errPeerGone) {
		t.Fatalf("%s: %v", m.name, err)
	}
	k.peer.kill()
	k.tap.wait()
	if err := k.disarm(); err != nil {
		t.Fatal(err)
	}
	d.got, d.answered, d.taken = got, err == nil, len(k.taken(fields["subject"].(string)))
	k.count.Runs++
	if d.answered {
		k.count.Answered++
	} else {
		k.count.Killed++
	}
	if d.answered && got.Sent != (d.taken > before) || d.answered && got.AlreadySent && before == 0 {
		t.Errorf("%s: reported %+v, accepted %d times, %d before", m.name, got, d.taken, before)
	}
	k.start(t)
	return d
}

// checkFirst compares what became of the first process with what has to become of it.
func checkFirst(t *testing.T, m killMoment, d death) {
	t.Helper()
	switch {
	case d.taken > 1 || d.told:
		t.Errorf("%s: accepted %d times, told: %t", m.name, d.taken, d.told)
	case m.accepted != anyNumber && d.taken != m.accepted:
		t.Errorf("%s: accepted %d times, want %d", m.name, d.taken, m.accepted)
	case d.answered && m.second != anything && m.second&replayed == 0:
		t.Errorf("%s: the process was to die before it answered, but it said %+v", m.name, d.got)
	}
}

// again proposes the same message to the new process.
func (k *killer) again(t *testing.T, i int, m killMoment, fields mailFields, before int) {
	t.Helper()
	subject, choice := fields["subject"].(string), sayYes
	told := false
	got, err := k.peer.call("send_mail", fields, func(q string) (string, string) {
		told = strings.Contains(q, "its outcome is unknown")
		if told && i%13 == 0 {
			choice = sayNo
		}
		return "accept", choice
	})
	if err != nil {
		t.Fatalf("%s: proposed again: %v", m.name, err)
	}
	k.tap.wait()
	after := k.taken(subject)
	switch second := secondOf(got, told); {
	case second == replayed && before == 0:
		t.Errorf("%s: not accepted, but reported as sent: %+v", m.name, got)
	case second == fresh && before > 0:
		t.Errorf("%s: accepted, but taken for not sent: %+v", m.name, got)
	case second&m.second == 0:
		t.Errorf("%s: the second proposal got %+v (told: %t)", m.name, got, told)
	case second == replayed:
		k.count.Replayed++
		k.checkAfter(t, m, got, after, before)
	case choice == sayNo:
		k.count.Unknown++
		if got.Sent || !got.IsError {
			t.Errorf("%s: after a no: %+v", m.name, got)
		}
		k.checkAfter(t, m, got, after, before)
	default:
		k.tally(told, before)
		if !got.Sent {
			t.Errorf("%s: after a yes: %+v", m.name, got)
		}
		k.checkAfter(t, m, got, after, before+1)
	}
	if i%7 == 3 && choice == sayYes {
		last, err := k.peer.call("send_mail", fields, nil)
		if err != nil || !last.AlreadySent || len(k.taken(subject)) != len(after) {
			t.Errorf("%s: proposed a third time: %+v, %v", m.name, last, err)
		}
	}
}

func secondOf(got sendGot, told bool) seconds {
	switch {
	case got.AlreadySent:
		return replayed
	case told:
		return unknown
	case len(got.Questions) == 1:
		return fresh
	}
	return 0
}

func (k *killer) tally(told bool, before int) {
	switch {
	case !told:
		k.count.Fresh++
	case before > 0:
		k.count.Unknown++
		k.count.SentTwiceAfterTold++
	default:
		k.count.Unknown++
		k.count.UnknownNotLeft++
	}
}

// checkAfter compares what the server took in all with what it should have, and the Message-IDs with one another.
func (k *killer) checkAfter(t *testing.T, m killMoment, got sendGot, ids []string, want int) {
	t.Helper()
	if len(ids) != want {
		t.Errorf("%s: accepted %d times, want %d: %+v", m.name, len(ids), want, got)
	}
	for _, id := range ids {
		if id != ids[0] || got.MessageID != "" && id != "<"+got.MessageID+">" {
			t.Errorf("%s: Message-IDs %v, reported %s", m.name, ids, got.MessageID)
		}
	}
}
