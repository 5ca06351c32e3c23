package imaptest

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
)

// Limits of what a client may send to a test server.
const (
	maxCommandOctets = 8 << 20 // Limit: no test sends more; a runaway client fails instead of filling memory
	redacted         = "[redacted]"
)

// Command is one command as it was received.
type Command struct {
	Conn int    // the connection, counted from 1
	Tag  string // empty for DONE and for the answers within AUTHENTICATE
	Verb string // upper case; with "UID " in front if so sent
	Args string // what follows the verb, literals included ("{3}\r\nabc"), without the last CRLF; credentials redacted
}

// String returns the verb and its arguments.
func (c Command) String() string { return strings.TrimRight(c.Verb+" "+c.Args, " ") }

var literalEnd = regexp.MustCompile(`\{([0-9]{1,9})(\+?)\}\r\n$`) // RFC 9051 §4.3, RFC 7888 §4

// literalSize returns the size of the literal that line announces at its end, and whether the client waits for "+".
func literalSize(line []byte) (size int, waits, ok bool) {
	m := literalEnd.FindSubmatch(line)
	if m == nil {
		return 0, false, false
	}
	size, err := strconv.Atoi(string(m[1]))
	return size, len(m[2]) == 0, err == nil
}

// readCommand reads one command with its literals. Before each literal announced it calls more with what was read
// since the last call, so that the caller can pass it on or ask for the rest. It returns all octets of the command.
func readCommand(br *bufio.Reader, more func(chunk []byte, waits bool) error) ([]byte, error) {
	var all []byte
	for start := 0; ; {
		line, err := readLine(br, maxCommandOctets-len(all))
		all = append(all, line...)
		if err != nil {
			return all, err
		}
		size, waits, ok := literalSize(line)
		if !ok {
			return all, nil
		}
		if size > maxCommandOctets-len(all) {
			return all, errors.New("imaptest: command too long")
		}
		if err := more(all[start:], waits); err != nil {
			return all, err
		}
		start = len(all)
		literal := make([]byte, size)
		if _, err := io.ReadFull(br, literal); err != nil {
			return all, err
		}
		all = append(all, literal...)
	}
}

// readLine reads up to and including LF, at most limit octets.
func readLine(br *bufio.Reader, limit int) ([]byte, error) {
	var line []byte
	for {
		part, err := br.ReadSlice('\n')
		line = append(line, part...)
		if len(line) > limit {
			return line, fmt.Errorf("imaptest: line longer than %d octets", limit)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
	}
}

// parseCommand splits a command into tag, verb and arguments and redacts credentials.
func parseCommand(raw []byte) Command {
	text := string(bytes.TrimSuffix(bytes.TrimSuffix(raw, []byte("\n")), []byte("\r")))
	if strings.EqualFold(text, "DONE") {
		return Command{Verb: "DONE"}
	}
	tag, rest, _ := strings.Cut(text, " ")
	verb, args, _ := strings.Cut(rest, " ")
	verb = strings.ToUpper(verb)
	if verb == "UID" {
		sub, subArgs, _ := strings.Cut(args, " ")
		verb, args = "UID "+strings.ToUpper(sub), subArgs
	}
	switch verb {
	case "LOGIN":
		args = redacted
	case "AUTHENTICATE":
		mech, initial, hasInitial := strings.Cut(args, " ")
		args = mech
		if hasInitial && initial != "" {
			args += " " + redacted
		}
	}
	return Command{Tag: tag, Verb: verb, Args: args}
}
