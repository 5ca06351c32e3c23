package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"time"
	"unicode"

	"mailgap/confirm"
	"mailgap/sanitize"
	"mailgap/sendmail"
	"mailgap/sendmail/sink"
	"mailgap/sendmail/submit"
	"mailgap/shared/cli"
	"mailgap/shared/config"
	"mailgap/shared/ledger"
	"mailgap/shared/mcpserve"
)

// release is the version of this source.
const release = "0.1.0"

// drainTime is how long a message on its way may still take once the program is told to end. Limit: RFC 5321 §4.5.3.2.6 grants
// the server ten minutes; the outcome of what is cut off here is "unknown", and the journal says so.
const drainTime = 2 * time.Minute

// app is one run of the program.
type app struct {
	options
	stdin          io.Reader
	stdout, stderr io.Writer
	log            *slog.Logger
	token          func(context.Context) (string, error) // for HTTP; nil if there is none
	store          config.Store                          // nil means that of the operating system
}

// dispatch runs the command.
func (a *app) dispatch(ctx context.Context) int {
	switch a.command {
	case "help":
		fmt.Fprint(a.stdout, usage)
	case "version":
		fmt.Fprintln(a.stdout, "smtp-mcp", version())
	case "settings":
		fmt.Fprint(a.stdout, config.Table(sendmail.Settings()))
	case "config":
		return a.showSettings()
	case "setup":
		return a.setup(ctx)
	case "login", "logout":
		return a.credentials(ctx)
	case "completion":
		return a.completion()
	case "serve":
		return a.with(ctx, a.serve)
	case "tools":
		return a.with(ctx, a.tools)
	case "call":
		return a.with(ctx, a.call)
	case "check":
		return a.check(ctx)
	case "log":
		return a.showLog()
	case "outbox":
		return a.showOutbox(ctx)
	case "ledger":
		return a.showLedger(ctx)
	case "why":
		return a.why()
	case "unlock":
		return a.unlock(ctx)
	case "approve":
		return a.approve(ctx)
	default:
		return a.fail(exitUsage, fmt.Errorf("unknown command %q", a.command), "smtp-mcp help lists the commands")
	}
	return exitOK
}

// completion prints what a shell completes commands with.
func (a *app) completion() int {
	shell := ""
	if len(a.args) == 1 {
		shell = a.args[0]
	}
	script, err := cli.Completion(shell, "smtp-mcp", usage)
	if err != nil {
		return a.fail(exitUsage, err, "source <(smtp-mcp completion bash)")
	}
	fmt.Fprint(a.stdout, script)
	return exitOK
}

// fail prints an error and what to do next, and returns status.
func (a *app) fail(status int, err error, hint string) int {
	fmt.Fprintf(a.stderr, "error: %v\n", err)
	if hint != "" {
		fmt.Fprintf(a.stderr, "hint: %s\n", hint)
	}
	return status
}

// config reads the settings of the first identity, or of the one that SMTP_IDENTITY picks.
func (a *app) config() (sendmail.Config, error) {
	cfgs, err := a.configs()
	if err != nil {
		return sendmail.Config{}, err
	}
	return cfgs[0], nil
}

// configs reads the settings of all identities; --demo takes an embedded server instead of an account and, where nothing is set, a sender and an
// allowlist at reserved domains.
func (a *app) configs() ([]sendmail.Config, error) {
	if a.demo {
		for name, value := range map[string]string{
			"SMTP_ALLOW_SEND": "true", "SMTP_ALLOWED_RECIPIENTS": "@example.com,@example.org", "SMTP_FROM": "Demo Reader <reader@demo.example>",
			"SMTP_STATE_DIR":  filepath.Join(os.TempDir(), fmt.Sprintf("mailgap-demo-%d", os.Getuid())),
			"SMTP_LEDGER_DIR": ledger.DemoDir(),
		} {
			if os.Getenv(name) == "" {
				if err := os.Setenv(name, value); err != nil {
					return nil, err
				}
			}
		}
	}
	loaded, err := a.settings()
	if err != nil {
		return nil, err
	}
	cfgs, err := sendmail.ConfigsFrom(loaded)
	for i := range cfgs {
		cfgs[i].Version, cfgs[i].Logger = version(), a.log
		if a.demo {
			cfgs[i].Missing = nil
			cfgs[i].Submit = submit.Config{Host: sink.Host, TLS: submit.TLSNone, Dial: sink.New(a.arrived).Dialer()}
		}
	}
	return cfgs, err
}

// arrived shows what the embedded server took.
func (a *app) arrived(m sink.Message) {
	fmt.Fprintf(a.stderr, "--- the demo server accepted a message for %s\n", strings.Join(m.ForwardPaths, ", "))
	for line := range strings.SplitSeq(strings.TrimRight(string(m.Octets), "\r\n"), "\n") {
		fmt.Fprintf(a.stderr, "  %s\n", printable(line))
	}
	fmt.Fprintln(a.stderr, "--- end")
}

// printable returns a line as it is but for what a terminal would act on.
func printable(line string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsGraphic(r) {
			return r
		}
		return '\uFFFD'
	}, strings.TrimSuffix(line, "\r"))
}

// with runs f on a server made from the settings.
func (a *app) with(ctx context.Context, f func(context.Context, *sendmail.Group) int) int {
	cfgs, err := a.configs()
	if err != nil {
		return a.fail(exitUsage, err, "smtp-mcp settings lists every setting")
	}
	a.token = cfgs[0].HTTPToken
	for i := range cfgs {
		if a.http != "" && !asksOutside(cfgs[i]) {
			return a.fail(exitUsage, errors.New("over HTTP a message is approved on the page or in a terminal"), "set SMTP_CONFIRM=page, or terminal")
		}
		if a.command == "call" && hasTerminal() {
			cfgs[i].Terminal = confirm.Terminal{}
		}
		if a.command == "serve" && cfgs[i].AllowSend {
			if cfgs[i].Page, err = a.page(cfgs[i]); err != nil {
				return a.fail(exitUsage, err, "SMTP_BROWSER is a command with %s for the address, such as firefox %s, or none")
			}
			if cfgs[i].URLPage, err = a.urlPage(cfgs[i]); err != nil {
				return a.fail(exitFailed, err, "")
			}
		}
	}
	server, err := sendmail.NewGroup(cfgs...)
	if err != nil {
		return a.fail(exitUsage, err, "smtp-mcp settings lists every setting")
	}
	for i, s := range server.Servers() {
		if a.command == "serve" {
			a.announce(cfgs[i], s)
		}
	}
	status := f(ctx, server)
	if err := server.Close(); err != nil {
		a.log.Error("not closed", "error", err)
	}
	return status
}

// asksOutside reports whether the person is asked outside of the client. Over HTTP nothing ties a client to a person: who has
// the token could answer its own form.
func asksOutside(cfg sendmail.Config) bool {
	return !cfg.AllowSend || !cfg.Token && (cfg.Confirm == sendmail.ConfirmPage || cfg.Confirm == sendmail.ConfirmTerminal)
}

// announce says once what is in force, on standard error and in the audit log.
func (a *app) announce(cfg sendmail.Config, s *sendmail.Server) {
	if !cfg.AllowSend {
		a.log.Info("smtp-mcp", "sending", "off")
		return
	}
	allow, deny := cfg.Allowlist.Len()
	a.log.Info("smtp-mcp", "sending", "on", "allowlist", allow, "denied", deny, "everybody", cfg.Allowlist.Everyone(),
		"approval", s.Approval(), "person", !cfg.Token, "per_hour", cfg.MaxPerHour, "configured", len(cfg.Missing) == 0)
	s.Announce()
}

// hasTerminal reports whether there is a terminal to ask on, so that a script is refused before it spends a slot.
func hasTerminal() bool {
	if runtime.GOOS == "windows" {
		return true // confirm finds out
	}
	tty, err := os.Open("/dev/tty")
	if err != nil {
		return false
	}
	return tty.Close() == nil
}

// serve speaks MCP until standard input ends or a signal comes. A message on its way is waited for.
func (a *app) serve(ctx context.Context, s *sendmail.Group) int {
	m, err := s.MCP()
	if err != nil {
		return a.fail(exitUsage, err, "smtp-mcp tools lists the tools")
	}
	o := mcpserve.Options{MaxLineOctets: 4 << 20, Drain: s.Drain, DrainTimeout: drainTime}
	if a.http != "" {
		err = cli.ServeHTTP(ctx, m, cli.HTTP{Address: a.http, Token: a.token, Setting: "SMTP_HTTP_TOKEN", Log: a.log, Options: o})
		if hint := cli.HTTPHint(err, "SMTP_HTTP_TOKEN"); hint != "" {
			return a.fail(exitUsage, err, hint)
		}
	} else {
		err = mcpserve.Serve(ctx, m, a.stdin, a.stdout, o)
	}
	if err != nil && ctx.Err() == nil {
		return a.fail(exitFailed, err, "")
	}
	return exitOK
}

// tools prints the names of the tools, or one tool with its schema.
func (a *app) tools(_ context.Context, s *sendmail.Group) int {
	m, err := s.MCP()
	if err != nil {
		return a.fail(exitUsage, err, "")
	}
	if len(a.args) == 0 {
		for _, name := range m.ToolNames() {
			fmt.Fprintln(a.stdout, name)
		}
		return exitOK
	}
	text := m.ToolJSON(a.args[0])
	if text == nil {
		return a.fail(exitUsage, fmt.Errorf("there is no tool %q", a.args[0]), "smtp-mcp tools lists the tools; the sending ones need SMTP_ALLOW_SEND=true")
	}
	fmt.Fprintln(a.stdout, string(text))
	return exitOK
}

// call calls one tool and prints its answer. A sending tool asks on the controlling terminal.
func (a *app) call(ctx context.Context, s *sendmail.Group) int {
	if len(a.args) == 0 || len(a.args) > 2 {
		return a.fail(exitUsage, errors.New("call takes a tool and a JSON object"), `smtp-mcp call validate_recipients '{"to":["name@example.com"]}'`)
	}
	args := json.RawMessage(`{}`)
	if len(a.args) == 2 {
		args = json.RawMessage(a.args[1])
	}
	m, err := s.MCP()
	if err != nil {
		return a.fail(exitUsage, err, "")
	}
	out, err := m.CallTool(ctx, a.args[0], args)
	if err != nil {
		return a.fail(exitUsage, err, "smtp-mcp tools lists the tools; the sending ones need SMTP_ALLOW_SEND=true")
	}
	if a.json {
		text, err := out.JSON()
		if err != nil {
			return a.fail(exitFailed, err, "")
		}
		fmt.Fprintln(a.stdout, string(text))
	} else if err := out.Pretty(a.stdout); err != nil {
		return a.fail(exitFailed, err, "")
	}
	if out.IsError {
		return exitFailed
	}
	return exitOK
}

// check connects for each identity step by step and prints each finding with what to change.
func (a *app) check(ctx context.Context) int {
	cfgs, err := a.configs()
	if err != nil {
		return a.fail(exitUsage, err, "smtp-mcp settings lists every setting")
	}
	worst := exitOK
	for _, cfg := range cfgs {
		if len(cfgs) > 1 {
			fmt.Fprintf(a.stdout, "identity %s\n", cfg.Identity)
		}
		worst = max(worst, a.checkIdentity(ctx, cfg))
	}
	if worst == exitOK {
		fmt.Fprintln(a.stdout, "All steps passed. Nothing was sent.")
	}
	return worst
}

func (a *app) checkIdentity(ctx context.Context, cfg sendmail.Config) int {
	if len(cfg.Missing) > 0 {
		return a.fail(exitUsage, errors.New("no mail server is configured"), "set "+strings.Join(cfg.Missing, " and "))
	}
	cfg.Submit.Logger = cfg.Logger
	ok := submit.Diagnose(ctx, cfg.Submit, func(s submit.Step) {
		mark := "ok  "
		if !s.OK {
			mark = "FAIL"
		}
		// Details quote the server: no control character of it reaches the terminal.
		fmt.Fprintf(a.stdout, "%s  %-14s %s\n", mark, s.Name, sanitize.Line(s.Detail, 400))
		if s.Hint != "" {
			fmt.Fprintf(a.stdout, "      hint: %s\n", s.Hint)
		}
	})
	if !ok {
		return exitFailed
	}
	return exitOK
}

// version is the release, with the commit it was built from if that is known.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return release
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && len(s.Value) >= 12 {
			return release + "+" + s.Value[:12]
		}
	}
	return release
}
