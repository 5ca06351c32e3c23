package htmltext

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// historyMarker names the mark that a mail client puts on an element which holds an earlier message, "" for none.
func historyMarker(n *html.Node) string {
	if n.DataAtom == atom.Blockquote && strings.EqualFold(attr(n, "type"), "cite") {
		return "cite"
	}
	if n.DataAtom != atom.Div && n.DataAtom != atom.Blockquote {
		return ""
	}
	if attr(n, "class") == "" && attr(n, "id") == "" {
		return ""
	}
	for _, m := range [...]string{"gmail_quote", "yahoo_quoted", "protonmail_quote", "tutanota_quote", "hmQuote", "zmail_extra", "mail-editor-reference-message-container", "ms-outlook-mobile-reference-message", "moz-forward-container"} {
		if hasClass(n, m, true) || hasClass(n, lowerASCII(m), true) || attr(n, "id") == m {
			return m
		}
	}
	return ""
}

// restMarker names marks that stand before an earlier message: all that follows in the parent belongs to it.
func restMarker(n *html.Node) string {
	id := attr(n, "id")
	switch {
	case id == "divRplyFwdMsg", id == "appendonsend", strings.HasSuffix(id, "_divRplyFwdMsg"):
		return "outlook"
	case id == "OLK_SRC_BODY_SECTION":
		return "outlook"
	case hasClass(n, "moz-cite-prefix", true):
		return "thunderbird"
	case hasClass(n, "gmail_attr", true):
		return "gmail_quote"
	}
	if n.DataAtom == atom.Div && outlookRule(attr(n, "style")) && startsWithFrom(n) {
		return "outlook"
	}
	return ""
}

// outlookRule recognises the line that Outlook for Windows draws above the header of the message answered.
func outlookRule(style string) bool {
	if !strings.Contains(style, "1.0p") && !strings.Contains(style, "1.0P") {
		return false // as nearly always, for the price of a glance
	}
	s := strings.ReplaceAll(lowerASCII(style[:min(len(style), 200)]), " ", "")
	return strings.Contains(s, "border-top:solid#e1e1e11.0pt") || strings.Contains(s, "border-top:solid#b5c4df1.0pt")
}

// startsWithFrom tells whether the text of n begins like a message header ("From:", "Von:", "De :", …).
func startsWithFrom(n *html.Node) bool {
	seen := 0
	for d := range n.Descendants() {
		if seen++; seen > 40 {
			return false
		}
		if t := strings.TrimSpace(d.Data); d.Type == html.TextNode && t != "" {
			return strings.HasSuffix(t, ":") && len(t) < 40 || strings.Contains(t[:min(len(t), 40)], ":")
		}
	}
	return false
}
