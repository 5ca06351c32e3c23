package confirm

import (
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
)

func TestOpenCommand(t *testing.T) {
	const url = "http://127.0.0.1:1/open/x"
	for _, test := range []struct {
		name        string
		words, want []string
	}{
		{"as the last word", []string{"xdg-open"}, []string{"xdg-open", url}},
		{"in a word", []string{"browser", "--app=%s", "-x"}, []string{"browser", "--app=" + url, "-x"}},
		{"through a pipe", []string{"osascript", "-"}, []string{"osascript", "-"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			cmd := openCommand(test.words, url)
			if !slices.Equal(cmd.Args, test.want) {
				t.Errorf("got %q, want %q", cmd.Args, test.want)
			}
			if cmd.Stdin == nil {
				return
			}
			if script, err := io.ReadAll(cmd.Stdin); err != nil || string(script) != "open location \""+url+"\"\n" {
				t.Errorf("got %q, %v", script, err)
			}
		})
	}
}

func TestOpenBrowserFails(t *testing.T) {
	if _, err := OpenBrowser(`browser "`); err == nil {
		t.Error("a quotation mark that is not closed, want an error")
	}
	open, err := OpenBrowser("/nonexistent/browser")
	if err != nil {
		t.Fatal(err)
	}
	if err := open(t.Context(), "http://127.0.0.1:1/open/secret"); !errors.Is(err, ErrNoBrowser) || strings.Contains(err.Error(), "secret") {
		t.Errorf("got %v, want ErrNoBrowser without the address", err)
	}
}
