package confirm

import (
	"slices"
	"testing"
)

func TestTypedDomains(t *testing.T) {
	to := func(address string, l Level) Recipient { return Recipient{Address: address, Level: l} }
	note := []Note{{Level: LevelElevated}}
	tests := []struct {
		name string
		q    Question
		want []string
	}{
		{"normal", Question{From: "me@example.com", To: []Recipient{to("bob@example.org", 0)}}, nil},
		{"a note alone: the first outside", Question{From: "Me <me@example.com>", Notes: note, To: []Recipient{to("a@EXAMPLE.com", 0), to("b@one.example", 0), to("c@two.example", 0)}}, []string{"one.example"}},
		{"a note alone, all inside", Question{From: "Me <me@example.com>", Notes: note, To: []Recipient{to("a@example.com", 0)}}, []string{"example.com"}},
		{"one recipient raises", Question{From: "me@example.com", To: []Recipient{to("b@one.example", 0)}, Bcc: []Recipient{to("c@two.example", LevelElevated)}}, []string{"two.example"}},
		{"several of one domain", Question{From: "me@example.com", To: []Recipient{to("b@one.example", LevelElevated), to("c@one.example", LevelSevere)}}, []string{"one.example"}},
		{"many", Question{From: "me@example.com", To: []Recipient{to("x@1.example", LevelElevated), to("x@2.example", LevelElevated), to("x@3.example", LevelElevated), to("x@4.example", LevelElevated)}},
			[]string{"1.example", "2.example", "3.example"}},
		{"nobody", Question{Notes: note}, nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var got []string
			for _, r := range test.q.TypedDomains() {
				got = append(got, r.domain())
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func TestTyped(t *testing.T) {
	r := Recipient{Address: "ann@bücher.example", ASCII: "ann@xn--bcher-kva.example"}
	for s, want := range map[string]bool{
		"bücher.example": true, "XN--bcher-kva.EXAMPLE": true, " bücher.example\t": true, "@bücher.example": true,
		"": false, "@": false, "bucher.example": false, "ann@bücher.example": false, "bücher.example.": false, "example": false, "bücher.exаmple": false,
	} {
		if got := r.Typed(s); got != want {
			t.Errorf("%q: got %v, want %v", s, got, want)
		}
	}
	if (Recipient{Address: "a@b.example"}).Typed("") {
		t.Error("nothing typed is the domain of a recipient without a second form")
	}
}

func TestLevel(t *testing.T) {
	q := Question{Notes: []Note{{Level: LevelElevated}}, Bcc: []Recipient{{Level: LevelSevere}}}
	if got := q.Level(); got != LevelSevere {
		t.Errorf("got %d, want the highest", got)
	}
}
