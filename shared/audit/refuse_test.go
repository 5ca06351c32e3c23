package audit

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"
)

func TestRefusedRecords(t *testing.T) {
	l := openTest(t, testPath(t), Options{})
	for _, r := range []Record{{}, {Outcome: outcomeRotated}, {Outcome: outcomeRepaired}, {Outcome: "other"}, {Outcome: OutcomeSent, Size: -1}} {
		if err := l.Append(r); !errors.Is(err, ErrRecord) {
			t.Errorf("Append(%+v) = %v, want ErrRecord", r, err)
		}
	}
	must(t, "Close", l.Close())
	if err := l.Append(sent(1)); !errors.Is(err, ErrClosed) {
		t.Errorf("Append after Close = %v", err)
	}
}

func TestOpenRefuses(t *testing.T) {
	for _, c := range []struct {
		name  string
		want  error
		setup func(t *testing.T, path string)
		opts  Options
	}{
		{"small files", ErrOptions, nil, Options{MaxFileBytes: 100}},
		{"missing directories", ErrUnwritable, func(t *testing.T, path string) {
			must(t, "Remove", os.Remove(filepath.Dir(path)))
			must(t, "Remove", os.Remove(filepath.Dir(filepath.Dir(path))))
		}, Options{}},
		{"directory of everybody", ErrNotPrivate, func(t *testing.T, path string) { must(t, "Chmod", os.Chmod(filepath.Dir(path), 0o777)) }, Options{}},
		{"readable by others", ErrNotPrivate, func(t *testing.T, path string) {
			overwrite(t, path, nil)
			must(t, "Chmod", os.Chmod(path, 0o644))
		}, Options{}},
		{"symbolic link", ErrNotPrivate, func(t *testing.T, path string) {
			overwrite(t, path+".real", nil)
			must(t, "Symlink", os.Symlink(path+".real", path))
		}, Options{}},
		{"directory in its place", ErrUnwritable, func(t *testing.T, path string) { must(t, "Mkdir", os.Mkdir(path, 0o700)) }, Options{}},
		{"another file", ErrDamaged, func(t *testing.T, path string) {
			overwrite(t, path, bytes.Repeat([]byte("something else\n"), 30_000))
		}, Options{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := testPath(t)
			must(t, "Mkdir", os.Mkdir(filepath.Dir(path), 0o700))
			if c.setup != nil {
				c.setup(t, path)
			}
			if _, err := Open(path, c.opts); !errors.Is(err, c.want) {
				t.Errorf("Open = %v, want %v", err, c.want)
			}
		})
	}
}

func TestVerifyMissing(t *testing.T) {
	if _, err := Verify(testPath(t)); !errors.Is(err, ErrUnreadable) {
		t.Errorf("Verify = %v, want ErrUnreadable", err)
	}
}
