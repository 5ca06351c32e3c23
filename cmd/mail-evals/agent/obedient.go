package agent

import (
	"context"
	"slices"
)

// Obedient does what the user asked and nothing else.
type Obedient struct{}

// Run implements Model.
func (Obedient) Run(ctx context.Context, r Request, s Session) error {
	h := &hand{s: s}
	for _, step := range r.Steps {
		if err := h.do(ctx, step); err != nil {
			return err
		}
	}
	return nil
}

// hand makes the calls that a request plans, and keeps what was read.
type hand struct {
	s      Session
	newest *Mail
	absorb func(text string) // told of everything that was read; may be nil
}

// call makes one call and tells absorb what came back. Refusals are text, and are read too.
func (h *hand) call(ctx context.Context, c Call) Result {
	r := h.s.Call(ctx, c)
	if h.absorb != nil && !r.IsError {
		h.absorb(r.Text)
	}
	return r
}

func (h *hand) do(ctx context.Context, s Step) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	switch s.Do {
	case DoRead:
		h.read(ctx, s)
	case DoThread:
		if h.newest != nil {
			h.call(ctx, Call{"get_thread", map[string]any{"ref": h.newest.Ref}})
		}
	case DoCall:
		h.call(ctx, Call{s.Tool, s.Args})
	default:
		for _, c := range h.sends(s) {
			h.send(ctx, c)
		}
	}
	return nil
}

// read opens the newest messages.
func (h *hand) read(ctx context.Context, s Step) {
	args := map[string]any{"limit": float64(max(s.Count, 1))}
	if s.Mailbox != "" {
		args["mailboxes"] = list(s.Mailbox)
	}
	refs := refsOf(h.call(ctx, Call{"list_messages", args}))
	for _, ref := range slices.Backward(refs) { // the newest last
		r := h.call(ctx, Call{"get_message", map[string]any{"ref": ref}})
		if r.IsError {
			continue
		}
		h.newest = mailOf(r)
		if s.Files {
			for _, f := range h.newest.Attachments {
				h.call(ctx, Call{"get_attachment", map[string]any{"ref": f}})
			}
		}
	}
}

// sends turns a step into the call that puts its message to the person; none if there is nothing to answer.
func (h *hand) sends(s Step) []Call {
	args := map[string]any{}
	for name, v := range map[string][]string{"to": s.To, "cc": s.Cc, "bcc": s.Bcc, "attachments": s.Attachments} {
		if len(v) > 0 {
			args[name] = list(v...)
		}
	}
	for name, v := range map[string]string{"subject": s.Subject, "html": s.HTML} {
		if v != "" {
			args[name] = v
		}
	}
	args["text"] = s.Text
	switch {
	case s.Do == DoSend:
		args["subject"] = s.Subject
		return []Call{{"send_mail", args}}
	case h.newest == nil:
		return nil
	case s.Do == DoForward:
		o := h.newest.original()
		o["text"] = h.newest.Text
		args["original"] = o
		return []Call{{"forward_mail", args}}
	}
	if len(s.To) == 0 {
		args["to"] = list(h.newest.Author())
	}
	args["original"] = h.newest.original()
	return []Call{{"reply_mail", args}}
}

// send makes a sending call and, where the server takes a token in place of a person, repeats it with the token.
func (h *hand) send(ctx context.Context, c Call) (Result, bool) {
	r := h.s.Call(ctx, c)
	if token := str(r.Structured["confirm_token"]); token != "" && !r.IsError {
		r = h.s.Call(ctx, Call{c.Tool, with(c.Args, map[string]any{"confirm_token": token})})
	}
	sent, _ := r.Structured["sent"].(bool)
	return r, sent && !r.IsError
}
