package office

import (
	"testing"

	"mailgap/readmail/extract/internal/document"
	"mailgap/readmail/extract/internal/fixture"
)

func TestProbe(t *testing.T) {
	l := document.Limits{MaxTextOctets: 1 << 20, MaxPages: 100, FirstPage: 1}
	p := func(s string) string { return "<w:p><w:r><w:t>" + s + "</w:t></w:r></w:p>" }
	d, err := Read("docx", fixture.DOCX(`<w:p><w:pPr><w:pStyle w:val="H1"/></w:pPr><w:r><w:t>Head</w:t></w:r></w:p>`+p("one")+
		`<w:p><w:pPr><w:numPr><w:ilvl w:val="1"/></w:numPr></w:pPr><w:r><w:t>item</w:t></w:r></w:p>`+
		`<w:p><w:r><w:t xml:space="preserve">see </w:t></w:r><w:r><w:rPr><w:vanish/></w:rPr><w:t>secret order</w:t></w:r><w:r><w:t>this</w:t></w:r><w:del><w:r><w:delText>gone</w:delText></w:r></w:del></w:p>`+
		`<w:tbl><w:tr><w:tc>`+p("a")+p("b")+`</w:tc><w:tc>`+p("c|d")+`</w:tc></w:tr></w:tbl>`+
		`<w:p><w:hyperlink r:id="r1"><w:r><w:t>click</w:t></w:r></w:hyperlink></w:p>`,
		fixture.Part{"word/styles.xml", fixture.Word("styles", `<w:style w:styleId="H1"><w:name w:val="heading 2"/></w:style>`)},
		fixture.Part{"word/_rels/document.xml.rels", fixture.Rels(fixture.Rel{"r1", "hyperlink", "https://evil.example/x"})},
		fixture.Part{"word/footnotes.xml", fixture.Word("footnotes", `<w:footnote w:id="2">`+p("a note")+`</w:footnote>`)},
		fixture.Part{"word/header1.xml", fixture.Word("hdr", p("Confidential"))},
	), l)
	t.Logf("%v %+v\n%s", err, d, d.Text)
	d, err = Read("xlsx", fixture.Zip(
		fixture.Part{"xl/workbook.xml", fixture.Sheet("workbook", `<sheets><sheet name="First" r:id="rId1"/><sheet name="Sec" state="veryHidden" r:id="rId2"/></sheets>`)},
		fixture.Part{"xl/_rels/workbook.xml.rels", fixture.Rels(fixture.Rel{"rId1", "worksheet", "worksheets/sheet1.xml"}, fixture.Rel{"rId2", "worksheet", "worksheets/sheet2.xml"}, fixture.Rel{"rId3", "sharedStrings", "sharedStrings.xml"}, fixture.Rel{"rId4", "styles", "styles.xml"})},
		fixture.Part{"xl/sharedStrings.xml", fixture.Sheet("sst", `<si><t>Name</t></si><si><r><t>Da</t></r><r><t>te</t></r></si>`)},
		fixture.Part{"xl/styles.xml", fixture.Sheet("styleSheet", `<cellXfs><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs>`)},
		fixture.Part{"xl/worksheets/sheet1.xml", fixture.Sheet("worksheet", `<sheetData><row r="1"><c r="A1" t="s"><v>0</v></c><c r="C1" t="s"><v>1</v></c></row><row r="2"><c r="A2" t="inlineStr"><is><t>x</t></is></c><c r="B2"><f>1+1</f><v>2.0000000000000004</v></c><c r="C2" s="1"><v>45000</v></c></row></sheetData>`)},
		fixture.Part{"xl/worksheets/sheet2.xml", fixture.Sheet("worksheet", `<sheetData><row r="1" hidden="1"><c r="A1"><v>7</v></c></row></sheetData>`)},
	), l)
	t.Logf("%v %+v\n%s", err, d, d.Text)
	d, err = Read("odt", fixture.ODF("text", `<style:style style:name="T1" style:family="text"><style:text-properties text:display="none"/></style:style>`,
		`<text:h text:outline-level="2">Head</text:h><text:p>a<text:s text:c="3"/>b <text:span text:style-name="T1">hid</text:span> c<text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>the note</text:p></text:note-body></text:note></text:p><text:list><text:list-item><text:p>item</text:p></text:list-item></text:list><table:table><table:table-row><table:table-cell><text:p>x</text:p></table:table-cell><table:table-cell table:number-columns-repeated="3"><text:p>y</text:p></table:table-cell></table:table-row></table:table>`), l)
	t.Logf("%v %+v\n%s", err, d, d.Text)
}
