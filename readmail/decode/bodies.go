package decode

import "strings"

// Node describes a part, from an IMAP BODYSTRUCTURE or from an Entity.
type Node struct {
	PartNumber        string
	MediaType         string // lower case
	Params            Params // as ParamsFrom returns them
	Disposition       string // lower case
	DispositionParams Params
	Encoding          string
	Size              int64 // octets as encoded; -1 if unknown
	ContentID         string
	Description       string
	Children          []Node // parts of a multipart; the one root of a message/rfc822
}

// Filename returns the part's file name; the fallback is made of its part number and type.
func (n Node) Filename() FileName {
	return Filename(n.DispositionParams, n.Params, n.fallbackName())
}

func (n Node) fallbackName() string {
	name := "part-" + strings.ReplaceAll(n.PartNumber, ".", "-")
	switch n.MediaType {
	case "message/rfc822", "message/global":
		return name + ".eml"
	case "text/plain":
		return name + ".txt"
	case "text/html":
		return name + ".html"
	case "text/calendar":
		return name + ".ics"
	case "image/jpeg":
		return name + ".jpg"
	case "image/png", "image/gif", "application/pdf":
		return name + "." + n.MediaType[strings.IndexByte(n.MediaType, '/')+1:]
	}
	return name
}

// Text decodes octets, the undecoded body of the part as a server gives it: transfer encoding, charset and format=flowed are undone.
// At most limit octets are decoded (0: 64 MiB). A body that was fetched in part decodes up to its last whole character or U+FFFD.
func (n Node) Text(octets []byte, limit int) (string, CharsetNote) {
	decoded, notes := TransferDecode(n.Encoding, octets, limit)
	text, note := partText(n.MediaType, n.Params, decoded)
	note.Notes.add(notes...)
	return text, note
}

// Body says which parts are the text of a message and which are files.
type Body struct {
	Plain       []Node // text/plain, in order
	HTML        []Node // text/html, in order
	Calendar    []Node // text/calendar; each is in Attachments too
	Attachments []Node // everything that is no body text: files, inline images, attached messages, reports
}

// Bodies chooses as mail clients do. Text and HTML parts are body text unless they are marked as attachments or carry a file
// name; of a multipart/alternative all forms are kept, so that they can be compared; of a multipart/related the root (its start
// parameter, else its first part) may be body text and the rest are files. What an attached message holds is not looked at.
// A text body that stands alone is body text even if it has a name.
func Bodies(root Node) Body {
	var b Body
	b.walk(root, placeOf{shown: true, alone: true}, 0)
	return b
}

// placeOf says what a part's surroundings make of it.
type placeOf struct {
	shown bool // text may be body text
	alone bool // the message itself, or a form in an alternative: a name does not make it a file
}

const maxWalkDepth = 100 // Limit: BODYSTRUCTURE trees come from servers; ParseMessage's are bounded already

func (b *Body) walk(n Node, at placeOf, depth int) {
	if depth > maxWalkDepth {
		return
	}
	switch {
	case n.MediaType == "multipart/related" && len(n.Children) > 0:
		b.related(n, at, depth)
	case strings.HasPrefix(n.MediaType, "multipart/") && len(n.Children) > 0:
		for _, c := range n.Children {
			b.walk(c, placeOf{at.shown, n.MediaType == "multipart/alternative"}, depth+1)
		}
	case strings.HasPrefix(n.MediaType, "multipart/"):
		if n.Size > 0 && at.shown { // no boundary found: read as text
			b.Plain = append(b.Plain, n)
		}
	default:
		b.leaf(n, at)
	}
}

func (b *Body) leaf(n Node, at placeOf) {
	text := at.shown && n.Disposition != "attachment" && (at.alone || !n.named())
	switch {
	case n.MediaType == "text/plain" && text:
		b.Plain = append(b.Plain, n)
	case n.MediaType == "text/html" && text:
		b.HTML = append(b.HTML, n)
	case n.MediaType == "text/calendar":
		b.Calendar = append(b.Calendar, n)
		b.Attachments = append(b.Attachments, n)
	default:
		b.Attachments = append(b.Attachments, n)
	}
}

func (n Node) named() bool {
	return n.DispositionParams["filename"] != "" || n.Params["name"] != ""
}

// related shows the root and files the rest.
func (b *Body) related(n Node, at placeOf, depth int) {
	root := relatedRoot(n)
	for i, c := range n.Children {
		b.walk(c, placeOf{at.shown && i == root, i == root}, depth+1)
	}
}

// relatedRoot returns the index of the root part (RFC 2387 §3.2). Quirk: without a start parameter, and with a first part that
// is no text, the first text part counts: MHTML with the images in front.
func relatedRoot(n Node) int {
	if start := strings.Trim(n.Params["start"], "<> "); start != "" {
		for i, c := range n.Children {
			if c.ContentID == start {
				return i
			}
		}
	}
	for i, c := range n.Children {
		if strings.HasPrefix(c.MediaType, "text/") || strings.HasPrefix(c.MediaType, "multipart/") {
			return i
		}
	}
	return 0
}
