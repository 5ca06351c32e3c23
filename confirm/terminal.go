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

	"mailgap/shared/mcpserve"
)

// Words that a person types in full.
const (
	TerminalWord     = "send"
	TerminalWordNo   = "no"
	TerminalWordLock = "lock" // do not send, and lock sending
)

const (
	maxTypedOctets = 256 // of one line; longer is a no
	maxTypedTries  = 3   // of a domain
	minPageLines   = 10  // Limit: on a smaller window the text is shown in one piece
)

// ErrNoTerminal says that there is no controlling terminal to ask on. Nothing was approved.
var ErrNoTerminal = errors.New("confirm: no terminal to ask on")

// Terminal asks on a terminal of this machine. It is a [Path]. One question at a time.
type Terminal struct {
	// Open opens the terminal; nil means the controlling terminal of this process. Standard input is not used: a pipe
	// could answer there.
	Open func() (io.ReadWriteCloser, error)
}

// Shown is a question in the form in which it is put down for a terminal.
type Shown struct {
	Text  mcpserve.SafeText
	Level Level
	Typed []Recipient // whose domains are typed before a yes; see [Question.TypedDomains]
	// MayWait says that the message waits on if the person gives no answer, so that anything but one of the three words is none
	// ([Unanswered]). Otherwise it is a no.
	MayWait bool
}

// Shown returns q as a terminal shows it. Errors: those of [Question.Render].
func (q Question) Shown() (Shown, error) {
	text, err := q.Render()
	return Shown{Text: text, Level: q.Level(), Typed: q.TypedDomains()}, err
}

// Waiting returns q as it is put down for whoever comes to a terminal while the message waits, an hour at most. Errors: those of
// [Question.Render].
func (q Question) Waiting() (Shown, error) {
	text, err := q.render("an hour")
	return Shown{Text: text, Level: q.Level(), Typed: q.TypedDomains(), MayWait: true}, err
}

// Name implements Path.
func (Terminal) Name() PathName { return PathTerminal }

// Ask shows the question and reads one line. Only TerminalWord in full is a yes; at an elevated level the domains are typed after it.
// It returns at the end of ctx, with the terminal closed; what is typed later is not read. Errors: ErrNoTerminal, and those of
// [Question.Render].
func (t Terminal) Ask(ctx context.Context, p Pending) (Answer, error) {
	s, err := p.Question.Shown()
	if err != nil {
		return No(PathTerminal, AskFailed), err
	}
	return t.Put(ctx, s)
}

// Put is Ask for a question that was rendered before. Errors: ErrNoTerminal.
func (t Terminal) Put(ctx context.Context, s Shown) (Answer, error) {
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
	go func() { answer <- newConversation(tty).ask(s) }()
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

// conversation writes to a person and reads lines of theirs.
type conversation struct {
	tty io.ReadWriter
	in  *bufio.Reader
}

func newConversation(tty io.ReadWriter) *conversation {
	return &conversation{tty, bufio.NewReaderSize(tty, maxTypedOctets)}
}

// errTyped says that the terminal ended, or that a line has no end within maxTypedOctets.
var errTyped = errors.New("confirm: no line was typed")

// line shows a prompt and reads one line. What was typed before the prompt is no answer to it.
func (c *conversation) line(format string, args ...any) (string, error) {
	c.in.Reset(c.tty)
	discardTyped(c.tty)
	if _, err := fmt.Fprintf(c.tty, format, args...); err != nil {
		return "", errTyped
	}
	line, err := c.in.ReadSlice('\n')
	if err != nil { // an unfinished line is no answer
		return "", errTyped
	}
	return strings.TrimSpace(string(line)), nil
}

// ask shows the question and reads the answer.
func (c *conversation) ask(s Shown) Answer {
	if err := c.page(s.Text.SafeText()); err != nil {
		return No(PathTerminal, Disconnected)
	}
	word, err := c.line("%s", prompt(s))
	switch {
	case err != nil:
		return No(PathTerminal, Disconnected)
	case word == TerminalWord:
		return c.domains(s)
	case word == TerminalWordLock:
		return No(PathTerminal, DeclinedAndLock)
	case word != TerminalWordNo && s.MayWait:
		return No(PathTerminal, Unanswered)
	}
	return No(PathTerminal, DoNotSend)
}

func prompt(s Shown) string {
	if s.MayWait {
		return fmt.Sprintf("\nType the word %s to send, %s not to, %s not to and to lock sending; anything else leaves the message waiting: ",
			TerminalWord, TerminalWordNo, TerminalWordLock)
	}
	return fmt.Sprintf("\nType the word %s to send, %s to lock sending, anything else not to: ", TerminalWord, TerminalWordLock)
}

// domains has the domain of each recipient that the level asks for typed by hand.
func (c *conversation) domains(s Shown) Answer {
	if s.Level == LevelNormal {
		return Answer{Approved, PathTerminal}
	}
	if len(s.Typed) == 0 { // nothing to type is nothing to check by
		return No(PathTerminal, AskFailed)
	}
	tries := 0
	for _, r := range s.Typed {
		for {
			got, err := c.line("\nThis message needs care. The recipient:\n%s%s\nType what stands behind the @: ", valuePrefix, visible(r.Address))
			if err != nil {
				return No(PathTerminal, Disconnected)
			}
			if r.Typed(got) {
				break
			}
			if tries++; tries >= maxTypedTries {
				return No(PathTerminal, WrongForms)
			}
		}
	}
	return Answer{Approved, PathTerminal}
}

// page writes the question, and stops whenever the window is full: the end must not push the beginning out of sight unread.
func (c *conversation) page(text string) error {
	window := terminalRows(c.tty)
	lines := strings.SplitAfter(strings.TrimSuffix(text, "\n"), "\n")
	step := len(lines)
	if window >= minPageLines {
		step = window - 2 // room for the prompt
	}
	if _, err := io.WriteString(c.tty, "\n"); err != nil {
		return err
	}
	for from := 0; from < len(lines); from += step {
		to := min(from+step, len(lines))
		if _, err := io.WriteString(c.tty, strings.Join(lines[from:to], "")); err != nil {
			return err
		}
		if to < len(lines) {
			if _, err := c.line("-- lines %d to %d of %d; Enter shows more -- ", from+1, to, len(lines)); err != nil {
				return err
			}
		}
	}
	_, err := io.WriteString(c.tty, "\n")
	return err
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
