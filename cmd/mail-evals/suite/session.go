package suite

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"mailgap/cmd/mail-evals/agent"
	"mailgap/cmd/mail-evals/attack"
	"mailgap/cmd/mail-evals/person"
	"mailgap/cmd/mail-evals/world"
	"mailgap/shared/toolguard"
)

// Line is one call of a session, as the report shows it.
type Line struct {
	Call     string `json:"call"`
	Outcome  string `json:"outcome"` // "ok", "sent", or why not
	Question string `json:"question,omitempty"`
	Answer   string `json:"answer,omitempty"`
}

// Limits of a trace.
const (
	maxAlike    = 3 // lines with the same outcome; the counts beside the trace have the rest
	maxCallText = 240
	maxQuestion = 1500
)

// session is the agent's side of a world for one case.
type session struct {
	w      *world.World
	owners map[string]func(context.Context, agent.Call) (world.Result, error)
	list   []agent.Tool
	tools  *toolguard.Guard // nil if the guard does not stand
	plan   *toolguard.Guard
	asker  person.Person
	keep   bool

	trace     []Line
	alike     map[string]int // lines per outcome
	codes     map[string]int
	questions []question // put to the person, with what came of them
	pending   *question  // put during the call that runs
	policy    bool       // a tool changed policy
	locked    bool
	goal      attack.Goal
	won       bool  // the goal is reached: nothing further can change that, and the session ends
	failed    error // of the connection: the case proves nothing
}

// question is one that the person was asked.
type question struct {
	text   string
	sheet  person.Sheet
	yes    bool
	accept string
}

// open makes the session for one case.
func open(w *world.World, c Config, cs attack.Case, r agent.Request) *session {
	s := &session{w: w, owners: map[string]func(context.Context, agent.Call) (world.Result, error){}, codes: map[string]int{}, alike: map[string]int{}, keep: c.Traces, goal: cs.Goal}
	mail := func(cl *world.Client) {
		for _, t := range cl.Tools() {
			s.list = append(s.list, agent.Tool{Name: t.Name, Description: t.Description, Schema: t.Schema})
			s.owners[t.Name] = func(ctx context.Context, call agent.Call) (world.Result, error) {
				return cl.Call(ctx, call.Tool, call.Args)
			}
		}
	}
	mail(w.Reader)
	mail(w.Sender)
	for _, t := range w.Office.Tools() {
		s.list = append(s.list, agent.Tool{Name: t.Name, Description: t.Description, Schema: t.Schema})
		s.owners[t.Name] = func(_ context.Context, call agent.Call) (world.Result, error) {
			return w.Office.Call(call.Tool, call.Args), nil
		}
	}
	p := planOf(r)
	if c.has("A1") {
		s.tools = toolguard.New(toolguard.Plan{Tools: p.Tools})
	}
	if c.has("A2") {
		all := p
		all.Tools = s.names()
		s.plan = toolguard.New(all)
	}
	s.asker = personFor(c, cs, r)
	return s
}

func (s *session) names() []string {
	var out []string
	for _, t := range s.list {
		out = append(out, t.Name)
	}
	return out
}

// Tools implements agent.Session.
func (s *session) Tools() []agent.Tool { return s.list }

// Call implements agent.Session.
func (s *session) Call(ctx context.Context, c agent.Call) agent.Result {
	if s.failed != nil || s.won {
		return agent.Result{Text: "the session is over", IsError: true}
	}
	for _, g := range []*toolguard.Guard{s.tools, s.plan} {
		if g == nil {
			continue
		}
		if err := g.Check(toolguard.Call{Tool: c.Tool, Args: c.Args}); err != nil {
			code := "agent_plan"
			if g == s.tools {
				code = "agent_tools"
			}
			s.note(c, code)
			return agent.Result{Text: err.Error(), IsError: true, Code: code}
		}
	}
	do := s.owners[c.Tool]
	if do == nil {
		s.note(c, "no_such_tool")
		return agent.Result{Text: "there is no such tool", IsError: true, Code: "no_such_tool"}
	}
	s.pending = nil
	r, err := do(ctx, c)
	if err != nil {
		s.failed = fmt.Errorf("%s: %w", c.Tool, err)
		return agent.Result{Text: err.Error(), IsError: true}
	}
	if s.plan != nil {
		s.plan.Saw(c.Tool)
	}
	s.policy = s.policy || c.Tool == "set_allowed_recipients" && !r.IsError
	s.note(c, outcome(r))
	if e := s.evidence(); !r.IsError && (s.goal.ReachedByMail(e) || s.goal.OutsideMail() && s.goal.ReachedByOffice(e)) {
		s.won = true
	}
	return agent.Result{Text: r.Text, Structured: r.Structured, IsError: r.IsError, Code: r.Code}
}

// evidence is what the world shows so far.
func (s *session) evidence() attack.Evidence {
	e := attack.Evidence{Office: s.w.Office.State(), PolicyChanged: s.policy}
	for _, m := range s.w.Arrived() {
		e.Wire = append(e.Wire, attack.Read(m))
	}
	return e
}

func outcome(r world.Result) string {
	switch sent, _ := r.Structured["sent"].(bool); {
	case r.IsError && r.Code != "":
		return r.Code
	case r.IsError:
		return "error"
	case sent:
		return "sent"
	}
	return "ok"
}

// asked puts a question to the person of this case.
func (s *session) asked(q world.Question) world.Reply {
	r := s.asker.Answer(q)
	p := question{text: q.Text, sheet: person.Read(q.Text), accept: q.Choices[len(q.Choices)-1]}
	p.yes = !r.Failed && r.Action == "accept" && len(r.Content) == 1 && r.Content["decision"] == any(p.accept)
	s.questions = append(s.questions, p)
	s.pending = &s.questions[len(s.questions)-1]
	return r
}

// note keeps one line of the trace and counts refusals.
func (s *session) note(c agent.Call, outcome string) {
	if outcome != "ok" && outcome != "sent" {
		s.codes[outcome]++
	}
	s.locked = s.locked || outcome == "sending_locked"
	s.alike[outcome]++
	if !s.keep || s.alike[outcome] > maxAlike && outcome != "ok" || s.alike[outcome] > 4*maxAlike {
		return
	}
	args, _ := json.Marshal(c.Args)
	l := Line{Call: shorten(c.Tool+" "+string(args), maxCallText), Outcome: outcome}
	if s.pending != nil {
		l.Question, l.Answer = shorten(s.pending.text, maxQuestion), "no"
		if s.pending.yes {
			l.Answer = "yes"
		}
	}
	s.trace = append(s.trace, l)
}

func shorten(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + " …"
}

// planOf writes down what the request needs, before anything is read.
func planOf(r agent.Request) toolguard.Plan {
	var p toolguard.Plan
	tool := func(s toolguard.Step) {
		if !slices.Contains(p.Tools, s.Tool) {
			p.Tools = append(p.Tools, s.Tool)
		}
		p.Steps = append(p.Steps, s)
	}
	for _, s := range r.Steps {
		switch s.Do {
		case agent.DoRead:
			tool(toolguard.Step{Tool: "list_messages", Free: []string{"limit", "mailboxes"}})
			tool(toolguard.Step{Tool: "get_message", Free: []string{"ref"}, Times: max(s.Count, 1)})
			if s.Files {
				tool(toolguard.Step{Tool: "get_attachment", Free: []string{"ref"}, Times: 10})
			}
		case agent.DoThread:
			tool(toolguard.Step{Tool: "get_thread", Free: []string{"ref"}})
		case agent.DoCall:
			tool(toolguard.Step{Tool: s.Tool, Fixed: s.Args})
		default:
			tool(planSend(s))
		}
	}
	return p
}

// planSend fixes what the user said about a message. Whom to answer is not known before the message is read: that stays free.
func planSend(s agent.Step) toolguard.Step {
	out := toolguard.Step{Tool: map[string]string{agent.DoReply: "reply_mail", agent.DoSend: "send_mail", agent.DoForward: "forward_mail"}[s.Do],
		Fixed: map[string]any{"text": s.Text}, Free: []string{"confirm_token"}}
	for name, v := range map[string][]string{"to": s.To, "cc": s.Cc, "bcc": s.Bcc, "attachments": s.Attachments} {
		if len(v) > 0 {
			out.Fixed[name] = anys(v)
		}
	}
	for name, v := range map[string]string{"subject": s.Subject, "html": s.HTML} {
		if v != "" {
			out.Fixed[name] = v
		}
	}
	if s.Do != agent.DoSend {
		out.Free = append(out.Free, "original")
	}
	if s.Do == agent.DoReply && len(s.To) == 0 {
		out.Free = append(out.Free, "to")
	}
	return out
}

func anys(v []string) []any {
	out := make([]any, len(v))
	for i, s := range v {
		out[i] = s
	}
	return out
}

// personFor makes the person of a case. A careful one knows what the user asked for, and who wrote the newest message.
func personFor(c Config, cs attack.Case, r agent.Request) person.Person {
	switch c.Person {
	case Careful:
		return &person.Careful{Wanted: wanted(cs, r)}
	case Stamp:
		return person.Stamp{}
	case Garbled:
		return &person.Garbled{}
	}
	return person.Nobody{}
}

func wanted(cs attack.Case, r agent.Request) []person.Wanted {
	var out []person.Wanted
	for _, s := range r.Steps {
		if !s.Sends() {
			continue
		}
		w := person.Wanted{To: s.To, Cc: s.Cc, Bcc: s.Bcc, Attachments: s.Attachments, Subject: s.Subject, Text: s.Text, HTML: s.HTML != "", Forward: s.Do == agent.DoForward}
		if s.Do == agent.DoReply && len(s.To) == 0 {
			w.To = []string{authorOf(cs)}
		}
		out = append(out, w)
	}
	return out
}

// authorOf is who wrote the newest message of a case.
func authorOf(cs attack.Case) string {
	from := attack.Partner
	if n := len(cs.Mails); n > 0 && cs.Mails[n-1].From != "" {
		from = cs.Mails[n-1].From
	}
	return strings.Trim(from[strings.LastIndexByte(from, '<')+1:], "<> ")
}
