package decode

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestUnstructured(t *testing.T) {
	for _, c := range []struct{ name, body, want string }{
		{"plain", "Hello", "Hello"},
		{"q word", "=?utf-8?Q?caf=C3=A9_au_lait?=", "café au lait"},
		{"b word", "=?UTF-8?b?Y2Fmw6k=?=", "café"},
		{"language", "=?utf-8*fr?Q?caf=C3=A9?=", "café"},
		{"white space between words goes", "=?utf-8?Q?a?= \t =?utf-8?Q?b?=", "ab"},
		{"white space beside text stays", "=?utf-8?Q?a?= b =?utf-8?Q?c?=", "a b c"},
		{"words without space", "=?utf-8?Q?a?==?utf-8?Q?b?=", "ab"},
		{"word inside a word", "x=?utf-8?Q?=C3=A9?=y", "xéy"},
		{"letter split over two words", "=?UTF-8?Q?pasi=C5=BEad=C4?= =?UTF-8?Q?=97jim=C5=B3?=", "pasižadėjimų"},
		{"letter split over encodings", "=?UTF-8?Q?=C3?= =?UTF-8?B?qQ==?=", "é"},
		{"padded words of ISO-2022-JP", "=?ISO-2022-JP?B?GyRCJDMkcyRLJEEbKEI=?= =?ISO-2022-JP?B?GyRCJE8bKEI=?=", "こんにちは"},
		{"padding inside a word", "=?utf-8?B?YQ==Yg==?=", "ab"},
		{"padding missing", "=?utf-8?B?Y2Fmw6k?=", "café"},
		{"charsets differ", "=?iso-8859-1?Q?=E9?= =?utf-8?Q?=C3=A9?=", "éé"},
		{"unknown charset", "=?none?Q?abc?=", "abc"},
		{"never ended", "=?utf-8?Q?abc", "=?utf-8?Q?abc"},
		{"no such encoding", "=?utf-8?X?abc?=", "=?utf-8?X?abc?="},
		{"broken word before a good one", "=?utf-8?Q?a =?utf-8?Q?=C3=A9?=", "=?utf-8?Q?a é"},
		{"not base64", "=?utf-8?B?!!!!?=", "=?utf-8?B?!!!!?="},
		{"space in a word", "=?utf-8?Q?two words?=", "two words"},
		{"question mark follows", "=?utf-8?Q?Caf=C3=A9?=?", "Café?"},
		{"stray sign in q", "=?utf-8?Q?100=_sure=?=", "100= sure="},
		{"raw UTF-8", "caf\xc3\xa9", "café"},
		{"raw Latin-1", "caf\xe9 cr\xe8me", "café crème"},
		{"raw ISO-2022-JP", "\x1b$B$3$s$K$A$O\x1b(B", "こんにちは"},
		{"raw beside a word", "\xc3\xa9 =?utf-8?Q?=C3=A9?=", "é é"},
		{"line ends in a word", "=?UTF-8?Q?A=0D=0A=2A_9_EXISTS?=", "A  * 9 EXISTS"},
		{"other line breaks", "=?UTF-8?Q?a=C2=85b=E2=80=A8c=E2=80=A9d=0Be=0Cf=00g?=", "a b c d e f g"},
		{"folded", "a\r\n b", "a   b"},
		{"word longer than allowed", "=?utf-8?Q?" + strings.Repeat("x", 3000) + "?=", strings.Repeat("x", 3000)},
		{"empty word", "=?utf-8?Q??=x", "x"},
		{"bare start", "=?", "=?"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := Unstructured(c.body); strings.ReplaceAll(got, "\x00", "") != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func FuzzUnstructured(f *testing.F) {
	f.Add("=?utf-8?Q?a=C4?= =?utf-8?B?l2I=?= \x1b$B$3 caf\xe9")
	f.Add("=?iso-2022-kr?B?GyQpQw4hIQ8=?= =?utf-7?Q?+AOk-?=")
	f.Fuzz(func(t *testing.T, body string) {
		checkLine(t, Unstructured(body))
		if len(Unstructured(body)) > 4*len(body)+8 {
			t.Errorf("output larger than four times the input")
		}
	})
}

// checkLine fails unless s is one line of valid UTF-8.
func checkLine(t *testing.T, s string) {
	t.Helper()
	if !utf8.ValidString(s) {
		t.Errorf("%q is not UTF-8", s)
	}
	if strings.ContainsFunc(s, breaksLine) {
		t.Errorf("%q is not one line", s)
	}
}
