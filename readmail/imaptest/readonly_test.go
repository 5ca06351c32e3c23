package imaptest

import (
	"bufio"
	"bytes"
	"strings"
	"testing"
)

func TestViolation(t *testing.T) {
	cases := []struct {
		command string
		bad     bool
	}{
		{"a UID FETCH 1:* (UID FLAGS ENVELOPE BODYSTRUCTURE INTERNALDATE RFC822.SIZE)", false},
		{"a UID FETCH 1 (BODY.PEEK[1.2]<0.4096> BINARY.PEEK[1] BINARY.SIZE[1])", false},
		{"a fetch 1 body.peek[header.fields (\"Subject\" RFC822)]", false},
		{"a UID FETCH 1 BODY.PEEK[HEADER.FIELDS (\"]BODY[\")]", false},
		{"a UID FETCH 1 BODY", false},
		{"a UID FETCH 1 BODY[]", true},
		{"a UID FETCH 1 (BODY.PEEK[1] BODY[2])", true},
		{"a UID FETCH 1 (binary[1])", true},
		{"a FETCH 1 RFC822", true},
		{"a FETCH 1 (FLAGS RFC822.TEXT)", true},
		{"a FETCH 1 RFC822.HEADER", true},
		{"a UID SEARCH BODY \"BODY[\"", false},
		{"a EXAMINE INBOX", false},
		{"a SELECT INBOX", true},
		{"a select INBOX", true},
		{"a CLOSE", true},
		{"a UID STORE 1 +FLAGS (\\Seen)", true},
		{"a UID MOVE 1 Trash", true},
		{"a UID EXPUNGE 1", true},
		{"a APPEND INBOX {3}\r\nabc", true},
		{"a SETMETADATA INBOX (/private/comment x)", true},
		{"a XATOM", true},
		{"DONE", false},
		{"", true},
	}
	for _, tc := range cases {
		t.Run(tc.command, func(t *testing.T) {
			why := violation(parseCommand([]byte(tc.command + "\r\n")))
			if got := why != ""; got != tc.bad {
				t.Errorf("got violation %q, want one: %v", why, tc.bad)
			}
		})
	}
}

// Whatever a client sends is read in pieces that add up, and no credential outlives the parser.
func FuzzReadCommand(f *testing.F) {
	for _, seed := range []string{"a NOOP\r\n", "a LOGIN {3}\r\nabc {3+}\r\nabc\r\n", "DONE\r\n", "a UID FETCH 1 BODY[]\r\n",
		"a LOGIN user secret\r\n", "a AUTHENTICATE PLAIN c2VjcmV0\r\n", "{9}\r\n", "a X {99999999}\r\n", "\n", "a uid\r\n"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, input []byte) {
		var chunks int
		raw, err := readCommand(bufio.NewReader(bytes.NewReader(input)), func(chunk []byte, _ bool) error {
			chunks += len(chunk)
			return nil
		})
		if chunks > len(raw) || !bytes.HasPrefix(input, raw[:min(len(raw), len(input))]) {
			t.Errorf("read %q of %q", raw, input)
		}
		if err != nil {
			return
		}
		c := parseCommand(raw)
		if (c.Verb == "LOGIN" && c.Args != redacted) || (c.Verb == "AUTHENTICATE" && strings.Contains(c.Args, " ") && !strings.HasSuffix(c.Args, redacted)) {
			t.Errorf("not redacted: %v", c)
		}
		violation(c)
	})
}

// Replacing an item leaves everything outside it as it is.
func FuzzReplaceItem(f *testing.F) {
	for _, seed := range []string{StructureStrayQuotes, StructureRawName, `("a" "b)" {3}` + "\r\n)\"( NIL)", "NIL", `"x\"y"`, "(", "{5}\r\nab"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, value []byte) {
		response := []byte("* 1 FETCH (UID 7 BODYSTRUCTURE " + string(value) + " FLAGS ())\r\n")
		got := ReplaceItem(7, "BODYSTRUCTURE", "NIL")(response)
		if !bytes.HasPrefix(got, []byte("* 1 FETCH (UID 7 BODYSTRUCTURE NIL")) || len(got) > len(response)+len("NIL") {
			t.Errorf("got %q from %q", got, response)
		}
	})
}
