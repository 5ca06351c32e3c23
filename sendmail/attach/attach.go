package attach

import (
	"context"
	"errors"
)

// Limits for the attachments of one message. The zero value of a field means its default.
type Limits struct {
	MaxFiles      int   // default 10
	MaxFileBytes  int64 // octets of one file; default 10 MiB
	MaxTotalBytes int64 // octets of all files; default 15 MiB
	Types         Types // zero: the default list
}

// Types is the set of file types that may leave. The zero value is the default list.
type Types struct{}

// File is one attachment, read completely and judged.
type File struct {
	Name      string // last element of the path, as the recipient will see it
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
	ErrActiveContent = errors.New("attach: content that runs when opened (HTML, SVG, shortcut)")
	ErrPolyglot      = errors.New("attach: file is of two types at once")
)

// ParseTypes reads a list of extensions without dot ("pdf", "png", "zip"). An unknown or never allowed one is
// refused; the error counts the entry from 1, says what can be written, and does not repeat it. An empty list is the default.
func ParseTypes(entries []string) (Types, error) { return Types{}, errors.New("attach: not built yet") }

// Extensions lists the extensions in t, sorted.
func (t Types) Extensions() []string { return nil }

// Hint says what to do about an error of this package.
func Hint(err error) string { return "" }

// Open reads the file name below dir (an absolute directory path) and judges it. The file never leaves the process under
// another type than MediaType says. It does not follow a symbolic link out of dir and refuses everything but regular files.
func Open(ctx context.Context, dir, name string, l Limits) (File, error) {
	return File{}, errors.New("attach: not built yet")
}

// OpenAll reads several files in order, with the limits on count and total.
func OpenAll(ctx context.Context, dir string, names []string, l Limits) ([]File, error) {
	return nil, errors.New("attach: not built yet")
}

// Classify judges octets under a name: the media type, or why the file must not leave. declared is the caller's media
// type, or "". It does no input or output.
func Classify(name, declared string, octets []byte, t Types) (string, error) {
	return "", errors.New("attach: not built yet")
}
