package audit

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"sync"
	"time"

	"mailgap/shared/audit/filelock"
)

const lockTimeout = 5 * time.Second // Limit: an append takes milliseconds; longer means that something hangs

// Log appends records to one file. It is safe for concurrent use, and several processes may write the same log.
type Log struct {
	path string
	opts Options

	mu     sync.Mutex
	head   *os.File // the anchor; its lock is everybody's turn
	last   ending   // what the last append of this Log left behind
	closed bool
}

// ending is the state of the active file after an append.
type ending struct {
	info fs.FileInfo // identity of the file
	size int64
	pos  position
}

// Open opens the log at path or creates it with mode 0600; its directory is created with mode 0700 if only that is
// missing. It takes the log's lock for a moment and checks that the end of the log is one that this package wrote and
// not older than the head file says. It writes no record: the caller appends OutcomeStarted, which also proves that
// there is room. Errors: ErrOptions, ErrUnwritable, ErrNotPrivate, ErrDamaged. The caller closes the Log.
func Open(path string, o Options) (*Log, error) {
	if path == "" || o.MaxFileBytes < 0 || o.KeepFiles < 0 || (o.MaxFileBytes > 0 && o.MaxFileBytes < minFileBytes) {
		return nil, fmt.Errorf("%w: no path, negative limit, or files under %d bytes", ErrOptions, minFileBytes)
	}
	if o.MaxFileBytes == 0 {
		o.MaxFileBytes = DefaultMaxFileBytes
	}
	if o.KeepFiles == 0 {
		o.KeepFiles = DefaultKeepFiles
	}
	if o.Clock == nil {
		o.Clock = time.Now
	}
	l := &Log{path: path, opts: o}
	if err := checkDir(filepath.Dir(path)); err != nil {
		return nil, err
	}
	if err := l.probe(); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return l, nil
}

func (l *Log) probe() error {
	release, err := l.takeTurn()
	if err != nil {
		return err
	}
	defer release()
	f, err := l.openActive()
	if err != nil {
		return err
	}
	defer f.Close() // nothing was written
	_, err = l.readTail(f)
	return err
}

// Close closes the log. Calling it again does nothing.
func (l *Log) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return nil
	}
	l.closed = true
	if l.head == nil {
		return nil
	}
	return l.head.Close()
}

// Append writes one record and returns when it is on the disk. If that fails (ErrUnwritable), what was to follow must
// not happen. A record needs an Outcome of this package; those it keeps for itself are refused (ErrRecord). Other errors:
// ErrNotPrivate, ErrDamaged, ErrClosed. It waits at most five seconds for other processes.
func (l *Log) Append(r Record) error {
	if !r.Outcome.recordable() || r.Attempt < 0 || r.Size < 0 || r.RecipientsCount < 0 {
		return fmt.Errorf("%w: unknown outcome or negative number", ErrRecord)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return ErrClosed
	}
	release, err := l.takeTurn()
	if err != nil {
		return err
	}
	defer release()
	return l.append(r.line())
}

func (o Outcome) recordable() bool {
	switch o {
	case OutcomeSent, OutcomeReplayed, OutcomeRefused, OutcomeDeclined, OutcomeTokenRefused, OutcomeUnknown, OutcomeLocked,
		OutcomeFailed, OutcomeStarted, OutcomeConfig, OutcomeSending, OutcomeUnlocked, OutcomeSettled, OutcomeAnswered, OutcomeRaised:
		return true
	}
	return false
}

// takeTurn locks the head file. A head file that was removed or replaced while this process held the old one would let
// two processes write at once, so the name is checked after the lock is held.
func (l *Log) takeTurn() (release func(), err error) {
	ctx, cancel := context.WithTimeout(context.Background(), lockTimeout)
	defer cancel()
	for range 3 {
		if l.head == nil {
			if l.head, err = openPrivate(headPath(l.path)); err != nil {
				l.head = nil
				return nil, err
			}
		}
		if err := filelock.Lock(ctx, l.head); err != nil {
			return nil, fmt.Errorf("%w: %v", ErrUnwritable, err)
		}
		if sameName(l.head) {
			head := l.head
			return func() { _ = filelock.Unlock(head) }, nil // a lock that cannot be released ends with the process
		}
		if err := l.head.Close(); err != nil {
			return nil, fileError(err)
		}
		l.head = nil
	}
	return nil, fmt.Errorf("%w: head file keeps changing", ErrUnwritable)
}

func sameName(f *os.File) bool {
	held, err := f.Stat()
	if err != nil {
		return false
	}
	named, err := os.Lstat(f.Name())
	return err == nil && os.SameFile(held, named)
}

// append writes l at the end of the chain. The turn is held.
func (l *Log) append(rec line) error {
	f, err := l.openActive()
	if err != nil {
		return err
	}
	end, err := l.end(f)
	if err != nil {
		return errors.Join(err, f.Close())
	}
	rec.Time = l.opts.Clock().UTC().Format(timeFormat)
	fresh := end.size == 0
	if next := next(end.pos, rec); !fresh && end.size+int64(len(encode(next))) > l.opts.MaxFileBytes {
		if f, err = l.rotate(f, end.pos); err != nil {
			return err
		}
		end, fresh = tail{pos: end.pos, loose: end.loose}, true
	}
	l.last = ending{}
	chunk, pos := l.chunk(end, rec, fresh)
	size, err := write(f, chunk, fresh)
	if err != nil {
		return errors.Join(err, f.Close())
	}
	info, err := f.Stat()
	if err = errors.Join(err, f.Close()); err != nil {
		return fileError(err)
	}
	if err := l.writeHead(pos); err != nil {
		return err
	}
	l.last = ending{info: info, size: size, pos: pos}
	if fresh {
		return l.deleteOld()
	}
	return nil
}

// chunk is what one append writes: the record, before it what closes a line cut short, and at the start of a file that
// continues another the record that says so. It is one write, so it is either there, or cut short and found next time.
func (l *Log) chunk(end tail, rec line, fresh bool) ([]byte, position) {
	var out []byte
	pos := end.pos
	add := func(x line) {
		x.Time = rec.Time
		text := encode(next(pos, x))
		pos = position{pos.seq + 1, hashLine(text[:len(text)-1])}
		out = append(out, text...)
	}
	if fresh && pos.seq > 0 {
		add(line{Outcome: outcomeRotated, Keep: l.keepFrom(), Detail: "continues the file before"})
	}
	if len(end.torn) > 0 {
		if end.torn[len(end.torn)-1] != '\n' {
			out = append(out, '\n')
		}
		rest := trimEnd(end.torn)
		add(line{Outcome: outcomeRepaired, Torn: hashLine(rest), TornSize: len(rest), Detail: "line cut short"})
	} else if end.unended {
		out = append(out, '\n')
		add(line{Outcome: outcomeRepaired, Detail: "line end was missing"})
	}
	if end.loose {
		add(line{Outcome: outcomeRepaired, Detail: "head file was missing"})
	}
	add(rec)
	return out, pos
}

func next(pos position, l line) line {
	l.Seq, l.Prev = pos.seq+1, pos.hash
	return l
}

func trimEnd(b []byte) []byte {
	if n := len(b); n > 0 && b[n-1] == '\n' {
		return b[:n-1]
	}
	return b
}

func write(f *os.File, chunk []byte, fresh bool) (size int64, err error) {
	if _, err := f.Write(chunk); err != nil {
		return 0, fileError(err)
	}
	if err := f.Sync(); err != nil {
		return 0, fileError(err)
	}
	if fresh {
		if err := syncDir(filepath.Dir(f.Name())); err != nil {
			return 0, err
		}
	}
	info, err := f.Stat()
	if err != nil {
		return 0, fileError(err)
	}
	return info.Size(), nil
}

// rotate renames the full file after its last sequence number, so no other file has to move, and opens a new one. A
// crash in between leaves no active file; the next append then continues the newest one.
func (l *Log) rotate(f *os.File, pos position) (*os.File, error) {
	if err := f.Close(); err != nil {
		return nil, fileError(err)
	}
	if err := os.Rename(l.path, rotatedName(l.path, pos.seq)); err != nil {
		return nil, fileError(err)
	}
	return l.openActive()
}

func rotatedName(path string, lastSeq uint64) string { return fmt.Sprintf("%s.%020d", path, lastSeq) }

// keepFrom is the first sequence number that deleteOld leaves, or 0 if it deletes nothing.
func (l *Log) keepFrom() uint64 {
	old := l.tooOld()
	if len(old) == 0 {
		return 0
	}
	seq, _ := rotatedSeq(l.path, old[len(old)-1])
	return seq + 1
}

func (l *Log) tooOld() []string {
	files := rotatedFiles(l.path)
	return files[:max(0, len(files)-l.opts.KeepFiles)]
}

// deleteOld runs after the record that announces it is on the disk.
func (l *Log) deleteOld() error {
	for _, name := range l.tooOld() {
		if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fileError(err)
		}
	}
	return nil
}

// rotatedFiles lists the full files, oldest first.
func rotatedFiles(path string) []string {
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		return nil // opening the active file reports it
	}
	var out []string
	for _, e := range entries { // sorted by name, and the numbers have one width
		name := filepath.Join(filepath.Dir(path), e.Name())
		if _, ok := rotatedSeq(path, name); ok && e.Type().IsRegular() {
			out = append(out, name)
		}
	}
	return out
}

func rotatedSeq(path, name string) (uint64, bool) {
	prefix := filepath.Clean(path) + "."
	if len(name) != len(prefix)+20 || name[:len(prefix)] != prefix {
		return 0, false
	}
	seq, err := strconv.ParseUint(name[len(prefix):], 10, 64)
	return seq, err == nil
}

func syncDir(dir string) error {
	if runtime.GOOS == "windows" {
		return nil // a directory cannot be flushed there
	}
	d, err := os.Open(dir)
	if err != nil {
		return fileError(err)
	}
	if err := errors.Join(d.Sync(), d.Close()); err != nil {
		return fileError(err)
	}
	return nil
}
