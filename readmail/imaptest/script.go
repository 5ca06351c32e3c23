package imaptest

import (
	"regexp"
	"strconv"
	"strings"
)

// Script is what a scripted server says on one connection. The first step that matches a command and is not used up
// answers it. What no step matches is answered by Defaults: log in with any credentials, an empty INBOX.
//
//	imaptest.NewScripted(t, imaptest.Script{
//		Caps: "IMAP4rev1 IDLE",
//		Steps: []imaptest.Step{
//			imaptest.On("EXAMINE").Reply("* 3 EXISTS", "* OK [UIDVALIDITY 7] valid", "{tag} OK [READ-ONLY] done"),
//			imaptest.OnMatch(`CHARSET UTF-8`).Once().Reply("{tag} NO [BADCHARSET (US-ASCII)] no"),
//			imaptest.On("UID FETCH").Raw("* 1 FETCH (BODY[] {5000}\r\nshort").Close(),
//		},
//	})
type Script struct {
	Greeting string   // one line without CRLF; empty: "* OK [CAPABILITY caps] ready"
	Caps     string   // capabilities separated by spaces; empty: "IMAP4rev1 AUTH=PLAIN ID UNSELECT ENABLE"
	Auth     []string // when not empty, what LOGIN and AUTHENTICATE are answered, with {tag}; empty: OK
	Steps    []Step
	Strict   bool // a command that neither a step nor a default answers is a violation

	// AfterGreeting runs as soon as the greeting is sent, before any command: Raw data, Close, Stall, ...
	AfterGreeting *Step
}

// Step answers commands. Make one with On or OnMatch; each method returns a changed copy. The actions run in the order
// in which they were added.
type Step struct {
	verb    string
	pattern *regexp.Regexp
	times   int // 0: any number of times
	actions []action
}

type action struct {
	kind    actionKind
	data    string          // octets to send; {tag} is replaced
	release <-chan struct{} // stall
	compute func(Command) string
}

type actionKind int

const (
	actSend actionKind = iota
	actCompute
	actClose
	actReset
	actStall
	actEndless
)

// On matches commands by verb in upper case ("UID FETCH").
func On(verb string) Step { return Step{verb: verb} }

// OnMatch matches commands by a regular expression over "VERB arguments". It panics if the expression is wrong.
func OnMatch(expr string) Step { return Step{pattern: regexp.MustCompile(expr)} }

// Anything matches every command.
func Anything() Step { return Step{} }

// Once lets the step answer one command only.
func (s Step) Once() Step { return s.Times(1) }

// Times lets the step answer n commands only.
func (s Step) Times(n int) Step { s.times = n; return s }

// Reply sends lines and ends each with CRLF. "{tag}" stands for the tag of the command.
func (s Step) Reply(lines ...string) Step {
	return s.Raw(strings.Join(lines, "\r\n") + "\r\n")
}

// OK sends untagged lines and then a tagged OK.
func (s Step) OK(untagged ...string) Step {
	return s.Reply(append(untagged[:len(untagged):len(untagged)], "{tag} OK done")...)
}

// Raw sends octets as they are, except that "{tag}" stands for the tag of the command.
func (s Step) Raw(octets string) Step { return s.then(action{kind: actSend, data: octets}) }

// Compute sends what f returns for the command, as Raw does. f is called from a connection's goroutine.
func (s Step) Compute(f func(Command) string) Step {
	return s.then(action{kind: actCompute, compute: f})
}

// Close ends the connection in good order (FIN).
func (s Step) Close() Step { return s.then(action{kind: actClose}) }

// Reset ends the connection with a reset (RST) if it is a TCP connection; otherwise it is Close.
func (s Step) Reset() Step { return s.then(action{kind: actReset}) }

// Stall says nothing until release is closed or the connection ends. A nil channel stalls until the end.
func (s Step) Stall(release <-chan struct{}) Step {
	return s.then(action{kind: actStall, release: release})
}

// Endless sends the octets again and again until the client is gone.
func (s Step) Endless(octets string) Step { return s.then(action{kind: actEndless, data: octets}) }

func (s Step) then(a action) Step {
	s.actions = append(s.actions[:len(s.actions):len(s.actions)], a)
	return s
}

func (s Step) matches(c Command) bool {
	if s.pattern != nil {
		return s.pattern.MatchString(c.String())
	}
	return s.verb == "" || s.verb == c.Verb
}

// Literal returns s as a literal: "{n}" CRLF s.
func Literal(s string) string { return "{" + strconv.Itoa(len(s)) + "}\r\n" + s }
