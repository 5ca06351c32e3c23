package setup

import (
	"context"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Terminal is where a person reads and types. Errors end the dialog; io.EOF means that the person ended it (Ctrl-D).
type Terminal interface {
	io.Writer
	// ReadLine returns a line without its end.
	ReadLine(ctx context.Context) (string, error)
	// ReadSecret is ReadLine without echo.
	ReadSecret(ctx context.Context) (string, error)
}

// maxDetailChars bounds what is shown of a server's words.
const maxDetailChars = 300

// console is the one way to the terminal.
type console struct{ term Terminal }

// Write shows text. Security: nothing that a terminal would act on passes, whoever wrote it.
func (c console) Write(text []byte) (int, error) {
	_, err := io.WriteString(c.term, visible(string(text)))
	return len(text), err
}

func (c console) printf(format string, args ...any) { _, _ = fmt.Fprintf(c, format, args...) }

// visible replaces what a terminal would act on, and what hides or reorders text; line ends stay.
func visible(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || r != utf8.RuneError && unicode.IsPrint(r) {
			return r
		}
		return '\uFFFD'
	}, s)
}

// oneLine makes foreign words fit for a line of ours.
func oneLine(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > maxDetailChars {
		s = string(r[:maxDetailChars]) + "…"
	}
	return s
}

// ask shows a prompt and returns what is typed, or fallback for an empty line.
func (c console) ask(ctx context.Context, prompt, fallback string) (string, error) {
	if fallback != "" {
		prompt += " [" + oneLine(fallback) + "]"
	}
	for {
		c.printf("%s: ", prompt)
		line, err := c.term.ReadLine(ctx)
		if err != nil {
			return "", err
		}
		if line = strings.TrimSpace(line); line == "" {
			return fallback, nil
		}
		if visible(line) == line {
			return line, nil
		}
		c.printf("That has characters that cannot be used here (an arrow key?). Type it again.\n")
	}
}

// askUntil asks until check accepts the answer; its error says what to write.
func (c console) askUntil(ctx context.Context, prompt, fallback string, check func(string) error) (string, error) {
	for {
		answer, err := c.ask(ctx, prompt, fallback)
		if err != nil {
			return "", err
		}
		if err = check(answer); err == nil {
			return answer, nil
		}
		c.printf("That does not do: %v.\n", err)
	}
}

// yes asks for a decision.
func (c console) yes(ctx context.Context, question string, fallback bool) (bool, error) {
	choice := map[bool]string{true: "Y/n", false: "y/N"}[fallback]
	for {
		c.printf("%s [%s]: ", question, choice)
		line, err := c.term.ReadLine(ctx)
		if err != nil {
			return false, err
		}
		switch strings.ToLower(strings.TrimSpace(line)) {
		case "":
			return fallback, nil
		case "y", "yes":
			return true, nil
		case "n", "no":
			return false, nil
		}
		c.printf("Type y for yes or n for no.\n")
	}
}

// choose asks for one of several words.
func (c console) choose(ctx context.Context, prompt, fallback string, words ...string) (string, error) {
	return c.askUntil(ctx, prompt, fallback, func(s string) error {
		for _, w := range words {
			if strings.EqualFold(s, w) {
				return nil
			}
		}
		return fmt.Errorf("type one of %s", strings.Join(words, ", "))
	})
}

// secret asks without echo until something usable is typed; optional lets an empty line pass.
func (c console) secret(ctx context.Context, prompt string, optional bool) (string, error) {
	for {
		c.printf("%s (not shown): ", prompt)
		line, err := c.term.ReadSecret(ctx)
		c.printf("\n")
		switch {
		case err != nil:
			return "", err
		case line == "" && !optional:
			c.printf("Nothing was typed.\n")
		case !utf8.ValidString(line) || strings.ContainsFunc(line, unicode.IsControl):
			c.printf("That has a control character (an arrow key?). Type it again.\n")
		default:
			return line, nil
		}
	}
}
