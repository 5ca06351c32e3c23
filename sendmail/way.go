package sendmail

import (
	"mailgap/confirm"
	"mailgap/sanitize"
	"mailgap/shared/mcpserve"
)

// ConfirmMode is the operator's choice of the path that asks (SMTP_CONFIRM).
type ConfirmMode string

// The modes. The zero value is ConfirmAuto.
const (
	ConfirmAuto        ConfirmMode = "auto"        // the client's form where it has one, else page and terminal
	ConfirmElicitation ConfirmMode = "elicitation" // the client's form
	ConfirmPage        ConfirmMode = "page"        // the page; the terminal can answer too
	ConfirmTerminal    ConfirmMode = "terminal"    // smtp-mcp approve
	ConfirmBoth        ConfirmMode = "both"        // the client's form where it has one, and then page or terminal
)

// way is how one message is to be approved. With form and outside, both have to say yes, in that order.
type way struct {
	here    bool // on the terminal of this process (smtp-mcp call)
	token   bool // by a second call; no person
	form    bool // by the client's form
	outside bool // outside of the client, by page or terminal: the message is put on the desk
	page    bool // the page is opened
	url     bool // by the client, which is given its address (SMTP_CONFIRM_URL), and not by this program
	waits   bool // the call waits for the answer; otherwise it is refused and the message is kept for the terminal
}

// situation is what the way depends on.
type situation struct {
	mode     ConfirmMode
	level    confirm.Level
	byForm   bool // messages of an elevated level may go the way of normal ones (SMTP_ELEVATED=elicitation)
	severe   bool // severe messages are put to a person at all (SMTP_ALLOW_SEVERE)
	noPerson bool // ELICITATION=false
	direct   bool // no client: smtp-mcp call
	terminal bool // and it has a terminal
	hasForm  bool // the client declared that it shows forms
	hasPage  bool // a browser can be opened here
	hasURL   bool // the client opens addresses, and the operator lets it have that of the page
}

// choose decides how a message is approved. ok is false if it must not be, or by nobody; refused says which.
func choose(s situation) (w way, refused refusalCode) {
	if s.mode == "" {
		s.mode = ConfirmAuto
	}
	// Security: the level counts before anything else, and a severe message never goes the way of a normal one.
	careful := s.level == confirm.LevelSevere || s.level > confirm.LevelNormal && !s.byForm
	page := (s.hasPage || s.hasURL) && s.mode != ConfirmTerminal
	desk := way{outside: true, page: page, url: page && s.hasURL, waits: page || s.mode == ConfirmTerminal}
	switch {
	case s.level == confirm.LevelSevere && !s.severe:
		return way{}, refusedSevere
	case s.direct && s.terminal:
		return way{here: true}, ""
	case s.direct:
		return way{}, refusedNoPath
	case s.noPerson && !careful:
		return way{token: true}, ""
	case s.mode == ConfirmBoth:
		desk.form = s.hasForm && !s.noPerson
		return desk, ""
	case careful, s.mode == ConfirmPage, s.mode == ConfirmTerminal:
		return desk, ""
	case s.hasForm:
		return way{form: true}, ""
	case s.mode == ConfirmElicitation:
		return way{}, refusedNoPath
	}
	return desk, ""
}

// situation is what is in force for a message of the level proposed by call.
func (s *Server) situation(call *mcpserve.Call, level confirm.Level) situation {
	return situation{
		mode: s.cfg.Confirm, level: level, byForm: s.cfg.ElevatedByForm, severe: s.cfg.AllowSevere, noPerson: s.cfg.Token,
		direct: call.Era() == mcpserve.EraDirect, terminal: s.cfg.Terminal != nil, hasForm: call.ClientElicitation().Form,
		hasPage: s.cfg.Page != nil, hasURL: s.cfg.URLPage != nil && call.ClientElicitation().URL,
	}
}

// wayOf picks the way to ask. The error is a *refusal; nothing was reserved.
func (s *Server) wayOf(call *mcpserve.Call, q confirm.Question) (way, error) {
	w, code := choose(s.situation(call, q.Level()))
	switch {
	case code == refusedSevere:
		return w, &refusal{code: code, text: sanitize.Sprintf("A message like this is not put to anybody here, because: %s hint: tell the person; the operator can have such messages asked about with SMTP_ALLOW_SEVERE=true.",
			reasonsOf(q, confirm.LevelSevere))}
	case code == "":
		return w, nil
	case call.Era() == mcpserve.EraDirect:
		return w, &refusal{code: code, text: sanitize.Literal("There is no terminal to ask a person on. hint: run the command in a terminal.")}
	}
	return w, &refusal{code: code, text: sanitize.Literal("This client cannot show the person a form (it declares no elicitation), and SMTP_CONFIRM=elicitation allows no other path, so nobody can approve the message. " +
		"hint: a person can send it with smtp-mcp call in a terminal; the operator can set SMTP_CONFIRM=auto, which asks in a browser instead.")}
}

// reasonsOf are the sentences that made the level, in our own words.
func reasonsOf(q confirm.Question, least confirm.Level) sanitize.Clean {
	var out []sanitize.Clean
	for _, r := range q.Reasons(least) {
		out = append(out, sanitize.Line(r.SafeText(), 300))
	}
	return sanitize.Join(out, " ")
}
