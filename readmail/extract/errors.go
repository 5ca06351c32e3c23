package extract

import "mailgap/readmail/extract/internal/document"

// What can go wrong, for errors.Is. The error that Text returns is an *Error that wraps one of these, or it
// matches the error of the context that ended.
var (
	// ErrUnsupported: a kind of file that has no text to give or that is not read here.
	ErrUnsupported = document.ErrUnsupported
	// ErrEncrypted: a password is needed to open the document.
	ErrEncrypted = document.ErrEncrypted
	// ErrDamaged: the document is not well formed and nothing could be read from it.
	ErrDamaged = document.ErrDamaged
	// ErrTooLarge: the input, what it expands to, or the number of its parts is over a limit.
	ErrTooLarge = document.ErrTooLarge
	// ErrTimeout: the child process did not finish in time and was killed.
	ErrTimeout = document.ErrTimeout
	// ErrMemory: the child process needed more memory than it may have.
	ErrMemory = document.ErrMemory
	// ErrChild: the child process could not be started, died, or answered nonsense.
	ErrChild = document.ErrChild
)

// Error says what went wrong and what to do. Its text is in our own words and holds nothing from the document.
type Error struct {
	Err    error  // one of the sentinels
	Kind   Kind   // what the document was found to be; KindUnknown if that is not known
	Detail string // what exactly, lower case; may be empty
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

// failure is one row of the table that numbers the sentinels for the child's reply and gives each a hint.
type failure struct {
	code string
	err  error
	hint string
}

func failures() []failure {
	return []failure{
		{"unsupported", ErrUnsupported, "open the attachment with another program, or ask the sender for a PDF or plain text"},
		{"encrypted", ErrEncrypted, "a password is needed: open it by hand, or ask the sender for a copy without password"},
		{"damaged", ErrDamaged, "the file may have been cut in transit: ask the sender to send it again"},
		{"too-large", ErrTooLarge, "save the attachment and open it with another program"},
		{"timeout", ErrTimeout, "try again once; if it fails again, save the attachment and open it with another program"},
		{"memory", ErrMemory, "save the attachment and open it with another program"},
		{"child", ErrChild, "try again once; if it fails again, the file may be made to break readers"},
	}
}

// newError builds the *Error for one sentinel with its usual hint.
func newError(sentinel error, kind Kind, detail string) *Error {
	e := &Error{Err: sentinel, Kind: kind, Detail: detail}
	for _, f := range failures() {
		if f.err == sentinel {
			e.Hint = f.hint
		}
	}
	return e
}
