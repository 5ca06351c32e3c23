package wire

import (
	"errors"
	"io"
	"net"
	"strings"
	"testing"

	"github.com/emersion/go-imap/v2"
)

// passes runs octets of a client through the firewall and returns what reaches the socket and the error.
func passes(t testing.TB, octets string) (sent string, log []Command, err error) {
	t.Helper()
	near, far := net.Pipe()
	got := make(chan string)
	go func() {
		b, _ := io.ReadAll(far)
		got <- string(b)
	}()
	c := New(near, Options{Greeting: "* PREAUTH ready", RecordFull: true, Record: func(l Command) { log = append(log, l) }})
	_, err = c.Write([]byte(octets))
	c.Close()
	far.Close()
	return <-got, log, err
}

// Every command of RFC 9051 and of the usual extensions, and whether it may leave.
var verbTable = map[string]bool{
	"CAPABILITY": true, "NOOP": true, "LOGOUT": true, "NAMESPACE": true, "UNSELECT": true, "IDLE": true,
	"ID NIL": true, `ID ("name" "x")`: true, "ENABLE UTF8=ACCEPT": true, "ENABLE CONDSTORE": true,
	`LOGIN "u" "p"`: true, "AUTHENTICATE PLAIN": true, "AUTHENTICATE PLAIN AHUAcA==": true,
	`LIST "" "*"`: true, `LIST (SUBSCRIBED) "" "*" RETURN (STATUS (MESSAGES UNSEEN) SPECIAL-USE)`: true,
	"STATUS INBOX (MESSAGES)": true, "EXAMINE INBOX": true, "EXAMINE INBOX (CONDSTORE)": true, "EXAMINE INBOX (condstore)": true,
	"FETCH 1 FLAGS": true, "UID FETCH 1:*,7 (UID FLAGS)": true, "uid fetch 1 (uid)": true,
	"UID FETCH 1 (UID BODY.PEEK[])": true, "UID FETCH 1 (UID BODY.PEEK[1.2.MIME]<0.100> BINARY.PEEK[1] BINARY.SIZE[1])": true,
	`UID FETCH 1 (UID BODY.PEEK[HEADER.FIELDS ("From" "X]Y")] FLAGS)`: true, "FETCH 1 (ENVELOPE BODY BODYSTRUCTURE)": true,
	"FETCH 1 ALL": true, "FETCH 1 FAST": true, "FETCH 1 FULL": true, "FETCH 1 RFC822.SIZE": true, "FETCH 1 RFC822.HEADER": true,
	"UID FETCH 1 (FLAGS MODSEQ) (CHANGEDSINCE 5)": true, "UID FETCH 1 (UID PREVIEW (LAZY))": true,
	"UID FETCH 1 (UID X-GM-MSGID X-GM-THRID X-GM-LABELS)": true,
	"SEARCH ALL": true, "UID SEARCH RETURN (ALL) CHARSET UTF-8 SUBJECT {3+}\r\na\r\n": true, `UID SEARCH X-GM-RAW "a b"`: true,
	"SORT (DATE) UTF-8 ALL": true, "UID SORT (REVERSE ARRIVAL) UTF-8 ALL": true, "THREAD REFERENCES UTF-8 ALL": true,
	"UID THREAD REFERENCES UTF-8 ALL": true, `UID SEARCH NOT (OR (FROM "x") (TO "y"))`: true,

	"SELECT INBOX": false, "CLOSE": false, "CHECK": false, "EXPUNGE": false, "UID EXPUNGE 1": false,
	`STORE 1 +FLAGS (\Seen)`: false, `UID STORE 1 +FLAGS (\Deleted)`: false, "COPY 1 Trash": false, "UID COPY 1 Trash": false,
	"MOVE 1 Trash": false, "UID MOVE 1 Trash": false, "APPEND INBOX {3+}\r\nabc": false, "REPLACE 1 INBOX {3+}\r\nabc": false,
	"UID REPLACE 1 INBOX {3+}\r\nabc": false,
	"CREATE x":                        false, "DELETE x": false, "RENAME x y": false, "SUBSCRIBE x": false, "UNSUBSCRIBE x": false, "LSUB \"\" *": false,
	"STARTTLS": false, "COMPRESS DEFLATE": false, "UNAUTHENTICATE": false, "SETACL x y lr": false, "DELETEACL x y": false,
	"SETQUOTA x (STORAGE 1)": false, "SETMETADATA x (/p NIL)": false, "GETMETADATA x /p": false, "NOTIFY SET (SELECTED NONE)": false,
	"CATENATE": false, "SETANNOTATION x": false, "GENURLAUTH x": false, "RESETKEY": false, "URLFETCH x": false, "XLIST \"\" *": false,
	"CONVERT 1": false, "UID": false, "UID NOOP": false, "UID UID FETCH 1 FLAGS": false, "XYZZY": false, "DONE": false,
	"FETCH 1 RFC822": false, "FETCH 1 RFC822.TEXT": false, "FETCH 1 BODY[]": false, "FETCH 1 (FLAGS BODY[TEXT])": false,
	"FETCH 1 BINARY[1]": false, "FETCH 1 (BODY.PEEK[] BODY[1])": false, "UID FETCH 1 body[]": false, "FETCH 1 (FLAGS) (VANISHED)": false,
	"UID FETCH 1 (FLAGS) (CHANGEDSINCE 5 VANISHED)": false, "FETCH 1 BODY.PEEK[]<0.10>BODY[]": false,
	"FETCH 1 (BODY.PEEK[HEADER.FIELDS (\"a\")] BODY[])": false, "FETCH 1 BODY.PEEK[HEADER.FIELDS (\"x]\" BODY[])]": false,
	"FETCH 1 BODY.PEEK[HEADER.FIELDS ({4+}\r\nFrom)]": false, "FETCH 1": false, "FETCH": false, "FETCH 1 ()": false, "FETCH 1  FLAGS": false,
	"FETCH 1 FLAGS ": false, "FETCH 1 (FLAGS": false, "FETCH 1 ANNOTATION (/c)": false,
	"EXAMINE INBOX (QRESYNC (1 2))": false, "EXAMINE": false, "EXAMINE INBOX x": false, "ENABLE QRESYNC": false, "ENABLE": false,
	"NOOP x": false, "CAPABILITY (x)": false, "LIST": false, `LIST "" "*" )`: false, `LIST ("" "*"`: false, `SEARCH  ALL`: false,
	" NOOP": false, "NOOP ": false, "SEARCH (ALL )": false,
}

func TestVerbTable(t *testing.T) {
	for cmd, ok := range verbTable {
		octets := "T1 " + cmd + "\r\n"
		sent, log, err := passes(t, octets)
		switch {
		case ok && (err != nil || sent != octets):
			t.Errorf("%q: sent %q, %v, want it to pass", cmd, sent, err)
		case !ok && (!errors.Is(err, ErrForbidden) || sent != ""):
			t.Errorf("%q: sent %q, %v, want nothing and ErrForbidden", cmd, sent, err)
		}
		if len(log) > 0 && log[0].Refused == ok {
			t.Errorf("%q: log says refused %v", cmd, log[0].Refused)
		}
	}
}

// What hides in strings and literals stays data; what does not is a command of its own and is judged.
func TestSmuggling(t *testing.T) {
	const evil = "A9 STORE 1:* +FLAGS (\\Deleted)"
	for _, tc := range []struct {
		name, octets, sent string
		bad                bool
	}{
		{"two commands in one write", "T1 NOOP\r\n" + evil + "\r\n", "", true},
		{"line break in a quoted string", "T1 UID SEARCH SUBJECT \"x\r\n" + evil + "\"\r\n", "", true},
		{"escaped line break in a quoted string", "T1 UID SEARCH SUBJECT \"x\\\r\n" + evil + "\"\r\n", "", true},
		{"harmless command in a quoted string", "T1 UID SEARCH SUBJECT \"x\r\nA9 NOOP\"\r\n", "", true},
		{"escaped letter", "T1 UID SEARCH SUBJECT \"\\a\"\r\n", "", true},
		{"SASL response nobody asked for", "T1 AUTHENTICATE PLAIN\r\nAAAA\r\n", "", true},
		{"bare LF", "T1 NOOP\n" + evil + "\r\n", "", true},
		{"bare CR", "T1 NOOP\r" + evil + "\r\n", "", true},
		{"NUL", "T1 UID SEARCH SUBJECT \"x\x00\"\r\n", "", true},
		{"8-bit atom", "T1 UID SEARCH SUBJECT \xe4\r\n", "", true},
		{"in a literal", "T1 UID SEARCH SUBJECT {33+}\r\nx\r\n" + evil + "\r\n", "T1 UID SEARCH SUBJECT {33+}\r\nx\r\n" + evil + "\r\n", false},
		{"after a literal that is too short", "T1 UID SEARCH SUBJECT {1+}\r\nx\r\n" + evil + "\r\n", "", true},
		{"literal length in a quoted string", "T1 UID SEARCH SUBJECT \"{40+}\"\r\n" + evil + "\r\n", "", true},
		{"literal length in an atom", "T1 UID SEARCH SUBJECT x{40+}\r\n" + evil + "\r\n", "", true},
		{"tag with a plus", "+ NOOP\r\n", "", true},
		{"star as tag", "* NOOP\r\n", "", true},
		{"DONE without IDLE", "DONE\r\n", "", false},
		{"command during IDLE", "T1 IDLE\r\nT2 NOOP\r\n", "", true},
		{"command in AUTHENTICATE", "T1 AUTHENTICATE PLAIN\r\n" + evil + "\r\n", "", true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			sent, _, err := passes(t, tc.octets)
			if tc.bad != errors.Is(err, ErrForbidden) {
				t.Errorf("got %v, forbidden wanted: %v", err, tc.bad)
			}
			if sent != tc.sent && !strings.HasSuffix(tc.octets, sent) {
				t.Errorf("sent %q, want %q", sent, tc.sent)
			}
			if strings.Contains(strings.ReplaceAll(sent, "{33+}\r\nx\r\n"+evil, ""), "STORE") {
				t.Errorf("sent %q", sent)
			}
		})
	}
}

// The client's own methods for changing things end the connection, and nothing of them is sent.
func TestClientCannotChange(t *testing.T) {
	client, c, s := dial(t, Options{}, func(tag, verb, args string) string { return "" })
	alive(t, client, c)
	if _, err := client.Select("INBOX", nil).Wait(); err == nil {
		t.Error("SELECT: got no error")
	}
	if !errors.Is(c.Err(), ErrForbidden) {
		t.Errorf("Err: got %v, want ErrForbidden", c.Err())
	}
	if err := client.Store(uidSet(1, 1), &imap.StoreFlags{Op: imap.StoreFlagsAdd, Flags: []imap.Flag{imap.FlagDeleted}}, nil).Close(); err == nil {
		t.Error("STORE: got no error")
	}
	for _, l := range s.received() {
		if strings.Contains(l, "SELECT") || strings.Contains(l, "STORE") {
			t.Errorf("received %q", l)
		}
	}
}

// A non-PEEK fetch, as by a forgotten field.
func TestFetchWithoutPeek(t *testing.T) {
	client, c, s := dial(t, Options{}, fetching(good(1)))
	_, err := client.Fetch(uidSet(1, 1), &imap.FetchOptions{BodySection: []*imap.FetchItemBodySection{{}}}).Collect()
	if err == nil || !errors.Is(c.Err(), ErrForbidden) {
		t.Errorf("got %v and %v, want ErrForbidden", err, c.Err())
	}
	if got := s.received(); len(got) != 0 {
		t.Errorf("received %q, want nothing", got)
	}
}

func TestLogIsRedacted(t *testing.T) {
	for cmd, want := range map[string]string{
		`LOGIN "ana" "secret"`:        "?",
		`AUTHENTICATE PLAIN c2VjcmV0`: "?",
		`EXAMINE "secret"`:            "?",
		`EXAMINE secret`:              "?",
		`EXAMINE INBOX`:               "INBOX",
		`STATUS secret (MESSAGES)`:    "? (MESSAGES)",
		`UID SEARCH SUBJECT "secret" BODY {6+}` + "\r\nsecret SINCE 1-Jan-2024": "SUBJECT ? BODY ? SINCE 1-Jan-2024",
		`UID FETCH 1 (UID BODY.PEEK[1]<0.5>)`:                                   "1 (UID BODY.PEEK[1]<0.5>)",
		`CREATE secret`:                                                         "?",
	} {
		_, log, _ := passes(t, "T1 "+cmd+"\r\n")
		if len(log) != 1 || log[0].Args != want {
			t.Errorf("%q: got %+v, want %q", cmd, log, want)
			continue
		}
		secretVerb := strings.HasPrefix(cmd, "LOGIN") || strings.HasPrefix(cmd, "AUTH")
		if secretVerb && (strings.Contains(log[0].Full, "secret") || strings.Contains(log[0].Full, "c2Vj")) {
			t.Errorf("%q: full log holds the secret: %q", cmd, log[0].Full)
		}
	}
}

// Octets may come in any pieces.
func TestPiecewiseWrites(t *testing.T) {
	const all = "T1 UID SEARCH SUBJECT {5+}\r\na\r\nbc FROM \"x\\\"y\"\r\nT2 NOOP\r\n"
	near, far := net.Pipe()
	got := make(chan string)
	go func() { b, _ := io.ReadAll(far); got <- string(b) }()
	c := New(near, Options{Greeting: "* PREAUTH ready"})
	for i := range len(all) {
		if _, err := c.Write([]byte{all[i]}); err != nil {
			t.Fatalf("octet %d: %v", i, err)
		}
	}
	c.Close()
	if g := <-got; g != all {
		t.Errorf("got %q, want %q", g, all)
	}
}
