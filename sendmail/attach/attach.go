package attach

import (
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"syscall"

	"golang.org/x/text/unicode/norm"
)

// Limits for the attachments of one message. The zero value of a field means its default.
type Limits struct {
	MaxFiles      int   // default 10
	MaxFileBytes  int64 // octets of one file; default 10 MiB
	MaxTotalBytes int64 // octets of all files; default 15 MiB
	Types         Types // zero: the default list
}

const (
	defaultMaxFiles      = 10
	defaultMaxFileBytes  = 10 << 20
	defaultMaxTotalBytes = 15 << 20 // Limit: 20 MiB in base64, which large providers still take
)

func (l Limits) withDefaults() Limits {
	if l.MaxFiles <= 0 {
		l.MaxFiles = defaultMaxFiles
	}
	if l.MaxFileBytes <= 0 {
		l.MaxFileBytes = defaultMaxFileBytes
	}
	if l.MaxTotalBytes <= 0 {
		l.MaxTotalBytes = defaultMaxTotalBytes
	}
	return l
}

// File is one attachment, read completely and judged.
type File struct {
	Name      string // last element of the path in NFC, as the recipient will see it
	MediaType string // type/subtype, found from content and extension together
	Octets    []byte
	SHA256    [32]byte
}

// Reasons for a refusal. No error text holds a file name, a path or content.
var (
	ErrNoDirectory   = errors.New("attach: no attachment directory is configured, or it cannot be opened")
	ErrName          = errors.New("attach: name is not a plain relative path inside the attachment directory")
	ErrDeceptiveName = errors.New("attach: name holds invisible, direction-changing or control characters, or a misleading extension")
	ErrNotFound      = errors.New("attach: no such file")
	ErrUnreadable    = errors.New("attach: file cannot be read")
	ErrOutside       = errors.New("attach: path leaves the attachment directory")
	ErrNotRegular    = errors.New("attach: not a regular file")
	ErrEmptyFile     = errors.New("attach: file is empty")
	ErrTooManyFiles  = errors.New("attach: too many files")
	ErrFileTooLarge  = errors.New("attach: file too large")
	ErrTotalTooLarge = errors.New("attach: files too large together")
	ErrDuplicateName = errors.New("attach: two files with the same name")
	ErrChanged       = errors.New("attach: file changed while it was read")
	ErrTypeUnknown   = errors.New("attach: file type not recognised")
	ErrTypeRefused   = errors.New("attach: file type is not on the list of allowed types")
	ErrTypeMismatch  = errors.New("attach: content does not agree with the name's extension or the declared type")
	ErrExecutable    = errors.New("attach: executable or script")
	ErrMacros        = errors.New("attach: document with macros or embedded programs")
	ErrActiveContent = errors.New("attach: content that runs or loads something when opened")
	ErrPolyglot      = errors.New("attach: file is of two types at once")
)

// Hint says what to do about an error of this package, in one short sentence; "" for other errors.
func Hint(err error) string {
	hints := []struct {
		err  error
		text string
	}{
		{ErrNoDirectory, "the operator sets SMTP_ATTACHMENT_DIR to an existing directory"},
		{ErrName, "give a file name, or a path with / below the attachment directory; no leading /, no .., no hidden file"},
		{ErrDeceptiveName, "rename the file to plain words and its true extension"},
		{ErrNotFound, "check the spelling; only files below the attachment directory can be attached"},
		{ErrUnreadable, "the operator checks the file's permissions"},
		{ErrOutside, "copy the file into the attachment directory; links that lead out are not followed"},
		{ErrNotRegular, "name a file, not a directory, pipe or device"},
		{ErrEmptyFile, "leave it out, or check that it was written"},
		{ErrTooManyFiles, "attach fewer files"},
		{ErrFileTooLarge, "the operator can raise SMTP_MAX_ATTACHMENT_BYTES; or share the file another way"},
		{ErrTotalTooLarge, "attach fewer or smaller files"},
		{ErrDuplicateName, "name each file once"},
		{ErrChanged, "try again when nothing writes to the file"},
		{ErrTypeUnknown, "use a file with one of the allowed extensions"},
		{ErrTypeRefused, "the operator can allow more types in SMTP_ATTACHMENT_TYPES"},
		{ErrTypeMismatch, "give the file the extension of its content"},
		{ErrExecutable, "programs and scripts cannot be sent"},
		{ErrMacros, "save the document without macros and embedded objects"},
		{ErrActiveContent, "save it as a PDF without scripts, or as plain text"},
		{ErrPolyglot, "export the file again from the program that made it"},
	}
	for _, h := range hints {
		if errors.Is(err, h.err) {
			return h.text
		}
	}
	return ""
}

// Open reads the file name below dir (an absolute directory path) and judges it. The file never leaves the process under
// another type than MediaType says. It does not follow a symbolic link out of dir and refuses everything but regular files.
// It does not block on pipes.
func Open(ctx context.Context, dir, name string, l Limits) (File, error) {
	files, err := OpenAll(ctx, dir, []string{name}, l)
	if err != nil {
		return File{}, err
	}
	return files[0], nil
}

// OpenAll reads several files in order, with the limits on count and total. No name gives no file and no error, even without a directory.
func OpenAll(ctx context.Context, dir string, names []string, l Limits) ([]File, error) {
	if len(names) == 0 {
		return nil, nil
	}
	l = l.withDefaults()
	if len(names) > l.MaxFiles {
		return nil, ErrTooManyFiles
	}
	if !filepath.IsAbs(dir) {
		return nil, ErrNoDirectory
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, ErrNoDirectory
	}
	defer root.Close()
	return openAll(ctx, root, names, l)
}

func openAll(ctx context.Context, root *os.Root, names []string, l Limits) ([]File, error) {
	var files []File
	var total int64
	seen := map[string]bool{}
	for _, name := range names {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		f, err := openOne(root, name, l)
		if err != nil {
			return nil, err
		}
		key := strings.ToLower(f.Name)
		if seen[key] {
			return nil, ErrDuplicateName
		}
		seen[key] = true
		if total += int64(len(f.Octets)); total > l.MaxTotalBytes {
			return nil, ErrTotalTooLarge
		}
		files = append(files, f)
	}
	return files, nil
}

func openOne(root *os.Root, name string, l Limits) (File, error) {
	if err := checkPath(name); err != nil {
		return File{}, err
	}
	octets, err := readBelow(root, filepath.FromSlash(name), l.MaxFileBytes)
	if err != nil {
		return File{}, err
	}
	base := norm.NFC.String(path.Base(name))
	mediaType, err := Classify(base, "", octets, l.Types)
	if err != nil {
		return File{}, err
	}
	return File{Name: base, MediaType: mediaType, Octets: octets, SHA256: sha256.Sum256(octets)}, nil
}

// readBelow opens name and makes sure that the handle is still the file of that name when all is read.
func readBelow(root *os.Root, name string, limit int64) ([]byte, error) {
	info, err := root.Stat(name)
	if err != nil {
		return nil, openError(err)
	}
	if !info.Mode().IsRegular() {
		return nil, ErrNotRegular
	}
	// Security: between Stat and here the file may have become a pipe, and opening one would wait for a writer.
	f, err := root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, openError(err)
	}
	defer f.Close()
	octets, err := readHandle(f, limit)
	if err != nil {
		return nil, err
	}
	if err := stillNamed(root, name, f, info); err != nil {
		return nil, err
	}
	return octets, nil
}

// stillNamed: the open file, the one looked at before, and the one of that name now are one.
func stillNamed(root *os.Root, name string, f *os.File, before fs.FileInfo) error {
	opened, err := f.Stat()
	if err != nil {
		return ErrUnreadable
	}
	now, err := root.Stat(name)
	if err != nil || !os.SameFile(opened, now) || !os.SameFile(opened, before) {
		return ErrChanged
	}
	return nil
}

// openError: os.Root does not export the error for a path that leaves it.
func openError(err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return ErrNotFound
	case strings.Contains(err.Error(), "escapes"):
		return ErrOutside
	}
	return ErrUnreadable
}

type handle interface {
	io.ReadSeeker
	Stat() (fs.FileInfo, error)
}

// readHandle reads all of h twice and compares size, time and digest, so that a file somebody is writing to is noticed. The size
// is that of the handle, and no more than limit is read.
func readHandle(h handle, limit int64) ([]byte, error) {
	before, err := h.Stat()
	switch {
	case err != nil:
		return nil, ErrUnreadable
	case !before.Mode().IsRegular():
		return nil, ErrNotRegular
	case before.Size() > limit:
		return nil, ErrFileTooLarge
	}
	octets, err := io.ReadAll(io.LimitReader(h, limit+1))
	switch {
	case err != nil:
		return nil, ErrUnreadable
	case int64(len(octets)) != before.Size():
		return nil, ErrChanged
	case len(octets) == 0:
		return nil, ErrEmptyFile
	}
	if err := checkUnchanged(h, before, octets, limit); err != nil {
		return nil, err
	}
	return octets, nil
}

func checkUnchanged(h handle, before fs.FileInfo, octets []byte, limit int64) error {
	if _, err := h.Seek(0, io.SeekStart); err != nil {
		return ErrUnreadable
	}
	again := sha256.New()
	if _, err := io.Copy(again, io.LimitReader(h, limit+1)); err != nil {
		return ErrUnreadable
	}
	after, err := h.Stat()
	if err != nil {
		return ErrUnreadable
	}
	if [32]byte(again.Sum(nil)) != sha256.Sum256(octets) || after.Size() != before.Size() || !after.ModTime().Equal(before.ModTime()) {
		return ErrChanged
	}
	return nil
}
