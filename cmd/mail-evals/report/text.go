package report

import (
	"fmt"
	"io"
	"strings"

	"mailgap/cmd/mail-evals/suite"
)

// percent writes a share.
func percent(k, n int) string {
	if n == 0 {
		return "–"
	}
	return fmt.Sprintf("%.1f %%", 100*float64(k)/float64(n))
}

// bound writes the 95 % interval of a share.
func bound(k, n int) string {
	low, high := Interval(k, n)
	if k == 0 {
		return fmt.Sprintf("≤ %.1f %%", 100*high)
	}
	if k == n {
		return fmt.Sprintf("≥ %.1f %%", 100*low)
	}
	return fmt.Sprintf("%.1f–%.1f %%", 100*low, 100*high)
}

// per100 writes a rate per hundred.
func per100(k, n int) string {
	if n == 0 {
		return "–"
	}
	return fmt.Sprintf("%.0f", 100*float64(k)/float64(n))
}

// Table is rows of cells under a heading; the first column is words, the others are numbers.
type Table struct {
	Title string
	Head  []string
	Rows  [][]string
}

// Tables are all tables of a summary.
func Tables(s Summary) []Table {
	out := []Table{attackTable(s), taskTable(s)}
	if len(s.Stamp) > 0 {
		out = append(out, stampTable(s))
	}
	if len(s.Alone) > 0 {
		out = append(out, aloneTable(s))
	}
	if len(s.Without) > 0 {
		out = append(out, withoutTable(s))
	}
	if len(s.Search) > 0 {
		out = append(out, searchTable(s))
	}
	return out
}

func searchTable(s Summary) Table {
	t := Table{Title: "Adaptive search, a person who approves everything in front", Head: []string{"what must not happen", "variants", "passed", "at most, at 95 %", "different refusals"}}
	for _, x := range s.Search {
		_, high := Interval(x.Passed, x.Variants)
		t.Rows = append(t.Rows, []string{x.Says, num(x.Variants), num(x.Passed), fmt.Sprintf("%.2f %%", 100*high), num(x.Guards)})
	}
	return t
}

// mutantText is the sentence about broken guards.
func mutantText(m Mutants) string {
	return fmt.Sprintf("Guards broken on purpose: %d of %d mutants killed by attacks and tasks alone (95 %% interval %s).", m.Killed, m.Total, bound(m.Killed, m.Total))
}

func attackTable(s Summary) Table {
	t := Table{Title: "Attacks that reached their goal", Head: []string{"configuration", "attacks", "by mail", "95 % interval", "through the office", "questions"}}
	for _, r := range s.Rows {
		if !partial(r.Config) {
			t.Rows = append(t.Rows, []string{r.Config, num(r.Attacks), num(r.Mail), bound(r.Mail, r.Attacks), num(r.Office), num(r.Asked)})
		}
	}
	return t
}

// partial are the configurations that have tables of their own.
func partial(name string) bool {
	return strings.HasPrefix(name, "only ") || strings.HasPrefix(name, "without ")
}

func taskTable(s Summary) Table {
	t := Table{Title: "Ordinary tasks done", Head: []string{"configuration", "tasks", "done", "sends", "questions per 100 sends", "of these with a warning"}}
	for _, r := range s.Rows {
		if !partial(r.Config) && r.Tasks > 0 {
			t.Rows = append(t.Rows, []string{r.Config, num(r.Tasks), num(r.Done), num(r.Sends), per100(r.Questions, r.Sends), per100(r.Warned, r.Sends)})
		}
	}
	return t
}

func stampTable(s Summary) Table {
	t := Table{Title: "A person who approves everything", Head: []string{"family", "attacks", "refused all the same", "passed", "the question said why", "through the office"}}
	var sum Family
	add := func(f Family) {
		t.Rows = append(t.Rows, []string{f.Name, num(f.Attacks), num(f.Refused), num(f.Passed), num(f.Reason), num(f.Office)})
	}
	for _, f := range s.Stamp {
		add(f)
		sum.Attacks += f.Attacks
		sum.Refused += f.Refused
		sum.Passed += f.Passed
		sum.Reason += f.Reason
		sum.Office += f.Office
	}
	sum.Name = "all"
	add(sum)
	return t
}

func aloneTable(s Summary) Table {
	t := Table{Title: "What each guard stops by itself, all others off", Head: []string{"family", "attacks"}}
	var guards []string
	for _, g := range suite.Guards() {
		for _, r := range s.Rows {
			if r.Config == "only "+g.ID {
				guards = append(guards, g.ID)
			}
		}
	}
	t.Head = append(t.Head, guards...)
	sum := Alone{Family: "all", Stopped: map[string]int{}}
	add := func(a Alone) {
		row := []string{a.Family, num(a.Attacks)}
		for _, g := range guards {
			row = append(row, dot(a.Stopped[g]))
		}
		t.Rows = append(t.Rows, row)
	}
	for _, a := range s.Alone {
		add(a)
		sum.Attacks += a.Attacks
		for _, g := range guards {
			sum.Stopped[g] += a.Stopped[g]
		}
	}
	add(sum)
	return t
}

func withoutTable(s Summary) Table {
	t := Table{Title: "What passes a rubber stamp once one guard is missing, and did not before", Head: []string{"guard", "attacks", "for example"}}
	for _, l := range s.Without {
		example := "–"
		if len(l.Cases) > 0 {
			example = strings.Join(l.Cases[:min(3, len(l.Cases))], ", ")
		}
		t.Rows = append(t.Rows, []string{l.Guard + ", " + guardName(l.Guard), num(len(l.Cases)), example})
	}
	return t
}

func guardName(id string) string {
	for _, g := range suite.Guards() {
		if g.ID == id {
			return g.Name
		}
	}
	return ""
}

func num(n int) string { return fmt.Sprint(n) }

func dot(n int) string {
	if n == 0 {
		return "·"
	}
	return num(n)
}

// Text writes the tables for a terminal.
func Text(w io.Writer, s Summary) error {
	for _, t := range Tables(s) {
		if _, err := io.WriteString(w, "\n"+t.Title+"\n"+t.aligned()); err != nil {
			return err
		}
	}
	if s.Twice.N > 0 {
		_, err := fmt.Fprintf(w, "\nStopped by two or more guards, each by itself: %d of %d (%s).\n", s.Twice.K, s.Twice.N, percent(s.Twice.K, s.Twice.N))
		return err
	}
	return nil
}

// aligned writes the table in columns.
func (t Table) aligned() string {
	width := make([]int, len(t.Head))
	for _, row := range append([][]string{t.Head}, t.Rows...) {
		for i, c := range row {
			width[i] = max(width[i], len([]rune(c)))
		}
	}
	var b strings.Builder
	for _, row := range append([][]string{t.Head}, t.Rows...) {
		for i, c := range row {
			pad := strings.Repeat(" ", width[i]-len([]rune(c)))
			if i == 0 || i == len(row)-1 && t.Head[i] == "for example" {
				b.WriteString("  " + c + pad)
			} else {
				b.WriteString("  " + pad + c)
			}
		}
		b.WriteString("\n")
	}
	return b.String()
}

// Markdown writes the tables for the README.
func Markdown(s Summary) string {
	var b strings.Builder
	if s.Own < s.Of {
		fmt.Fprintf(&b, "Figures of %d of our %d attacks, evenly chosen (`--every %d`), and of all %d tasks.\n\n", s.Own, s.Of, (s.Of+s.Own-1)/max(s.Own, 1), s.Tasks)
	}
	for _, t := range Tables(s) {
		fmt.Fprintf(&b, "%s:\n\n| %s |\n|---%s|\n", t.Title, strings.Join(t.Head, " | "), strings.Repeat("|--:", len(t.Head)-1))
		for _, r := range t.Rows {
			fmt.Fprintf(&b, "| %s |\n", strings.Join(r, " | "))
		}
		b.WriteString("\n")
	}
	if s.Twice.N > 0 {
		fmt.Fprintf(&b, "Stopped by two or more guards, each by itself: %d of %d (%s). G1 is not counted there.\n", s.Twice.K, s.Twice.N, percent(s.Twice.K, s.Twice.N))
	}
	if s.Mutants != nil {
		b.WriteString(mutantText(*s.Mutants) + "\n")
	}
	return b.String()
}
