package mcpserve

// SafeText is text that may leave the process inside a result: text that went through a sanitizer, or words of our own.
// A plain string does not implement it, so it cannot be put into a result by accident.
type SafeText interface{ SafeText() string }

// literal is a string that other packages can only make from an untyped string constant.
type literal string

// constant is the SafeText of our own words.
type constant string

// SafeText implements [SafeText].
func (c constant) SafeText() string { return string(c) }

// Constant returns our own words as SafeText. The argument must be a string constant; a variable does not type-check.
func Constant(s literal) SafeText { return constant(s) }

// Word is implemented by named string types whose values are a fixed list of our own words: states, codes, verdicts.
//
//	type Verdict string
//	func (Verdict) Words() []string { return []string{"pass", "fail", "unknown"} }
//
// A field of such a type may be part of a result. Its value is looked up in Words when the result is written; a value
// that is not listed (and not empty) makes the call fail as an internal error, and nothing of the result leaves.
type Word interface{ Words() []string }
