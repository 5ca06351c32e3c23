// Command mail-evals runs an agent that obeys every instruction it reads against imap-mcp and smtp-mcp, and prints what got out.
//
// It is a tool for developers: it builds the two programs from the source tree it is run in, gives them a mailbox and a mail server
// on loopback, and reads from there what an attack achieved. "mail-evals help" lists the commands.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
)

// Exit statuses.
const (
	exitOK     = 0
	exitFailed = 1 // something got out that must not, or the run broke
	exitUsage  = 2
)

const usage = `mail-evals shows what a worst-case agent gets out through imap-mcp and smtp-mcp.

usage: mail-evals [command] [flags]

commands
  run              run the attacks and the ordinary tasks (the default)
  tour             watch one attack fail and one answer leave
  mutate           break the guards one by one in a copy; the attacks must notice
  adapt            search for attacks that pass, guided by what refused them
  list             list the cases
  help             print this text

flags of run
  --full           every configuration, and the public collection (half an hour)
  --config TEXT    only configurations whose name holds TEXT
  --case TEXT      only cases whose name or family holds TEXT
  --json FILE      write every outcome        --html FILE  write a page
  --summary FILE   write the figures that the README shows (mutate, adapt too)
  --every N        every N-th attack only    --workers N  worlds at once (2)
  --chat           a real model in place of the worst one (OPENAI_BASE_URL,
                   OPENAI_MODEL, OPENAI_API_KEY)

flags of mutate: --full, --sample N (12)     of adapt: --nightly, --variants N (40)

exit status: 0 nothing got out that must not, 1 something did, 2 wrong usage
`

func main() {
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// run is main without the process.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	o, err := parse(args)
	if err != nil {
		fmt.Fprintf(stderr, "error: %v\nhint: mail-evals help\n", err)
		return exitUsage
	}
	a := &app{options: o, stdin: stdin, stdout: stdout, stderr: stderr}
	status, err := a.dispatch(ctx)
	if err != nil {
		fmt.Fprintf(stderr, "error: %v\n", err)
		return exitFailed
	}
	return status
}
