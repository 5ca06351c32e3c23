package office

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"mailgap/readmail/extract/internal/document"
	"mailgap/readmail/extract/internal/fixture"
)

func testLimits() document.Limits {
	return document.Limits{MaxTextOctets: 200 << 10, MaxPages: 50, FirstPage: 1}
}

func para(s string) string { return "<w:p><w:r><w:t>" + s + "</w:t></w:r></w:p>" }

func run(props, s string) string {
	return "<w:p><w:r><w:rPr>" + props + "</w:rPr><w:t>" + s + "</w:t></w:r></w:p>"
}

// check reads one document and compares.
type check struct {
	name, kind string
	data       []byte
	want       string   // the text
	notes      []string // each in one of the notes
	hidden     int
}

func (c check) run(t *testing.T) {
	t.Helper()
	d, err := Read(c.kind, c.data, testLimits())
	if err != nil {
		t.Fatalf("Read: %v", err)
	}
	if got := strings.TrimSpace(d.Text); got != strings.TrimSpace(c.want) {
		t.Errorf("got\n%s\nwant\n%s", got, c.want)
	}
	if d.Hidden != c.hidden {
		t.Errorf("got %d hidden passages, want %d", d.Hidden, c.hidden)
	}
	for _, n := range c.notes {
		if !strings.Contains(strings.Join(d.Notes, "\n"), n) {
			t.Errorf("got notes %q, want one with %q", d.Notes, n)
		}
	}
	if len(c.notes) == 0 && len(d.Notes) > 0 {
		t.Errorf("got notes %q, want none", d.Notes)
	}
}

func TestDOCX(t *testing.T) {
	for _, c := range []check{
		{name: "paragraphs", data: fixture.DOCX(para("one") + para("two &amp; three")), want: "one\n\ntwo & three"},
		{name: "headings by style, by outline", data: fixture.DOCX(`<w:p><w:pPr><w:pStyle w:val="berschrift2"/></w:pPr><w:r><w:t>A</w:t></w:r></w:p><w:p><w:pPr><w:outlineLvl w:val="0"/></w:pPr><w:r><w:t>B</w:t></w:r></w:p>`,
			fixture.P("word/styles.xml", fixture.Word("styles", `<w:style w:styleId="berschrift2"><w:name w:val="heading 2"/></w:style>`))), want: "## A\n\n# B"},
		{name: "lists", data: fixture.DOCX(`<w:p><w:pPr><w:numPr><w:ilvl w:val="0"/></w:numPr></w:pPr><w:r><w:t>a</w:t></w:r></w:p><w:p><w:pPr><w:numPr><w:ilvl w:val="1"/></w:numPr></w:pPr><w:r><w:t>b</w:t></w:r></w:p>`), want: "- a\n  - b"},
		{name: "table", data: fixture.DOCX("<w:tbl><w:tr><w:tc>" + para("a") + para("b") + "</w:tc><w:tc>" + para("c|d") + "</w:tc></w:tr></w:tbl>" + para("after")), want: "| a / b | c\\|d |\n\nafter"},
		{name: "table in a table", data: fixture.DOCX("<w:tbl><w:tr><w:tc>" + para("a") + "<w:tbl><w:tr><w:tc>" + para("x") + "</w:tc><w:tc>" + para("y") + "</w:tc></w:tr></w:tbl></w:tc><w:tc>" + para("b") + "</w:tc></w:tr></w:tbl>"),
			want: "| a / \\| x \\| y \\| | b |"},
		{name: "tabs and breaks", data: fixture.DOCX("<w:p><w:r><w:t>a</w:t><w:tab/><w:t>b</w:t><w:br/><w:t>c</w:t></w:r></w:p>"), want: "a\tb\nc"},
		{name: "strict namespace, other prefix", data: fixture.Zip(fixture.P("word/document.xml", `<x:document xmlns:x="http://purl.oclc.org/ooxml/wordprocessingml/main"><x:body><x:p><x:r><x:t>strict</x:t></x:r></x:p></x:body></x:document>`)), want: "strict"},
		{name: "deletions are left out", data: fixture.DOCX("<w:p><w:del><w:r><w:delText>old</w:delText></w:r></w:del><w:ins><w:r><w:t>new</w:t></w:r></w:ins><w:moveFrom><w:r><w:t>moved</w:t></w:r></w:moveFrom></w:p>"), want: "new", notes: []string{"tracked changes"}},
		{name: "links show their true target", data: fixture.DOCX(`<w:p><w:hyperlink r:id="r1"><w:r><w:t>bank.example</w:t></w:r></w:hyperlink></w:p><w:p><w:r><w:fldChar w:fldCharType="begin"/><w:instrText>HYPERLINK "https://other.example/"</w:instrText><w:fldChar w:fldCharType="separate"/><w:t>here</w:t><w:fldChar w:fldCharType="end"/></w:r></w:p>`,
			fixture.P("word/_rels/document.xml.rels", fixture.Rels(fixture.R("r1", "hyperlink", "https://evil.example/")))), want: "bank.example <https://evil.example/>\n\nhere <https://other.example/>"},
		{name: "fallback is not said twice", data: fixture.DOCX("<w:p><w:r><mc:AlternateContent><mc:Choice><w:t>box</w:t></mc:Choice><mc:Fallback><w:t>box</w:t></mc:Fallback></mc:AlternateContent></w:r></w:p>"), want: "box"},
		{name: "notes, comments, margins", data: fixture.DOCX(`<w:p><w:r><w:t>a</w:t><w:footnoteReference w:id="1"/><w:commentReference w:id="0"/></w:r></w:p>`,
			fixture.P("word/footnotes.xml", fixture.Word("footnotes", `<w:footnote w:id="0" w:type="separator">`+para("-")+`</w:footnote><w:footnote w:id="1">`+para("the note")+`</w:footnote>`)),
			fixture.P("word/comments.xml", fixture.Word("comments", `<w:comment w:id="0" w:author="Ann">`+para("why?")+`</w:comment>`)),
			fixture.P("word/header1.xml", fixture.Word("hdr", para("Secret"))), fixture.P("word/header2.xml", fixture.Word("hdr", para("Secret"))), fixture.P("word/footer1.xml", fixture.Word("ftr", para("1")))),
			want: "a[footnote 1][comment 0]\n\n## Footnotes\n\n[footnote 1] the note\n\n## Comments\n\n[comment 0 by Ann] why?\n\n[page header] Secret\n\n[page footer] 1"},
		{name: "macros", data: fixture.DOCX(para("x"), fixture.P("word/vbaProject.bin", "x")), want: "x", notes: []string{"macros"}},
		{name: "embedded file", data: fixture.DOCX(para("x"), fixture.P("word/embeddings/a.bin", "x")), want: "x", notes: []string{"1 embedded files"}},
		{name: "no text", data: fixture.DOCX(""), notes: []string{"no text"}},
		{name: "image", data: fixture.DOCX(`<w:p><w:r><w:drawing><wp:inline><wp:docPr descr="a cat"/></wp:inline></w:drawing></w:r></w:p>`), want: "[image, described as: a cat]"},
	} {
		t.Run(c.name, func(t *testing.T) { c.kind = "docx"; c.run(t) })
	}
}

func TestDOCXHidden(t *testing.T) {
	mark := func(s string) string { return document.HiddenMark + " " + s + " " + hiddenEnd }
	for _, c := range []check{
		{name: "vanish", data: fixture.DOCX(run("<w:vanish/>", "x")), want: mark("x"), hidden: 1, notes: []string{"1 passages formatted as hidden"}},
		{name: "vanish switched off", data: fixture.DOCX(run(`<w:vanish w:val="0"/>`, "x")), want: "x"},
		{name: "hidden by style", data: fixture.DOCX(`<w:p><w:r><w:rPr><w:rStyle w:val="H"/></w:rPr><w:t>x</w:t></w:r></w:p>`, fixture.P("word/styles.xml", fixture.Word("styles", `<w:style w:styleId="H"><w:rPr><w:vanish/></w:rPr></w:style>`))), want: mark("x"), hidden: 1, notes: []string{"hidden"}},
		{name: "mark of the paragraph only", data: fixture.DOCX(`<w:p><w:pPr><w:rPr><w:vanish/></w:rPr></w:pPr><w:r><w:t>x</w:t></w:r></w:p>`), want: "x"},
		{name: "white", data: fixture.DOCX(run(`<w:color w:val="ffffff"/>`, "x")), want: mark("x"), hidden: 1, notes: []string{"white on white"}},
		{name: "white on a dark cell", data: fixture.DOCX(`<w:tbl><w:tr><w:tc><w:tcPr><w:shd w:fill="000080"/></w:tcPr>` + run(`<w:color w:val="FFFFFF"/>`, "x") + `</w:tc></w:tr></w:tbl>`), want: "| x |"},
		{name: "tiny", data: fixture.DOCX(run(`<w:sz w:val="2"/>`, "x")), want: mark("x"), hidden: 1, notes: []string{"too small"}},
		{name: "row", data: fixture.DOCX(`<w:tbl><w:tr><w:trPr><w:hidden/></w:trPr><w:tc>` + para("x") + `</w:tc></w:tr></w:tbl>`), want: mark("| x |"), hidden: 1, notes: []string{"table rows"}},
		{name: "one passage over several runs", data: fixture.DOCX(`<w:p><w:r><w:t>a </w:t></w:r><w:r><w:rPr><w:vanish/></w:rPr><w:t>b</w:t></w:r><w:r><w:rPr><w:vanish/></w:rPr><w:t>c</w:t></w:r><w:r><w:t>d</w:t></w:r></w:p>`),
			want: "a " + mark("bc") + " d", hidden: 1, notes: []string{"1 passages"}},
	} {
		t.Run(c.name, func(t *testing.T) { c.kind = "docx"; c.run(t) })
	}
}

// packBook packs sheets given as the content of <worksheet>; the first string is the list of <sheet> elements.
func packBook(sheets string, parts ...string) []byte {
	rels := []fixture.Rel{fixture.R("st", "sharedStrings", "sharedStrings.xml"), fixture.R("fm", "styles", "styles.xml")}
	files := []fixture.Part{fixture.P("xl/workbook.xml", fixture.Sheet("workbook", "<sheets>"+sheets+"</sheets>")),
		fixture.P("xl/sharedStrings.xml", fixture.Sheet("sst", `<si><t>Name</t></si><si><r><t>Da</t></r><r><t>te</t></r><rPh><t>no</t></rPh></si>`)),
		fixture.P("xl/styles.xml", fixture.Sheet("styleSheet", `<numFmts><numFmt numFmtId="170" formatCode="yyyy\-mm\-dd hh:mm"/><numFmt numFmtId="171" formatCode=";;;"/></numFmts><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="170"/><xf numFmtId="10"/><xf numFmtId="171"/></cellXfs>`))}
	for i, p := range parts {
		name := "worksheets/sheet" + string(rune('1'+i)) + ".xml"
		rels = append(rels, fixture.R("s"+string(rune('1'+i)), "worksheet", name))
		files = append(files, fixture.P("xl/"+name, fixture.Sheet("worksheet", p)))
	}
	return fixture.Zip(append(files, fixture.P("xl/_rels/workbook.xml.rels", fixture.Rels(rels...)))...)
}

func TestXLSX(t *testing.T) {
	one := `<sheet name="Data" r:id="s1"/>`
	for _, c := range []check{
		{name: "strings, gaps, dates, percent", data: packBook(one, `<sheetData><row><c r="A1" t="s"><v>0</v></c><c r="C1" t="s"><v>1</v></c></row><row><c r="A2" t="inlineStr"><is><t>x</t></is></c><c r="B2" s="3"><v>0.125</v></c><c r="C2" s="1"><v>45000</v></c><c r="D2" s="2"><v>45000.5</v></c></row></sheetData>`),
			want: "## Sheet 1: Data\n\n| Name |  | Date |\n| x | 12.5% | 2023-03-15 | 2023-03-15 12:00:00 |"},
		{name: "cached value, formula without value, error, boolean", data: packBook(one, `<sheetData><row><c r="A1"><f>1+1</f><v>2.0000000000000004</v></c><c r="B1"><f>NOW()</f></c><c r="C1" t="e"><v>#DIV/0!</v></c><c r="D1" t="b"><v>1</v></c></row></sheetData>`),
			want: "## Sheet 1: Data\n\n| 2 | =NOW() | #DIV/0! | TRUE |"},
		{name: "cells without reference", data: packBook(one, `<sheetData><row><c><v>1</v></c><c><v>2</v></c></row></sheetData>`), want: "## Sheet 1: Data\n\n| 1 | 2 |"},
		{name: "string index out of range", data: packBook(one, `<sheetData><row><c t="s"><v>99</v></c><c t="s"><v>-1</v></c></row></sheetData>`), want: "## Sheet 1: Data\n\n| # | # |"},
		{name: "column far away", data: packBook(one, `<sheetData><row><c r="A1"><v>1</v></c><c r="XFD1"><v>2</v></c></row></sheetData>`), want: "## Sheet 1: Data\n\n| 1 |", notes: []string{"at most 5000 rows and 200 columns"}},
		{name: "hidden sheet, row, column, format", data: packBook(`<sheet name="A" r:id="s1"/><sheet name="B" state="veryHidden" r:id="s2"/>`,
			`<cols><col min="2" max="2" hidden="1"/></cols><sheetData><row><c r="A1"><v>1</v></c><c r="B1"><v>2</v></c><c r="C1" s="4"><v>3</v></c></row><row hidden="1"><c r="A2"><v>4</v></c></row></sheetData>`, `<sheetData/>`),
			want: "## Sheet 1: A\n\n| 1 | " + hiddenText("2") + " | " + hiddenText("3") + " |\n" + hiddenText("| 4 |") + "\n\n## Sheet 2: B [hidden in the document]", hidden: 4,
			notes: []string{"1 sheets", "1 table rows", "1 cells in hidden columns", "1 cells with a format that shows nothing"}},
	} {
		t.Run(c.name, func(t *testing.T) { c.kind = "xlsx"; c.run(t) })
	}
}

func TestSerialDates(t *testing.T) {
	for _, c := range []struct {
		n        string
		f        numberFormat
		date1904 bool
		want     string
	}{
		{"1", formatDate, false, "1900-01-01"}, {"59", formatDate, false, "1900-02-28"}, {"61", formatDate, false, "1900-03-01"},
		{"0", formatDate, true, "1904-01-01"}, {"0.75", formatTime, false, "18:00:00"}, {"2958465", formatDate, false, "9999-12-31"},
		{"2958466", formatDate, false, "2958466"}, {"-1", formatDate, false, "-1"}, {"1e308", formatDate, false, "1e+308"}, {"NaN", formatDate, false, "NaN"},
	} {
		if got := formatNumber(c.n, c.f, c.date1904); got != c.want {
			t.Errorf("formatNumber(%q, %v, %v) = %q, want %q", c.n, c.f, c.date1904, got, c.want)
		}
	}
}

func TestNumberFormats(t *testing.T) {
	for code, want := range map[string]numberFormat{"General": formatGeneral, "0.00": formatGeneral, `#,##0.00 "days"`: formatGeneral, "dd/mm/yy": formatDate,
		"[$-409]h:mm AM/PM": formatTime, "[h]:mm": formatTime, "[Red]0.0": formatGeneral, `yyyy\-mm\-dd hh:mm`: formatDateTime, "0%": formatPercent, ";;;": formatNothing, "mmm": formatDate} {
		if got := formatOf(200, code); got != want {
			t.Errorf("formatOf(%q) = %v, want %v", code, got, want)
		}
	}
}

func shape(id, body string) string {
	return `<p:sp><p:nvSpPr><p:cNvPr/><p:nvPr>` + id + `</p:nvPr></p:nvSpPr><p:txBody><a:p><a:r><a:t>` + body + `</a:t></a:r></a:p></p:txBody></p:sp>`
}

func presentation(slides ...string) []byte {
	var list string
	var rels []fixture.Rel
	var files []fixture.Part
	for i := range slides {
		n := string(rune('1' + i))
		list = `<p:sldId id="` + n + `" r:id="s` + n + `"/>` + list // shown in the opposite order of the files
		rels = append(rels, fixture.R("s"+n, "slide", "slides/slide"+n+".xml"))
		files = append(files, fixture.P("ppt/slides/slide"+n+".xml", slides[i]))
	}
	files = append(files, fixture.P("ppt/presentation.xml", fixture.Slide("presentation", "", `<p:sldIdLst>`+list+`</p:sldIdLst><p:sldSz cx="1000" cy="500"/>`)), fixture.P("ppt/_rels/presentation.xml.rels", fixture.Rels(rels...)),
		fixture.P("ppt/slides/_rels/slide1.xml.rels", fixture.Rels(fixture.R("n", "notesSlide", "../notesSlides/n1.xml"))),
		fixture.P("ppt/notesSlides/n1.xml", fixture.Slide("notes", "", shape(`<p:ph type="body"/>`, "say this")+shape(`<p:ph type="sldNum"/>`, "7"))))
	return fixture.Zip(files...)
}

func TestPPTX(t *testing.T) {
	at := func(x string) string {
		return `<p:sp><p:spPr><a:xfrm><a:off x="` + x + `" y="0"/><a:ext cx="10" cy="10"/></a:xfrm></p:spPr><p:txBody><a:p><a:r><a:t>x</a:t></a:r></a:p></p:txBody></p:sp>`
	}
	for _, c := range []check{
		{name: "order, titles, notes", data: presentation(fixture.Slide("sld", "", shape(`<p:ph type="title"/>`, "Last")+shape("", "body")), fixture.Slide("sld", "", shape(`<p:ph type="ctrTitle"/>`, "First"))),
			want: "--- slide 1 of 2 ---\n# First\n\n--- slide 2 of 2 ---\n# Last\nbody\n[speaker notes] say this"},
		{name: "hidden slide", data: presentation(fixture.Slide("sld", `show="0"`, shape("", "x"))), want: "--- slide 1 of 1 ---\n[hidden in the document] this slide is not part of the show\nx\n[speaker notes] say this", hidden: 1, notes: []string{"1 slides"}},
		{name: "outside of the slide", data: presentation(fixture.Slide("sld", "", at("1001")+at("-50")+at("5"))), want: "--- slide 1 of 1 ---\n" + hiddenText("x") + "\n" + hiddenText("x") + "\nx\n[speaker notes] say this", hidden: 2, notes: []string{"2 shapes outside"}},
		{name: "table", data: presentation(fixture.Slide("sld", "", `<p:graphicFrame><a:tbl><a:tr><a:tc><a:txBody><a:p><a:r><a:t>a</a:t></a:r></a:p></a:txBody></a:tc><a:tc><a:txBody><a:p><a:r><a:t>b</a:t></a:r></a:p></a:txBody></a:tc></a:tr></a:tbl></p:graphicFrame>`)), want: "--- slide 1 of 1 ---\n| a | b |\n[speaker notes] say this"},
	} {
		t.Run(c.name, func(t *testing.T) { c.kind = "pptx"; c.run(t) })
	}
}

func TestODF(t *testing.T) {
	hiddenStyle := `<style:style style:name="T1" style:family="text"><style:text-properties text:display="none"/></style:style><style:style style:name="ta" style:family="table"><style:table-properties table:display="false"/></style:style>`
	for _, c := range []check{
		{name: "text", kind: "odt", data: fixture.ODF("text", hiddenStyle, `<text:tracked-changes><text:p>old</text:p></text:tracked-changes><text:h text:outline-level="2">Head</text:h><text:p>a<text:s text:c="2"/>b <text:span text:style-name="T1">x</text:span><text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>n</text:p></text:note-body></text:note></text:p><text:list><text:list-item><text:p>i</text:p></text:list-item></text:list><text:p><text:a xlink:href="https://x.example/">here</text:a></text:p>`),
			want: "## Head\n\na  b " + hiddenText("x") + " [footnote: n]\n\n- i\nhere <https://x.example/>", hidden: 1, notes: []string{"tracked changes", "1 passages formatted as hidden"}},
		{name: "sheet", kind: "ods", data: fixture.ODF("spreadsheet", hiddenStyle, `<table:table table:name="A"><table:table-row table:number-rows-repeated="1000000"><table:table-cell office:value="5"/><table:table-cell table:number-columns-repeated="2"><text:p>y</text:p></table:table-cell><table:table-cell table:number-columns-repeated="16000"/></table:table-row><table:table-row table:visibility="collapse"><table:table-cell><text:p>z</text:p></table:table-cell></table:table-row></table:table><table:table table:name="B" table:style-name="ta"/>`),
			want: "## Sheet 1: A\n\n| 5 | y | y |\n" + hiddenText("| z |") + "\n\n## Sheet 2: B [hidden in the document]", hidden: 2, notes: []string{"1 sheets", "1 table rows"}},
		{name: "slides", kind: "odp", data: fixture.ODF("presentation", "", `<draw:page><draw:frame><draw:text-box><text:p>one</text:p></draw:text-box></draw:frame><presentation:notes><text:p>say</text:p></presentation:notes></draw:page>`), want: "--- slide 1 ---\none\n[speaker notes] say"},
	} {
		t.Run(c.name, c.run)
	}
}

func TestTextLimit(t *testing.T) {
	d, err := Read("docx", fixture.DOCX(strings.Repeat(para("0123456789"), 40_000)), testLimits())
	if err != nil || !d.Truncated || len(d.Text) > testLimits().MaxTextOctets+1 {
		t.Errorf("got %d octets, truncated %v, %v; want at most %d, true", len(d.Text), d.Truncated, err, testLimits().MaxTextOctets)
	}
}

// TestMutations changes octets of good documents: nothing may panic or fail with an error of another kind.
func TestMutations(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for kind, good := range map[string][]byte{"docx": fixture.DOCX(para("one") + run("<w:vanish/>", "x")), "xlsx": packBook(`<sheet name="A" r:id="s1"/>`, `<sheetData><row><c r="A1" t="s"><v>0</v></c></row></sheetData>`),
		"pptx": presentation(fixture.Slide("sld", "", shape("", "x"))), "odt": fixture.ODF("text", "", "<text:p>x</text:p>")} {
		for range 200 {
			bad := append([]byte(nil), good...)
			for range 1 + rng.IntN(20) {
				bad[rng.IntN(len(bad))] = byte(rng.Uint32())
			}
			checkErr(t, kind, bad[:len(bad)-rng.IntN(len(bad)/4)])
			checkErr(t, kind, bad)
		}
	}
}

func checkErr(t *testing.T, kind string, data []byte) {
	t.Helper()
	d, err := Read(kind, data, testLimits())
	if err != nil && !errors.Is(err, document.ErrDamaged) && !errors.Is(err, document.ErrTooLarge) && !errors.Is(err, document.ErrEncrypted) {
		t.Errorf("%s: got %v, want a known error", kind, err)
	}
	if len(d.Text) > testLimits().MaxTextOctets+1 {
		t.Errorf("%s: got %d octets, want at most %d", kind, len(d.Text), testLimits().MaxTextOctets)
	}
}

func FuzzDOCX(f *testing.F) {
	f.Add(`<w:tbl><w:tr><w:tc>` + para("a") + `</w:tc></w:tr></w:tbl>` + run("<w:vanish/>", "x") + `<w:p><w:fldSimple w:instr='HYPERLINK "x"'/><w:hyperlink r:id="r1"/></w:p>`)
	f.Add(`</w:p></w:tc></w:tr></w:tbl><w:t>a`)
	f.Fuzz(func(t *testing.T, body string) { checkErr(t, "docx", fixture.DOCX(body)) })
}

func FuzzXLSX(f *testing.F) {
	f.Add(`<cols><col min="2" max="2" hidden="1"/></cols><sheetData><row hidden="1"><c r="XFD1" t="s" s="2"><f>1</f><v>0</v></c></row></sheetData>`)
	f.Fuzz(func(t *testing.T, sheet string) { checkErr(t, "xlsx", packBook(`<sheet name="A" r:id="s1"/>`, sheet)) })
}

func FuzzPPTX(f *testing.F) {
	f.Add(shape(`<p:ph type="title"/>`, "x") + `<p:graphicFrame><a:tbl><a:tr><a:tc><a:p><a:r><a:t>a</a:t></a:r></a:p></a:tc></a:tr></a:tbl></p:graphicFrame>`)
	f.Fuzz(func(t *testing.T, body string) {
		checkErr(t, "pptx", presentation(fixture.Slide("sld", "", body)))
	})
}

func FuzzODF(f *testing.F) {
	f.Add(`<text:p>a<text:note><text:p>n</text:p></text:note><text:s text:c="99999999"/></text:p><table:table><table:table-row><table:table-cell table:number-columns-repeated="9999999"><text:p>y</text:p></table:table-cell></table:table-row></table:table>`)
	f.Fuzz(func(t *testing.T, body string) {
		checkErr(t, "odt", fixture.ODF("text", "", body))
		checkErr(t, "ods", fixture.ODF("spreadsheet", "", body))
	})
}
