package sendmail

import (
	"context"
	"time"

	"mailgap/confirm"
	"mailgap/sanitize"
	"mailgap/sendmail/policy"
	"mailgap/sendmail/submit"
	"mailgap/shared/mcpserve"
)

// probeEvery is how often test_connection really connects.
const probeEvery = 10 * time.Second

// infoResult is the answer of get_server_info.
type infoResult struct {
	Server      sanitize.Clean   `json:"server"`
	Version     sanitize.Clean   `json:"version"`
	Sending     bool             `json:"sending_on"`
	Configured  bool             `json:"configured"`
	Missing     []sanitize.Clean `json:"missing_settings,omitempty"`
	From        sanitize.Clean   `json:"from,omitzero"`
	Identity    sanitize.Clean   `json:"identity,omitzero"` // with Identities, where there are several
	Identities  []sanitize.Clean `json:"identities,omitempty"`
	Approval    approvalPath     `json:"approval,omitempty"`
	Elevated    approvalPath     `json:"approval_elevated,omitempty"`
	Severe      approvalPath     `json:"approval_severe,omitempty"`
	Recipients  int              `json:"max_recipients"`
	PerHour     int              `json:"max_sends_per_hour"`
	Left        *int             `json:"sends_left,omitempty"`
	Locked      bool             `json:"locked,omitempty"`
	Unusable    bool             `json:"journal_unusable,omitempty"`
	Attachments bool             `json:"attachments_allowed"`
	HTML        bool             `json:"html_allowed"`
	Provenance  sanitize.Clean   `json:"provenance"`
	Cannot      []sanitize.Clean `json:"cannot"`
}

// approvalPath says how a message is approved.
type approvalPath string

const (
	approvalClient   approvalPath = "client_form"
	approvalPage     approvalPath = "page"
	approvalURL      approvalPath = "page_opened_by_client"
	approvalBoth     approvalPath = "client_form_then_page"
	approvalFormDesk approvalPath = "client_form_then_terminal"
	approvalDesk     approvalPath = "terminal_of_the_person" // smtp-mcp approve; the call waits
	approvalKept     approvalPath = "kept_for_terminal"      // the call is refused, and repeated after the answer
	approvalToken    approvalPath = "token_without_person"
	approvalHere     approvalPath = "terminal"
	approvalNone     approvalPath = "client_cannot_ask"
	approvalRefused  approvalPath = "refused"
)

// Words implements mcpserve.Word.
func (approvalPath) Words() []string {
	return []string{string(approvalClient), string(approvalPage), string(approvalURL), string(approvalBoth), string(approvalFormDesk), string(approvalDesk),
		string(approvalKept), string(approvalToken), string(approvalHere), string(approvalNone), string(approvalRefused)}
}

// approvalOf says how a message of a level would be approved in this call.
func (s *Server) approvalOf(call *mcpserve.Call, level confirm.Level) approvalPath {
	w, code := choose(s.situation(call, level))
	switch {
	case code == refusedSevere:
		return approvalRefused
	case code != "":
		return approvalNone
	case w.here:
		return approvalHere
	case w.token:
		return approvalToken
	case w.form && w.page:
		return approvalBoth
	case w.form && w.outside:
		return approvalFormDesk
	case w.form:
		return approvalClient
	case w.url:
		return approvalURL
	case w.page:
		return approvalPage
	case w.waits:
		return approvalDesk
	}
	return approvalKept
}

// words says what the path means, as a sentence about messages.
func (a approvalPath) words() sanitize.Clean {
	switch a {
	case approvalClient:
		return sanitize.Literal("put to the person through a form of the client")
	case approvalPage:
		return sanitize.Literal("put to the person on a page in the browser of this machine, outside of the client; the call waits")
	case approvalURL:
		return sanitize.Literal("put to the person on a page that the client opens; the call waits")
	case approvalBoth:
		return sanitize.Literal("put to the person through a form of the client, and then on a page in the browser")
	case approvalFormDesk:
		return sanitize.Literal("put to the person through a form of the client, and then with smtp-mcp approve in a terminal")
	case approvalDesk:
		return sanitize.Literal("approved by a person with smtp-mcp approve in a terminal; the call waits")
	case approvalKept:
		return sanitize.Literal("kept for a person who runs smtp-mcp approve in a terminal; the call is refused and repeated after that (no browser, and no form for it)")
	case approvalToken:
		return sanitize.Literal("sent by a second call with a token (ELICITATION=false); no person approves it")
	case approvalHere:
		return sanitize.Literal("put to the person on this terminal")
	case approvalNone:
		return sanitize.Literal("refused, because this client cannot show a form. hint: use a client with elicitation, SMTP_CONFIRM=auto, or smtp-mcp call in a terminal")
	}
	return sanitize.Literal("refused")
}

// serverInfo is the handler of get_server_info. It does not connect.
func (s *Server) serverInfo(ctx context.Context, call *mcpserve.Call, _ struct{}) (mcpserve.Result[infoResult], error) {
	r := infoResult{
		Server: sanitize.Literal("smtp-mcp"), Version: sanitize.Line(s.cfg.Version, 80), Sending: s.cfg.AllowSend,
		Configured: len(s.cfg.Missing) == 0, Recipients: s.cfg.Limits.MaxRecipients, PerHour: s.cfg.MaxPerHour,
		Attachments: s.cfg.AttachmentDir != "", HTML: true, Provenance: s.ledgerState(ctx),
		Cannot: []sanitize.Clean{
			sanitize.Literal("read mail"), sanitize.Literal("choose the sender"), sanitize.Literal("approve a message by itself"),
			sanitize.Literal("change its own settings, allowlist or limits"), sanitize.Literal("send HTML that runs, or loads anything from elsewhere"),
		},
	}
	for _, name := range s.identities {
		r.Identity = sanitize.Line(s.cfg.Identity, maxIdentityOctets)
		r.Identities = append(r.Identities, sanitize.Line(name, maxIdentityOctets))
	}
	for _, m := range s.cfg.Missing {
		r.Missing = append(r.Missing, sanitize.Sprintf("%s", m))
	}
	if !s.cfg.From.IsZero() {
		r.From = sanitize.Address(s.cfg.From.AddrSpec())
	}
	if s.cfg.AllowSend {
		r.Approval = s.approvalOf(call, confirm.LevelNormal)
		r.Elevated, r.Severe = s.approvalOf(call, confirm.LevelElevated), s.approvalOf(call, confirm.LevelSevere)
		s.usage(ctx, &r)
	}
	return mcpserve.Result[infoResult]{Structured: r, Text: infoText(r)}, nil
}

func (s *Server) usage(ctx context.Context, r *infoResult) {
	u, err := s.outbox.Usage(ctx)
	if err != nil {
		s.log.Error("journal not read", "error", err)
		r.Unusable = true
		return
	}
	left := max(u.Max-u.Used, 0)
	r.Left, r.Locked = &left, u.Lock != nil
}

func infoText(r infoResult) sanitize.Clean {
	l := []sanitize.Clean{sanitize.Sprintf("%s %s: sends from one address, only what was approved; cannot read mail.", r.Server, r.Version)}
	add := func(c sanitize.Clean) { l = append(l, c) }
	if !r.Sending {
		add(sanitize.Literal("Sending is off: there is no tool that sends. The operator switches it on with SMTP_ALLOW_SEND=true and SMTP_ALLOWED_RECIPIENTS."))
	}
	if len(r.Missing) > 0 {
		add(sanitize.Sprintf("Not set: %s.", sanitize.Join(r.Missing, ", ")))
	}
	if len(r.Identities) > 0 {
		add(sanitize.Sprintf("Identities: %s. This answer is about %s.", sanitize.Join(r.Identities, ", "), r.Identity))
	}
	if !r.From.IsZero() {
		add(sanitize.Sprintf("Sender: %s, fixed.", r.From))
	}
	if r.Approval != "" {
		add(sanitize.Sprintf("A message is %s.", r.Approval.words()))
		add(sanitize.Sprintf("One that needs care is %s; a severe one is %s.", r.Elevated.words(), r.Severe.words()))
	}
	add(sanitize.Sprintf("Limits: %d recipients a message, %d messages an hour.", r.Recipients, r.PerHour))
	if r.Left != nil {
		add(sanitize.Sprintf("Left this hour: %d.", *r.Left))
	}
	if r.Unusable {
		add(sanitize.Literal("The journal cannot be used, so nothing can be sent. A person should check SMTP_STATE_DIR: rights, room, damage."))
	}
	if r.Locked {
		add(sanitize.Literal("Sending is locked after refusals. A person unlocks it with smtp-mcp unlock."))
	}
	add(sanitize.Sprintf("Where recipients and passages come from: %s.", r.Provenance))
	add(sanitize.Sprintf("It cannot: %s.", sanitize.Join(r.Cannot, "; ")))
	return sanitize.Join(l, "\n")
}

// recipientArgs are the arguments of validate_recipients.
type recipientArgs struct {
	To  []string `json:"to,omitempty"`
	Cc  []string `json:"cc,omitempty"`
	Bcc []string `json:"bcc,omitempty"`
}

// recipientResult is the answer of validate_recipients. It says yes or no for each address and never which would be right.
type recipientResult struct {
	Allowed    bool              `json:"all_allowed"`
	Count      int               `json:"count"`
	Max        int               `json:"max"`
	Duplicates int               `json:"duplicates,omitempty"`
	Recipients []recipientAnswer `json:"recipients"`
}

type recipientAnswer struct {
	Kind    recipientKind  `json:"kind"`
	Address sanitize.Clean `json:"address"`
	Allowed bool           `json:"allowed"`
	Code    refusalCode    `json:"code,omitempty"`
	Why     sanitize.Clean `json:"why,omitzero"`
}

// recipientKind is policy.Kind as a word of a result.
type recipientKind policy.Kind

// Words implements mcpserve.Word.
func (recipientKind) Words() []string {
	return []string{string(policy.To), string(policy.Cc), string(policy.Bcc)}
}

// validateRecipients is the handler of validate_recipients.
func (s *Server) validateRecipients(_ context.Context, _ *mcpserve.Call, a recipientArgs) (mcpserve.Result[recipientResult], error) {
	v := policy.CheckRecipients(policy.Request{To: a.To, Cc: a.Cc, Bcc: a.Bcc}, s.rules())
	r := recipientResult{Allowed: len(v.Refusals) == 0, Count: len(v.Recipients), Max: s.cfg.Limits.MaxRecipients, Duplicates: v.Duplicates,
		Recipients: []recipientAnswer{}}
	lists := map[policy.Kind][]string{policy.To: a.To, policy.Cc: a.Cc, policy.Bcc: a.Bcc}
	var lines []sanitize.Clean
	for _, ans := range v.Answers {
		item := recipientAnswer{Kind: recipientKind(ans.Kind), Address: sanitize.Address(lists[ans.Kind][ans.Index]), Allowed: ans.Allowed, Code: codeOf(ans)}
		line := sanitize.Sprintf("%s: allowed", item.Address)
		if !ans.Allowed {
			item.Why = sanitize.Sprintf("%s", policy.Explain(policy.Code(item.Code)).Cause)
			line = sanitize.Sprintf("%s: not allowed (%s)", item.Address, item.Why)
		}
		r.Recipients = append(r.Recipients, item)
		lines = append(lines, line)
	}
	for _, f := range v.Refusals {
		if f.Field == "" {
			lines = append(lines, sanitize.Sprintf("%s hint: %s.", policy.Explain(f.Code).Cause, policy.Explain(f.Code).Remedy))
		}
	}
	return mcpserve.Result[recipientResult]{Structured: r, Text: sanitize.Join(lines, "\n")}, nil
}

func codeOf(a policy.Answer) refusalCode {
	if a.Allowed {
		return ""
	}
	return tellable(a.Code)
}

// probeResult is the answer of test_connection.
type probeResult struct {
	OK         bool           `json:"ok"`
	Host       sanitize.Clean `json:"host,omitzero"`
	TLS        sanitize.Clean `json:"tls,omitzero"`
	Auth       sanitize.Clean `json:"auth,omitzero"`
	MaxOctets  int64          `json:"max_octets,omitempty"`
	SMTPUTF8   bool           `json:"smtputf8,omitempty"`
	EightBit   bool           `json:"8bitmime,omitempty"`
	WhyNot     sanitize.Clean `json:"why_not,omitzero"`
	ReasonCode sanitize.Clean `json:"reason,omitzero"`
}

// testConnection is the handler of test_connection. It logs in and says goodbye; nothing is sent.
func (s *Server) testConnection(ctx context.Context, _ *mcpserve.Call, _ struct{}) (mcpserve.Result[probeResult], error) {
	var none mcpserve.Result[probeResult]
	if s.submit == nil {
		return none, toolError(s.unset())
	}
	s.mu.Lock()
	wait := probeEvery - s.cfg.Now().Sub(s.probed)
	if wait <= 0 {
		s.probed = s.cfg.Now()
	}
	s.mu.Unlock()
	if wait > 0 {
		return none, toolError(&refusal{code: refusedTooSoon, text: sanitize.Sprintf("The connection was tested a moment ago. hint: try again in %d seconds.", int(wait.Seconds())+1)})
	}
	info, err := s.submit.Probe(ctx)
	r := probeResult{OK: err == nil, Host: sanitize.Line(s.cfg.Submit.Host, 200), MaxOctets: info.MaxOctets, SMTPUTF8: info.HasSMTPUTF8, EightBit: info.Has8BitMIME}
	if info.TLS {
		r.TLS = sanitize.Sprintf("%s, certificate sha256 %s", info.TLSVersion, info.Fingerprint)
	}
	r.Auth = sanitize.Sprintf("%s", string(info.Auth))
	text := sanitize.Sprintf("Connected to %s and logged in (%s). Nothing was sent.", r.Host, orWords(r.Auth, "no login"))
	if err != nil {
		code, advice := submit.Explain(s.cfg.Submit.Host, err)
		r.ReasonCode, r.WhyNot = sanitize.Sprintf("%s", string(code)), sanitize.Sprintf("%s", advice)
		text = sanitize.Sprintf("The mail server cannot be used (%s): %s", r.ReasonCode, r.WhyNot)
	}
	return mcpserve.Result[probeResult]{Structured: r, Text: text}, nil
}

func (s *Server) unset() error {
	return &refusal{code: refusedUnset, text: sanitize.Sprintf("No mail server is configured. hint: the operator sets %s.", joinMissing(s.cfg.Missing))}
}
