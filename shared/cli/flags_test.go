package cli

import (
	"fmt"
	"testing"
)

func TestTakeValues(t *testing.T) {
	for _, c := range []struct {
		name string
		args []string
		want string
	}{
		{"none", []string{"call", "x", "--config-x"}, "[call x --config-x] map[] <nil>"},
		{"two words", []string{"--config", "f", "check"}, "[check] map[--config:f] <nil>"},
		{"joined", []string{"check", "--config=a=b"}, "[check] map[--config:a=b] <nil>"},
		{"no value", []string{"check", "--config"}, "[] map[] --config needs a value"},
		{"flag as value", []string{"--config", "--json"}, "[] map[] --config needs a value"},
		{"empty", []string{"--config="}, "[] map[] --config needs one value"},
		{"twice", []string{"--config=a", "--config", "b"}, "[] map[] --config needs one value"},
	} {
		t.Run(c.name, func(t *testing.T) {
			rest, values, err := TakeValues(c.args, "--config")
			if got := fmt.Sprint(rest, values, err); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}
