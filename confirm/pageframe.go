package confirm

import (
	"encoding/base64"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/html"
)

// maxFrameImageOctets bounds all pictures of one page together, thumbnails apart. Limit: what the largest message may hold.
const maxFrameImageOctets = 25 << 20

// frameHead precedes the message in its frame. The frame is sandboxed and inherits the policy of the page; this says it again, for a
// browser that fails at one of them. Links would open a window, which the sandbox forbids, and have lost their targets besides: a
// browser connects ahead to where a link leads when the pointer is pressed on it, whatever is forbidden.
const frameHead = `<!DOCTYPE html><html><head><meta charset="utf-8">` +
	`<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; style-src-attr 'unsafe-inline'">` +
	`<meta name="referrer" content="no-referrer"><base target="_blank"></head>`

// frame is the HTML part as a document of its own.
type frame struct {
	Document string // empty if there is no HTML part, or Unfit
	Missing  int    // images that are named and not here
	Unfit    bool   // holds what a cleaned part never does; not drawn
}

// embeds are elements for which a browser connects ahead though the policy keeps it from loading. A cleaned part has none.
var embeds = []string{"iframe", "frame", "frameset", "object", "embed", "applet", "portal", "fencedframe"}

// newFrame puts the inline images into the HTML part and takes out the targets of its links and what stands
// in its head, which draws nothing. Nothing else of it changes.
func newFrame(v View) frame {
	if v.HTML == "" {
		return frame{}
	}
	f := frame{}
	var b strings.Builder
	b.WriteString(frameHead)
	budget := maxFrameImageOctets
	z := html.NewTokenizer(strings.NewReader(v.HTML))
	for z.Next() != html.ErrorToken {
		raw := string(z.Raw())
		t := z.Token()
		switch opens := t.Type == html.StartTagToken || t.Type == html.SelfClosingTagToken; {
		case opens && t.Data == "img":
			raw = f.image(t, v.Inline, &budget)
		case opens && (t.Data == "a" || t.Data == "area"):
			raw = unlinked(t)
		case opens && (t.Data == "link" || t.Data == "base" || t.Data == "meta"):
			raw = "" // Security: a browser connects where a preconnect link says, whatever the policy
		case opens && slices.Contains(embeds, t.Data):
			return frame{Unfit: true}
		}
		b.WriteString(raw)
	}
	b.Write(z.Raw()) // what an unfinished token would leave
	f.Document = b.String()
	return f
}

// image is an img element with its picture in it. Attributes that could load something else are left out.
func (f *frame) image(t html.Token, inline map[string]Image, budget *int) string {
	src := ""
	t.Attr = slices.DeleteFunc(t.Attr, func(a html.Attribute) bool {
		if a.Key == "src" {
			src = a.Val
		}
		return a.Key == "src" || a.Key == "srcset" || a.Key == "loading"
	})
	data := ""
	if id, ok := contentID(src); ok {
		img := inline[id]
		if *budget -= len(img.Octets); *budget >= 0 {
			data = img.dataURL()
		}
	}
	if data == "" {
		f.Missing++
	} else {
		t.Attr = append(t.Attr, html.Attribute{Key: "src", Val: data})
	}
	return t.String()
}

// unlinked is a link that looks like one and leads nowhere.
func unlinked(t html.Token) string {
	for i, a := range t.Attr {
		if a.Key == "href" {
			t.Attr[i].Val = "about:blank"
		}
	}
	t.Attr = slices.DeleteFunc(t.Attr, func(a html.Attribute) bool { return a.Key == "ping" || a.Key == "target" })
	return t.String()
}

// contentID is the Content-ID that a cid URL names (RFC 2392 §2).
func contentID(src string) (string, bool) {
	if len(src) < 4 || !strings.EqualFold(src[:4], "cid:") {
		return "", false
	}
	id, err := url.PathUnescape(src[4:])
	return id, err == nil && id != ""
}

// dataURL holds the picture itself; empty if its type is none that is drawn.
func (i Image) dataURL() string {
	if !slices.Contains([]string{"image/png", "image/jpeg", "image/gif", "image/webp"}, i.MediaType) || len(i.Octets) == 0 {
		return ""
	}
	return "data:" + i.MediaType + ";base64," + base64.StdEncoding.EncodeToString(i.Octets)
}
