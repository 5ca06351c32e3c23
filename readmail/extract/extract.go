package extract

import (
	"context"
	"time"
)

// Limits that hold when an option is zero. Durations and octets are per call of Text.
const (
	// DefaultMaxInputOctets is the largest attachment that is looked at: the largest message that the big
	// providers accept is 25 to 50 MB before transfer encoding.
	DefaultMaxInputOctets = 50 << 20
	// DefaultMaxTextOctets bounds the text of one result (UTF-8 octets). What is beyond is cut and reported.
	DefaultMaxTextOctets = 2 << 20
	// DefaultMaxPages bounds the pages (PDF) and slides of one result.
	DefaultMaxPages = 500
	// DefaultTimeout is how long a child process may take over a document. Loading the PDF engine before that has a limit of
	// its own (90 s), because it takes long on a busy machine when nothing is cached.
	DefaultTimeout = 20 * time.Second
	// DefaultMaxMemoryOctets is what a child process may allocate. Compiling the PDF engine takes some 400 MB.
	DefaultMaxMemoryOctets = 768 << 20
	// DefaultMaxImageOctets is the largest image that is handed on.
	DefaultMaxImageOctets = 5 << 20
	// MaxChildren is how many child processes one Extractor runs at a time; further calls wait.
	MaxChildren = 2
)

// ChildCommand is the hidden subcommand of the binary that runs Child.
const ChildCommand = "extract-child"

// Kind says what an attachment was found to be.
type Kind string

// The kinds. KindEML and KindUnknown come with no text: the caller decodes a nested message itself.
const (
	KindUnknown Kind = "unknown"
	KindPDF     Kind = "pdf"
	KindDOCX    Kind = "docx"
	KindXLSX    Kind = "xlsx"
	KindPPTX    Kind = "pptx"
	KindODT     Kind = "odt"
	KindODS     Kind = "ods"
	KindODP     Kind = "odp"
	KindCSV     Kind = "csv"
	KindICS     Kind = "ics"
	KindVCard   Kind = "vcard"
	KindHTML    Kind = "html"
	KindText    Kind = "text"
	KindRTF     Kind = "rtf"
	KindEML     Kind = "eml"
	KindReport  Kind = "report" // message/delivery-status, disposition-notification, feedback-report
	KindImage   Kind = "image"
)

// Input is one attachment. Nothing in it is trusted: Data decides what it is, MediaType and Filename are hints.
type Input struct {
	MediaType string // declared, e.g. "application/pdf"; parameters are ignored; may be empty
	Charset   string // declared charset parameter; may be empty
	Filename  string // declared; only its ending is looked at
	Data      []byte // decoded octets; not changed, not kept after the call
	FirstPage int    // PDF only: first page wanted, counted from 1; zero means 1
}

// Options configure an Extractor. The zero value is safe.
type Options struct {
	// Decode turns octets into text by charset label. Nil means UTF-8 if valid, else ISO 8859-1. It is called
	// with at most MaxInputOctets, possibly from several goroutines.
	Decode func(label string, b []byte) string
	// Location is the zone in which times of events are shown besides their own. Nil means time.Local.
	Location *time.Location
	// Command starts the child: program and arguments. Nil means the running executable with ChildCommand.
	Command []string
	// CacheDir keeps the compiled PDF engine between children (21 MB; made with mode 0700 if missing). Empty
	// means no cache: each PDF then costs some seconds of compilation. See DefaultCacheDir.
	CacheDir string

	MaxInputOctets  int           // zero: DefaultMaxInputOctets
	MaxTextOctets   int           // zero: DefaultMaxTextOctets
	MaxPages        int           // zero: DefaultMaxPages
	MaxImageOctets  int           // zero: DefaultMaxImageOctets
	MaxMemoryOctets int64         // zero: DefaultMaxMemoryOctets
	Timeout         time.Duration // zero: DefaultTimeout
}

// Result is what was found in one attachment. All text in it is raw and hostile: the caller sanitises it.
type Result struct {
	Kind Kind
	// MediaType is the media type of the content as found, e.g. "application/pdf"; "" if unknown.
	MediaType string
	// Title is the title that the document states about itself; often empty, often stale.
	Title string
	// Text is the text. For KindHTML it is HTML source and HTML is true.
	Text string
	HTML bool
	// Image is set for KindImage.
	Image *Image
	// Pages counts pages, slides or sheets of the document, FirstPage and LastPage say which are in Text. Zero
	// where there is no such thing.
	Pages, FirstPage, LastPage int
	// Truncated says that Text is not all: a limit was met. A note says which.
	Truncated bool
	// Hidden counts passages that a person opening the document would not see. They are in Text, each marked
	// "[hidden in the document]".
	Hidden int
	// Notes are remarks in our own words (with numbers, never with text of the document): a declared type that
	// is not the found one, limits met, hidden content, macros, a missing text layer.
	Notes []string
}

// Image is an image as it came, checked for size but not decoded.
type Image struct {
	MediaType     string // image/png, image/jpeg, image/gif, image/webp
	Width, Height int    // pixels, as the image header says
	Data          []byte // the octets of Input.Data
}

// Extractor turns attachments into text. Make one with New and share it: it bounds how many child processes run
// at once. It is safe for concurrent use and needs no closing.
type Extractor struct {
	o     Options
	slots chan struct{}
}

// New returns an Extractor. Nothing is started before the first call of Text that needs a child process.
func New(o Options) *Extractor {
	return &Extractor{o: o.withDefaults(), slots: make(chan struct{}, MaxChildren)}
}

// Text finds out what in is and returns its text. Simple formats are read in this process; PDF and office documents
// in a child process that is killed when ctx ends or the timeout passes. Text blocks until then.
//
// Errors match one of ErrUnsupported, ErrEncrypted, ErrDamaged, ErrTooLarge, ErrTimeout, ErrMemory, ErrChild with
// errors.Is; Result.Kind is set all the same where it was found. When ctx ends, the error matches ctx.Err().
func (x *Extractor) Text(ctx context.Context, in Input) (Result, error) {
	return x.text(ctx, in)
}
