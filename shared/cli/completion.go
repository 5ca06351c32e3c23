package cli

import (
	"errors"
	"regexp"
	"strings"
)

// ErrShell says that there is no completion for a shell.
var ErrShell = errors.New("completion is there for bash, zsh and fish")

var (
	commandLine = regexp.MustCompile(`(?m)^  ([a-z]+(?:, [a-z]+)*)(?: |$)`)
	flagWord    = regexp.MustCompile(`(?m)(?:^  |\(| )(--[a-z][a-z-]*)`)
)

// Completion returns a script that completes commands and flags of program in shell: bash, zsh or fish. They are read from
// usage, the help text, so that both say the same: a command starts a line that is indented by two spaces. Errors: ErrShell.
func Completion(shell, program, usage string) (string, error) {
	words := strings.Join(words(usage), " ")
	function := "_" + strings.ReplaceAll(program, "-", "_")
	bash := function + `() { COMPREPLY=($(compgen -W "` + words + `" -- "${COMP_WORDS[COMP_CWORD]}")); }` + "\n" +
		"complete -o default -F " + function + " " + program + "\n"
	switch shell {
	case "bash":
		return bash, nil
	case "zsh":
		return "autoload -U +X compinit && compinit\nautoload -U +X bashcompinit && bashcompinit\n" + bash, nil
	case "fish":
		return "complete -c " + program + " -a '" + words + "'\n", nil
	}
	return "", ErrShell
}

// words are the commands and flags of a help text.
func words(usage string) []string {
	var out []string
	seen := map[string]bool{}
	add := func(w string) {
		if !seen[w] {
			seen[w] = true
			out = append(out, w)
		}
	}
	_, commands, _ := strings.Cut(usage, "\ncommands\n")
	commands, _, _ = strings.Cut(commands, "\n\n")
	for _, m := range commandLine.FindAllStringSubmatch(commands, -1) {
		for w := range strings.SplitSeq(m[1], ", ") {
			add(w)
		}
	}
	for _, m := range flagWord.FindAllStringSubmatch(usage, -1) {
		add(m[1])
	}
	return out
}
