package audit

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"
	"unicode"
)

func fixedClock() time.Time { return time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC) }

func testPath(tb testing.TB) string { return filepath.Join(tb.TempDir(), "audit", "audit.jsonl") }

func openTest(tb testing.TB, path string, o Options) *Log {
	tb.Helper()
	if o.Clock == nil {
		o.Clock = fixedClock
	}
	l, err := Open(path, o)
	if err != nil {
		tb.Fatalf("Open: %v", err)
	}
	tb.Cleanup(func() {
		if err := l.Close(); err != nil {
			tb.Errorf("Close: %v", err)
		}
	})
	return l
}

func must(tb testing.TB, what string, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatalf("%s: %v", what, err)
	}
}

func sent(n int) Record {
	return Record{Outcome: OutcomeSent, Tool: "send_mail", MessageID: fmt.Sprintf("%d@example.com", n), Recipients: []string{"bob@example.org"}}
}

func fill(tb testing.TB, l *Log, n int) {
	tb.Helper()
	for i := range n {
		must(tb, "Append", l.Append(sent(i+1)))
	}
}

func verify(tb testing.TB, path string) Report {
	tb.Helper()
	r, err := Verify(path)
	must(tb, "Verify", err)
	return r
}

func wantOK(tb testing.TB, path string) Report {
	tb.Helper()
	r := verify(tb, path)
	if !r.OK() || !r.Anchored {
		tb.Fatalf("Verify = %+v, want no problem, anchored", r)
	}
	return r
}

func lines(tb testing.TB, path string) [][]byte {
	tb.Helper()
	b, err := os.ReadFile(path)
	must(tb, "ReadFile", err)
	return bytes.SplitAfter(bytes.TrimSuffix(b, []byte("\n")), []byte("\n"))
}

func overwrite(tb testing.TB, path string, b []byte) {
	tb.Helper()
	must(tb, "WriteFile", os.WriteFile(path, b, 0o600))
}

func TestAppendAndVerify(t *testing.T) {
	path := testPath(t)
	fill(t, openTest(t, path, Options{}), 3)
	fill(t, openTest(t, path, Options{}), 2) // a second process goes on where the first one stopped
	r := wantOK(t, path)
	if r.Records != 5 || r.FirstSeq != 1 || r.LastSeq != 5 || r.Files != 1 || r.Repairs != 0 {
		t.Errorf("Report = %+v", r)
	}
	last := lines(t, path)[4]
	if want := hashLine(last); r.LastHash != want {
		t.Errorf("LastHash = %s, want %s", r.LastHash, want)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode = %v, %v; want 0600", info.Mode(), err)
	}
}

// Each case changes a log in four files; Verify must name the change.
func TestTampering(t *testing.T) {
	join := func(l [][]byte) []byte { return append(bytes.TrimSuffix(bytes.Join(l, nil), []byte("\n")), '\n') }
	edit := func(f func([][]byte) [][]byte) func(*testing.T, string) {
		return func(t *testing.T, path string) { overwrite(t, path, join(f(lines(t, path)))) }
	}
	original := testPath(t)
	l := openTest(t, original, Options{MaxFileBytes: minFileBytes})
	for len(rotatedFiles(original)) < 3 {
		fill(t, l, 1)
	}
	fill(t, l, 4)
	oldest := func(t *testing.T, path string) string { return rotatedFiles(path)[0] }
	for _, c := range []struct {
		name, want string
		change     func(*testing.T, string)
	}{
		{"edited value", whatChain, edit(func(l [][]byte) [][]byte {
			l[1] = bytes.Replace(l[1], []byte("bob@example.org"), []byte("eve@example.org"), 1)
			return l
		})},
		{"edited last record", whatHeadOther, edit(func(l [][]byte) [][]byte {
			l[len(l)-1] = bytes.Replace(l[len(l)-1], []byte("bob@"), []byte("eve@"), 1)
			return l
		})},
		{"deleted", whatSequence, edit(func(l [][]byte) [][]byte { return append(l[:1:1], l[2:]...) })},
		{"reordered", whatSequence, edit(func(l [][]byte) [][]byte { l[1], l[2] = l[2], l[1]; return l })},
		{"doubled", whatSequence, edit(func(l [][]byte) [][]byte { return append(l[:2:2], l[1:]...) })},
		{"cut at the end", whatHeadAhead, edit(func(l [][]byte) [][]byte { return l[:len(l)-1] })},
		{"last record made unreadable", whatHeadAhead, edit(func(l [][]byte) [][]byte { l[len(l)-1] = []byte("xxx\n"); return l })},
		{"garbage between", whatNotRecord, edit(func(l [][]byte) [][]byte { l[1] = append([]byte("{}\n"), l[1]...); return l })},
		{"key added", whatNotRecord, edit(func(l [][]byte) [][]byte {
			l[1] = bytes.Replace(l[1], []byte(`{"seq"`), []byte(`{"x":1,"seq"`), 1)
			return l
		})},
		{"endless line", whatTooLong, edit(func(l [][]byte) [][]byte {
			l[1] = append(bytes.Repeat([]byte("a"), 3*maxLineOctets), '\n')
			return l
		})},
		{"oldest file removed", whatMissing, func(t *testing.T, path string) { must(t, "Remove", os.Remove(oldest(t, path))) }},
		{"middle file removed", whatSequence, func(t *testing.T, path string) { must(t, "Remove", os.Remove(rotatedFiles(path)[1])) }},
		{"active file removed", whatHeadAhead, func(t *testing.T, path string) { must(t, "Remove", os.Remove(path)) }},
		{"head removed", whatHeadAbsent, func(t *testing.T, path string) { must(t, "Remove", os.Remove(headPath(path))) }},
		{"head damaged", whatHead, func(t *testing.T, path string) { overwrite(t, headPath(path), []byte("7 abc\n")) }},
		{"files swapped", whatSequence, func(t *testing.T, path string) {
			a, b := rotatedFiles(path)[0], rotatedFiles(path)[1]
			must(t, "Rename", os.Rename(a, a+"x"))
			must(t, "Rename", os.Rename(b, a))
			must(t, "Rename", os.Rename(a+"x", b))
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := testPath(t)
			must(t, "CopyFS", os.CopyFS(filepath.Dir(path), os.DirFS(filepath.Dir(original))))
			wantOK(t, path)
			c.change(t, path)
			r := verify(t, path)
			if r.OK() || !hasProblem(r, c.want) {
				t.Errorf("Problems = %+v, want %q", r.Problems, c.want)
			}
		})
	}
}

func hasProblem(r Report, what string) bool {
	for _, p := range r.Problems {
		if p.What == what {
			return true
		}
	}
	return false
}

func TestRewrittenChainDiffersFromHead(t *testing.T) {
	path, other := testPath(t), testPath(t)
	fill(t, openTest(t, path, Options{}), 4)
	l := openTest(t, other, Options{})
	for i := range 4 {
		r := sent(i + 1)
		r.Recipients = []string{"eve@example.org"}
		must(t, "Append", l.Append(r))
	}
	wantOK(t, other)
	overwrite(t, path, join(lines(t, other)))
	if r := verify(t, path); !hasProblem(r, whatHeadOther) {
		t.Errorf("Problems = %+v, want %q", r.Problems, whatHeadOther)
	}
	if _, err := Open(path, Options{}); !errors.Is(err, ErrDamaged) {
		t.Errorf("Open = %v, want ErrDamaged", err)
	}
}

func join(l [][]byte) []byte { return append(bytes.Join(l, nil), '\n') }

func TestFirstRecordMustStartTheChain(t *testing.T) {
	path := testPath(t)
	fill(t, openTest(t, path, Options{}), 1)
	overwrite(t, path, bytes.Replace(join(lines(t, path)), []byte(genesis), bytes.Repeat([]byte("1"), len(genesis)), 1))
	overwrite(t, headPath(path), nil)
	if r := verify(t, path); !hasProblem(r, whatChain) {
		t.Errorf("Problems = %+v, want %q", r.Problems, whatChain)
	}
}

func TestCutLogIsRefused(t *testing.T) {
	path := testPath(t)
	l := openTest(t, path, Options{})
	fill(t, l, 3)
	overwrite(t, path, bytes.Join(lines(t, path)[:2], nil))
	if err := l.Append(sent(4)); !errors.Is(err, ErrDamaged) {
		t.Errorf("Append = %v, want ErrDamaged", err)
	}
	if _, err := Open(path, Options{}); !errors.Is(err, ErrDamaged) {
		t.Errorf("Open = %v, want ErrDamaged", err)
	}
}

func TestTornLine(t *testing.T) {
	whole := lines4(t)
	for cut := 1; cut < len(whole); cut += 17 {
		path := testPath(t)
		l := openTest(t, path, Options{})
		fill(t, l, 3)
		appendRaw(t, path, whole[:cut])
		if r := verify(t, path); !r.OK() || !r.Torn {
			t.Fatalf("cut at %d, before repair: %+v, want torn and no problem", cut, r)
		}
		must(t, "Append", openTest(t, path, Options{}).Append(sent(5)))
		r := wantOK(t, path)
		if r.Repairs != 1 || r.Torn || r.Records != 5 {
			t.Fatalf("cut at %d, after repair: %+v", cut, r)
		}
		got := lines(t, path)
		if !bytes.Equal(bytes.TrimSuffix(got[3], []byte("\n")), whole[:cut]) {
			t.Fatalf("cut at %d: the torn line was changed to %q", cut, got[3])
		}
		got[3] = append(whole[:cut:cut], "x\n"...)
		overwrite(t, path, join(got))
		if r := verify(t, path); !hasProblem(r, whatRepair) {
			t.Fatalf("cut at %d: torn line edited later: %+v, want %q", cut, r.Problems, whatRepair)
		}
	}
}

// lines4 returns the fourth line, without line end, of a log of four records.
func lines4(t *testing.T) []byte {
	path := testPath(t)
	fill(t, openTest(t, path, Options{}), 4)
	return lines(t, path)[3]
}

func appendRaw(t *testing.T, path string, b []byte) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0o600)
	must(t, "OpenFile", err)
	_, err = f.Write(b)
	must(t, "Write", errors.Join(err, f.Close()))
}

func TestMissingLineEndIsClosed(t *testing.T) {
	path := testPath(t)
	l := openTest(t, path, Options{})
	fill(t, l, 3)
	appendRaw(t, path, lines4(t))
	must(t, "Append", l.Append(sent(5)))
	if r := wantOK(t, path); r.Records != 6 || r.Repairs != 1 {
		t.Errorf("Report = %+v, want the whole fourth record kept and one repair", r)
	}
}

func TestSeveralTornLines(t *testing.T) {
	path := testPath(t)
	l := openTest(t, path, Options{})
	fill(t, l, 2)
	appendRaw(t, path, []byte("{\"seq\":3,\"ti\n{\"seq\":3"))
	fill(t, l, 1)
	wantOK(t, path)
}

func TestFirstLineTorn(t *testing.T) {
	path := testPath(t)
	l := openTest(t, path, Options{})
	appendRaw(t, path, []byte("{\"se"))
	fill(t, l, 1)
	if r := wantOK(t, path); r.FirstSeq != 1 || r.Repairs != 1 {
		t.Errorf("Report = %+v", r)
	}
}

func TestHeadMissingIsRecorded(t *testing.T) {
	path := testPath(t)
	l := openTest(t, path, Options{})
	fill(t, l, 2)
	must(t, "Remove", os.Remove(headPath(path)))
	fill(t, l, 1)
	if r := wantOK(t, path); r.Repairs != 1 {
		t.Errorf("Report = %+v, want the missing head file recorded", r)
	}
}

func TestRotationKeepsTheChain(t *testing.T) {
	path := testPath(t)
	l := openTest(t, path, Options{MaxFileBytes: minFileBytes, KeepFiles: 2})
	fill(t, l, 80)
	r := wantOK(t, path)
	if r.Files != 3 || r.FirstSeq == 1 || r.LastSeq < 80 {
		t.Fatalf("Report = %+v, want three files, the first ones deleted", r)
	}
	for _, name := range append(rotatedFiles(path), path) {
		info, err := os.Stat(name)
		must(t, "Stat", err)
		if info.Size() > minFileBytes || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %d octets, %v", filepath.Base(name), info.Size(), info.Mode())
		}
	}
	must(t, "Remove", os.Remove(rotatedFiles(path)[0]))
	if r := verify(t, path); !hasProblem(r, whatMissing) {
		t.Errorf("Problems = %+v, want %q: this file was not announced as deleted", r.Problems, whatMissing)
	}
}

func TestCrashBetweenRenameAndNewFile(t *testing.T) {
	path := testPath(t)
	l := openTest(t, path, Options{})
	fill(t, l, 3)
	must(t, "Rename", os.Rename(path, rotatedName(path, 3)))
	fill(t, l, 1)
	if r := wantOK(t, path); r.Files != 2 || r.Records != 5 {
		t.Errorf("Report = %+v, want two files and a record of the rotation", r)
	}
}

func FuzzVerify(f *testing.F) {
	whole, err := os.ReadFile(seedLog(f))
	must(f, "ReadFile", err)
	f.Add(whole, []byte(nil))
	f.Add(whole[:len(whole)/2], []byte("x"))
	f.Add([]byte("{}\n\n\x00"), []byte("00000000000000000001 "+genesis+"\n"))
	f.Fuzz(func(t *testing.T, log, head []byte) {
		path := testPath(t)
		must(t, "Mkdir", os.Mkdir(filepath.Dir(path), 0o700))
		overwrite(t, path, log)
		overwrite(t, headPath(path), head)
		r := verify(t, path)
		if r.OK() && len(log) > 0 && !r.Torn && r.Records == 0 {
			t.Errorf("no record in %d octets and no problem", len(log))
		}
		if len(r.Problems) > maxProblems {
			t.Errorf("%d problems", len(r.Problems))
		}
		entries, err := Read(path, Filter{})
		if err == nil && r.OK() && uint64(len(entries)) != min(r.Records, defaultLast) {
			t.Errorf("Read gives %d of %d records", len(entries), r.Records)
		}
		for _, e := range entries {
			for _, c := range Format(e) {
				if !unicode.IsPrint(c) {
					t.Errorf("Format lets %U through", c)
				}
			}
		}
		// What Append makes of a log that it accepts must verify, if it verified before.
		l, err := Open(path, Options{Clock: fixedClock})
		if err != nil {
			return
		}
		err = errors.Join(l.Append(sent(1)), l.Close())
		if after := verify(t, path); r.OK() && (err != nil || !after.OK()) {
			t.Errorf("Append to a log without problems: %v, then %+v", err, after.Problems)
		}
	})
}

func seedLog(f *testing.F) string {
	path := testPath(f)
	fill(f, openTest(f, path, Options{}), 3)
	appendSeed(f, path)
	fill(f, openTest(f, path, Options{}), 1)
	return path
}

func appendSeed(f *testing.F, path string) {
	b, err := os.ReadFile(path)
	must(f, "ReadFile", err)
	overwrite(f, path, append(b, `{"seq":4,"ti`...))
}

func BenchmarkAppend(b *testing.B) {
	l := openTest(b, testPath(b), Options{})
	for b.Loop() {
		must(b, "Append", l.Append(sent(1)))
	}
}

func BenchmarkVerify(b *testing.B) {
	path := testPath(b)
	fill(b, openTest(b, path, Options{}), 1000)
	for b.Loop() {
		wantOK(b, path)
	}
}
