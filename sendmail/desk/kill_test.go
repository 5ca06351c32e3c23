package desk

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"mailgap/confirm"
)

// childEnv makes the test binary a process that dies: "DIR STEP" names the state directory and the step at which it does.
const childEnv = "DESK_TEST_CHILD"

func TestMain(m *testing.M) {
	task := os.Getenv(childEnv)
	if task == "" {
		os.Exit(m.Run())
	}
	dir, at, _ := strings.Cut(task, " ")
	if err := childLife(dir, at); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// childLife is the whole life of one message. It says each step that is done, and stops for ever at one: the test kills it there.
func childLife(dir, at string) error {
	ctx := context.Background()
	d, err := Open(dir, Options{step: func(step string) {
		if step == at {
			fmt.Println("at " + step)
			select {}
		}
	}})
	if err != nil {
		return err
	}
	m, err := d.Put(ctx, entry(1))
	if err != nil {
		return err
	}
	terminal := confirm.Terminal{Open: func() (io.ReadWriteCloser, error) { return &keys{strings.NewReader("send\n")}, nil }}
	a, err := terminal.Put(ctx, confirm.Shown{Text: shownText("x\n")})
	if err != nil {
		return err
	}
	if err := d.Answer(ctx, m.ID, m.Shown, a); err != nil {
		return err
	}
	if _, err := d.Take(ctx, m.ID, m.Shown); err != nil {
		return err
	}
	fmt.Println("taken")
	return d.Close()
}

type shownText string

func (s shownText) SafeText() string { return string(s) }

// Whatever the step at which a process is killed: what another one finds is what was committed. Not one message is lost that was
// put down, not one answer that was written; and a yes that was taken is never given out again.
func TestKilledAtAnyStep(t *testing.T) {
	tests := map[string]struct {
		find error
		want Status
		take error
	}{
		"put:before":    {find: ErrNone},
		"put:after":     {want: StatusWaiting, take: ErrUnanswered},
		"answer:before": {want: StatusWaiting, take: ErrUnanswered},
		"answer:after":  {want: StatusAnswered},
		"take:before":   {want: StatusAnswered},
		"take:after":    {find: ErrNone, take: ErrEnded},
		"":              {find: ErrNone, take: ErrEnded},
	}
	for at, tt := range tests {
		t.Run(at, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "state")
			killAt(t, dir, at)
			d, err := Open(dir, Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer d.Close()
			m, err := d.Find(t.Context(), entry(1).Binding)
			wantErr(t, "find", err, tt.find)
			if err == nil && (m.Status != tt.want || !bytes.Equal(m.Octets, entry(1).Octets)) {
				t.Errorf("got %+v, want %s", m, tt.want)
			}
			if err != nil {
				if m, err = d.Show(t.Context(), 1); errors.Is(err, ErrNone) {
					return
				}
			}
			rec, err := d.Take(t.Context(), 1, m.Shown)
			wantErr(t, "take", err, tt.take)
			if err == nil && rec.Reason != confirm.Approved {
				t.Errorf("got %+v", rec)
			}
			if onDisk(t, dir, secretText) != (tt.want == StatusWaiting) {
				t.Errorf("on the disk: %t", onDisk(t, dir, secretText))
			}
		})
	}
}

// killAt runs a child until it is at the step, and kills it. With "" it runs to its end.
func killAt(t *testing.T, dir, at string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), childEnv+"="+dir+" "+at)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	if at == "" {
		if err := cmd.Wait(); err != nil || line != "taken\n" {
			t.Fatalf("%v, %q", err, line)
		}
		return
	}
	if line != "at "+at+"\n" {
		t.Fatalf("got %q, want the child at %s", line, at)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // it was killed
}

// The directory and the file are for their owner alone, and others are refused.
func TestPrivate(t *testing.T) {
	dir, c := filepath.Join(t.TempDir(), "state"), newClock()
	put(t, openDesk(t, dir, c), entry(1))
	for name, want := range map[string]os.FileMode{"": 0o700, databaseName: 0o600, openLockName: 0o600} {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil || info.Mode().Perm() != want {
			t.Errorf("%q: %v, %v, want %v", name, info.Mode(), err, want)
		}
	}
	for _, open := range []struct {
		name string
		mode os.FileMode
	}{{databaseName, 0o644}, {"", 0o755}} {
		if err := os.Chmod(filepath.Join(dir, open.name), open.mode); err != nil {
			t.Fatal(err)
		}
		_, err := openDesk(t, dir, c).List(t.Context())
		wantErr(t, "open to others: "+open.name, err, ErrNotPrivate)
		if err := os.Chmod(filepath.Join(dir, open.name), open.mode&0o700); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(dir, databaseName)
	if err := errors.Join(os.Rename(path, path+".x"), os.Symlink(path+".x", path)); err != nil {
		t.Fatal(err)
	}
	_, err := openDesk(t, dir, c).List(t.Context())
	wantErr(t, "a symbolic link", err, ErrNotPrivate)
}

// A file that is not ours is left as it is, and nobody is asked.
func TestNotOurs(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	text := bytes.Repeat([]byte("another program\n"), 100)
	if err := os.WriteFile(filepath.Join(dir, databaseName), text, 0o600); err != nil {
		t.Fatal(err)
	}
	d := openDesk(t, dir, newClock())
	_, err := d.Put(t.Context(), entry(1))
	wantErr(t, "put", err, ErrDamaged)
	if got, err := os.ReadFile(filepath.Join(dir, databaseName)); err != nil || !bytes.Equal(got, text) {
		t.Errorf("the file was changed: %v", err)
	}
}

// Where nothing was put down, looking makes no file.
func TestLookingMakesNoFile(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state")
	d := openDesk(t, dir, newClock())
	if list, err := d.List(t.Context()); err != nil || list != nil {
		t.Errorf("got %v, %v", list, err)
	}
	_, err := d.Find(t.Context(), entry(1).Binding)
	wantErr(t, "find", err, ErrNone)
	_, err = d.Show(t.Context(), 1)
	wantErr(t, "show", err, ErrNone)
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("the directory: %v", err)
	}
}
