package sanitize

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"

	"mailgap/sanitize/htmltext"
)

const (
	// MaxOutgoingBytes bounds the HTML of one message. Limit: ten times what Gmail shows before it clips.
	MaxOutgoingBytes     = 1 << 20
	maxOutgoingDepth     = 100  // Limit: open elements; kits nest tables some forty deep
	maxOutgoingRemovals  = 2000 // Limit: distinct removals that a report lists
	maxOutgoingLinks     = 500  // Limit: links a person can be asked to look over
	maxRemovedValueChars = 120  // Limit: characters of a removed value that are shown
	settleRounds         = 5    // Limit: parses until the nesting that was written is the nesting that is read
)

// Refusals of OutgoingHTML. Nothing is repaired after one of them: there is no HTML to send.
var (
	ErrOutgoingSize     = errors.New("sanitize: the html is larger than the limit")
	ErrOutgoingEncoding = errors.New("sanitize: the html is not valid UTF-8")
	ErrOutgoingParse    = errors.New("sanitize: the html cannot be parsed")
	ErrOutgoingTwice    = errors.New("sanitize: an attribute stands twice on one element")
	ErrOutgoingDepth    = errors.New("sanitize: the html is nested too deeply")
	ErrOutgoingRemovals = errors.New("sanitize: more would have to be removed than a report can list")
	ErrOutgoingLinks    = errors.New("sanitize: the html has more links than can be looked over")
	ErrOutgoingHidden   = errors.New("sanitize: text would be invisible to its reader")
	ErrOutgoingUnstable = errors.New("sanitize: the nesting of the html is read differently each time")
	ErrOutgoingVerify   = errors.New("sanitize: the cleaned html did not pass verification")
)

// OutgoingOptions say what surrounds the HTML. No option weakens a check.
type OutgoingOptions struct {
	// ContentIDs are the content ids, without angle brackets, of the raster images attached to the same message. Only
	// they may be shown, as "cid:" images.
	ContentIDs []string
}

// RemovalKind says what kind of thing was taken out.
type RemovalKind string

// Kinds of removals.
const (
	RemovedElement     RemovalKind = "element"
	RemovedAttribute   RemovalKind = "attribute"
	RemovedDeclaration RemovalKind = "declaration" // of a style attribute
	RemovedText        RemovalKind = "text"
	RemovedCharacters  RemovalKind = "characters"
	RemovedComment     RemovalKind = "comment"
	RemovedDoctype     RemovalKind = "doctype"
)

// RemovalReason says why something was taken out.
type RemovalReason string

// Reasons for removals.
const (
	ReasonNotAllowed RemovalReason = "not_allowed"     // not on the list of what mail may hold; its content stays
	ReasonRenamed    RemovalReason = "renamed"         // written as a simpler element
	ReasonActive     RemovalReason = "active"          // runs, embeds, loads or takes input; its content goes too
	ReasonInside     RemovalReason = "inside_removed"  // stood inside something that was taken out
	ReasonHidden     RemovalReason = "hidden"          // its reader would not have seen it
	ReasonRemote     RemovalReason = "would_load"      // an image that is not attached
	ReasonScheme     RemovalReason = "unsafe_link"     // a link target that is not a plain web, mail or telephone address
	ReasonValue      RemovalReason = "value"           // the value is outside the grammar
	ReasonRewritten  RemovalReason = "rewritten"       // the same value in its canonical spelling
	ReasonColours    RemovalReason = "colours"         // its counterpart (text colour or background) could not be kept
	ReasonPlain      RemovalReason = "plain_fallback"  // styles made text invisible once other styles were gone
	ReasonInvisible  RemovalReason = "invisible"       // controls and direction overrides
	ReasonPreheader  RemovalReason = "preview_padding" // blanks that pad a preview line
)

// Removal is one entry of the report: what was taken out, where, why and how often.
type Removal struct {
	Kind   RemovalKind
	Name   Clean // element, attribute or property
	Reason RemovalReason
	Where  Clean // path of element names, at most the last six
	Value  Clean // as it stood, cut to 120 characters and made visible
	Count  int
	// Offset is how many octets of the input stand before the first of them: before its "<", its attribute, its property, its
	// text. What has no tag of its own there (the parser implied it or joined it from pieces) has the offset of the last tag before it.
	Offset int
}

// Outgoing is HTML that may be sent.
type Outgoing struct {
	// HTML is a whole document of the narrow grammar, UTF-8 with LF line ends, its last line ended.
	HTML string
	// Text says the same in plain text: for the text/plain part and for the person who is asked. Raw, LF line ends.
	Text string
	// Preheader is the hidden preview line at the top that mail programs show in lists; "" if there is none. Raw.
	Preheader string
	// Removals are in the order of the input. Empty means that HTML is the input in canonical spelling.
	Removals []Removal
	// Links are all links in the order of reading, with their hosts; Mismatch is set if the text shows another site.
	Links []Link
	// ContentIDs are the attached images that are shown, each once, in the order of reading.
	ContentIDs []string
}

// OutgoingHTML turns HTML that was written by a model into HTML that cannot load, run or mislead: a new tree of allowed
// elements, attributes and style values is built and written out, and an independent verifier reads the result. What was
// left out is in the report. The error is one of the Err… values above, wrapped; then there is no HTML. Time is linear in
// len(src). Safe for concurrent use.
func OutgoingHTML(src string, o OutgoingOptions) (Outgoing, error) {
	switch {
	case len(src) > MaxOutgoingBytes:
		return Outgoing{}, ErrOutgoingSize
	case !utf8.ValidString(src):
		return Outgoing{}, ErrOutgoingEncoding
	}
	toks, repeats := sourceTokens(src)
	if repeats {
		return Outgoing{}, ErrOutgoingTwice
	}
	// Scripting off: mail programs run none, so what stands in noscript counts as elements and not as text.
	root, err := html.ParseWithOptions(strings.NewReader(src), html.ParseOptionEnableScripting(false))
	if err != nil {
		return Outgoing{}, fmt.Errorf("%w: %v", ErrOutgoingParse, err)
	}
	verdicts := htmltext.Judge(root)
	for plainness := allStyles; plainness <= noStyles; plainness++ {
		out, plainer, err := cleanTree(source{src, toks, root}, verdicts, o, plainness)
		if err != nil || !plainer {
			return out, err
		}
	}
	return Outgoing{}, ErrOutgoingHidden
}

// source is the input, its tokens and the tree that the parser made of it.
type source struct {
	text string
	toks []sourceToken
	root *html.Node
}

// plainness is how much of the styling is given up because text became invisible with less.
type plainness int

const (
	allStyles plainness = iota
	noRules             // of style elements
	noColours
	noStyles
)

// cleanTree builds, writes, settles, judges and verifies. plainer reports that the result would hide text or grow too large.
func cleanTree(in source, v *htmltext.Verdicts, o OutgoingOptions, p plainness) (out Outgoing, plainer bool, err error) {
	c := newCleaner(v, o, p)
	doc := c.document(in.root)
	if c.err != nil {
		return out, false, c.err
	}
	if room := (MaxOutgoingBytes - len(in.text)) / 2; c.inlinedBytes > min(room, maxInlinedBytes) {
		return out, true, nil
	}
	text, beside, parsed, err := settle(doc, len(in.text), o.ContentIDs)
	if err != nil {
		return out, false, err
	}
	shown, judged := htmltext.ConvertTree(parsed, htmltext.Options{MaxTextChars: MaxOutgoingBytes})
	plainer = hidesText(parsed, judged, c.preheader != "")
	if !plainer {
		c.report.locate(in)
		out = Outgoing{HTML: text, Preheader: c.preheader, Removals: c.report.list, ContentIDs: c.shown}
		out.Text, out.Links = twin(shown)
	}
	if err := <-beside.verdict; err != nil && !plainer {
		return Outgoing{}, false, fmt.Errorf("%w: %w", ErrOutgoingVerify, err)
	}
	return out, plainer, nil
}

// verification is under way: it needs nothing but the text, so the rest is done meanwhile.
type verification struct {
	reading chan *html.Node // the text read as a document with scripting off, which must not be changed; nil if it is refused before
	verdict chan error
}

// verifyBeside starts a verification. Security: a panic in the parser is a refusal here too, not the end of the process.
func verifyBeside(text string, ids []string) verification {
	v := verification{make(chan *html.Node, 1), make(chan error, 1)}
	go func() {
		err := errPanic
		defer func() {
			if recover() != nil {
				err = errPanic
			}
			close(v.reading)
			v.verdict <- err
		}()
		err = verifyReading(text, ids, func(doc *html.Node) { v.reading <- doc })
	}()
	return v
}

// settle writes doc until what is read of it is what was written, and starts to verify that.
func settle(doc *outDoc, size int, ids []string) (text string, beside verification, parsed *html.Node, err error) {
	text = doc.write(size)
	beside = verifyBeside(text, ids)
	if parsed = <-beside.reading; parsed != nil && doc.is(parsed) { // as nearly all mail
		return text, beside, parsed, nil
	}
	<-beside.verdict // of what is not sent
	if text, parsed, err = rewrite(doc, text); err != nil {
		return "", beside, nil, err
	}
	return text, verifyBeside(text, ids), parsed, nil
}

// rewrite reads and writes text until nothing changes any more: a table in a paragraph, for one, ends the paragraph. The words
// and their order must not change on the way.
func rewrite(doc *outDoc, text string) (string, *html.Node, error) {
	words := doc.words()
	for range settleRounds {
		parsed, err := html.ParseWithOptions(strings.NewReader(text), html.ParseOptionEnableScripting(false))
		if err != nil {
			return "", nil, fmt.Errorf("%w: %v", ErrOutgoingParse, err)
		}
		again := reread(parsed)
		if again.words() != words {
			return "", nil, ErrOutgoingUnstable
		}
		next := again.write(len(text))
		if next == text {
			return text, parsed, nil
		}
		text = next
	}
	return "", nil, ErrOutgoingUnstable
}

// hidesText reports whether a text or image of the cleaned tree is invisible. The preview line is meant to be. v holds what was
// found while the text was written; if that is not all, as with images, all is judged.
func hidesText(root *html.Node, v *htmltext.Verdicts, preheader bool) bool {
	var all []*html.Node
	complete := true
	for n := range root.Descendants() {
		if seen(n) {
			all = append(all, n)
			complete = complete && v.Has(n)
		}
	}
	if !complete {
		v = htmltext.Judge(root)
	}
	hidden := 0
	for _, n := range all {
		if v.Of(n).Hidden {
			hidden++
		}
	}
	return hidden > 1 || hidden == 1 && !preheader
}

// seen reports whether n is something a reader could see: a text with more than blanks, or an image.
func seen(n *html.Node) bool {
	return n.Type == html.TextNode && strings.TrimFunc(n.Data, blankRune) != "" || n.Type == html.ElementNode && n.Data == "img"
}
