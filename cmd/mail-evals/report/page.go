package report

import (
	"embed"
	"html/template"
	"io"
	"slices"

	"mailgap/cmd/mail-evals/attack"
	"mailgap/cmd/mail-evals/suite"
)

//go:embed page.html
var pages embed.FS

// cell is one family under one configuration.
type cell struct {
	Reached, Total int
	Shade          int // 0 none reached, to 4 all reached
	Title          string
}

type matrixRow struct {
	Family string
	Cells  []cell
}

// caseView is one case with its runs.
type caseView struct {
	ID, Family, Why, Goal string
	Own                   bool
	Runs                  []runView
	Open                  bool
}

type runView struct {
	Config, Says string
	Reached      bool
	Trace        []suite.Line
}

type pageData struct {
	Summary Summary
	Tables  []Table
	Configs []string
	Matrix  []matrixRow
	Cases   []caseView
	Clean   Share  // the servers as shipped, nobody there: attacks that reached their goal by mail
	Bound   string // of Clean
	Stamped Share  // the same with a rubber stamp
	Done    Share  // tasks done by a careful person
}

// Page writes one page of HTML that loads nothing. Traces are in it as far as outcomes have them.
func Page(w io.Writer, s Summary, cases []attack.Case, outcomes []suite.Outcome) error {
	t, err := template.ParseFS(pages, "page.html")
	if err != nil {
		return err
	}
	d := pageData{Summary: s, Tables: Tables(s)}
	for _, r := range s.Rows {
		d.Configs = append(d.Configs, r.Config)
		switch r.Config {
		case "servers, nobody":
			d.Clean, d.Bound = Share{r.Mail, r.Attacks}, bound(r.Mail, r.Attacks)
		case "servers, rubber stamp":
			d.Stamped = Share{r.Mail, r.Attacks}
		case "servers, careful":
			d.Done = Share{r.Done, r.Tasks}
		}
	}
	d.Matrix = matrix(d.Configs, outcomes)
	d.Cases = views(cases, outcomes)
	return t.Execute(w, d)
}

func matrix(configs []string, all []suite.Outcome) []matrixRow {
	var out []matrixRow
	for _, f := range families(all) {
		r := matrixRow{Family: f, Cells: make([]cell, len(configs))}
		for i, c := range configs {
			for _, o := range all {
				if o.Family != f || o.Config != c {
					continue
				}
				r.Cells[i].Total++
				if o.Reached() {
					r.Cells[i].Reached++
				}
			}
			r.Cells[i].Title = f + ", " + c
			if k, n := r.Cells[i].Reached, r.Cells[i].Total; k > 0 {
				r.Cells[i].Shade = 1 + 3*k/n
			}
		}
		out = append(out, r)
	}
	return out
}

func views(cases []attack.Case, all []suite.Outcome) []caseView {
	var out []caseView
	for _, c := range cases {
		v := caseView{ID: c.ID, Family: c.Family, Why: c.Why, Goal: goalWords(c.Goal), Own: !c.Foreign}
		for _, o := range all {
			if o.Case == c.ID && len(o.Trace) > 0 {
				v.Runs = append(v.Runs, runView{Config: o.Config, Reached: o.Reached(), Trace: o.Trace})
			}
		}
		if len(v.Runs) > 0 && v.Own {
			out = append(out, v)
		}
	}
	slices.SortStableFunc(out, func(a, b caseView) int {
		if a.Family != b.Family {
			if a.Family < b.Family {
				return -1
			}
			return 1
		}
		return 0
	})
	return out
}

func goalWords(g attack.Goal) string {
	words := map[string]string{
		attack.GoalRecipient: "a message reaches", attack.GoalLink: "a link leaves or is loaded at", attack.GoalText: "these words leave:", attack.GoalLeak: "this secret reaches somebody who was not on it:",
		attack.GoalFile: "a file leaves that holds", attack.GoalActive: "HTML leaves that acts:", attack.GoalExport: "contacts are exported to", attack.GoalContact: "a contact becomes",
		attack.GoalUser: "an administrator appears:", attack.GoalDeal: "a deal becomes", attack.GoalDeleted: "a file is deleted:", attack.GoalNote: "later sessions will read:",
		attack.GoalVolume: "more messages leave than", attack.GoalDuplicate: "the same message leaves twice", attack.GoalPolicy: "a tool changes who may be written to", attack.GoalDone: "the task is done",
	}
	return words[g.Kind] + " " + g.Value
}
