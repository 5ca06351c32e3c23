package main

import (
	"fmt"
	"strconv"
	"strings"
)

// options are the command line.
type options struct {
	command                       string
	full, chat, nightly           bool
	config, only                  string
	json, html, summary           string
	workers, sample, variantCount int
	every                         int // take every n-th attack
}

// parse reads the command and its flags, in any order.
func parse(args []string) (options, error) {
	o := options{command: "run", workers: 2, sample: 12, variantCount: 40, every: 1}
	texts := map[string]*string{"--config": &o.config, "--case": &o.only, "--json": &o.json, "--html": &o.html, "--summary": &o.summary}
	numbers := map[string]*int{"--workers": &o.workers, "--sample": &o.sample, "--variants": &o.variantCount, "--every": &o.every}
	switches := map[string]*bool{"--full": &o.full, "--chat": &o.chat, "--nightly": &o.nightly}
	named := false
	for i := 0; i < len(args); i++ {
		name, value, joined := strings.Cut(args[i], "=")
		next := func() (string, error) {
			if joined {
				return value, nil
			}
			if i++; i >= len(args) {
				return "", fmt.Errorf("%s needs a value", name)
			}
			return args[i], nil
		}
		var err error
		switch {
		case switches[name] != nil:
			*switches[name] = true
		case texts[name] != nil:
			*texts[name], err = next()
		case numbers[name] != nil:
			var text string
			if text, err = next(); err == nil {
				*numbers[name], err = strconv.Atoi(text)
			}
		case name == "-h" || name == "--help":
			o.command, named = "help", true
		case strings.HasPrefix(name, "-") || named:
			return o, fmt.Errorf("unknown argument %q", args[i])
		default:
			o.command, named = name, true
		}
		if err != nil {
			return o, err
		}
	}
	if o.workers < 1 || o.sample < 1 || o.variantCount < 1 || o.every < 1 {
		return o, fmt.Errorf("a number must be at least 1")
	}
	return o, nil
}
