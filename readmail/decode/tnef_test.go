package decode

import (
	"encoding/binary"
	"testing"
)

// tnefStream writes attributes as MS-OXTNEF has them.
type tnefStream []byte

func newTNEF() tnefStream {
	return binary.LittleEndian.AppendUint16(binary.LittleEndian.AppendUint32(nil, tnefSignature), 1)
}

func (s *tnefStream) attr(id uint32, data []byte) {
	b := append(*s, 1)
	b = binary.LittleEndian.AppendUint32(b, id)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(data)))
	b = append(b, data...)
	*s = append(b, 0, 0)
}

func tnefProp(typ, id uint16, value []byte) []byte {
	b := binary.LittleEndian.AppendUint32(nil, 2) // two properties: a number first
	b = append(b, 3, 0, 1, 0, 9, 9, 9, 9)
	b = binary.LittleEndian.AppendUint16(b, typ)
	b = binary.LittleEndian.AppendUint16(b, id)
	b = binary.LittleEndian.AppendUint32(b, 1)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(value)))
	b = append(b, value...)
	return append(b, make([]byte, -len(value)&3)...)
}

func sampleTNEF() tnefStream {
	s := newTNEF()
	s.attr(tnefOEMCodepage, []byte{0xe3, 4, 0, 0, 0, 0, 0, 0}) // 1251
	s.attr(tnefBody, []byte("\xcf\xf0\xe8\xe2\xe5\xf2\x00"))
	s.attr(tnefMsgProps, tnefProp(typeBinary, propBodyHTML, []byte("<p>x</p>")))
	s.attr(tnefAttachRendData, make([]byte, 14))
	s.attr(tnefAttachTitle, []byte("SHORT~1.TXT\x00"))
	s.attr(tnefAttachData, []byte("file one"))
	s.attr(tnefAttachProps, tnefProp(typeUnicode, propLongFilename, []byte("l\x00o\x00n\x00g\x00.\x00t\x00x\x00t\x00\x00\x00")))
	s.attr(tnefAttachRendData, make([]byte, 14))
	s.attr(tnefAttachTitle, []byte("../two.txt\x00"))
	s.attr(tnefAttachData, []byte("file two"))
	return s
}

func TestParseTNEF(t *testing.T) {
	got, ok := ParseTNEF(sampleTNEF())
	if !ok || len(got.Attachments) != 2 || len(got.Notes) != 0 {
		t.Fatalf("got %+v, %v", got, ok)
	}
	if got.Text != "Привет" || string(got.HTML) != "<p>x</p>" {
		t.Errorf("bodies = %q, %q", got.Text, got.HTML)
	}
	one, two := got.Attachments[0], got.Attachments[1]
	if one.Name.Raw != "long.txt" || string(one.Octets) != "file one" {
		t.Errorf("first = %q %q", one.Name.Raw, one.Octets)
	}
	if two.Name.Safe != "two.txt" || string(two.Octets) != "file two" {
		t.Errorf("second = %q %q", two.Name.Safe, two.Octets)
	}
}

func TestParseTNEFCut(t *testing.T) {
	s := sampleTNEF()
	got, ok := ParseTNEF(s[:len(s)-20])
	if !ok || !got.Notes.Has(NoteTNEFDamaged) || len(got.Attachments) != 2 || string(got.Attachments[0].Octets) != "file one" {
		t.Errorf("got %+v, %v", got, ok)
	}
	if _, ok := ParseTNEF([]byte("no TNEF")); ok {
		t.Error("text was taken for TNEF")
	}
}

func TestParseTNEFLimit(t *testing.T) {
	s := newTNEF()
	for range maxTNEFAttachments + 50 {
		s.attr(tnefAttachRendData, nil)
	}
	got, _ := ParseTNEF(s)
	if len(got.Attachments) > maxTNEFAttachments+1 || !got.Notes.Has(NotePartLimit) {
		t.Errorf("got %d attachments, %v", len(got.Attachments), got.Notes)
	}
}

func FuzzParseTNEF(f *testing.F) {
	f.Add([]byte(sampleTNEF()))
	f.Fuzz(func(t *testing.T, octets []byte) {
		got, _ := ParseTNEF(octets)
		for _, a := range got.Attachments {
			checkName(t, a.Name)
		}
	})
}
