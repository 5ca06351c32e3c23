// Package plain reads simple text formats: tables (CSV, TSV), RTF, and the machine-readable reports of mail systems. It is
// pure string work, linear in its input, and safe to run in the serving process.
package plain

import (
	"strings"

	"mailgap/readmail/extract/internal/document"
)

// Limits of one table.
const (
	maxRows       = 10_000
	maxColumns    = 200
	maxCellOctets = 4 << 10
	guessOctets   = 16 << 10 // how much of the file the delimiter is guessed from
	guessRows     = 20
)

// Table writes delimited text (RFC 4180 and its relatives) as rows "| a | b |". The delimiter is guessed from comma,
// semicolon, tab and bar; a quote that is never closed ends with its line. Formulas are shown as the text that they are.
func Table(text string, l document.Limits) document.Document {
	var d document.Document
	text = strings.TrimPrefix(text, "\uFEFF")
	out := document.NewBuilder(l.MaxTextOctets)
	sep, text := delimiter(text)
	r := rowReader{rest: text, sep: sep}
	rows, formulas := 0, 0
	for r.next() {
		if len(r.cells) == 1 && strings.TrimSpace(r.cells[0]) == "" {
			continue
		}
		if rows++; rows > maxRows {
			d.Note("%d rows are shown, there are more", maxRows)
			break
		}
		formulas += countFormulas(r.cells)
		if !out.WriteString(row(r.cells) + "\n") {
			d.Note("text was cut in row %d: it is over the limit of %d octets", rows, l.MaxTextOctets)
			break
		}
	}
	d.Text, d.Truncated = out.String(), rows > maxRows || out.Full() || r.dropped
	if r.dropped {
		d.Note("of each row at most %d columns and of each cell %d octets are shown", maxColumns, maxCellOctets)
	}
	if formulas > 0 {
		d.Note("%d cells begin like a formula (=, +, -, @) and would be computed by a spreadsheet program; they are shown as text", formulas)
	}
	return d
}

// delimiter guesses the separator; a first line "sep=;" (Excel) states it and is not part of the table.
func delimiter(text string) (byte, string) {
	first, rest, _ := strings.Cut(text, "\n")
	if v, ok := strings.CutPrefix(strings.ToLower(strings.TrimRight(first, "\r")), "sep="); ok && len(v) == 1 {
		return v[0], rest
	}
	head := document.Cut(text, guessOctets)
	best, bestScore := byte(','), 0
	for _, sep := range []byte{',', ';', '\t', '|'} {
		if score := consistency(head, sep); score > bestScore {
			best, bestScore = sep, score
		}
	}
	return best, text
}

// consistency scores how well sep divides the first rows: rows that have as many cells as the first, times cells.
func consistency(head string, sep byte) int {
	r := rowReader{rest: head, sep: sep}
	width, same, rows := 0, 0, 0
	for rows < guessRows && r.next() {
		if rows++; width == 0 {
			width = len(r.cells)
		}
		if len(r.cells) == width {
			same++
		}
	}
	if width < 2 {
		return 0
	}
	return same*100/max(rows, 1)*100 + min(width, 99)
}

// rowReader yields rows of cells.
type rowReader struct {
	rest    string
	sep     byte
	cells   []string
	dropped bool
}

// next reads one row into cells.
func (r *rowReader) next() bool {
	if r.rest == "" {
		return false
	}
	r.cells = nil
	for {
		cell, more := r.cell()
		switch {
		case len(r.cells) >= maxColumns:
			r.dropped = true
		case len(cell) > maxCellOctets:
			r.dropped = true
			r.cells = append(r.cells, document.Cut(cell, maxCellOctets))
		default:
			r.cells = append(r.cells, cell)
		}
		if !more {
			return true
		}
	}
}

// cell reads one cell and what ends it; more says that the row goes on.
func (r *rowReader) cell() (string, bool) {
	if trimmed := strings.TrimLeft(r.rest, " "); strings.HasPrefix(trimmed, "\"") {
		if cell, rest, ok := quoted(trimmed[1:]); ok {
			junk, more := "", false
			r.rest = rest
			junk, more = r.bare() // what follows a closing quote belongs to the cell
			return cell + strings.TrimSpace(junk), more
		}
	}
	return r.bare()
}

// bare reads up to the separator or the end of the line.
func (r *rowReader) bare() (string, bool) {
	i := strings.IndexAny(r.rest, string([]byte{r.sep, '\r', '\n'}))
	if i < 0 {
		cell := r.rest
		r.rest = ""
		return cell, false
	}
	cell, at := r.rest[:i], r.rest[i]
	r.rest = r.rest[i+1:]
	if at == '\r' {
		r.rest = strings.TrimPrefix(r.rest, "\n")
	}
	return cell, at == r.sep
}

// quoted reads a quoted cell after its opening quote; ok is false if it does not end within the limit of a cell.
func quoted(s string) (cell, rest string, ok bool) {
	var b strings.Builder
	for {
		i := strings.IndexByte(document.Cut(s, 4*maxCellOctets), '"')
		if i < 0 || b.Len() > 4*maxCellOctets {
			return "", "", false
		}
		b.WriteString(s[:i])
		if s = s[i+1:]; !strings.HasPrefix(s, "\"") {
			return b.String(), s, true
		}
		b.WriteByte('"')
		s = s[1:]
	}
}

// row writes cells as one line; line ends in cells become " / ", and "|" is escaped.
func row(cells []string) string {
	var b strings.Builder
	b.WriteString("|")
	clean := strings.NewReplacer("|", "\\|", "\r\n", " / ", "\n", " / ", "\r", " / ", "\t", " ")
	for _, c := range cells {
		b.WriteString(" " + clean.Replace(strings.TrimSpace(c)) + " |")
	}
	return b.String()
}

// countFormulas counts cells that a spreadsheet program would compute. A sign before a number is a number.
func countFormulas(cells []string) int {
	n := 0
	for _, c := range cells {
		c = strings.TrimSpace(c)
		if len(c) > 1 && strings.ContainsRune("=@", rune(c[0])) {
			n++
		} else if len(c) > 1 && strings.ContainsRune("+-", rune(c[0])) && strings.Trim(c[1:], "0123456789.,'% \u00a0€$()/-") != "" {
			n++
		}
	}
	return n
}
