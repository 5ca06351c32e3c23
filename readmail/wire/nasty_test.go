package wire

import (
	"strings"
	"testing"
)

// Responses of a megabyte made to cost quadratic time in some scanner. Each takes milliseconds; a quadratic one would
// take minutes. The message after it must arrive.
func TestNastyResponses(t *testing.T) {
	const n = 1_000_000
	structure := func(s string) string { return "* 1 FETCH (UID 1 BODYSTRUCTURE (" + s + ")" }
	for name, line := range map[string]string{
		"brackets and spaces":      "* 1 FETCH (UID 1 " + strings.Repeat("[ ", n/2) + ")",
		"brackets":                 "* 1 FETCH (UID 1 " + strings.Repeat("[", n) + ")",
		"sections":                 "* 1 FETCH (UID 1 " + strings.Repeat("a[] ", n/4) + ")",
		"quotes":                   structure(strings.Repeat("\"", n-1)),
		"quotes and letters":       structure(strings.Repeat("\" a", n/3-1)),
		"quotes and runs of SP":    structure("\"a" + strings.Repeat("\""+strings.Repeat(" ", 1000), n/1001)),
		"empty literals":           structure(strings.Repeat("{0}\r\n \"a\" ", n/10)),
		"empty parts":              structure(strings.Repeat("()", n/2)),
		"lists left open":          structure(strings.Repeat("(\"a\"", n/4)),
		"strings in deep lists":    structure(strings.Repeat("(", 200) + strings.Repeat("\"a\" (\"b\")", n/10)),
		"addresses":                "* 1 FETCH (UID 1 ENVELOPE (\"d\" \"s\" (" + strings.Repeat("(NIL NIL NIL NIL)", n/17) + ") NIL NIL NIL NIL NIL NIL NIL))",
		"threads left open":        "* THREAD " + strings.Repeat("(1 ", n/3),
		"set in random order":      "* ESEARCH (TAG \"T1\") UID ALL " + strings.Repeat("5,3,", n/4) + "1",
		"comments in a date":       "* 1 FETCH (UID 1 ENVELOPE (\"" + strings.Repeat("(", 60_000) + "\" \"s\" NIL NIL NIL NIL NIL NIL NIL NIL))",
		"brackets in a message id": "* 1 FETCH (UID 1 ENVELOPE (\"d\" \"s\" NIL NIL NIL NIL NIL NIL \"" + strings.Repeat("<", 60_000) + "\" \"" + strings.Repeat("(", 60_000) + "\"))",
		"encoded words":            "* 1 FETCH (UID 1 ENVELOPE (\"d\" \"" + strings.Repeat("=?", 30_000) + "\" NIL NIL NIL NIL NIL NIL NIL NIL))",
	} {
		t.Run(name, func(t *testing.T) {
			client, c, _ := dial(t, Options{}, fetching(line, good(3)))
			// An open string may swallow the next response: it could as well be a line break in a sender's name.
			if got := fetchAll(t, client, 3, allItems); got[3] == nil && name != "quotes and letters" {
				t.Errorf("the next message is lost (%v)", c.Err())
			}
			alive(t, client, c)
		})
	}
}
