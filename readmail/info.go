package readmail

import (
	"context"
	"strings"

	"mailgap/readmail/session"
	"mailgap/sanitize"
	"mailgap/shared/mcpserve"
)

// infoResult is the answer of get_server_info.
type infoResult struct {
	Server       sanitize.Clean   `json:"server" place:"-"`
	Version      sanitize.Clean   `json:"version" place:"-"`
	Account      sanitize.Clean   `json:"account" place:"-"`
	Accounts     []sanitize.Clean `json:"accounts,omitempty" place:"-"` // all of them, where there are several
	Configured   bool             `json:"configured"`
	Missing      []sanitize.Clean `json:"missing_settings,omitempty" place:"-"`
	Connected    bool             `json:"connected"`
	Error        sanitize.Clean   `json:"error,omitzero" place:"error"`
	Host         sanitize.Clean   `json:"host,omitzero" place:"-"`
	TLS          sanitize.Clean   `json:"tls,omitzero" place:"-"`
	Capabilities []sanitize.Clean `json:"capabilities,omitempty" place:"server"`
	ServerName   sanitize.Clean   `json:"mail_server,omitzero" place:"server"`
	Mailbox      sanitize.Clean   `json:"default_mailbox" place:"-"`
	Zone         sanitize.Clean   `json:"time_zone" place:"-"`
	Authserv     []sanitize.Clean `json:"trusted_authserv_ids,omitempty" place:"-"`
	Saving       bool             `json:"saving_allowed"`
	Reveal       bool             `json:"codes_can_be_revealed"`
	Recorded     bool             `json:"results_recorded"`
	Limits       limits           `json:"limits"`
	Cannot       []sanitize.Clean `json:"cannot" place:"-"`
}

// limits are the bounds that a caller may meet.
type limits struct {
	PageMessages    int   `json:"messages_per_page"`
	TextChars       int   `json:"text_chars_per_answer"`
	AttachmentBytes int64 `json:"attachment_octets"`
	SearchSeconds   int   `json:"text_search_seconds"`
	Mailboxes       int   `json:"mailboxes_per_call"`
}

// serverInfo is the handler of get_server_info. It connects, so that what it says about the server is true now.
func (s *Server) serverInfo(ctx context.Context, _ *mcpserve.Call, _ struct{}) (mcpserve.Result[infoResult], error) {
	r := infoResult{
		Server: sanitize.Literal("imap-mcp"), Version: sanitize.Line(s.cfg.Version, 80), Account: sanitize.Line(s.cfg.Account, maxAccountOctets),
		Configured: s.pool != nil, Mailbox: sanitize.Line(s.cfg.Mailbox, maxNameChars), Zone: s.zoneName(),
		Saving: s.cfg.DownloadDir != "", Reveal: !s.cfg.ForbidReveal, Recorded: s.cfg.Ledger != nil,
		Limits: limits{maxPageSize, maxTextChars, s.cfg.MaxAttachment, int(s.cfg.SearchTime.Seconds()), maxMailboxes},
		Cannot: []sanitize.Clean{
			sanitize.Literal("send, forward or draft mail"),
			sanitize.Literal("mark as read, flag, move, copy or delete messages; change mailboxes"),
			sanitize.Literal("open links, load remote images, or run anything in an attachment"),
			sanitize.Literal("change its own settings"),
		},
	}
	for _, name := range s.accounts {
		r.Accounts = append(r.Accounts, sanitize.Line(name, maxAccountOctets))
	}
	for _, m := range s.cfg.Missing {
		r.Missing = append(r.Missing, sanitize.Sprintf("%s", m))
	}
	for _, id := range s.cfg.TrustedAuthservIDs {
		r.Authserv = append(r.Authserv, sanitize.Line(id, maxNameChars))
	}
	if s.pool != nil {
		info := s.pool.Info()
		err := s.do(ctx, "", func(ctx context.Context, c *session.Conn) error {
			err := c.Noop(ctx)
			if err == nil {
				info = c.Info(ctx)
			}
			return err
		})
		if err != nil {
			r.Error = errorText(err)
		}
		s.describeServer(&r, info, err == nil)
	}
	return mcpserve.Result[infoResult]{Structured: r, Text: infoText(r)}, nil
}

func (s *Server) describeServer(r *infoResult, info session.Info, connected bool) {
	r.Connected = connected
	r.Host = sanitize.Line(s.cfg.Session.Host, maxNameChars)
	r.ServerName = sanitize.Line(info.ServerNameRaw, maxNameChars)
	switch {
	case info.TLS:
		r.TLS = sanitize.Sprintf("%s, certificate sha256 %s", info.TLSVersion, info.Fingerprint)
	case connected:
		r.TLS = sanitize.Literal("none: plain text")
	}
	for i, c := range info.Caps {
		if i == 60 {
			break
		}
		r.Capabilities = append(r.Capabilities, sanitize.Line(c, 60))
	}
}

func infoText(r infoResult) sanitize.Clean {
	l := lines{sanitize.Sprintf("%s %s, account %s: reads mail and can do nothing else.", r.Server, r.Version, r.Account)}
	switch {
	case !r.Configured:
		l.add(sanitize.Sprintf("No mail account is configured. The operator sets %s; imap-mcp --demo needs none.", sanitize.Join(r.Missing, ", ")))
	case !r.Error.IsZero():
		l.add(sanitize.Sprintf("The mail server cannot be used: %s", r.Error))
	default:
		l.add(sanitize.Sprintf("Connected to %s (%s). TLS: %s.", r.Host, orClean(r.ServerName, "no name given"), r.TLS))
		l.add(sanitize.Sprintf("The server offers: %s.", sanitize.Join(r.Capabilities, " ")))
	}
	if len(r.Accounts) > 0 {
		l.add(sanitize.Sprintf("Accounts: %s. This answer is about %s.", sanitize.Join(r.Accounts, ", "), r.Account))
	}
	l.add(sanitize.Sprintf("Default mailbox %s. Times in %s.", r.Mailbox, r.Zone))
	if len(r.Authserv) == 0 {
		l.add(sanitize.Literal("No trusted authserv-id is configured, so the author of every message is unknown (IMAP_TRUSTED_AUTHSERV_ID)."))
	} else {
		l.add(sanitize.Sprintf("Authors are judged by Authentication-Results of %s.", sanitize.Join(r.Authserv, ", ")))
	}
	l.add(sanitize.Sprintf("Saving attachments is %s. Masked codes %s be revealed.", pick(r.Saving, "allowed", "off"), pick(r.Reveal, "can", "cannot")))
	l.add(pick(r.Recorded, sanitize.Literal("What is handed out is recorded in the ledger first, for smtp-mcp to say where text and addresses came from."),
		sanitize.Literal("What is handed out is not recorded (IMAP_LEDGER=false): smtp-mcp cannot say where text and addresses came from.")))
	l.add(sanitize.Sprintf("Limits: %d messages a page, %d characters of text an answer, %d octets an attachment, %d seconds a text search, %d mailboxes a call.",
		r.Limits.PageMessages, r.Limits.TextChars, r.Limits.AttachmentBytes, r.Limits.SearchSeconds, r.Limits.Mailboxes))
	l.add(sanitize.Sprintf("It cannot: %s.", sanitize.Join(r.Cannot, "; ")))
	return l.text()
}

func orClean(c sanitize.Clean, def string) sanitize.Clean {
	if strings.TrimSpace(c.String()) == "" {
		return sanitize.Line(def, 0)
	}
	return c
}
