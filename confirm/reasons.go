package confirm

import "mailgap/shared/mcpserve"

// SafeText implements [mcpserve.SafeText]: a Sentence is in our own words.
func (s Sentence) SafeText() string { return s.s }

var _ mcpserve.SafeText = Sentence{}

// Reasons are the sentences of the notes of at least the level, in the order shown, each once, without their values.
func (q Question) Reasons(least Level) []Sentence {
	var out []Sentence
	seen := map[Sentence]bool{}
	for _, n := range q.Notes {
		if n.Level >= least && !seen[n.Text] {
			seen[n.Text], out = true, append(out, n.Text)
		}
	}
	return out
}

// String is the level as one word.
func (l Level) String() string {
	switch l {
	case LevelNormal:
		return "normal"
	case LevelElevated:
		return "elevated"
	}
	return "severe"
}

// Words implements [mcpserve.Word].
func (Level) Words() []string { return []string{"normal", "elevated", "severe"} }
