package compose

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestThreading(t *testing.T) {
	tests := []struct {
		name   string
		parent Parent
		want   []string
	}{
		{"first reply", Parent{MessageID: "1@a.example"}, []string{"1@a.example"}},
		{"angle brackets", Parent{MessageID: "<1@a.example>", References: []string{"<0@a.example>"}}, []string{"0@a.example", "1@a.example"}},
		{"chain", Parent{MessageID: "3@a", References: []string{"1@a", "2@a"}, InReplyTo: []string{"x@a"}}, []string{"1@a", "2@a", "3@a"}},
		{"no chain, one parent", Parent{MessageID: "3@a", InReplyTo: []string{"2@a"}}, []string{"2@a", "3@a"}},
		{"no chain, two parents", Parent{MessageID: "3@a", InReplyTo: []string{"1@a", "2@a"}}, []string{"3@a"}},
		{"malformed ids are left out", Parent{MessageID: "3@a", References: []string{"no-at-sign", "a b@c", "x@y\r\nBcc: z", "1@a"}}, []string{"1@a", "3@a"}},
		{"repeated ids are left out", Parent{MessageID: "3@a", References: []string{"1@a", "1@a", "3@a", "2@a"}}, []string{"1@a", "2@a", "3@a"}},
		{"odd but usable ids", Parent{MessageID: "$a$[b]:c/=@[192.0.2.1]", References: []string{"CAF+x_y=z@mail.example"}}, []string{"CAF+x_y=z@mail.example", "$a$[b]:c/=@[192.0.2.1]"}},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			inReplyTo, got, err := Threading(tc.parent)
			if err != nil || !slices.Equal(got, tc.want) || inReplyTo != tc.want[len(tc.want)-1] {
				t.Fatalf("got %q %q %v, want %q", inReplyTo, got, err, tc.want)
			}
			d := draft(t)
			d.InReplyTo, d.References = inReplyTo, got
			if m := mustCompose(t, d, fixed()); !slices.Equal(m.Facts.References, tc.want) {
				t.Errorf("composed: got %q", m.Facts.References)
			}
		})
	}
	for _, bad := range []string{"", "<>", "18c3a9f", "a@b@c", "@b", "a@", "a b@c", "a@b>", "<a@b", "a\n@b", "ü@b", `"a"@b`, "a@b,c@d", strings.Repeat("a", 600) + "@b", "=?utf-8?q?a?=@b"} {
		if _, _, err := Threading(Parent{MessageID: bad}); !errors.Is(err, ErrMessageID) {
			t.Errorf("parent %q: got %v", bad, err)
		}
	}
}

func TestLongChainLosesItsMiddle(t *testing.T) {
	var chain []string
	for k := range 100 {
		chain = append(chain, fmt.Sprintf("message-%03d@example.com", k))
	}
	_, got, err := Threading(Parent{MessageID: "parent@example.com", References: chain})
	if err != nil {
		t.Fatal(err)
	}
	n := len(got)
	if got[0] != chain[0] || got[n-1] != "parent@example.com" || got[n-2] != chain[99] || !slices.Equal(got[1:n-1], chain[100-(n-2):]) {
		t.Errorf("got %q", got)
	}
	if size := referencesOctets(got); size > maxLineOctets || size < maxLineOctets-40 {
		t.Errorf("%d octets, want nearly %d", size, maxLineOctets)
	}
	long := strings.Repeat("a", 505) + "@x.org"
	if _, got, err = Threading(Parent{MessageID: long, References: []string{strings.Repeat("b", 505) + "@x.org"}}); err != nil || !slices.Equal(got, []string{long}) {
		t.Errorf("two ids that do not fit together: got %q %v", got, err)
	}
}

func TestSubjects(t *testing.T) {
	tests := []struct{ in, reply, forward string }{
		{"Plan", "Re: Plan", "Fwd: Plan"},
		{"", "Re: ", "Fwd: "},
		{"Re: Plan", "Re: Plan", "Fwd: Re: Plan"},
		{"RE: re: Re: Plan", "Re: Plan", "Fwd: Re: Plan"},
		{"Re:Plan", "Re: Plan", "Fwd: Re: Plan"},
		{"AW: Plan", "Re: Plan", "Fwd: Re: Plan"},
		{"Antw: SV: VS: Plan", "Re: Plan", "Fwd: Re: Plan"},
		{"AW: WG: Plan", "Re: Fwd: Plan", "Fwd: Re: Plan"},
		{"Fwd: Plan", "Re: Fwd: Plan", "Fwd: Plan"},
		{"FW: Fwd: TR: RV: Plan", "Re: Fwd: Plan", "Fwd: Plan"},
		{"Re[2]: Plan", "Re: Plan", "Fwd: Re: Plan"},
		{"Re(3): Plan", "Re: Plan", "Fwd: Re: Plan"},
		{"Re^4: Plan", "Re: Plan", "Fwd: Re: Plan"},
		{"RE : Plan", "Re: Plan", "Fwd: Re: Plan"},
		{"回复：计划", "Re: 计划", "Fwd: Re: 计划"},
		{"转发: 计划", "Re: Fwd: 计划", "Fwd: 计划"},
		{"Отв: План", "Re: План", "Fwd: Re: План"},
		{"ΑΠ: Σχέδιο", "Re: Σχέδιο", "Fwd: Re: Σχέδιο"},
		{"Ynt: Plan", "Re: Plan", "Fwd: Re: Plan"},
		{"Odp: Plan", "Re: Plan", "Fwd: Re: Plan"},
		{"RÉP : Plan", "Re: Plan", "Fwd: Re: Plan"},
		{"답장: 계획", "Re: 계획", "Fwd: Re: 계획"},
		{"Invoice: March", "Re: Invoice: March", "Fwd: Invoice: March"},
		{"Recipe: bread", "Re: Recipe: bread", "Fwd: Recipe: bread"},
		{"Re bread", "Re: Re bread", "Fwd: Re bread"},
		{"[list] Re: Plan", "Re: [list] Re: Plan", "Fwd: [list] Re: Plan"},
		{"Re: ", "Re: ", "Fwd: Re: "},
	}
	for _, tc := range tests {
		t.Run(tc.in, func(t *testing.T) {
			if got := ReplySubject(tc.in); got != tc.reply {
				t.Errorf("reply: got %q, want %q", got, tc.reply)
			}
			if got := ForwardSubject(tc.in); got != tc.forward {
				t.Errorf("forward: got %q, want %q", got, tc.forward)
			}
			for _, f := range []func(string) string{ReplySubject, ForwardSubject} {
				if once := f(tc.in); f(once) != once {
					t.Errorf("not stable: %q, then %q", once, f(once))
				}
			}
		})
	}
}

func TestBodyText(t *testing.T) {
	quote := &Quote{Attribution: "Jane wrote:", Text: "one\r\n\r\n>two\n  three"}
	tests := []struct {
		name string
		d    Draft
		want string
	}{
		{"empty", Draft{}, ""},
		{"text", Draft{Text: "a"}, "a\n"},
		{"three kinds of line ends", Draft{Text: "a\r\nb\rc\n"}, "a\nb\nc\n"},
		{"empty lines stay", Draft{Text: "\n\na\n\n\n"}, "\n\na\n\n\n"},
		{"spaces stay", Draft{Text: "  a  \n \n"}, "  a  \n \n"},
		{"quote", Draft{Text: "a", Quote: quote}, "a\n\nJane wrote:\n> one\n>\n>>two\n>   three\n"},
		{"quote alone", Draft{Quote: quote}, "Jane wrote:\n> one\n>\n>>two\n>   three\n"},
		{"forwarded text", Draft{Text: "a", Quote: &Quote{"-- original --", "x\ny", true}}, "a\n\n-- original --\nx\ny\n"},
		{"signature", Draft{Text: "a", Signature: "Jane\r\nExample"}, "a\n\n-- \nJane\nExample\n"},
		{"signature with its own line", Draft{Text: "a", Signature: "-- \nJane"}, "a\n\n-- \nJane\n"},
		{"all", Draft{Text: "a", Quote: &Quote{"w:", "x", false}, Signature: "J"}, "a\n\nw:\n> x\n\n-- \nJ\n"},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			if got := BodyText(tc.d); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}
