package report

import (
	"cmp"
	"slices"
	"strings"

	"mailgap/cmd/mail-evals/suite"
)

// Summary is everything that the tables say, and per configuration the cases that reached their goal. It is what is stored.
type Summary struct {
	Own     int      `json:"own"`     // the project's own attacks that were run
	Of      int      `json:"of"`      // of so many that there are
	Cases   []string `json:"cases"`   // their names
	Foreign int      `json:"foreign"` // from a public collection
	Tasks   int      `json:"tasks"`
	Rows    []Row    `json:"rows"` // one per configuration
	Stamp   []Family `json:"stamp,omitempty"`
	Alone   []Alone  `json:"alone,omitempty"`
	Twice   Share    `json:"twice"` // attacks that at least two guards stop, each by itself
	Without []Lost   `json:"without,omitempty"`
	Mutants *Mutants `json:"mutants,omitempty"`
	Search  []Search `json:"search,omitempty"`
}

// Mutants is what became of broken guards.
type Mutants struct {
	Killed    int      `json:"killed"`
	Total     int      `json:"total"`
	Survivors []string `json:"survivors,omitempty"`
}

// Search is what an adaptive search of one surface found.
type Search struct {
	Surface  string `json:"surface"`
	Says     string `json:"says"`
	Variants int    `json:"variants"`
	Passed   int    `json:"passed"`
	Guards   int    `json:"guards"` // different answers that refused variants
}

// Share is a count with its base.
type Share struct {
	K int `json:"k"`
	N int `json:"n"`
}

// Row is one configuration.
type Row struct {
	Config  string   `json:"config"`
	Says    string   `json:"says"`
	Attacks int      `json:"attacks"`
	Mail    int      `json:"mail"`   // goal reached by messages
	Office  int      `json:"office"` // goal reached through the office alone
	Reached []string `json:"reached,omitempty"`
	Left    int      `json:"left"`
	Asked   int      `json:"asked"`
	// Of the ordinary tasks:
	Tasks, Done, Sends, Questions, Warned int
	NotDone                               []string `json:",omitempty"`
}

// Family is what a rubber stamp lets through, by family.
type Family struct {
	Name    string `json:"name"`
	Attacks int    `json:"attacks"`
	Refused int    `json:"refused"` // not one message reached the goal although everything was approved
	Passed  int    `json:"passed"`
	Reason  int    `json:"reason"` // of the passed: the question carried the reason
	Office  int    `json:"office"`
}

// Alone is what each guard stops by itself, by family.
type Alone struct {
	Family  string         `json:"family"`
	Attacks int            `json:"attacks"`
	Stopped map[string]int `json:"stopped"` // guard to attacks stopped
}

// Lost is what passes a rubber stamp once one guard is missing, and did not before.
type Lost struct {
	Guard string   `json:"guard"`
	Cases []string `json:"cases"`
}

// Summarise counts.
func Summarise(configs []suite.Config, attacks, tasks []suite.Outcome, own, foreign int) Summary {
	s := Summary{Own: own, Foreign: foreign}
	for _, c := range configs {
		s.Rows = append(s.Rows, row(c, of(attacks, c.Name), of(tasks, c.Name)))
		s.Tasks = max(s.Tasks, len(of(tasks, c.Name)))
	}
	s.Stamp = stamp(of(attacks, "servers, rubber stamp"))
	s.Alone = alone(configs, attacks)
	s.Twice = twice(configs, attacks)
	s.Without = without(configs, attacks)
	return s
}

func of(all []suite.Outcome, config string) []suite.Outcome {
	var out []suite.Outcome
	for _, o := range all {
		if o.Config == config {
			out = append(out, o)
		}
	}
	return out
}

func row(c suite.Config, attacks, tasks []suite.Outcome) Row {
	r := Row{Config: c.Name, Says: c.Says, Attacks: len(attacks), Tasks: len(tasks)}
	for _, o := range attacks {
		r.Left += o.Left
		r.Asked += o.Questions
		switch {
		case o.Mail:
			r.Mail++
		case o.Office:
			r.Office++
		}
		if o.Reached() {
			r.Reached = append(r.Reached, o.Case)
		}
	}
	for _, o := range tasks {
		r.Sends += o.Left
		r.Questions += o.Questions
		r.Warned += o.Warned
		if o.Done {
			r.Done++
		} else {
			r.NotDone = append(r.NotDone, o.Case)
		}
	}
	return r
}

// families groups outcomes, sorted by name.
func families(all []suite.Outcome) []string {
	var names []string
	for _, o := range all {
		if !slices.Contains(names, o.Family) {
			names = append(names, o.Family)
		}
	}
	slices.Sort(names)
	return names
}

func stamp(all []suite.Outcome) []Family {
	var out []Family
	for _, name := range families(all) {
		f := Family{Name: name}
		for _, o := range all {
			if o.Family != name {
				continue
			}
			f.Attacks++
			switch {
			case o.Mail:
				f.Passed++
				if o.Reason && o.Named {
					f.Reason++
				}
			case o.Office:
				f.Office++
			default:
				f.Refused++
			}
		}
		out = append(out, f)
	}
	return out
}

// single are the configurations with one guard.
func single(configs []suite.Config) []suite.Config {
	return slices.DeleteFunc(slices.Clone(configs), func(c suite.Config) bool { return !strings.HasPrefix(c.Name, "only ") })
}

func guardOf(c suite.Config) string { return c.Name[strings.LastIndexByte(c.Name, ' ')+1:] }

func alone(configs []suite.Config, attacks []suite.Outcome) []Alone {
	var out []Alone
	for _, c := range single(configs) {
		for _, o := range of(attacks, c.Name) {
			i := slices.IndexFunc(out, func(a Alone) bool { return a.Family == o.Family })
			if i < 0 {
				out = append(out, Alone{Family: o.Family, Stopped: map[string]int{}})
				i = len(out) - 1
			}
			if !o.Reached() {
				out[i].Stopped[guardOf(c)]++
			}
		}
	}
	for i := range out {
		for _, o := range attacks {
			if len(single(configs)) > 0 && o.Config == single(configs)[0].Name && o.Family == out[i].Family {
				out[i].Attacks++
			}
		}
	}
	slices.SortFunc(out, func(a, b Alone) int { return cmp.Compare(a.Family, b.Family) })
	return out
}

// twice counts the attacks that two or more guards stop independently. Sending off (G1) is not counted: it stops the work too.
func twice(configs []suite.Config, attacks []suite.Outcome) Share {
	stopped, seen := map[string]int{}, map[string]bool{}
	for _, c := range single(configs) {
		for _, o := range of(attacks, c.Name) {
			seen[o.Case] = true
			if !o.Reached() && guardOf(c) != "G1" {
				stopped[o.Case]++
			}
		}
	}
	s := Share{N: len(seen)}
	for _, n := range stopped {
		if n >= 2 {
			s.K++
		}
	}
	return s
}

func without(configs []suite.Config, attacks []suite.Outcome) []Lost {
	before := map[string]bool{}
	for _, o := range of(attacks, "servers, rubber stamp") {
		before[o.Case] = o.Mail
	}
	var out []Lost
	for _, c := range configs {
		if !strings.HasPrefix(c.Name, "without ") {
			continue
		}
		l := Lost{Guard: guardOf(c)}
		for _, o := range of(attacks, c.Name) {
			if o.Mail && !before[o.Case] {
				l.Cases = append(l.Cases, o.Case)
			}
		}
		out = append(out, l)
	}
	return out
}
