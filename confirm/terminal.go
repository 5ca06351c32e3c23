package confirm

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
)

// TerminalWord is what a person types in full to send.
const TerminalWord = "send"

const maxTypedOctets = 256 // of the answer; longer is a no

// ErrNoTerminal says that there is no controlling terminal to ask on. Nothing was approved.
var ErrNoTerminal = errors.New("confirm: no terminal to ask on")

// Terminal asks on a terminal of this machine. It is a [Path]. One question at a time.
type Terminal struct {
	// Open opens the terminal; nil means the controlling terminal of this process. Standard input is not used: a pipe
	// could answer there.
	Open func() (io.ReadWriteCloser, error)
}

// Name implements Path.
func (Terminal) Name() PathName { return PathTerminal }

// Ask shows the question and reads one line. Only TerminalWord in full is a yes. It returns at the end of ctx, with the terminal
// closed; what is typed later is not read. Errors: ErrNoTerminal, and those of [Question.Render].
func (t Terminal) Ask(ctx context.Context, p Pending) (Answer, error) {
	text, err := p.Question.Render()
	if err != nil {
		return No(PathTerminal, AskFailed), err
	}
	open := t.Open
	if open == nil {
		open = openControlling
	}
	tty, err := open()
	if err != nil {
		return No(PathTerminal, CannotAsk), fmt.Errorf("%w: %v", ErrNoTerminal, err)
	}
	defer tty.Close()
	answer := make(chan Answer, 1)
	go func() { answer <- converse(tty, text.SafeText()) }()
	select {
	case a := <-answer:
		return unlessEnded(ctx, a), nil
	case <-ctx.Done():
		return unlessEnded(ctx, No(PathTerminal, CallEnded)), nil
	}
}

// unlessEnded turns an answer into a no if the call has ended, also if both came at once.
func unlessEnded(ctx context.Context, a Answer) Answer {
	switch err := ctx.Err(); {
	case errors.Is(err, context.DeadlineExceeded):
		return No(PathTerminal, TimedOut)
	case err != nil:
		return No(PathTerminal, CallEnded)
	}
	return a
}

// converse writes the question and reads the answer.
func converse(tty io.ReadWriter, text string) Answer {
	discardTyped(tty)
	prompt := fmt.Sprintf("\n%s\nType the word %s to send, anything else not to: ", text, TerminalWord)
	if _, err := io.WriteString(tty, prompt); err != nil {
		return No(PathTerminal, Disconnected)
	}
	line, err := bufio.NewReader(io.LimitReader(tty, maxTypedOctets)).ReadString('\n')
	if err != nil { // an unfinished line is no answer
		return No(PathTerminal, Disconnected)
	}
	if strings.TrimSpace(line) != TerminalWord {
		return No(PathTerminal, DoNotSend)
	}
	return Answer{Approved, PathTerminal}
}

// openControlling opens the terminal of this process, whatever standard input is.
func openControlling() (io.ReadWriteCloser, error) {
	if runtime.GOOS == "windows" {
		return openConsole()
	}
	return os.OpenFile("/dev/tty", os.O_RDWR, 0)
}

// console is the pair of devices that is a terminal on Windows.
type console struct {
	in, out *os.File
}

func openConsole() (io.ReadWriteCloser, error) {
	in, err := os.OpenFile("CONIN$", os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	out, err := os.OpenFile("CONOUT$", os.O_RDWR, 0)
	if err != nil {
		return nil, errors.Join(err, in.Close())
	}
	return console{in, out}, nil
}

func (c console) Read(p []byte) (int, error)  { return c.in.Read(p) }
func (c console) Write(p []byte) (int, error) { return c.out.Write(p) }
func (c console) Close() error                { return errors.Join(c.in.Close(), c.out.Close()) }
