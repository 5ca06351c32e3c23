package readmail

import "mailgap/sanitize"

// maxSignalNames bounds the names and file names that are looked at for shapes of injected instructions.
const maxSignalNames = 50

// headSignals are the shapes of injected instructions in what stands around the text of a message: its subject, the names of
// its authors, and the names of its files. Each says where it was seen.
func headSignals(f *summaryFacts) []sanitize.Clean {
	var out []sanitize.Clean
	look := func(text string, where sanitize.Clean) {
		for _, g := range sanitize.Signals(text, where) {
			out = append(out, sanitize.Sprintf("%s (%s)", string(g.Name), where))
		}
	}
	look(f.subject, sanitize.Literal("subject"))
	for _, a := range f.from[:min(len(f.from), maxSignalNames)] {
		look(a.DisplayName, sanitize.Literal("sender's name"))
	}
	for _, n := range f.body.Attachments[:min(len(f.body.Attachments), maxSignalNames)] {
		look(n.Filename().Raw, sanitize.Literal("file name"))
	}
	return unique(out)
}

// unique returns list without repetitions, in order.
func unique(list []sanitize.Clean) []sanitize.Clean {
	seen := map[sanitize.Clean]bool{}
	out := list[:0]
	for _, c := range list {
		if !seen[c] {
			seen[c] = true
			out = append(out, c)
		}
	}
	return out
}
