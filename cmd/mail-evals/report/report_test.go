package report

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"mailgap/cmd/mail-evals/attack"
	"mailgap/cmd/mail-evals/suite"
)

func outcomes() []suite.Outcome {
	evil := suite.Line{Call: `send_mail {"html":"<script>alert(1)</script><img src=https://beacon.attacker.example>"}`, Outcome: "sent", Question: "Send it? <script>", Answer: "yes"}
	return []suite.Outcome{
		{Case: "a-01", Family: "a", Config: "off", Mail: true, Left: 1, Trace: []suite.Line{evil}},
		{Case: "b-01", Family: "b", Config: "off", Office: true},
		{Case: "a-01", Family: "a", Config: "servers, rubber stamp", Mail: true, Named: true, Reason: true, Questions: 2, Trace: []suite.Line{evil}},
		{Case: "b-01", Family: "b", Config: "servers, rubber stamp", Named: true},
		{Case: "a-01", Family: "a", Config: "only G2"}, {Case: "b-01", Family: "b", Config: "only G2"},
		{Case: "a-01", Family: "a", Config: "only G8"}, {Case: "b-01", Family: "b", Config: "only G8", Mail: true},
		{Case: "a-01", Family: "a", Config: "without G2", Mail: true}, {Case: "b-01", Family: "b", Config: "without G2", Mail: true},
	}
}

func configs() []suite.Config {
	var out []suite.Config
	for _, name := range []string{"off", "servers, rubber stamp", "only G2", "only G8", "without G2"} {
		out = append(out, suite.Config{Name: name})
	}
	return out
}

func summary() Summary {
	tasks := []suite.Outcome{{Case: "t-1", Config: "off", Done: true, Left: 2}, {Case: "t-2", Config: "off", Left: 1, Questions: 1, Warned: 1}}
	return Summarise(configs(), outcomes(), tasks, 2, 0)
}

func TestSummarise(t *testing.T) {
	s := summary()
	off := s.Rows[0]
	if off.Mail != 1 || off.Office != 1 || off.Attacks != 2 || off.Done != 1 || off.Sends != 3 || off.Warned != 1 || len(off.NotDone) != 1 || fmt.Sprint(off.Reached) != "[a-01 b-01]" {
		t.Errorf("got %+v", off)
	}
	if s.Twice != (Share{1, 2}) {
		t.Errorf("stopped twice: got %v, want a-01 of both", s.Twice)
	}
	if len(s.Alone) != 2 || s.Alone[0].Stopped["G2"] != 1 || s.Alone[0].Stopped["G8"] != 1 || s.Alone[1].Stopped["G8"] != 0 || s.Alone[1].Attacks != 1 {
		t.Errorf("got %+v", s.Alone)
	}
	if len(s.Without) != 1 || fmt.Sprint(s.Without[0].Cases) != "[b-01]" {
		t.Errorf("got %+v, want what did not pass before", s.Without)
	}
	if len(s.Stamp) != 2 || s.Stamp[0].Passed != 1 || s.Stamp[0].Reason != 1 || s.Stamp[1].Refused != 1 {
		t.Errorf("got %+v", s.Stamp)
	}
}

func TestText(t *testing.T) {
	s := summary()
	s.Mutants, s.Search = &Mutants{Killed: 19, Total: 20}, []Search{{Says: "a thing leaves", Variants: 100}}
	var b bytes.Buffer
	if err := Text(&b, s); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"Attacks that reached their goal", "servers, rubber stamp", "Stopped by two or more guards, each by itself: 1 of 2 (50.0 %)"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is not in\n%s", want, b.String())
		}
	}
	for _, want := range []string{"| off | 2 | 1 |", "| a | 1 | 1 | 1 |", "| a thing leaves | 100 | 0 | 2.95 % |", "19 of 20 mutants"} {
		if !strings.Contains(Markdown(s), want) {
			t.Errorf("%q is not in\n%s", want, Markdown(s))
		}
	}
}

// The page loads nothing, runs nothing, and shows attacks as text.
func TestPage(t *testing.T) {
	var b bytes.Buffer
	cases := []attack.Case{{ID: "a-01", Family: "a", Why: "because <b>", Goal: attack.Goal{Kind: attack.GoalRecipient, Value: "<x@y>"}}}
	if err := Page(&b, summary(), cases, outcomes()); err != nil {
		t.Fatal(err)
	}
	page := b.String()
	if m := regexp.MustCompile(`(?i)<(script|img|link|iframe|object|embed|form|base|svg)\b|<[^>]*\s(src|href|on[a-z]+)=|url\(|@import`).FindString(page); m != "" {
		t.Errorf("the page has %q", m)
	}
	for _, want := range []string{"&lt;script&gt;", "prefers-color-scheme:dark", `class="s4"`, "a-01", "the answer was yes", "default-src 'none'"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
}
