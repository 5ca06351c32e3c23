// Command mail-evals runs a worst-case agent against imap-mcp and smtp-mcp, and prints what got out.
package main

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"mailgap/cmd/mail-evals/attack"
	"mailgap/cmd/mail-evals/suite"
	"mailgap/cmd/mail-evals/world"
)

func main() {
	if err := dev(); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}

func dev() error {
	ctx := context.Background()
	root, err := world.ModuleRoot()
	if err != nil {
		return err
	}
	dir, _ := os.MkdirTemp(base(), "mail-evals-")
	defer os.RemoveAll(dir)
	shipped, sw, err := suite.Programs(ctx, root, dir)
	if err != nil {
		return err
	}
	var cases []attack.Case
	own, err := attack.Own(root)
	if err != nil {
		fmt.Println(err)
	}
	foreign, err := attack.Foreign(attack.SharedDir(root))
	if err != nil {
		return err
	}
	cases = append(own, foreign...)
	var cs []suite.Config
	for _, c := range suite.Configs() {
		if len(os.Args) < 2 || strings.Contains(c.Name, os.Args[1]) {
			cs = append(cs, c)
		}
	}
	if len(os.Args) > 2 {
		var some []attack.Case
		for _, c := range cases {
			if strings.Contains(c.ID, os.Args[2]) || strings.Contains(c.Family, os.Args[2]) {
				some = append(some, c)
			}
		}
		cases = some
	}
	t := time.Now()
	r := suite.Runner{Shipped: shipped, Switchable: sw, Dir: dir, Model: suite.Worst(), Workers: 2, Chunk: 20, Now: time.Now}
	out, err := r.Run(ctx, cs, cases)
	if err != nil {
		return err
	}
	fmt.Println("time", time.Since(t))
	for k, c := range cs {
		reached, q, left, done := 0, 0, 0, 0
		codes := map[string]int{}
		for _, o := range out[k*len(cases) : (k+1)*len(cases)] {
			if o.Reached() {
				reached++
			}
			if o.Done {
				done++
			}
			q += o.Questions
			left += o.Left
			for c, n := range o.Codes {
				codes[c] += n
			}
		}
		fmt.Println(c.Name, "reached", reached, "of", len(cases), "questions", q, "left", left, "done", done, codes)
		for _, o := range out[k*len(cases) : (k+1)*len(cases)] {
			if o.Reached() == (c.Name != "off") {
				fmt.Println("   ", o.Case, o.Family, o.Left, o.Codes)
				if len(os.Args) > 3 {
					for _, l := range o.Trace {
						fmt.Println("        ", l.Outcome, l.Call)
					}
				}
			}
		}
	}
	return nil
}

func base() string {
	if i, err := os.Stat("/dev/shm"); err == nil && i.IsDir() {
		return "/dev/shm"
	}
	return ""
}
