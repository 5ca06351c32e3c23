package main

import (
	"fmt"
	"strings"

	"mailgap/shared/cli"
)

// options are the command line.
type options struct {
	demo, verbose, json bool
	device              bool              // login: sign in on another device
	values              map[string]string // flags with a value
	all                 bool              // forget: everything
	message, mailbox    string            // forget: a reference, the name of a mailbox
	http                string            // address to serve HTTP on; "" means standard input and output
	command             string
	args                []string
}

// parseArgs reads flags and command. Flags may stand before or after the command; arguments of the command are kept in
// their order.
func parseArgs(args []string) (options, error) {
	args, values, err := cli.TakeValues(args, append(self().Flags(), "--message", "--mailbox", "--http")...)
	o := options{command: "serve", values: values, message: values["--message"], mailbox: values["--mailbox"], http: values["--http"]}
	if err != nil {
		return o, err
	}
	var words []string
	for _, a := range args {
		switch {
		case a == "--demo" || a == "-demo":
			o.demo = true
		case a == "--verbose":
			o.verbose = true
		case a == "--json":
			o.json = true
		case a == "--device":
			o.device = true
		case a == "--all":
			o.all = true
		case a == "-h" || a == "--help" || a == "-help":
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
