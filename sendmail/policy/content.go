package policy

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

func (v *Verdict) checkSubject(subject string, maxChars int) {
	if code := oneLine(subject); code != "" {
		v.refuse(code, "subject", 0, nil)
		return
	}
	if utf8.RuneCountInString(subject) > maxChars {
		v.refuse(CodeSubjectTooLong, "subject", 0, nil)
	}
	if holdsEncodedWord(subject) {
		v.refuse(CodeEncodedWord, "subject", 0, nil)
	}
	if holdsToolMarkup(subject) {
		v.refuse(CodeToolMarkup, "subject", 0, nil)
	}
}

func (v *Verdict) checkHeaderValue(value string, index int) {
	if code := oneLine(value); code != "" {
		v.refuse(code, "header value", index, nil)
		return
	}
	if len(value) > maxHeaderValueOctets {
		v.refuse(CodeHeaderValueTooLong, "header value", index, nil)
	}
}

func (v *Verdict) checkBody(field, body string, maxBytes int, tooLarge Code) {
	switch {
	case len(body) > maxBytes:
		v.refuse(tooLarge, field, 0, nil)
		return
	case !utf8.ValidString(body):
		v.refuse(CodeNotUTF8, field, 0, nil)
		return
	case strings.ContainsFunc(body, bodyControl):
		v.refuse(CodeControlCharacter, field, 0, nil)
	}
	if holdsToolMarkup(body) {
		v.refuse(CodeToolMarkup, field, 0, nil)
	}
}

// bodyControl: tab and line ends belong in a text; escape sequences and the like do not.
func bodyControl(r rune) bool { return unicode.IsControl(r) && r != '\t' && r != '\n' && r != '\r' }

// oneLine gives the code for a value that cannot stand on one line of a header, or "".
func oneLine(s string) Code {
	if !utf8.ValidString(s) {
		return CodeNotUTF8
	}
	var code Code
	for _, r := range s {
		switch {
		case isLineBreak(r):
			return CodeLineBreak
		case unicode.IsControl(r):
			code = CodeControlCharacter
		case turnsDirection(r) && code == "":
			code = CodeDirectionCharacter
		}
	}
	return code
}

// isLineBreak: the mandatory breaks of UAX #14 (LF, VT, FF, CR, NEL, LS, PS; CRLF is two of them).
func isLineBreak(r rune) bool {
	return r >= '\n' && r <= '\r' || r == 0x85 || r == 0x2028 || r == 0x2029
}

// turnsDirection: embeddings, overrides and isolates of UAX #9 §2. The marks LRM, RLM and ALM only settle neutral
// characters and are left alone.
func turnsDirection(r rune) bool { return r >= 0x202A && r <= 0x202E || r >= 0x2066 && r <= 0x2069 }

// holdsEncodedWord: "=?", three more question marks, the last before "=" (RFC 2047 §2), read as loosely as lenient decoders do.
func holdsEncodedWord(s string) bool {
	_, rest, found := strings.Cut(s, "=?")
	if !found {
		return false
	}
	for n := 0; ; n++ {
		_, after, more := strings.Cut(rest, "?")
		if !more {
			return false
		}
		if n >= 2 && strings.HasPrefix(after, "=") {
			return true
		}
		rest = after
	}
}

// holdsToolMarkup reports the framing of a tool call that a model meant for its own machinery.
func holdsToolMarkup(s string) bool {
	if !strings.ContainsAny(s, "<[") {
		return false
	}
	return toolMarkup.MatchString(s)
}

// Quirk: seen in mail that models wrote: closing tags of the call behind the last line, and chat templates' own tokens.
var toolMarkup = regexp.MustCompile(`(?i)</?(?:[a-z]+:)?(?:function_calls|invoke|tool_call|tool_use|tool_calls)\b[^<>]{0,80}>|</?(?:[a-z]+:)?parameter(?: name="[^"<>]{0,60}")?>|<\|(?:im_start|im_end|tool_call[a-z_]*|start|end|channel|message|call)\|>|\[/?TOOL_CALLS?\]`)

func blank(s string) bool { return strings.TrimSpace(s) == "" }
