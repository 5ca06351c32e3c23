package decode

import (
	"encoding/binary"
	"strconv"
	"strings"
)

// TNEF is the content of an application/ms-tnef part (winmail.dat).
type TNEF struct {
	Text        string // plain body, if any
	HTML        []byte // HTML body as stored, if any: decode it with HTMLText
	RTF         bool   // the body is (also) compressed RTF, which is not read
	Attachments []TNEFAttachment
	Notes       Notes
}

// TNEFAttachment is a file in a TNEF stream. Octets is a slice of the input; nil for an attached message, which is not opened.
type TNEFAttachment struct {
	Name   FileName
	Octets []byte
}

const (
	tnefSignature      = 0x223e9f78 // MS-OXTNEF §2.1.3.1
	maxTNEFAttachments = 200        // Limit: Exchange allows 250 attachments in all
	maxTNEFProps       = 2000       // Limit: a message has some 100 properties
)

// Attributes (MS-OXTNEF §2.1.3.2) and property tags (MS-OXPROPS) that are read.
const (
	tnefBody           = 0x0002800c
	tnefMsgProps       = 0x00069003
	tnefOEMCodepage    = 0x00069007
	tnefAttachRendData = 0x00069002
	tnefAttachTitle    = 0x00018010
	tnefAttachData     = 0x0006800f
	tnefAttachProps    = 0x00069005

	propBody         = 0x1000
	propRTF          = 0x1009
	propBodyHTML     = 0x1013
	propLongFilename = 0x3707
	propFilename     = 0x3704
)

// ParseTNEF lists what a TNEF stream holds: at most 200 attachments. ok is false if octets is no TNEF stream. A damaged stream gives
// what stands before the damage, with NoteTNEFDamaged.
func ParseTNEF(octets []byte) (t TNEF, ok bool) {
	c := tnefCursor{b: octets}
	if c.u32() != tnefSignature || c.bad {
		return TNEF{}, false
	}
	c.u16() // key
	p := tnefReader{codepage: "windows-1252"}
	for len(c.b) > 0 {
		c.u8() // level
		id := c.u32()
		data := c.bytes(c.u32())
		c.u16() // checksum
		if c.bad && len(data) == 0 {
			break
		}
		if !p.attribute(id, data) {
			p.out.Notes.add(NotePartLimit)
			break
		}
	}
	if c.bad {
		p.out.Notes.add(NoteTNEFDamaged)
	}
	p.finish()
	return p.out, true
}

type tnefReader struct {
	out      TNEF
	codepage string
	open     bool // an attachment is being read
	title    string
	long     string
	data     []byte
}

// attribute takes one attribute in; false means that the limit on attachments is reached.
func (p *tnefReader) attribute(id uint32, data []byte) bool {
	switch id {
	case tnefOEMCodepage:
		if len(data) >= 4 {
			p.setCodepage(binary.LittleEndian.Uint32(data))
		}
	case tnefBody:
		p.out.Text, _ = Text(p.codepage, data)
	case tnefMsgProps:
		p.props(data, p.messageProp)
	case tnefAttachRendData:
		p.finish()
		p.open = true
		return len(p.out.Attachments) < maxTNEFAttachments
	case tnefAttachTitle:
		p.title = p.text(data)
	case tnefAttachData:
		p.data = data
	case tnefAttachProps:
		p.props(data, p.attachProp)
	}
	return true
}

func (p *tnefReader) setCodepage(n uint32) {
	label := "cp" + strconv.FormatUint(uint64(n), 10)
	if _, ok := findCharset(label); ok {
		p.codepage = label
	}
}

func (p *tnefReader) text(data []byte) string {
	text, _ := Text(p.codepage, data)
	return oneLine(text)
}

// finish writes down the attachment that is being read.
func (p *tnefReader) finish() {
	if p.open {
		name := p.long
		if name == "" {
			name = p.title
		}
		fallback := "attachment-" + strconv.Itoa(len(p.out.Attachments)+1)
		p.out.Attachments = append(p.out.Attachments, TNEFAttachment{SafeFileName(name, fallback), p.data})
	}
	p.open, p.title, p.long, p.data = false, "", "", nil
}

func (p *tnefReader) messageProp(id uint16, unicode bool, data []byte) {
	switch id {
	case propBody:
		if text := p.propText(unicode, data); p.out.Text == "" {
			p.out.Text = text
		}
	case propBodyHTML:
		p.out.HTML = data
	case propRTF:
		p.out.RTF = true
	}
}

func (p *tnefReader) attachProp(id uint16, unicode bool, data []byte) {
	if id == propLongFilename || id == propFilename && p.long == "" {
		p.long = oneLine(p.propText(unicode, data))
	}
}

func (p *tnefReader) propText(unicode bool, data []byte) string {
	label := p.codepage
	if unicode {
		label = "utf-16le"
	}
	text, _ := Text(label, data)
	return strings.TrimRight(text, "\x00")
}

// Property types (MS-OXCDATA §2.11.1).
const (
	typeMultiple = 0x1000
	typeObject   = 0x000d
	typeString8  = 0x001e
	typeUnicode  = 0x001f
	typeBinary   = 0x0102
)

// props reads a property list (MS-OXTNEF §2.1.3.4) and gives each text or binary property to f.
func (p *tnefReader) props(data []byte, f func(id uint16, unicode bool, data []byte)) {
	c := tnefCursor{b: data}
	n := c.u32()
	for i := uint32(0); i < n && i < maxTNEFProps && !c.bad; i++ {
		typ, id := c.u16(), c.u16()
		if id >= 0x8000 {
			c.skipName()
		}
		values := uint32(1)
		base := typ &^ typeMultiple
		variable := base == typeString8 || base == typeUnicode || base == typeBinary || base == typeObject
		if typ&typeMultiple != 0 || variable {
			values = c.u32()
		}
		for v := uint32(0); v < values && !c.bad; v++ {
			if !variable {
				c.bytes(fixedSize(base))
				continue
			}
			size := c.u32()
			value := c.bytes(size)
			c.bytes(-size & 3) // padding
			if v == 0 && !c.bad {
				f(id, base == typeUnicode, value)
			}
		}
	}
	if c.bad {
		p.out.Notes.add(NoteTNEFDamaged)
	}
}

func fixedSize(typ uint16) uint32 {
	switch typ {
	case 0x0005, 0x0006, 0x0007, 0x0014, 0x0040:
		return 8
	case 0x0048:
		return 16
	}
	return 4
}

// tnefCursor reads little-endian values; once bad it gives zeros.
type tnefCursor struct {
	b   []byte
	bad bool
}

// bytes returns the next n octets; when fewer are left, those, and the cursor is bad.
func (c *tnefCursor) bytes(n uint32) []byte {
	if c.bad {
		return nil
	}
	if uint64(n) > uint64(len(c.b)) {
		n, c.bad = uint32(len(c.b)), true
	}
	out := c.b[:n:n]
	c.b = c.b[n:]
	return out
}

func (c *tnefCursor) u8() byte {
	if b := c.bytes(1); len(b) == 1 {
		return b[0]
	}
	return 0
}

func (c *tnefCursor) u16() uint16 {
	if b := c.bytes(2); len(b) == 2 {
		return binary.LittleEndian.Uint16(b)
	}
	return 0
}

func (c *tnefCursor) u32() uint32 {
	if b := c.bytes(4); len(b) == 4 {
		return binary.LittleEndian.Uint32(b)
	}
	return 0
}

// skipName skips the name of a named property: a GUID, and a number or a padded string.
func (c *tnefCursor) skipName() {
	c.bytes(16)
	if c.u32() == 0 {
		c.u32()
		return
	}
	n := c.u32()
	c.bytes(n)
	c.bytes(-n & 3)
}
