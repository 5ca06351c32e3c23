package audit

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime"
	"strconv"
)

// checkDir creates the last element of dir if it is missing. Security: whoever may write in the directory could put
// another file in the place of the log, so nobody but the owner may.
func checkDir(dir string) error {
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return fileError(err)
	}
	info, err := os.Stat(dir)
	if err != nil {
		return fileError(err)
	}
	if !info.IsDir() {
		return fmt.Errorf("%w: parent is not a directory", ErrUnwritable)
	}
	if runtime.GOOS != "windows" && info.Mode().Perm()&0o022 != 0 {
		return fmt.Errorf("%w: others may write in its directory", ErrNotPrivate)
	}
	return nil
}

func (l *Log) openActive() (*os.File, error) { return openPrivate(l.path) }

// openPrivate opens path for appending and creates it with mode 0600. Links and files of others are refused.
func openPrivate(path string) (*os.File, error) {
	flags := os.O_RDWR | os.O_CREATE
	if !isHead(path) {
		flags |= os.O_APPEND
	}
	f, err := os.OpenFile(path, flags, 0o600)
	if err != nil {
		return nil, fileError(err)
	}
	info, err := f.Stat()
	if err != nil {
		return nil, errors.Join(fileError(err), f.Close())
	}
	if !info.Mode().IsRegular() || !sameName(f) {
		return nil, errors.Join(fmt.Errorf("%w: link or special file", ErrNotPrivate), f.Close())
	}
	if runtime.GOOS != "windows" && (info.Mode().Perm()&0o077 != 0 || !ownFile(info)) {
		return nil, errors.Join(fmt.Errorf("%w: must belong to you with mode 0600", ErrNotPrivate), f.Close())
	}
	return f, nil
}

const headSuffix = ".head"

func headPath(path string) string { return path + headSuffix }

func isHead(path string) bool {
	return len(path) > len(headSuffix) && path[len(path)-len(headSuffix):] == headSuffix
}

// headOctets is the length of the head file: 20 digits, a space, 64 hexadecimal digits, a line end.
const headOctets = 20 + 1 + 64 + 1

// writeHead overwrites the anchor in place. It is not flushed: after a power cut it may lag behind the log, which is
// allowed, but it is never ahead of it, because the log was flushed first.
func (l *Log) writeHead(pos position) error {
	if _, err := l.head.WriteAt(fmt.Appendf(nil, "%020d %s\n", pos.seq, pos.hash), 0); err != nil {
		return fileError(err)
	}
	return nil
}

// readHead returns the anchor; ok is false if there is none yet.
func readHead(r io.ReaderAt) (pos position, ok bool, err error) {
	var buf [headOctets + 1]byte
	n, err := r.ReadAt(buf[:], 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return pos, false, err
	}
	if n == 0 {
		return pos, false, nil
	}
	seq, err := strconv.ParseUint(string(buf[:20]), 10, 64)
	if n != headOctets || err != nil || buf[20] != ' ' || buf[headOctets-1] != '\n' || !isHash(buf[21:85]) {
		return pos, false, fmt.Errorf("%w: head file", ErrDamaged)
	}
	return position{seq, string(buf[21:85])}, true, nil
}

func isHash(b []byte) bool {
	return len(bytes.Trim(b, hexDigits)) == 0 && len(b) == len(genesis)
}

// tail is the end of the active file.
type tail struct {
	pos     position
	size    int64
	torn    []byte // octets after the last whole record, or nil
	unended bool   // the last record is whole but its line end is missing
	loose   bool   // there are records, but the head file names none
}

// end finds the end of the chain: from memory if neither file changed since, otherwise from the file.
func (l *Log) end(f *os.File) (tail, error) {
	info, err := f.Stat()
	if err != nil {
		return tail{}, fileError(err)
	}
	head, ok, err := readHead(l.head)
	if err == nil && ok && head == l.last.pos && os.SameFile(info, l.last.info) && info.Size() == l.last.size {
		return tail{pos: head, size: info.Size()}, nil
	}
	return l.readTail(f)
}

// readTail reads the end of f, or of the newest full file if f is empty, and compares it with the head file. A log that
// ends before its head file says was cut: going on would hide that, so it is refused.
func (l *Log) readTail(f *os.File) (tail, error) {
	t, found, err := fileTail(f)
	if err != nil {
		return t, err
	}
	if !found {
		if t.pos, err = l.previousEnd(); err != nil {
			return t, err
		}
	}
	head, ok, err := readHead(l.head)
	if err != nil {
		return t, err
	}
	if ok && (head.seq > t.pos.seq || (head.seq == t.pos.seq && head.hash != t.pos.hash)) {
		return t, fmt.Errorf("%w: it does not reach the record that its head file names", ErrDamaged)
	}
	t.loose = !ok && t.pos.seq > 0
	return t, nil
}

func (l *Log) previousEnd() (position, error) {
	files := rotatedFiles(l.path)
	if len(files) == 0 {
		return position{0, genesis}, nil
	}
	f, err := os.Open(files[len(files)-1])
	if err != nil {
		return position{}, fileError(err)
	}
	defer f.Close() // read only
	t, found, err := fileTail(f)
	if err == nil && (!found || t.torn != nil) {
		err = fmt.Errorf("%w: rotated file", ErrDamaged)
	}
	return t.pos, err
}

// fileTail finds the last whole record of f; found is false if there is none.
func fileTail(f *os.File) (t tail, found bool, err error) {
	info, err := f.Stat()
	if err != nil {
		return t, false, fileError(err)
	}
	t.size = info.Size()
	from := max(0, t.size-2*maxLineOctets)
	buf := make([]byte, t.size-from)
	if _, err := f.ReadAt(buf, from); err != nil && !errors.Is(err, io.EOF) {
		return t, false, fileError(err)
	}
	rest := buf
	for len(rest) > 0 {
		start := bytes.LastIndexByte(trimEnd(rest), '\n') + 1
		text := trimEnd(rest[start:])
		if l, _, err := decode(text); err == nil && (start > 0 || from == 0) {
			t.pos = position{l.Seq, hashLine(text)}
			t.torn = nonEmpty(buf[len(rest):])
			t.unended = t.torn == nil && rest[len(rest)-1] != '\n'
			return t, true, nil
		}
		rest = rest[:start]
	}
	if from > 0 {
		return t, false, fmt.Errorf("%w: no record in its last %d octets", ErrDamaged, len(buf))
	}
	t.torn = nonEmpty(buf)
	return t, false, nil
}

func nonEmpty(b []byte) []byte {
	if len(b) == 0 {
		return nil
	}
	return b
}

func fileError(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		err = p.Err // the path is nobody's business in a tool result
	}
	return fmt.Errorf("%w: %w", ErrUnwritable, err)
}
