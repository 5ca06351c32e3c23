package sanitize

import (
	"cmp"
	"slices"
)

// Kind names what a Finding counted.
type Kind string

// Kinds of findings.
const (
	KindInvalidUTF8       Kind = "invalid_utf8"         // octets that are no UTF-8, shown as U+FFFD
	KindLineBreak         Kind = "odd_line_break"       // CR, VT, FF, NEL, LS, PS, written as line feeds
	KindControl           Kind = "control_character"    // C0 and C1 controls, removed
	KindTerminalEscape    Kind = "terminal_escape"      // ANSI, OSC, DCS and other control sequences, removed
	KindBidi              Kind = "bidi_control"         // overrides, unbalanced isolates, marks outside right-to-left text, removed
	KindZeroWidth         Kind = "zero_width"           // zero-width characters without work to do, removed
	KindTag               Kind = "tag_character"        // U+E0000 to U+E007F, removed
	KindVariationSelector Kind = "variation_selector"   // selectors that select nothing, removed
	KindFiller            Kind = "filler"               // Hangul, Khmer and Braille blanks, removed
	KindAnnotation        Kind = "annotation_character" // interlinear annotation, removed
	KindFormat            Kind = "format_character"     // deprecated and musical format controls, removed
	KindNoncharacter      Kind = "noncharacter"         // removed
	KindCombiningRun      Kind = "combining_run"        // combining marks beyond eight on one character, removed
	KindImage             Kind = "markdown_image"       // images in markup, written as [image: …]
	KindMarkup            Kind = "markup_escaped"       // places where markup could start, broken by a backslash
	KindFenceRun          Kind = "code_fence"           // runs that could open or close a code block, broken by a backslash
	KindTurnMark          Kind = "turn_delimiter"       // chat turn delimiters such as <|…|>, broken by a backslash
	KindReference         Kind = "character_reference"  // references that hide markup, broken by a backslash
	KindDataURI           Kind = "data_uri"             // replaced by their type and length
	KindBlob              Kind = "encoded_blob"         // base64 and hexadecimal runs, replaced by their length
	KindForgedMark        Kind = "forged_mark"          // marks of ours that the message itself contained
	KindConfusable        Kind = "confusable_word"      // words that mix look-alike scripts
	KindSecret            Kind = "secret_masked"        // one-time codes and sign-in links
	KindHidden            Kind = "hidden_passage"       // passages a person would not see
	KindMismatch          Kind = "link_mismatch"        // links that show another site than their target
	KindTrackingPixel     Kind = "tracking_pixel"       // images that count readers and show nothing (HTML only)
)

// Words lists the kinds.
func (Kind) Words() []string {
	return wordList(KindInvalidUTF8, KindLineBreak, KindControl, KindTerminalEscape, KindBidi, KindZeroWidth, KindTag, KindVariationSelector, KindFiller,
		KindAnnotation, KindFormat, KindNoncharacter, KindCombiningRun, KindImage, KindMarkup, KindFenceRun, KindTurnMark, KindReference, KindDataURI,
		KindBlob, KindForgedMark, KindConfusable, KindSecret, KindHidden, KindMismatch, KindTrackingPixel)
}

func wordList[T ~string](all ...T) []string {
	list := make([]string, len(all))
	for k, w := range all {
		list[k] = string(w)
	}
	return list
}

// Finding says what was removed, replaced or noticed in a text, and how often.
type Finding struct {
	Kind  Kind  `json:"kind"`
	Count int   `json:"count"`
	Where Clean `json:"where,omitzero"`
}

// counts gathers findings; the nil value drops them.
type counts struct{ n map[Kind]int }

func (c *counts) add(k Kind, n int) {
	if c == nil || n <= 0 {
		return
	}
	if c.n == nil {
		c.n = map[Kind]int{}
	}
	c.n[k] += n
}

func (c *counts) findings(where Clean) []Finding {
	var all []Finding
	for k, n := range c.n {
		all = append(all, Finding{Kind: k, Count: n, Where: where})
	}
	slices.SortFunc(all, func(a, b Finding) int { return cmp.Compare(a.Kind, b.Kind) })
	return all
}
