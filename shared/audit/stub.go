package audit

import "errors"

// Log appends records.
type Log struct{}

var errStub = errors.New("audit: not built yet")

// Open opens or creates the log at path.
func Open(path string, o Options) (*Log, error) { return nil, errStub }

// Append writes one record durably.
func (l *Log) Append(r Record) error { return errStub }

// Close closes the log.
func (l *Log) Close() error { return errStub }

// Verify checks the chain of the log at path and of its rotated files.
func Verify(path string) (Report, error) { return Report{}, errStub }

// Read returns the matching entries, oldest first.
func Read(path string, f Filter) ([]Entry, error) { return nil, errStub }

// Format writes an entry as one line for a person.
func Format(e Entry) string { return "" }
