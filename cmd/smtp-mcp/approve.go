package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"time"

	"mailgap/confirm"
	"mailgap/sanitize"
	"mailgap/sendmail"
	"mailgap/sendmail/desk"
	"mailgap/sendmail/outbox"
	"mailgap/shared/audit"
	"mailgap/shared/mcpserve"
)

// watchEvery is how often "approve --watch" looks for the next message.
const watchEvery = 500 * time.Millisecond

// place is one state directory, as "smtp-mcp approve" uses it.
type place struct {
	desk     *desk.Desk
	box      *outbox.Outbox
	auditLog string
}

// waiting is a message that waits in a place.
type waiting struct {
	desk.Message
	place *place
}

// approve shows what waits for an answer and asks about one message on the controlling terminal.
func (a *app) approve(ctx context.Context) int {
	// Security: a pipe that feeds this command is no person. It is not proof of one either: a program can have a terminal.
	if f, ok := a.stdin.(*os.File); !ok || !confirm.IsTerminal(f) {
		return a.fail(exitUsage, errors.New("approve asks a person, and standard input is not a terminal"), "run it in a terminal, without a pipe")
	}
	places, err := a.places()
	defer closeAll(places)
	if err != nil {
		return a.fail(exitUsage, err, "smtp-mcp settings lists every setting")
	}
	if len(a.args) > 1 {
		return a.fail(exitUsage, errors.New("approve takes one number, or none"), "smtp-mcp approve lists what waits")
	}
	if a.watch {
		return a.watchDesk(ctx, places)
	}
	list, err := unanswered(ctx, places)
	if err != nil {
		return a.fail(exitFailed, err, "SMTP_STATE_DIR says where the messages wait")
	}
	if len(a.args) == 1 {
		id, err := strconv.ParseInt(a.args[0], 10, 64)
		if err != nil {
			return a.fail(exitUsage, errors.New("a message is named by its number"), "smtp-mcp approve lists what waits")
		}
		return a.answerOne(ctx, places, id)
	}
	a.listWaiting(list)
	if len(list) != 1 {
		return exitOK
	}
	return a.answer(ctx, list[0])
}

// places opens the state directory of each identity, each once.
func (a *app) places() ([]*place, error) {
	cfgs, err := a.configs()
	if err != nil {
		return nil, err
	}
	var out []*place
	seen := map[string]bool{}
	for _, cfg := range cfgs {
		if seen[cfg.StateDir] {
			continue
		}
		seen[cfg.StateDir] = true
		p, err := openPlace(cfg)
		if err != nil {
			return out, err
		}
		out = append(out, p)
	}
	return out, nil
}

func openPlace(cfg sendmail.Config) (*place, error) {
	d, err := desk.Open(cfg.StateDir, desk.Options{})
	if err != nil {
		return nil, err
	}
	box, err := outbox.Open(cfg.StateDir, outbox.Options{MaxPerHour: cfg.MaxPerHour, ReplayWindow: cfg.ReplayWindow, Cooling: cfg.LockCooling})
	if err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return &place{d, box, cfg.AuditLog}, nil
}

func closeAll(places []*place) {
	for _, p := range places {
		_ = errors.Join(p.desk.Close(), p.box.Close()) // all is on the disk already
	}
}

// unanswered is what waits and nobody answered, with its content.
func unanswered(ctx context.Context, places []*place) ([]waiting, error) {
	var out []waiting
	for _, p := range places {
		list, err := p.desk.List(ctx)
		if err != nil {
			return nil, err
		}
		for _, m := range list {
			if m.Status != desk.StatusWaiting {
				continue
			}
			if m, err = p.desk.Show(ctx, m.ID); err != nil {
				return nil, err
			}
			out = append(out, waiting{m, p})
		}
	}
	return out, nil
}

func (a *app) listWaiting(list []waiting) {
	if len(list) == 0 {
		fmt.Fprintln(a.stdout, "Nothing waits for an answer.")
		return
	}
	for _, m := range list {
		first := sanitize.Clean{}
		if len(m.ForwardPaths) > 0 {
			first = sanitize.Line(m.ForwardPaths[0], 80)
		}
		fmt.Fprintf(a.stdout, "%4d  until %s  %-8s  %s  %d recipients (%s)\n", m.ID, m.Expires.Format("15:04:05"), m.Level, m.Binding.Tool, len(m.ForwardPaths), first)
	}
	if len(list) > 1 {
		fmt.Fprintln(a.stdout, "smtp-mcp approve NUMBER shows one of them and asks.")
	}
}

// answerOne asks about the message with a number.
func (a *app) answerOne(ctx context.Context, places []*place, id int64) int {
	var found []waiting
	for _, p := range places {
		m, err := p.desk.Show(ctx, id)
		switch {
		case errors.Is(err, desk.ErrNone):
		case err != nil:
			return a.fail(exitFailed, err, "the message is neither shown nor sent; let the assistant propose it again")
		default:
			found = append(found, waiting{m, p})
		}
	}
	switch {
	case len(found) == 0:
		return a.fail(exitFailed, fmt.Errorf("no message has the number %d", id), "smtp-mcp approve lists what waits")
	case len(found) > 1:
		return a.fail(exitUsage, fmt.Errorf("several identities have a message %d", id), "SMTP_IDENTITY picks one of them")
	case found[0].Status != desk.StatusWaiting:
		return a.fail(exitFailed, fmt.Errorf("message %d does not wait any more: it is %s", id, state(found[0].Message)), "smtp-mcp approve lists what waits")
	}
	return a.answer(ctx, found[0])
}

// state says in words what became of a message.
func state(m desk.Message) string {
	switch m.Status {
	case desk.StatusAnswered, desk.StatusTaken:
		return fmt.Sprintf("answered on the %s (%s)", m.Path, m.Reason)
	case desk.StatusExpired:
		return "expired"
	}
	return "withdrawn, because it was proposed again or sent otherwise"
}

// answer shows a message, asks, and writes the answer down, bound to what was shown.
func (a *app) answer(ctx context.Context, m waiting) int {
	asked, cancel := context.WithDeadline(ctx, m.Expires)
	defer cancel()
	go func() { // the prompt goes when there is nothing to answer any more
		if now, err := m.place.desk.Wait(asked, m.ID); err == nil && now.Status != desk.StatusWaiting {
			cancel()
		}
	}()
	given, err := confirm.Terminal{}.Put(asked, confirm.Shown{Text: shownText(m.Text), Level: m.Level, Typed: m.Typed, MayWait: true})
	if err != nil {
		return a.fail(exitFailed, err, "run it in a terminal")
	}
	switch given.Reason() {
	case confirm.Unanswered, confirm.Disconnected:
		fmt.Fprintf(a.stdout, "No answer. The message waits until %s.\n", m.Expires.Format("15:04:05"))
		return exitOK
	case confirm.TimedOut, confirm.CallEnded:
		return a.over(ctx, m)
	}
	err = m.place.desk.Answer(ctx, m.ID, m.Shown, given)
	switch {
	case errors.Is(err, desk.ErrAnswered), errors.Is(err, desk.ErrEnded), errors.Is(err, desk.ErrExpired):
		return a.over(ctx, m)
	case errors.Is(err, desk.ErrChanged):
		return a.fail(exitFailed, err, "your answer was not used; look at the message again")
	case err != nil:
		return a.fail(exitFailed, err, "your answer was not written; SMTP_STATE_DIR says where the messages wait")
	}
	return a.answered(ctx, m, given)
}

// over tells why the answer of the person counts no more.
func (a *app) over(ctx context.Context, m waiting) int {
	if ctx.Err() != nil {
		return exitFailed
	}
	now, err := m.place.desk.Show(ctx, m.ID)
	if err != nil {
		now.Status = desk.StatusEnded
	}
	return a.fail(exitFailed, fmt.Errorf("message %d does not wait any more: it is %s", m.ID, state(now)), "no answer of yours was used")
}

// answered records the answer, and says what happens next.
func (a *app) answered(ctx context.Context, m waiting, given confirm.Answer) int {
	a.note(m.place.auditLog, audit.Record{Outcome: audit.OutcomeAnswered, Tool: m.Binding.Tool, Principal: m.Binding.Principal, MessageID: m.MessageID,
		From: m.ReversePath, Recipients: m.ForwardPaths, Approval: string(given.Path()), Code: string(given.Reason()), Attempt: m.Attempt,
		Size: int64(len(m.Octets)), Detail: "level " + m.Level.String()})
	if given.Yes() {
		fmt.Fprintf(a.stdout, "Approved. It leaves now if a call still waits for it, and otherwise when the assistant proposes it again, until %s.\n", m.Expires.Format("15:04:05"))
		return exitOK
	}
	if given.Reason().IsRefusal() {
		if err := m.place.box.Refuse(ctx, m.Attempt); err != nil {
			a.log.Error("journal not written after a refusal", "error", err)
		}
	}
	if !given.Reason().Locks() {
		fmt.Fprintln(a.stdout, "Not approved: it is not sent.")
		return exitOK
	}
	if err := m.place.box.Lock(ctx); err != nil {
		return a.fail(exitFailed, err, "the message is not sent, but sending is NOT locked; stop the server")
	}
	a.note(m.place.auditLog, audit.Record{Outcome: audit.OutcomeLocked, Code: string(given.Reason())})
	fmt.Fprintln(a.stdout, "Not approved, and sending is locked. smtp-mcp unlock ends that.")
	return exitOK
}

// watchDesk asks about one message after the other, until it is interrupted.
func (a *app) watchDesk(ctx context.Context, places []*place) int {
	fmt.Fprintln(a.stdout, "Waiting for messages to approve; interrupt to end.")
	left := map[[32]byte]bool{} // shown and left waiting
	tick := time.NewTicker(watchEvery)
	defer tick.Stop()
	for {
		list, err := unanswered(ctx, places)
		if err != nil && ctx.Err() == nil {
			return a.fail(exitFailed, err, "SMTP_STATE_DIR says where the messages wait")
		}
		for _, m := range list {
			if !left[m.Shown] && ctx.Err() == nil {
				left[m.Shown] = true
				a.listWaiting([]waiting{m})
				a.answer(ctx, m)
			}
		}
		select {
		case <-ctx.Done():
			return exitOK
		case <-tick.C:
		}
	}
}

// shownText is a question that package confirm rendered, and package desk checked.
type shownText string

// SafeText implements [mcpserve.SafeText].
func (s shownText) SafeText() string { return string(s) }

var _ mcpserve.SafeText = shownText("")
