// Command smtp-mcp lets an AI agent propose mail over the Model Context Protocol; each message leaves only after a person
// approved it. It is off by default.
//
// It speaks MCP on standard input and output. Settings come from the environment; "smtp-mcp help" lists the commands.
package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"mailgap/shared/cli"
)

// Exit statuses.
const (
	exitOK     = 0
	exitFailed = 1 // the command ran and failed: a tool error, a failed check, a log that does not verify
	exitUsage  = 2 // wrong arguments or settings; nothing was done
)

const usage = `smtp-mcp sends mail that a person approved, and nothing else; off by default.

usage: smtp-mcp [--demo] [--verbose] [command]

commands
  setup            find the servers, test, write the settings, tell your clients
  serve            speak MCP on standard input and output (the default)
  check            connect step by step and say what to change if a step fails
  tools [NAME]     list the tools, or print one with its schema
  call TOOL JSON   call a tool; one that sends asks here (--json: for scripts)
  log [N]          print the audit log (--verify: check its chain)
  outbox           list what was sent, failed or is unknown
  outbox settle ID sent|failed
                   say what became of an unknown message
  approve [ID]     show a message that waits, and answer on this terminal
                   (--watch: go on with the next one)
  why MESSAGE-ID   say what was raised about a message, and what became of it
  ledger [accept]  say whether the record of what was read is whole; accept it
  unlock           end the lock that two refusals in a row leave
  login, logout    keep a password in the key store, or sign in with --oauth
                   google|microsoft --client-id ID [--device]; end that
  config, settings print the settings in force, or all with their defaults
  completion SHELL print completions for bash, zsh or fish
  version, help

flags
  --http ADDRESS   serve Streamable HTTP on a loopback address, such as
                   127.0.0.1:8766; needs SMTP_HTTP_TOKEN and SMTP_CONFIRM
  --identity NAME  use this identity of the file alone
  --config FILE    read this file instead of mailgap/smtp.toml in your
                   configuration directory
  --demo           send to an embedded server that shows what arrived
  --verbose        log more on standard error; never text or addresses

Sending needs SMTP_ALLOW_SEND=true and SMTP_ALLOWED_RECIPIENTS. A try:

  smtp-mcp --demo call send_mail \
    '{"to":["friend@example.com"],"subject":"Hello","text":"Hi."}'

exit status: 0 done, 1 the call or check failed, 2 wrong usage or settings
`

func main() {
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// run is main without the process: it reads the arguments, and returns the exit status.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends the process at once; the journal then says what is known
	o, err := parseArgs(args)
	if err != nil {
		fmt.Fprintf(stderr, "error: %v\nhint: smtp-mcp help\n", err)
		return exitUsage
	}
	level := slog.LevelInfo
	if o.verbose {
		level = slog.LevelDebug
	}
	a := &app{options: o, stdin: stdin, stdout: stdout, stderr: stderr, log: slog.New(slog.NewTextHandler(stderr, &slog.HandlerOptions{Level: level}))}
	return a.dispatch(ctx)
}

// options are the command line.
type options struct {
	demo, verbose, json, verify, watch bool
	http                               string            // address to serve HTTP on; "" means standard input and output
	device                             bool              // login: sign in on another device
	values                             map[string]string // flags with a value
	command                            string
	args                               []string
}

// parseArgs reads flags and command. Flags may stand before or after the command; arguments of the command are kept in
// their order.
func parseArgs(args []string) (options, error) {
	args, values, err := cli.TakeValues(args, append(self().Flags(), "--http")...)
	o := options{command: "serve", values: values, http: values["--http"]}
	if err != nil {
		return o, err
	}
	var words []string
	for _, a := range args {
		switch {
		case a == "--demo":
			o.demo = true
		case a == "--verbose":
			o.verbose = true
		case a == "--json":
			o.json = true
		case a == "--device":
			o.device = true
		case a == "--watch":
			o.watch = true
		case a == "--verify":
			o.verify = true
		case a == "-h" || a == "--help":
			words = append([]string{"help"}, words...)
		case a == "--version":
			words = append([]string{"version"}, words...)
		case strings.HasPrefix(a, "-") && len(a) > 1:
			return o, fmt.Errorf("unknown flag %q", a)
		default:
			words = append(words, a)
		}
	}
	if len(words) > 0 {
		o.command, o.args = words[0], words[1:]
	}
	return o, self().Check(o.command, o.device, values)
}
