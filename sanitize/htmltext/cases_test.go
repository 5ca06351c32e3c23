package htmltext

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// htmlCase is one file of testdata/html: why it is there, the document, and what a person sees of it.
type htmlCase struct {
	name, why string
	sections  map[string]string
}

func (c htmlCase) input() string { return c.sections["input.html"] }

// lines returns the lines of a section that are not empty.
func (c htmlCase) lines(section string) []string {
	var out []string
	for line := range strings.Lines(c.sections[section]) {
		if line = strings.TrimRight(line, "\n"); line != "" {
			out = append(out, line)
		}
	}
	return out
}

// readCases reads all files of one directory below testdata/html and fails if there are fewer than atLeast.
func readCases(t testing.TB, dir string, atLeast int) []htmlCase {
	t.Helper()
	root := moduleRoot(t)
	names, err := filepath.Glob(filepath.Join(root, "testdata", "html", dir, "*.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	var cases []htmlCase
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		why, sections := splitSections(string(data))
		cases = append(cases, htmlCase{strings.TrimSuffix(filepath.Base(name), ".txtar"), why, sections})
	}
	if len(cases) < atLeast {
		t.Fatalf("got %d cases in %s, want at least %d", len(cases), dir, atLeast)
	}
	return cases
}

// splitSections reads the txtar format: a comment, then sections under "-- name --" lines.
func splitSections(s string) (comment string, sections map[string]string) {
	sections = map[string]string{}
	name := ""
	var b strings.Builder
	flush := func() {
		if name == "" {
			comment = b.String()
		} else {
			sections[name] = b.String()
		}
		b.Reset()
	}
	for line := range strings.Lines(s) {
		if l := strings.TrimRight(line, "\n"); strings.HasPrefix(l, "-- ") && strings.HasSuffix(l, " --") {
			flush()
			name = l[3 : len(l)-3]
			continue
		}
		b.WriteString(line)
	}
	flush()
	return comment, sections
}

// moduleRoot is the directory of go.mod.
func moduleRoot(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		up := filepath.Dir(dir)
		if up == dir {
			t.Fatal("no go.mod above the working directory")
		}
		dir = up
	}
}

// shownText is the visible text of a Doc on one line, without marks: what must hold no hidden word.
func shownText(d Doc) string {
	var b strings.Builder
	uncertain := 0
	for _, s := range d.Segments {
		switch s.Kind {
		case UncertainStart:
			uncertain++
		case UncertainEnd:
			uncertain--
		case Text, Control:
			b.WriteString(s.Text)
		case ImageMark:
			b.WriteString(" " + d.Images[s.N].Alt + " ")
		case Break, CellSep, ListItem, HiddenMark, PreheaderMark:
			b.WriteByte(' ')
		}
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

func mustConvert(t testing.TB, src string) Doc {
	t.Helper()
	d, err := Convert(src, Options{})
	if err != nil {
		t.Fatal(err)
	}
	return d
}
