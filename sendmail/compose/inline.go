package compose

import (
	"io"
	"strconv"
	"strings"
)

// NewContentID makes the Content-ID of one inline image, without angle brackets: 128 bits of random at the sender's domain
// (RFC 2392 §2 wants an id that is unique in the world). Its characters stand in a cid URL as they are. Errors: ErrRandom.
func NewContentID(random io.Reader, domain string) (string, error) {
	if strings.Trim(domain, contentIDOctets) != "" { // an address literal would need percent-encoding, which readers undo or not
		domain = "image.invalid"
	}
	word, err := randomWord(random)
	return word + "@" + domain, err
}

const contentIDOctets = "abcdefghijklmnopqrstuvwxyz0123456789.-_"

func validContentID(id string) bool {
	word, domain, found := strings.Cut(id, "@")
	return found && len(word) == 2*randomOctets && strings.Trim(word, "0123456789abcdef") == "" && domain != "" && strings.Trim(domain, contentIDOctets) == "" &&
		len(id) <= maxMessageIDBytes/2
}

// inlineType reports a type that every reader draws and none runs. Security: SVG is a document with links and scripts.
func inlineType(mediaType string) bool {
	switch mediaType {
	case "image/png", "image/jpeg", "image/gif", "image/webp":
		return true
	}
	return false
}

// shownInline reports whether each image is of a type that may stand in HTML, has an id of its own, and is referred to. Security:
// an inline part that no HTML shows is seen by some readers, and by others not at all.
func shownInline(html string, images []InlineFacts) bool {
	seen := map[string]bool{}
	for _, i := range images {
		if !inlineType(i.MediaType) || !validContentID(i.ContentID) || seen[i.ContentID] || !strings.Contains(html, `"cid:`+i.ContentID+`"`) {
			return false
		}
		seen[i.ContentID] = true
	}
	return len(images) <= maxAttachments
}

// htmlPieces is the HTML cut at its references to images, with the place of the image in the list for each: the same HTML with the
// same images has the same pieces, whatever the ids are. Without images it is one piece.
func (f Facts) htmlPieces() []string {
	place := map[string]string{}
	for k, i := range f.Inline {
		place[i.ContentID] = strconv.Itoa(k)
	}
	const mark = `"cid:`
	var pieces []string
	start := 0
	for at := 0; len(place) > 0; {
		k := strings.Index(f.HTML[at:], mark)
		if k < 0 {
			break
		}
		open := at + k
		at = open + len(mark)
		id, _, _ := strings.Cut(f.HTML[at:], `"`)
		if p, found := place[id]; found {
			pieces = append(pieces, f.HTML[start:open], p)
			at += len(id) + 1
			start = at
		}
	}
	return append(pieces, f.HTML[start:])
}
