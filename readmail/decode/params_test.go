package decode

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestMediaType(t *testing.T) {
	for _, c := range []struct {
		name, body, typ, params string
	}{
		{"plain", "text/plain", "text/plain", "map[]"},
		{"parameter", "Text/Plain; Charset=UTF-8", "text/plain", "map[charset:UTF-8]"},
		{"quoted", `text/plain; name="a \"b\" c"`, "text/plain", `map[name:a "b" c]`},
		{"semicolon in quotes", `image/png; name="holiday~;xyz.png"`, "image/png", "map[name:holiday~;xyz.png]"},
		{"windows path", `a/b; name="C:\temp\x.txt"`, "a/b", `map[name:C:\temp\x.txt]`},
		{"blanks without quotes", "text/plain; name=This is a test.txt", "text/plain", "map[name:This is a test.txt]"},
		{"missing semicolon", "text/plain; charset=utf-8 format=flowed", "text/plain", "map[charset:utf-8 format:flowed]"},
		{"missing first semicolon", `text/plain charset=utf-8`, "text/plain", "map[]"},
		{"comment", "text/plain; charset=us-ascii (Plain text)", "text/plain", "map[charset:us-ascii]"},
		{"comment in the type", "text/(x)plain; a=b", "text/plain", "map[a:b]"},
		{"quote never closed", `text/plain; name="a.txt; charset=utf-8`, "text/plain", "map[charset:utf-8 name:a.txt]"},
		{"text after the quote", `a/b; name="a"b.txt; c=d`, "a/b", "map[c:d name:ab.txt]"},
		{"spaces around =", "a/b; name = x ; c= d", "a/b", "map[c:d name:x]"},
		{"word without =", "text/html;iso-8859-1", "text/html", "map[]"},
		{"repeated", "a/b; name=x; name=y", "a/b", "map[name:x]"},
		{"double semicolons", "a/b;; name=x;", "a/b", "map[name:x]"},
		{"missing subtype", "text; charset=utf-8", "text/plain", "map[charset:utf-8]"},
		{"missing subtype of something", "application-x-gzip; name=x", "", "map[name:x]"},
		{"empty", "", "", "map[]"},
		{"star", "multipart/*; boundary=x", "multipart/*", "map[boundary:x]"},
		{"extended", "a/b; name*=utf-8'cs'Sk%C5%A1ov%C3%A1k.jpg", "a/b", "map[name:Skšovák.jpg]"},
		{"extended in quotes", `a/b; filename*="utf-8''Sk%C5%A1ov%C3%A1k.jpg"`, "a/b", "map[filename:Skšovák.jpg]"},
		{"extended latin-1", "a/b; name*=iso-8859-1''%e9", "a/b", "map[name:é]"},
		{"extended without charset", "a/b; name*=%C3%A9", "a/b", "map[name:é]"},
		{"extended wins", "a/b; name=x; name*=utf-8''%C3%A9", "a/b", "map[name:é]"},
		{"segments", `a/b; name*0="long "; name*1="name.txt"`, "a/b", "map[name:long name.txt]"},
		{"segments out of order", "a/b; name*1=b; name*0=a", "a/b", "map[name:ab]"},
		{"segments, letter split", "a/b; name*0*=utf-8''%C3; name*1*=%A9; name*2=.txt", "a/b", "map[name:é.txt]"},
		{"segments from 1", "a/b; name*1=a; name*2=b", "a/b", "map[name:ab]"},
		{"segment missing", "a/b; name*0=a; name*2=c", "a/b", "map[name:a]"},
		{"segment number too high", "a/b; name*0=a; name*999999999=c", "a/b", "map[name:a name*999999999:c]"},
		{"encoded word", "a/b; name==?utf-8?Q?=C3=A9.txt?=", "a/b", "map[name:é.txt]"},
		{"encoded word in quotes", `a/b; name="=?utf-8?B?w6k=?= =?utf-8?Q?.txt?="`, "a/b", "map[name:é.txt]"},
		{"encoded word in segments", `a/b; name*0="=?utf-8?Q?=C3"; name*1="=A9?="`, "a/b", "map[name:é]"},
		{"raw UTF-8", "a/b; name=\"\xc3\xa9\"", "a/b", "map[name:é]"},
		{"raw Latin-1", "a/b; name=\"caf\xe9.txt\"", "a/b", "map[name:café.txt]"},
		{"line end in a value", "a/b; name*=utf-8''a%0D%0Ab", "a/b", "map[name:a  b]"},
		{"broken percent", "a/b; name*=utf-8''a%4", "a/b", "map[name:a%4]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			typ, params, _ := MediaType(c.body)
			if got := fmt.Sprint(map[string]string(params)); typ != c.typ || got != c.params {
				t.Errorf("got %q %s, want %q %s", typ, got, c.typ, c.params)
			}
		})
	}
}

func TestDisposition(t *testing.T) {
	typ, params, _ := Disposition(`Attachment; FileName="x.pdf"; size=3`)
	if typ != "attachment" || params["filename"] != "x.pdf" || params["size"] != "3" {
		t.Errorf("got %q %v", typ, params)
	}
}

func TestParamsFrom(t *testing.T) {
	got, _ := ParamsFrom(map[string]string{"FILENAME*0*": "utf-8''%C3", "FileName*1*": "%A9", "Charset": "UTF-8", "NAME": "=?utf-8?Q?=C3=A9?="})
	if want := "map[charset:UTF-8 filename:é name:é]"; fmt.Sprint(map[string]string(got)) != want {
		t.Errorf("got %v, want %s", got, want)
	}
	if got, _ := ParamsFrom(nil); got == nil || len(got) != 0 {
		t.Errorf("got %v, want an empty map", got)
	}
}

func TestSafeFileName(t *testing.T) {
	for _, c := range []struct {
		name, raw, want string
		note            Note
	}{
		{"plain", "report.pdf", "report.pdf", ""},
		{"letters", "Biodiversité de semaine.doc", "Biodiversité de semaine.doc", ""},
		{"none", "", "part-2", ""},
		{"path", "../../etc/passwd", "passwd", NoteNameUnsafe},
		{"windows path", `C:\temp\x.txt`, "x.txt", NoteNameUnsafe},
		{"path in the middle", "1234/../../1234.txt", "1234.txt", NoteNameUnsafe},
		{"dots only", "..", "part-2", NoteNameUnsafe},
		{"slashes only", "//", "part-2", NoteNameUnsafe},
		{"ends in a slash", "a.txt/", "a.txt", NoteNameUnsafe},
		{"hidden", ".bashrc", "bashrc", NoteNameUnsafe},
		{"trailing dots", "x.exe. .", "x.exe", NoteNameUnsafe},
		{"stream", "a.txt:evil", "a.txt_evil", NoteNameUnsafe},
		{"right to left", "invoice_\u202efdp.exe", "invoice_fdp.exe", NoteNameUnsafe},
		{"isolate", "a\u2066b\u2069.txt", "ab.txt", NoteNameUnsafe},
		{"zero width", "a\u200bb\ufeff.txt", "ab.txt", NoteNameUnsafe},
		{"tag letters", "a\U000e0041.txt", "a.txt", NoteNameUnsafe},
		{"filler", "a\u3164.txt", "a.txt", NoteNameUnsafe},
		{"row of blanks", "invoice.pdf" + strings.Repeat(" ", 90) + ".exe", "invoice.pdf .exe", NoteNameUnsafe},
		{"no-break spaces", "a\u00a0\u00a0b", "a b", NoteNameUnsafe},
		{"line end", "a\r\nb.txt", "a b.txt", NoteNameUnsafe},
		{"division slash", "a\u2215b", "a_b", NoteNameUnsafe},
		{"device", "con", "_con", NoteNameReserved},
		{"device with extension", "NUL.tar.gz", "_NUL.tar.gz", NoteNameReserved},
		{"device with number", "lpt1.txt", "_lpt1.txt", NoteNameReserved},
		{"no device", "console.txt", "console.txt", ""},
		{"long", strings.Repeat("é", 200) + ".pdf", strings.Repeat("é", 98) + ".pdf", NoteNameShortened},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := SafeFileName(c.raw, "part-2")
			if got.Safe != c.want {
				t.Errorf("got %q, want %q", got.Safe, c.want)
			}
			if c.note != "" && !got.Notes.Has(c.note) || c.note == "" && len(got.Notes) > 0 {
				t.Errorf("notes = %v, want %q", got.Notes, c.note)
			}
		})
	}
}

func TestFilenameChoice(t *testing.T) {
	got := Filename(Params{"filename": "a"}, Params{"name": "b"}, "c").Raw + Filename(nil, Params{"name": "b"}, "c").Raw + Filename(nil, nil, "c").Safe
	if got != "abc" {
		t.Errorf("got %q, want %q", got, "abc")
	}
}

func FuzzMediaType(f *testing.F) {
	f.Add(`text/plain; name*0*=utf-8''%C3; name*1="=?utf-8?Q?=A9?="; charset=x format=flowed (c) ; "`)
	f.Add("multipart/*;boundary=\"a b\";\xff=\xff")
	f.Fuzz(func(t *testing.T, body string) {
		typ, params, _ := MediaType(body)
		checkLine(t, typ)
		for name, value := range params {
			checkLine(t, name)
			checkLine(t, value)
		}
		disposition, params2, _ := Disposition(body)
		checkLine(t, disposition)
		checkName(t, Filename(params2, params, "part"))
	})
}

func FuzzSafeFileName(f *testing.F) {
	f.Add("../x\u202e.txt", "part")
	f.Add("CON .\x00/..", "..")
	f.Fuzz(func(t *testing.T, raw, fallback string) {
		checkName(t, SafeFileName(raw, fallback))
		n := SafeFileName(raw, fallback)
		if again := SafeFileName(n.Safe, ""); again.Safe != n.Safe {
			t.Errorf("%q made safe again is %q", n.Safe, again.Safe)
		}
	})
}

func checkName(t *testing.T, n FileName) {
	t.Helper()
	checkLine(t, n.Raw)
	checkLine(t, n.Safe)
	if n.Safe == "" || len(n.Safe) > maxSafeNameOctets+1 || strings.ContainsAny(n.Safe, `/\:<>|?*"`) || strings.HasPrefix(n.Safe, ".") || !utf8.ValidString(n.Safe) {
		t.Errorf("unsafe name %q", n.Safe)
	}
}
