package audit

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"mailgap/shared/audit/filelock"
)

const maxProblems = 100 // of a report; a log with more is not worth a longer list

// What a Problem says.
const (
	whatNotRecord  = "line is not a record"
	whatTooLong    = "line is too long"
	whatSequence   = "sequence number is not the next one"
	whatChain      = "record does not follow from the one before"
	whatRepair     = "repair does not match the line that it closes"
	whatMissing    = "earlier records are missing although no rotation deleted them"
	whatHead       = "head file is damaged"
	whatHeadAhead  = "log ends before the record that its head file names"
	whatHeadOther  = "record differs from the one that the head file names"
	whatHeadAbsent = "head file is missing"
)

// snapshot is the log as it stood at one moment. Files only grow and are renamed, so the sizes are enough.
type snapshot struct {
	files  []*os.File
	sizes  []int64
	head   position
	anchor anchorState
}

type anchorState int

const (
	anchorAbsent anchorState = iota
	anchorEmpty
	anchorDamaged
	anchorPresent
)

func (s *snapshot) close() error {
	var err error
	for _, f := range s.files {
		err = errors.Join(err, f.Close())
	}
	return err
}

// take opens every file of the log while nobody appends. A log in a place where nothing can be locked (a copy on a
// read-only disk) is taken as it is.
func take(path string) (*snapshot, error) {
	s := &snapshot{}
	if head, err := os.OpenFile(headPath(path), os.O_RDWR, 0); err == nil {
		defer head.Close() // releases the lock; nothing was written
		ctx, cancel := context.WithTimeout(context.Background(), lockTimeout)
		defer cancel()
		if err := filelock.Lock(ctx, head); err != nil {
			return nil, fmt.Errorf("%w: %v", ErrUnreadable, err)
		}
	}
	s.readAnchor(path)
	for _, name := range append(rotatedFiles(path), path) {
		if err := s.add(name); err != nil && !(errors.Is(err, fs.ErrNotExist) && name == path && len(s.files) > 0) {
			return nil, errors.Join(fmt.Errorf("%w: %v", ErrUnreadable, pathless(err)), s.close())
		}
	}
	return s, nil
}

func (s *snapshot) readAnchor(path string) {
	f, err := os.Open(headPath(path))
	if err != nil {
		return
	}
	defer f.Close() // read only
	pos, ok, err := readHead(f)
	switch {
	case err != nil:
		s.anchor = anchorDamaged
	case ok:
		s.head, s.anchor = pos, anchorPresent
	default:
		s.anchor = anchorEmpty
	}
}

func (s *snapshot) add(name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("not a regular file")
	}
	if err != nil {
		return errors.Join(err, f.Close())
	}
	s.files, s.sizes = append(s.files, f), append(s.sizes, info.Size())
	return nil
}

func pathless(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}

// textLine is one line of a file. Text is valid until the next one is read.
type textLine struct {
	file    string
	number  int
	text    []byte
	ended   bool // by a line end
	tooLong bool // only the start is in text
}

// each calls f for every line of the snapshot, oldest first.
func (s *snapshot) each(f func(textLine)) error {
	for i, file := range s.files {
		r := bufio.NewReaderSize(io.NewSectionReader(file, 0, s.sizes[i]), maxLineOctets+1)
		if err := eachLine(r, filepath.Base(file.Name()), f); err != nil {
			return fmt.Errorf("%w: %v", ErrUnreadable, pathless(err))
		}
	}
	return nil
}

func eachLine(r *bufio.Reader, name string, f func(textLine)) error {
	for number := 1; ; number++ {
		text, err := r.ReadSlice('\n')
		l := textLine{file: name, number: number, text: trimEnd(text), ended: err == nil, tooLong: errors.Is(err, bufio.ErrBufferFull)}
		if l.tooLong || len(text) > 0 {
			f(l)
		}
		for errors.Is(err, bufio.ErrBufferFull) { // the rest of a line that is too long
			_, err = r.ReadSlice('\n')
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// verifier follows the chain.
type verifier struct {
	rep      Report
	pos      position
	started  bool
	torn     hash.Hash // over lines that are no record, until a repair accounts for them
	tornSize int
	tornAt   textLine
	keep     uint64
	head     position
	headSeen bool
}

// Verify checks the log at path with its rotated files, and compares it with the head file beside it. It detects a
// record that was edited, removed, inserted or moved, a file that is missing in the middle or, unless a rotation announced it, at the
// start. A cut at the end shows only against an anchor: the head file, or an earlier Report.LastHash kept elsewhere. See the
// package documentation for what cannot be detected. It reads the whole log and holds its lock only to open the files.
// The error is ErrUnreadable if the log cannot be read; findings are in the Report.
func Verify(path string) (Report, error) {
	s, err := take(path)
	if err != nil {
		return Report{}, err
	}
	v := verifier{head: s.head}
	v.rep.Files = len(s.files)
	err = s.each(v.line)
	v.finish(s.anchor, filepath.Base(path))
	return v.rep, errors.Join(err, s.close())
}

func (v *verifier) line(t textLine) {
	l, _, err := decode(t.text)
	switch {
	case t.tooLong:
		v.problem(t, 0, whatTooLong)
	case err != nil:
		v.keepTorn(t)
	default:
		v.record(t, l)
		v.rep.Torn = !t.ended
	}
}

// keepTorn remembers a line that is no record. If it was cut short by a crash, the next record says so.
func (v *verifier) keepTorn(t textLine) {
	if v.torn == nil {
		v.torn, v.tornSize = sha256.New(), 0
		v.tornAt = textLine{file: t.file, number: t.number}
	} else {
		v.tornSize++
		v.torn.Write([]byte{'\n'})
	}
	v.tornSize += len(t.text)
	v.torn.Write(t.text)
	v.rep.Torn = true
}

func (v *verifier) record(t textLine, l line) {
	v.repair(t, l)
	switch {
	case !v.started:
		v.rep.FirstSeq, v.started = l.Seq, true
		if l.Seq == 1 && l.Prev != genesis {
			v.problem(t, l.Seq, whatChain)
		}
	case l.Seq != v.pos.seq+1:
		v.problem(t, l.Seq, whatSequence)
	case l.Prev != v.pos.hash:
		v.problem(t, l.Seq, whatChain)
	}
	v.pos = position{l.Seq, hashLine(t.text)}
	if l.Seq == v.head.seq {
		v.headSeen = true
		if v.pos.hash != v.head.hash {
			v.problem(t, l.Seq, whatHeadOther)
		}
	}
	v.keep = max(v.keep, l.Keep)
	v.rep.Records++
}

// repair checks that lines which are no record, and only those, are accounted for by a repair.
func (v *verifier) repair(t textLine, l line) {
	if l.Outcome == outcomeRepaired {
		v.rep.Repairs++
	}
	if v.torn == nil {
		if l.TornSize != 0 || l.Torn != "" {
			v.problem(t, l.Seq, whatRepair)
		}
		return
	}
	sum := hex.EncodeToString(v.torn.Sum(nil))
	switch {
	case l.Outcome != outcomeRepaired:
		v.problem(v.tornAt, 0, whatNotRecord)
	case l.Torn != sum || l.TornSize != v.tornSize:
		v.problem(t, l.Seq, whatRepair)
	}
	v.torn = nil
}

func (v *verifier) finish(anchor anchorState, base string) {
	file := textLine{file: base}
	v.rep.LastSeq, v.rep.LastHash = v.pos.seq, v.pos.hash
	if want := max(v.keep, 1); v.started && v.rep.FirstSeq > want {
		v.problem(file, v.rep.FirstSeq, whatMissing)
	}
	switch {
	case anchor == anchorAbsent && v.started:
		v.problem(file, 0, whatHeadAbsent)
	case anchor == anchorDamaged:
		v.problem(file, 0, whatHead)
	case anchor == anchorPresent && v.head.seq > v.pos.seq:
		v.problem(file, v.head.seq, whatHeadAhead)
	case anchor == anchorPresent && !v.headSeen:
		v.problem(file, v.head.seq, whatHeadOther)
	case anchor == anchorPresent:
		v.rep.Anchored = true
	}
}

func (v *verifier) problem(t textLine, seq uint64, what string) {
	if len(v.rep.Problems) < maxProblems {
		v.rep.Problems = append(v.rep.Problems, Problem{File: t.file, Line: t.number, Seq: seq, What: what})
	}
}
