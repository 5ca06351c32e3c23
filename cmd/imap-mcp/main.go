// Command imap-mcp lets an AI agent read a mailbox over the Model Context Protocol, and do nothing else.
//
// It speaks MCP on standard input and output. Settings come from the environment; "imap-mcp help" lists the commands.
package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"syscall"
	"time"

	"mailgap/readmail/extract"
)

// Exit statuses.
const (
	exitOK     = 0
	exitFailed = 1 // the command ran and failed: a tool error, a failed check
	exitUsage  = 2 // wrong arguments or settings; nothing was done
)

// lastWords is how long a command has to end by itself after a signal. Limit: what starts this program gives it a second.
const lastWords = 900 * time.Millisecond

const usage = `imap-mcp reads a mailbox for an AI agent and can do nothing else.

usage: imap-mcp [--demo] [--verbose] [command]

commands
  setup            find the servers, test, write the settings, tell your clients
  serve            speak MCP on standard input and output (the default)
  check            connect step by step and say what to change when a step fails
  tools [NAME]     list the tools, or print one with its schema
  call TOOL JSON   call a tool and print its answer (--json: for scripts)
  ledger [REF]     say what is recorded of mail that was read, or of one message
  ledger accept    go on with a ledger that was changed for a reason you know
  forget           remove records: --message REF, --mailbox NAME or --all
  login, logout    keep a password in the key store, or sign in with --oauth
                   google|microsoft --client-id ID [--device]; end that
  config           print the settings in force, and where each comes from
  settings         list all settings with their defaults
  completion SHELL print completions for bash, zsh or fish
  version, help

flags
  --http ADDRESS   serve Streamable HTTP on a loopback address, such as
                   127.0.0.1:8765, for clients that send IMAP_HTTP_TOKEN
  --account NAME   use this account of the file alone
  --config FILE    read this file instead of mailgap/imap.toml in your
                   configuration directory
  --demo           use an embedded mailbox instead of an account
  --verbose        log more on standard error; never message text or addresses

The account is set by IMAP_HOST and IMAP_USER (host and user in the file),
and login, IMAP_PASSWORD_FILE or IMAP_PASSWORD_COMMAND. Without one:

  imap-mcp --demo call list_messages '{}'

exit status: 0 done, 1 the call or check failed, 2 wrong usage or settings
`

func main() {
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// run is main without the process: it reads the arguments, and returns the exit status.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if len(args) == 1 && args[0] == extract.ChildCommand {
		return extract.Child(ctx, stdin, stdout)
	}
	o, err := parseArgs(args)
	if err != nil {
		fmt.Fprintf(stderr, "error: %v\nhint: imap-mcp help\n", err)
		return exitUsage
	}
	level := slog.LevelInfo
	if o.verbose {
		level = slog.LevelDebug
	}
	a := &app{options: o, stdin: stdin, stdout: stdout, stderr: stderr, log: slog.New(slog.NewTextHandler(stderr, &slog.HandlerOptions{Level: level}))}
	return untilSignal(ctx, func() int { return a.dispatch(ctx) })
}

// untilSignal runs command, and after a signal leaves whatever does not end in time to the end of the process.
func untilSignal(ctx context.Context, command func() int) int {
	status := make(chan int, 1)
	go func() { status <- command() }()
	select {
	case s := <-status:
		return s
	case <-ctx.Done():
	}
	select {
	case s := <-status:
		return s
	case <-time.After(lastWords):
		return exitFailed
	}
}
