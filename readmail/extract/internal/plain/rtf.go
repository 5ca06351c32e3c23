package plain

import (
	"strconv"
	"strings"
	"unicode/utf16"

	"mailgap/readmail/extract/internal/document"
)

const (
	maxRTFDepth   = 500
	maxRTFControl = 40 // octets of a control word
)

// RTF writes the text of a Rich Text Format file (version 1.9.1): paragraphs, tabs, cells. Pictures, objects, fonts,
// styles and other destinations are left out. decode turns octets of the ANSI code page into text. Text formatted as hidden is
// marked. Errors: document.ErrDamaged if nothing could be read.
func RTF(text string, decode func(label string, b []byte) string, l document.Limits) (document.Document, error) {
	r := rtfReader{in: text, decode: decode, out: document.NewBuilder(l.MaxTextOctets), label: "windows-1252", state: rtfState{unicodeSkip: 1}}
	for r.at < len(r.in) && !r.out.Full() && !r.deep {
		r.step()
	}
	r.flush()
	r.mark(false)
	d := document.Document{Text: strings.TrimSpace(r.out.String()) + "\n", Truncated: r.out.Full() || r.deep, Hidden: r.hidden}
	if r.out.Full() {
		d.Note("text was cut: it is over the limit of %d octets", l.MaxTextOctets)
	}
	if r.deep {
		d.Note("groups are nested more than %d deep: text after that is missing", maxRTFDepth)
	}
	if r.hidden > 0 {
		d.Note("hidden in the document: %d passages formatted as hidden (marked in the text)", r.hidden)
	}
	if r.objects > 0 {
		d.Note("the document holds %d embedded objects or pictures; they are not read", r.objects)
	}
	if r.out.Len() == 0 && r.objects == 0 {
		return document.Document{}, document.ErrDamaged
	}
	return d, nil
}

// rtfState is what a group saves and restores.
type rtfState struct {
	skip        bool // in a destination that is not text
	hidden      bool
	unicodeSkip int // \uc: how many characters follow \u as its substitute
}

type rtfReader struct {
	in      string
	at      int
	decode  func(string, []byte) string
	label   string
	out     *document.Builder
	state   rtfState
	stack   []rtfState
	pending []byte   // octets of the code page that wait for decoding
	units   []uint16 // UTF-16 units of \u that wait for their other half
	skip    int      // substitute characters still to drop
	open    bool     // a hidden passage is open
	hidden  int
	objects int
	deep    bool
}

func (r *rtfReader) step() {
	c := r.in[r.at]
	r.at++
	switch c {
	case '{':
		if len(r.stack) >= maxRTFDepth {
			r.deep = true
			return
		}
		r.stack = append(r.stack, r.state)
	case '}':
		r.flush()
		if n := len(r.stack); n > 0 {
			r.state, r.stack = r.stack[n-1], r.stack[:n-1]
		}
	case '\\':
		r.control()
	case '\r', '\n', 0:
	default:
		r.char(c)
	}
}

// char adds one octet of the code page.
func (r *rtfReader) char(c byte) {
	switch {
	case r.skip > 0:
		r.skip--
	case !r.state.skip:
		r.flushUnits()
		r.pending = append(r.pending, c)
	}
}

// control reads what follows a backslash.
func (r *rtfReader) control() {
	if r.at >= len(r.in) {
		return
	}
	c := r.in[r.at]
	if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' {
		r.word(r.controlWord())
		return
	}
	r.at++
	switch c {
	case '\'':
		if n, err := strconv.ParseUint(r.in[r.at:min(len(r.in), r.at+2)], 16, 8); err == nil && r.at+2 <= len(r.in) {
			r.at += 2
			r.char(byte(n))
		}
	case '*': // an optional destination: not text for who does not know it
		r.state.skip = true
	case '~':
		r.write(" ")
	case '_':
		r.write("-")
	case '\\', '{', '}':
		r.char(c)
	case '\n', '\r':
		r.write("\n")
	}
}

// controlWord reads letters, number, and the one space that ends them.
func (r *rtfReader) controlWord() (string, int, bool) {
	start := r.at
	for r.at < len(r.in) && r.at-start < maxRTFControl && (r.in[r.at]|0x20) >= 'a' && (r.in[r.at]|0x20) <= 'z' {
		r.at++
	}
	name := r.in[start:r.at]
	digits := r.at
	if r.at < len(r.in) && r.in[r.at] == '-' {
		r.at++
	}
	for r.at < len(r.in) && r.at-digits < 12 && r.in[r.at] >= '0' && r.in[r.at] <= '9' {
		r.at++
	}
	n, err := strconv.Atoi(r.in[digits:r.at])
	if r.at < len(r.in) && r.in[r.at] == ' ' {
		r.at++
	}
	return name, n, err == nil
}

func (r *rtfReader) word(name string, n int, given bool) {
	switch name {
	case "par", "line", "sect", "page", "row":
		r.write("\n")
	case "tab":
		r.write("\t")
	case "cell":
		r.write(" | ")
	case "emdash", "endash":
		r.write("-")
	case "lquote", "rquote":
		r.write("'")
	case "ldblquote", "rdblquote":
		r.write("\"")
	case "bullet":
		r.write("• ")
	case "u":
		r.unicode(n)
	case "uc":
		r.state.unicodeSkip = min(max(n, 0), 10)
	case "ansicpg":
		r.label = "windows-" + strconv.Itoa(n)
	case "v":
		r.flush()
		r.state.hidden = !given || n != 0
	case "plain":
		r.flush()
		r.state.hidden = false
	case "bin": // n raw octets follow
		r.at += min(max(n, 0), len(r.in)-r.at)
	case "pict", "object":
		r.objects++
		r.state.skip = true
	case "fonttbl", "colortbl", "stylesheet", "info", "header", "footer", "headerl", "headerr", "footerl", "footerr", "headerf", "footerf",
		"listtable", "listoverridetable", "generator", "themedata", "colorschememapping", "latentstyles", "datastore", "xmlnstbl", "fldinst",
		"filetbl", "revtbl", "rsidtbl", "mmathPr", "objdata", "deleted":
		r.flush()
		r.state.skip = true
	}
}

// unicode adds a UTF-16 unit; negative numbers are units from 0x8000 on.
func (r *rtfReader) unicode(n int) {
	if !r.state.skip {
		r.flushPending()
		r.units = append(r.units, uint16(n))
	}
	r.skip = r.state.unicodeSkip
}

func (r *rtfReader) write(s string) {
	r.flush()
	r.skip = 0
	if !r.state.skip {
		r.mark(r.state.hidden)
		r.out.WriteString(s)
	}
}

func (r *rtfReader) flush() {
	r.flushPending()
	r.flushUnits()
}

func (r *rtfReader) flushPending() {
	if len(r.pending) == 0 {
		return
	}
	r.mark(r.state.hidden)
	r.out.WriteString(r.decode(r.label, r.pending))
	r.pending = nil
}

func (r *rtfReader) flushUnits() {
	if len(r.units) == 0 {
		return
	}
	r.mark(r.state.hidden)
	r.out.WriteString(string(utf16.Decode(r.units)))
	r.units = nil
}

// mark opens or closes a hidden passage.
func (r *rtfReader) mark(hidden bool) {
	if hidden == r.open {
		return
	}
	if r.open = hidden; hidden {
		r.hidden++
		r.out.WriteString(document.HiddenMark + " ")
		return
	}
	r.out.WriteString(" [end of hidden text] ")
}
