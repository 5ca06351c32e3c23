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
// segment without a label; the work is linear in the input and the output is bounded, whatever the input (Doc.Notes say
// which limit was met); no panic; nothing is fetched. Not promised: that the text is safe to print or to give to a model.
// It is raw, with control characters, bidirectional marks and markup in it as written; package sanitize cleans it.
//
// Nor is this a layout engine. Where boxes end up is estimated: text that one element paints over another, letters put in
// order by positioning, and boxes whose size follows from their content are beyond it. What it knows to be beyond it
// (rotations, partial clip paths, masks from images, floats and moved boxes that may lie off their background, text that
// may not fit its box) is shown with a label.
//
// # Verdicts
//
// Withheld: what the assumed view does not show. Shown with a label ([Hidden.Uncertain]): what cannot be decided, and what
// another common view hides ([Hidden.OtherView]); newsletters do the latter all the time. Withheld with a remark
// ([Hidden.Elsewhere]): what only another view shows. The short hidden line at the top of a newsletter has its own mark.
// If more style rules were found, or they needed more work, than the limits allow, everything they may hide is labelled.
//
// # Divergences from browsers
//
// A contrast below 1.3:1 (WCAG 2.2 relative luminance) counts as invisible, and letters of 2 px or less do; relative
// letter sizes have no lower limit (Chromium has 6 px, WebKit 9 px, Thunderbird none). Drawings (svg), text areas, fallback
// of plug-ins, noscript and generated content (::before) are withheld, because web mail removes them although a browser
// may show them. Closed details elements are shown with a label, because many clients open them. Nested style rules,
// container queries and features that are not known to be supported count as other views. The tests ask Chromium about
// every technique, its harmless twin and every ordinary mail, and each exception is written down in its case.
//
// Read [Convert] first, then the judge type.
package htmltext
