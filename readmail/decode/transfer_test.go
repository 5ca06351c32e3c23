package decode

import (
	"bytes"
	"strings"
	"testing"
)

func TestTransferDecode(t *testing.T) {
	for _, c := range []struct {
		name, encoding, octets, want string
		note                         Note
	}{
		{"none", "", "a=3D", "a=3D", ""},
		{"8bit", "8BIT", "\xff", "\xff", ""},
		{"unknown", "rot13", "abc", "abc", NoteEncodingUnknown},
		{"yenc", "x-yenc", "=ybegin", "=ybegin", NoteYEnc},
		{"base64", "base64", "SGVsbG8=", "Hello", ""},
		{"base64 in lines", "BASE64", "SGVs\r\nbG8=\r\n", "Hello", ""},
		{"base64 with a comment", "base64 (RFC 2045)", "SGVsbG8=", "Hello", ""},
		{"base64 without padding", "base64", "SGVsbG8", "Hello", ""},
		{"base64 with too much padding", "base64", "SGVsbG8====", "Hello", ""},
		{"base64 with junk", "base64", "SGVs*bG8g!d29ybGQgaG93IGFyZSB5b3U=", "Hello world how are you", NoteEncodingDamaged},
		{"base64, one sign too many", "base64", "SGVsbG8gd29ybGRBQUFBx\r\nAAAA", "Hello worldAAAA\xc4\x00\x00", ""},
		{"base64 blocks, each padded", "base64", "SGVsbG8=\r\nIHdvcmxk\r\n", "Hello world", ""},
		{"base64 and a footer", "base64", "SGVsbG8gd29ybGQ=\r\n-- \r\nYou are subscribed to the list\r\n", "Hello world", NoteEncodingDamaged},
		{"base64 and a footer of one word", "base64", "SGVsbG8gd29ybGQ=\r\nUnsubscribe\r\n", "Hello world", ""},
		{"base64 and a footer after whole groups", "base64", "SGVsbG8gd29y\r\n____________\r\nThe list of lists, see example.com\r\n", "Hello wor", NoteEncodingDamaged},
		{"plain called base64", "base64", "This is plain text, and not base64 at all.\r\n", "This is plain text, and not base64 at all.\r\n", NoteEncodingFalse},
		{"a word called base64", "base64", "Hello", "Hello", NoteEncodingFalse},
		{"empty base64", "base64", "", "", ""},
		{"qp", "quoted-printable", "caf=C3=A9", "caf\xc3\xa9", ""},
		{"qp lower case", "quoted-printable", "caf=c3=a9", "caf\xc3\xa9", ""},
		{"qp soft break", "quoted-printable", "a=\r\nb=\nc= \t\r\nd", "abcd", ""},
		{"qp stray sign", "quoted-printable", "1 = 1, =ZZ", "1 = 1, =ZZ", NoteEncodingDamaged},
		{"qp ends in a sign", "quoted-printable", "a=", "a", ""},
		{"qp ends in half an octet", "quoted-printable", "a=C", "a=C", NoteEncodingDamaged},
		{"qp keeps blanks", "quoted-printable", "flowed \r\nline", "flowed \r\nline", ""},
		{"uu", "x-uuencode", "text\r\nbegin 644 a.txt\r\n%2&5L;&\\\r\n`\r\nend\r\n", "Hello", ""},
		{"uu without end", "uuencode", "begin 644 a\n%2&5L;&\\\n", "Hello", NoteEncodingDamaged},
		{"uu without begin", "uuencode", "Hello", "Hello", NoteEncodingFalse},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, notes := TransferDecode(c.encoding, []byte(c.octets), 0)
			if string(got) != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
			if c.note != "" && !notes.Has(c.note) {
				t.Errorf("notes = %v, want %s", notes, c.note)
			}
		})
	}
}

func TestTransferDecodeLimit(t *testing.T) {
	for encoding, octets := range map[string]string{
		"base64": strings.Repeat("QUFB", 1000), "quoted-printable": strings.Repeat("=41", 1000), "8bit": strings.Repeat("A", 1000),
		"uuencode": "begin 644 a\n" + strings.Repeat("#86%A\n", 1000) + "end\n",
	} {
		got, notes := TransferDecode(encoding, []byte(octets), 100)
		if len(got) != 100 || !notes.Has(NoteOutputLimit) {
			t.Errorf("%s: got %d octets, %v; want 100 and a note", encoding, len(got), notes)
		}
	}
}

func FuzzTransferDecode(f *testing.F) {
	for _, e := range []string{"base64", "quoted-printable", "uuencode", "8bit", "x"} {
		f.Add(e, []byte("begin 644 a\nSGVsbG8=\n=C3=\r\n-- \nx"))
	}
	f.Fuzz(func(t *testing.T, encoding string, octets []byte) {
		before := bytes.Clone(octets)
		got, _ := TransferDecode(encoding, octets, 0)
		bound := len(octets) + 64
		if normalEncoding(encoding) == "uuencode" {
			bound = 32*len(octets) + 64 // blanks at the end of a line may have been stripped
		}
		if len(got) > bound {
			t.Errorf("%d octets became %d", len(octets), len(got))
		}
		if !bytes.Equal(before, octets) {
			t.Error("the input was changed")
		}
	})
}

func TestFlowed(t *testing.T) {
	for _, c := range []struct {
		name, text string
		delsp      bool
		want       string
	}{
		{"joined", "a \r\nb\r\n", false, "a b\n"},
		{"fixed", "a\r\nb\r\n", false, "a\nb\n"},
		{"delsp", "日本 \r\n語\r\n", true, "日本語\n"},
		{"unstuffed", " From x\r\n >y\r\n", false, "From x\n>y\n"},
		{"quoted", "> a \r\n> b\r\n>> c\r\n", false, "> a b\n>> c\n"},
		{"depth changes", "> a \r\nb\r\n", false, "> a \nb\n"},
		{"quoted and stuffed", ">  a\r\n", false, ">  a\n"},
		{"signature", "a \r\n-- \r\nAda\r\n", false, "a \n-- \nAda\n"},
		{"quoted signature", "> -- \r\n> Ada\r\n", false, "> -- \n> Ada\n"},
		{"blank lines", "a \r\n\r\nb\r\n", false, "a \nb\n"},
		{"ends flowing", "a ", false, "a "},
		{"empty", "", false, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := Flowed(c.text, c.delsp); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func FuzzFlowed(f *testing.F) {
	f.Add("> a \r\n>> b\r\n-- \r\n x ", true)
	f.Fuzz(func(t *testing.T, text string, delsp bool) {
		if got := Flowed(text, delsp); len(got) > 2*len(text)+2 {
			t.Errorf("%d octets became %d", len(text), len(got))
		}
	})
}
