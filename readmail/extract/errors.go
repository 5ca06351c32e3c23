package extract

import "errors"

// What can go wrong, for errors.Is. The error that Text returns is an *Error that wraps one of these.
var (
	// ErrUnsupported: a kind of file that has no text to give or that is not read here.
	ErrUnsupported = errors.New("extract: kind of file is not supported")
	// ErrEncrypted: a password is needed to open the document.
	ErrEncrypted = errors.New("extract: document is encrypted")
	// ErrDamaged: the document is not well formed and nothing could be read from it.
	ErrDamaged = errors.New("extract: document is damaged")
	// ErrTooLarge: the input, what it expands to, or the number of its parts is over a limit.
	ErrTooLarge = errors.New("extract: document is too large")
	// ErrTimeout: the child process did not finish in time and was killed.
	ErrTimeout = errors.New("extract: reading the document took too long")
	// ErrMemory: the child process needed more memory than it may have.
	ErrMemory = errors.New("extract: reading the document took too much memory")
	// ErrChild: the child process could not be started, died, or answered nonsense.
	ErrChild = errors.New("extract: child process failed")
)

// Error says what went wrong and what to do. Its text is in our own words and holds nothing from the document.
type Error struct {
	Err    error  // one of the sentinels
	Kind   Kind   // what the document was found to be; KindUnknown if that is not known
	Detail string // what exactly, lower case
	Hint   string // what to do next
}

// Error returns one line: what failed, why, and a hint.
func (e *Error) Error() string {
	s := e.Err.Error()
	if e.Detail != "" {
		s += ": " + e.Detail
	}
	if e.Hint != "" {
		s += " (hint: " + e.Hint + ")"
	}
	return s
}

// Unwrap returns the sentinel.
func (e *Error) Unwrap() error { return e.Err }
