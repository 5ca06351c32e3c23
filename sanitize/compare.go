package sanitize

// Verdict is what a comparison of a message's two texts says.
type Verdict string

// Verdicts of Compare.
const (
	VerdictSame          Verdict = "same"
	VerdictPlainStub     Verdict = "plain_stub"
	VerdictContradiction Verdict = "contradiction"
)

// Comparison says how a message's plain text and HTML text relate.
type Comparison struct {
	Verdict Verdict `json:"verdict"`
	// ShowHTML reports that the HTML text is the one to show.
	ShowHTML bool `json:"show_html"`
	// Note says why, in our words.
	Note Clean `json:"note,omitzero"`
}

// Compare compares the two texts of one message, both as they came from ForModel and HTML.
func Compare(plain, html Clean) Comparison {
	return Comparison{Verdict: VerdictSame, ShowHTML: html.s != ""}
}
