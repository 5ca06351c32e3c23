package htmltext

import "errors"

// Limits of one conversion. All are met by cutting and saying so in [Doc.Notes], never by failing.
const (
	MaxInputBytes     = 16 << 20 // Limit: well above the largest mail clients show in full (Gmail clips at 102 kB)
	DefaultTextChars  = 1 << 20  // Limit: default of Options.MaxTextChars
	DefaultHiddenEach = 4096     // Limit: characters of one hidden passage that are kept
)

// ErrNotText is returned for a source that is not text at all: it holds more NUL octets than letters.
var ErrNotText = errors.New("htmltext: source is not text")

// Options sets limits. The zero value is safe.
type Options struct {
	MaxTextChars   int // visible characters kept, 0 means DefaultTextChars; beyond it Doc.Truncated is set
	MaxHiddenChars int // characters kept of each hidden passage, 0 means DefaultHiddenEach, negative keeps none
}

// Kind says what a [Segment] is.
type Kind uint8

// The kinds of segments. Start and end kinds are always balanced and properly nested in Doc.Segments.
const (
	Text           Kind = iota // Segment.Text is shown as it is; line breaks only inside CodeStart…CodeEnd
	Break                      // N line breaks: 1 ends a line, 2 leaves a blank line
	LinkStart                  // Doc.Links[N] begins
	LinkEnd                    // Doc.Links[N] ends; a good place for its number and host
	ImageMark                  // Doc.Images[N] stands here; it has an alternative text or is the face of a link
	HiddenMark                 // Doc.Hidden[N] was withheld here; a space belongs on both sides
	PreheaderMark              // Doc.Hidden[N] was withheld here and is the usual hidden preview line of a newsletter
	UncertainStart             // what follows is shown, but Doc.Hidden[N] says who may not see it
	UncertainEnd               // end of the passage of Doc.Hidden[N]
	QuoteStart                 // a block quotation, level N (1 is the outermost)
	QuoteEnd                   // end of level N
	HistoryStart               // quoted earlier messages begin; Text names the marker ("gmail_quote", "outlook", "cite", …)
	HistoryEnd                 // end of the history; may be the end of the document
	HeadingStart               // a heading of level N (1 to 6)
	HeadingEnd                 // end of the heading
	ListItem                   // a list item begins at nesting depth N (1 is the outermost); Text is its marker ("-", "3.")
	RowStart                   // a row of a data table begins; N is 1 for a heading row
	CellSep                    // between two cells of a row
	RowEnd                     // end of the row
	CodeStart                  // preformatted text begins: white space and line breaks count
	CodeEnd                    // end of preformatted text
	Rule                       // a horizontal line
	Control                    // a form control; Text describes it ("button: Send", "text field: Name")
)

// Segment is one piece of the readable text, in reading order. Text is raw: it needs cleaning before it is shown.
type Segment struct {
	Kind Kind
	N    int    // level, count or index, see the kinds
	Text string // see the kinds
}

// Link is a hyperlink that a person can see and follow.
type Link struct {
	Text  string // its visible text on one line, at most 300 characters; alternative texts of images included
	Href  string // target as written, character references decoded, at most 4096 octets; not checked, not resolved
	Base  string // href of the document's base element, if there is one
	Label string // aria-label or title, which a person does not see; at most 300 characters
}

// Image is an image that a person could see, or a tracking pixel.
type Image struct {
	Alt           string // at most 300 characters
	Src           string // as written, at most 4096 octets; "" if missing
	Width, Height int    // CSS pixels, -1 if not stated
	Pixel         bool   // 1x1 or smaller, or hidden: it counts readers and shows nothing
}

// Hidden is text that was withheld, or text that was shown although some readers do not see it.
type Hidden struct {
	Technique Technique
	Text      string // raw text on one line, cut to Options.MaxHiddenChars
	Chars     int    // its whole length in characters, white space folded
	Uncertain bool   // true: the text is shown in the segments, between UncertainStart and UncertainEnd
	OtherView bool   // Uncertain only because another view (telephone, dark colours) does not show it; common in honest mail
	Elsewhere bool   // withheld here, but another common view (telephone, dark colours) shows it
	Preheader bool   // the short hidden line at the top that mail clients show in the list
	Where     string // path of element names, outermost first, at most the last six ("table>tr>td>div")
}

// Note says that a limit was met or that something could not be judged. The values are fixed words.
type Note string

// The notes.
const (
	NoteInputCut      Note = "input cut at the size limit"
	NoteTextCut       Note = "text cut at the length limit"
	NoteTooDeep       Note = "nested too deeply for the parser: read as a flat stream of tags"
	NoteRulesCut      Note = "more style rules than the limit: the rest was not applied"
	NoteMatchingCut   Note = "style rules needed more work than the limit: some were not applied"
	NoteImportedStyle Note = "style sheets are loaded from elsewhere: not fetched, not applied"
	NoteListsCut      Note = "more links, images or hidden passages than the limit: the rest is not listed"
	NoteOverlay       Note = "positioned elements with a background may cover text"
)

// Doc is the result of one conversion.
type Doc struct {
	Segments     []Segment
	Links        []Link
	Images       []Image
	Hidden       []Hidden
	Notes        []Note // each at most once, in the order met
	Title        string // of the title element, at most 300 characters; never part of the text
	Lang, Dir    string // of the html or body element, as written, at most 35 characters
	VisibleChars int    // characters in the Text segments
	HiddenChars  int    // sum of Hidden.Chars that were withheld
	Truncated    bool   // the visible text was cut at Options.MaxTextChars
}
