package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"runtime/debug"

	"mailgap/readmail"
	"mailgap/readmail/demo"
	"mailgap/readmail/extract"
	"mailgap/readmail/session"
	"mailgap/shared/cli"
	"mailgap/shared/config"
	"mailgap/shared/mcpserve"
)

// release is the version of this source.
const release = "0.1.0"

// app is one run of the program.
type app struct {
	options
	stdin          io.Reader
	stdout, stderr io.Writer
	log            *slog.Logger
	store          config.Store                          // nil means that of the operating system
	token          func(context.Context) (string, error) // for HTTP; nil if there is none
}

// dispatch runs the command.
func (a *app) dispatch(ctx context.Context) int {
	switch a.command {
	case "help":
		fmt.Fprint(a.stdout, usage)
	case "version":
		fmt.Fprintln(a.stdout, "imap-mcp", version())
	case "settings":
		fmt.Fprint(a.stdout, config.Table(readmail.Settings()))
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
	case "ledger":
		return a.showLedger(ctx)
	case "forget":
		return a.forget(ctx)
	default:
		return a.fail(exitUsage, fmt.Errorf("unknown command %q", a.command), "imap-mcp help lists the commands")
	}
	return exitOK
}

// completion prints what a shell completes commands with.
func (a *app) completion() int {
	shell := ""
	if len(a.args) == 1 {
		shell = a.args[0]
	}
	script, err := cli.Completion(shell, "imap-mcp", usage)
	if err != nil {
		return a.fail(exitUsage, err, "source <(imap-mcp completion bash)")
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

// configs reads the settings of all accounts; --demo takes the embedded mailbox instead.
func (a *app) configs() ([]readmail.Config, error) {
	loaded, err := a.settings()
	if err != nil {
		return nil, err
	}
	cfgs, err := readmail.ConfigsFrom(loaded)
	if err != nil {
		return nil, err
	}
	for i := range cfgs {
		cfgs[i].Version, cfgs[i].Logger = version(), a.log
		cfgs[i].Extract = extract.Options{CacheDir: extract.DefaultCacheDir()}
	}
	if a.demo {
		cfg := &cfgs[0]
		cfg.Missing, cfg.TrustedAuthservIDs = nil, []string{demo.TrustedAuthservID}
		cfg.Session = session.Config{
			Account: cfg.Account, Host: "localhost", User: demo.User, TLS: session.TLSNone, Dial: demo.Dialer(),
			Password: func(context.Context) (string, error) { return demo.Password, nil },
		}
		cfgs = cfgs[:1]
	}
	return cfgs, nil
}

// with runs f on a server made from the settings.
func (a *app) with(ctx context.Context, f func(context.Context, *mcpserve.Server) int) int {
	cfgs, err := a.configs()
	if err != nil {
		return a.fail(exitUsage, err, "imap-mcp settings lists every setting")
	}
	record, err := a.openLedger(cfgs[0])
	if err != nil {
		return a.fail(exitUsage, err, "IMAP_LEDGER_DIR says where the ledger is")
	}
	if record != nil {
		cfgs[0].Ledger = record
		defer record.Close()
	}
	server, err := readmail.NewGroup(cfgs...)
	if err != nil {
		return a.fail(exitUsage, err, "imap-mcp settings lists every setting")
	}
	defer server.Close()
	mcp, err := server.MCP()
	if err != nil {
		return a.fail(exitUsage, err, "imap-mcp tools lists the tools")
	}
	a.token = cfgs[0].HTTPToken
	return f(ctx, mcp)
}

// serve speaks MCP until standard input ends or a signal comes. The connections are not waited for: the process ends.
func (a *app) serve(ctx context.Context, s *mcpserve.Server) int {
	if a.http != "" {
		return a.serveHTTP(ctx, s)
	}
	if err := mcpserve.Serve(ctx, s, a.stdin, a.stdout, mcpserve.Options{}); err != nil && ctx.Err() == nil {
		return a.fail(exitFailed, err, "")
	}
	return exitOK
}

// serveHTTP speaks MCP over HTTP until a signal comes.
func (a *app) serveHTTP(ctx context.Context, s *mcpserve.Server) int {
	err := cli.ServeHTTP(ctx, s, cli.HTTP{Address: a.http, Token: a.token, Setting: "IMAP_HTTP_TOKEN", Log: a.log})
	if hint := cli.HTTPHint(err, "IMAP_HTTP_TOKEN"); hint != "" {
		return a.fail(exitUsage, err, hint)
	}
	if err != nil {
		return a.fail(exitFailed, err, "")
	}
	return exitOK
}

// tools prints the names of the tools, or one tool with its schema.
func (a *app) tools(_ context.Context, s *mcpserve.Server) int {
	if len(a.args) == 0 {
		for _, name := range s.ToolNames() {
			fmt.Fprintln(a.stdout, name)
		}
		return exitOK
	}
	text := s.ToolJSON(a.args[0])
	if text == nil {
		return a.fail(exitUsage, fmt.Errorf("there is no tool %q", a.args[0]), "imap-mcp tools lists the tools")
	}
	fmt.Fprintln(a.stdout, string(text))
	return exitOK
}

// call calls one tool and prints its answer.
func (a *app) call(ctx context.Context, s *mcpserve.Server) int {
	if len(a.args) == 0 || len(a.args) > 2 {
		return a.fail(exitUsage, fmt.Errorf("call takes a tool and a JSON object"), `imap-mcp call get_message '{"ref":"imap://…"}'`)
	}
	args := json.RawMessage(`{}`)
	if len(a.args) == 2 {
		args = json.RawMessage(a.args[1])
	}
	out, err := s.CallTool(ctx, a.args[0], args)
	if err != nil {
		return a.fail(exitUsage, err, "imap-mcp tools lists the tools")
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
