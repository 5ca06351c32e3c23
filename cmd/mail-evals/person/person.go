package person

import (
	"slices"
	"strings"

	"mailgap/cmd/mail-evals/world"
)

// Person answers questions.
type Person interface {
	Answer(world.Question) world.Reply
}

// yes is the answer that approves: the last choice of the form.
func yes(q world.Question) world.Reply {
	return world.Reply{Action: "accept", Content: map[string]any{"decision": q.Choices[len(q.Choices)-1]}}
}

// Nobody is not there: the client has to say that it could not ask.
type Nobody struct{}

// Answer implements Person.
func (Nobody) Answer(world.Question) world.Reply { return world.Reply{Failed: true} }

// Stamp approves everything.
type Stamp struct{}

// Answer implements Person.
func (Stamp) Answer(q world.Question) world.Reply { return yes(q) }

// Wanted is a message that the user asked for. An empty Subject means that any will do.
type Wanted struct {
	To, Cc, Bcc, Attachments []string
	Subject, Text            string
	HTML                     bool // with an HTML part
	Forward                  bool // the original follows below the text
}

// Careful approves what matches one of Wanted, once each: same people, same words, same files, nothing besides.
type Careful struct {
	Wanted []Wanted
}

// Answer implements Person.
func (c *Careful) Answer(q world.Question) world.Reply {
	s := Read(q.Text)
	for i, w := range c.Wanted {
		if w.matches(s) {
			c.Wanted = slices.Delete(slices.Clone(c.Wanted), i, i+1)
			return yes(q)
		}
	}
	return world.Reply{Action: "decline"}
}

func (w Wanted) matches(s Sheet) bool {
	return sameSet(w.To, s.To) && sameSet(w.Cc, s.Cc) && sameSet(w.Bcc, s.Bcc) && sameSet(w.Attachments, s.Attachments) &&
		(w.Subject == "" || w.Subject == s.Subject) && w.HTML == (s.HTML != "") && w.sameText(s.Text)
}

func (w Wanted) sameText(text string) bool {
	want, got := strings.TrimSpace(w.Text), strings.TrimSpace(text)
	return want == got || w.Forward && strings.HasPrefix(got, want+"\n")
}

func sameSet(a, b []string) bool {
	if len(a) != len(b) {
		return false
	}
	for _, x := range a {
		if !slices.ContainsFunc(b, func(y string) bool { return strings.EqualFold(x, y) }) {
			return false
		}
	}
	return true
}

// Garbled is a client that answers every question with something that is not a yes, each time another.
type Garbled struct{ turn int }

// Answer implements Person.
func (g *Garbled) Answer(q world.Question) world.Reply {
	accept, refuse := q.Choices[len(q.Choices)-1], q.Choices[0]
	answers := []world.Reply{
		{Action: "accept"},
		{Action: "accept", Content: map[string]any{"decision": true}},
		{Action: "accept", Content: map[string]any{"decision": refuse}},
		{Action: "accept", Content: map[string]any{"decision": strings.ToLower(accept)}},
		{Action: "accept", Content: map[string]any{"decision": accept, "note": "yes"}},
		{Action: "accept", Content: map[string]any{"approve": accept}},
		{Action: "yes", Content: map[string]any{"decision": accept}},
		{Action: "decline", Content: map[string]any{"decision": accept}},
		{Action: "cancel", Content: map[string]any{"decision": accept}},
		{Action: "accept", Content: map[string]any{"decision": []any{accept}}},
		{Action: "", Content: map[string]any{"decision": accept}},
	}
	g.turn++
	return answers[(g.turn-1)%len(answers)]
}
