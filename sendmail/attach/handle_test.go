package attach

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"testing"
	"time"
)

// fake is an open file whose content, size or time changes at a chosen Stat.
type fake struct {
	bytes.Reader
	infos  []info // one for each Stat, the last one again and again
	stats  int
	onSeek func(*fake)
}

type info struct {
	fs.FileInfo
	size int64
	mode fs.FileMode
	time time.Time
}

func (i info) Size() int64        { return i.size }
func (i info) Mode() fs.FileMode  { return i.mode }
func (i info) ModTime() time.Time { return i.time }

func (f *fake) Stat() (fs.FileInfo, error) {
	i := f.infos[min(f.stats, len(f.infos)-1)]
	f.stats++
	return i, nil
}

func (f *fake) Seek(offset int64, whence int) (int64, error) {
	if f.onSeek != nil {
		f.onSeek(f)
	}
	return f.Reader.Seek(offset, whence)
}

func TestReadHandleNoticesChanges(t *testing.T) {
	now, content := time.Unix(1_700_000_000, 0), []byte("hello")
	same := info{size: 5, time: now}
	tests := []struct {
		name   string
		infos  []info
		onSeek func(*fake)
		want   error
	}{
		{"quiet", []info{same}, nil, nil},
		{"grew while read", []info{{size: 3, time: now}}, nil, ErrChanged},
		{"shrank while read", []info{{size: 9, time: now}}, nil, ErrChanged},
		{"size changed behind", []info{same, {size: 6, time: now}}, nil, ErrChanged},
		{"time changed", []info{same, {size: 5, time: now.Add(1)}}, nil, ErrChanged},
		{"overwritten with as many octets at the same time", []info{same}, func(f *fake) { f.Reader.Reset([]byte("HELLO")) }, ErrChanged},
		{"became a pipe", []info{{size: 5, time: now, mode: fs.ModeNamedPipe}}, nil, ErrNotRegular},
		{"became too large", []info{{size: 11, time: now}}, nil, ErrFileTooLarge},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			f := &fake{infos: tc.infos, onSeek: tc.onSeek}
			f.Reader.Reset(content)
			got, err := readHandle(f, 10)
			if !errors.Is(err, tc.want) {
				t.Errorf("got %v, want %v", err, tc.want)
			}
			if tc.want == nil && string(got) != "hello" {
				t.Errorf("got %q", got)
			}
		})
	}
}

// TestReadBelowNoticesReplacement: the name points to another file when reading is done.
func TestReadBelowNoticesReplacement(t *testing.T) {
	dir := t.TempDir()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	for _, name := range []string{"a.txt", "b.txt"} {
		if err := root.WriteFile(name, []byte(name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	before, err := root.Stat("a.txt")
	if err != nil {
		t.Fatal(err)
	}
	if err := root.Rename("b.txt", "a.txt"); err != nil {
		t.Fatal(err)
	}
	f, err := root.Open("a.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := stillNamed(root, "a.txt", f, before); !errors.Is(err, ErrChanged) {
		t.Errorf("got %v, want %v", err, ErrChanged)
	}
	after, err := root.Stat("a.txt")
	if err != nil {
		t.Fatal(err)
	}
	if err := stillNamed(root, "a.txt", f, after); err != nil {
		t.Errorf("unchanged: got %v", err)
	}
}
