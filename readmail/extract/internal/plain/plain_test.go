package plain

import (
	"errors"
	"strings"
	"testing"

	"mailgap/readmail/extract/internal/document"
)

func testLimits() document.Limits {
	return document.Limits{MaxTextOctets: 100 << 10, MaxPages: 10, FirstPage: 1}
}

func TestTable(t *testing.T) {
	for _, c := range []struct{ name, in, want, note string }{
		{"comma", "a,b\n1,2\n", "| a | b |\n| 1 | 2 |\n", ""},
		{"semicolon with decimal commas", "name;price\nx;1,50\ny;2,75\n", "| name | price |\n| x | 1,50 |\n| y | 2,75 |\n", ""},
		{"tab", "a\tb\n1\t2\n", "| a | b |\n| 1 | 2 |\n", ""},
		{"stated delimiter", "sep=|\na|b,c\n", "| a | b,c |\n", ""},
		{"quotes", "a,\"b, \"\"c\"\"\"\n", "| a | b, \"c\" |\n", ""},
		{"line end in a cell", "\"a\nb\",c\n1,2\n", "| a / b | c |\n| 1 | 2 |\n", ""},
		{"bar in a cell", "a|b,c\n1,2\n", "| a\\|b | c |\n| 1 | 2 |\n", ""},
		{"quote that never ends", "\"a,b\n1,2\n", "| \"a | b |\n| 1 | 2 |\n", ""},
		{"quote in the middle", "5\" pipe,x\n6\" pipe,y\n", "| 5\" pipe | x |\n| 6\" pipe | y |\n", ""},
		{"CR LF and CR", "a,b\r\n1,2\r3,4", "| a | b |\n| 1 | 2 |\n| 3 | 4 |\n", ""},
		{"byte order mark", "\uFEFFa,b\n1,2\n", "| a | b |\n| 1 | 2 |\n", ""},
		{"formulas stay text", "a,=HYPERLINK(\"\"x\"\")\n-5,+1\n@SUM(A1),x\n", "| a | =HYPERLINK(\"\"x\"\") |\n| -5 | +1 |\n| @SUM(A1) | x |\n", "2 cells begin like a formula"},
		{"one column", "a\n\nb\n", "| a |\n| b |\n", ""},
		{"empty", "", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := Table(c.in, testLimits())
			if d.Text != c.want {
				t.Errorf("got %q, want %q", d.Text, c.want)
			}
			if notes := strings.Join(d.Notes, "\n"); !strings.Contains(notes, c.note) || (c.note == "" && notes != "") {
				t.Errorf("got notes %q, want %q", notes, c.note)
			}
		})
	}
}

func TestTableLimits(t *testing.T) {
	big := document.Limits{MaxTextOctets: 10 << 20, MaxPages: 1, FirstPage: 1}
	for _, c := range []struct {
		name, in string
		limits   document.Limits
		note     string
	}{
		{"rows", strings.Repeat("a,b\n", maxRows+5), big, "10000 rows are shown"},
		{"columns", strings.Repeat("x,", maxColumns+5) + "\n", big, "at most 200 columns"},
		{"cell", strings.Repeat("x", maxCellOctets+1) + ",b\n1,2\n", big, "4096 octets"},
		{"text", strings.Repeat("abc,def\n", 50_000), testLimits(), "over the limit"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := Table(c.in, c.limits)
			if !d.Truncated || !strings.Contains(strings.Join(d.Notes, "\n"), c.note) {
				t.Errorf("got truncated %v, notes %q; want true, %q", d.Truncated, d.Notes, c.note)
			}
		})
	}
}

func TestReport(t *testing.T) {
	in := "Reporting-MTA: dns; mx.example.com\r\n\r\nFinal-Recipient: rfc822; ann@example.net\r\nAction: failed\r\nStatus: 5.1.1\r\nDiagnostic-Code: smtp; 550\r\n no such user\r\n\r\nFinal-Recipient: rfc822;bob@example.net\r\nStatus: 4.2.2 (full)\r\n"
	want := "Reporting-MTA: mx.example.com\n\nFinal-Recipient: ann@example.net\nAction: failed\nStatus: 5.1.1 (permanent failure: no such mailbox)\n" +
		"Diagnostic-Code: smtp; 550 no such user\n\nFinal-Recipient: bob@example.net\nStatus: 4.2.2 (full) (temporary failure, may still be delivered: mailbox is full)\n"
	if d := Report(in, testLimits()); d.Text != want {
		t.Errorf("got\n%s\nwant\n%s", d.Text, want)
	}
}

func TestRTF(t *testing.T) {
	decode := func(label string, b []byte) string {
		runes := make([]rune, len(b))
		for i, c := range b {
			runes[i] = rune(c)
		}
		return string(runes)
	}
	for _, c := range []struct{ name, in, want string }{
		{"paragraphs", `{\rtf1\ansi Hello\par World\tab x}`, "Hello\nWorld\tx\n"},
		{"fonts and info are left out", `{\rtf1{\fonttbl{\f0 Arial;}}{\info{\title T}}{\*\generator X;}text}`, "text\n"},
		{"code page and unicode", `{\rtf1\ansicpg1252 caf\'e9 \u8364?5 \u-10179?\u-8704?}`, "café €5 😀\n"},
		{"no substitute", `{\rtf1\uc0\u8364 5}`, "€5\n"},
		{"escapes", `{\rtf1 a\{b\}\\c\~d}`, "a{b}\\c d\n"},
		{"cells", `{\rtf1 a\cell b\cell\row}`, "a | b | \n"},
		{"link target is not text", `{\rtf1{\field{\*\fldinst HYPERLINK "x"}{\fldrslt shown}}}`, "shown\n"},
		{"hidden", `{\rtf1 a{\v secret}b}`, "a[hidden in the document] secret [end of hidden text] b\n"},
		{"not closed", `{\rtf1 {{{a`, "a\n"},
		{"binary", "{\\rtf1 a{\\pict\\bin4 }}{{}b}", "ab\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d, err := RTF(c.in, decode, testLimits())
			if err != nil || strings.TrimSpace(d.Text) != strings.TrimSpace(c.want) {
				t.Errorf("got %q, %v; want %q", d.Text, err, c.want)
			}
		})
	}
}

func TestRTFDeepNesting(t *testing.T) {
	d, err := RTF(`{\rtf1 start`+strings.Repeat("{", 1_000_000)+"end", func(_ string, b []byte) string { return string(b) }, testLimits())
	if err != nil || !d.Truncated || !strings.Contains(d.Text, "start") {
		t.Errorf("got %q, truncated %v, %v; want the start and true", d.Text, d.Truncated, err)
	}
}

func FuzzTable(f *testing.F) {
	f.Add("a,\"b, \"\"c\"\"\"\n1;2\t3|4\r\n")
	f.Add("sep=;\n\"a;b\n=x")
	f.Fuzz(func(t *testing.T, in string) {
		d := Table(in, testLimits())
		if len(d.Text) > testLimits().MaxTextOctets {
			t.Errorf("got %d octets, want at most %d", len(d.Text), testLimits().MaxTextOctets)
		}
		if strings.TrimSpace(in) != "" && !strings.HasPrefix(strings.ToLower(strings.TrimPrefix(in, "\uFEFF")), "sep=") && strings.Trim(in, "\", ;|\t\r\n\uFEFF") != "" && d.Text == "" {
			t.Errorf("got no text for %q", in)
		}
	})
}

func FuzzRTF(f *testing.F) {
	f.Add(`{\rtf1\ansicpg1252{\fonttbl{\f0 Arial;}}\uc2 a\u8364??\'e9{\v x}\bin3 abc\par}`)
	f.Fuzz(func(t *testing.T, in string) {
		d, err := RTF(in, func(_ string, b []byte) string { return string(b) }, testLimits())
		if err != nil && !errors.Is(err, document.ErrDamaged) {
			t.Errorf("got error %v, want none or ErrDamaged", err)
		}
		if len(d.Text) > testLimits().MaxTextOctets+1 {
			t.Errorf("got %d octets, want at most %d", len(d.Text), testLimits().MaxTextOctets)
		}
	})
}

func FuzzReport(f *testing.F) {
	f.Add("Reporting-MTA: dns; mx.example.com\n\nStatus: 5.1.1\n x\n")
	f.Fuzz(func(t *testing.T, in string) {
		if d := Report(in, testLimits()); len(d.Text) > testLimits().MaxTextOctets {
			t.Errorf("got %d octets, want at most %d", len(d.Text), testLimits().MaxTextOctets)
		}
	})
}
