package sanitize

import "unicode/utf8"

// unguarded hands text over as it came. Only the evaluation build reaches it, to measure what the passes stop; the linker
// leaves it out of the shipped programs.
func unguarded(text string) Result {
	return Result{Text: Clean{text}, TotalChars: utf8.RuneCountInString(text)}
}
