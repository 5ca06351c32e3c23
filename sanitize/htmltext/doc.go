// Package htmltext turns HTML written by strangers into what a person would see of it: readable text in pieces, the
// links and images in it, and an account of everything that was not shown.
//
// # What it does
//
// [Convert] parses the source with scripting off, resolves a small CSS cascade (style attributes, style elements,
// presentational attributes, the parts of a browser's default style that matter) and walks the tree once. Each run of
// text is either shown, or withheld under the name of the technique that hides it ([Hidden]), or shown and labelled
// because only some readers would see it. [Judge] gives the same verdicts for the nodes of a tree that somebody else
// parsed, so that outgoing HTML is judged by the same rules.
//
// # The view it assumes
//
// A person with a desktop mail client: screen, 800 CSS pixels wide, light colours, no scripts, remote images not
// loaded, white where no background is declared. What another common view (a telephone, dark colours, print) shows
// differently is labelled, see [Hidden.Uncertain] and [Hidden.Elsewhere].
//
// # Security model
//
// The attacker writes every octet of the source. Promised: text that this view does not show never stands in a [Text]
// segment; the work is linear in the input and the output is bounded, whatever the input (Doc.Notes say which limit was
// met); no panic; nothing is fetched. Not promised: that the text is safe to print or to give to a model. It is raw,
// with control characters, bidirectional marks and markup in it as written; package sanitize cleans it. Nor is this a
// layout engine: two elements painted on top of each other, and letters put in order by positioning, are beyond it.
//
// # Divergences from browsers
//
// Browsers show SVG text, text areas and generated content (::before); most mail clients do not, so here they are
// withheld and counted. Closed details elements are shown with a label, because many clients always open them. A
// contrast below 1.3:1 (WCAG 2 relative luminance) counts as invisible, and letters of 2 px or less do.
//
// Read [Convert] first, then the judge type.
package htmltext
