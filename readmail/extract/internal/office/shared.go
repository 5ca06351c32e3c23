package office

import (
	"encoding/xml"
	"maps"
	"path"
	"slices"
	"strings"

	"mailgap/readmail/extract/internal/document"
)

const (
	maxCellOctets  = 4 << 10 // of one table cell
	maxTitleOctets = 300
	maxLinkOctets  = 2 << 10
	hiddenEnd      = "[end of hidden text]"
)

// hiddenText wraps a passage that is not seen.
func hiddenText(s string) string { return document.HiddenMark + " " + s + " " + hiddenEnd }

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// tableRow writes cells as one line. Cells are cut, line ends in them become " / ", and "|" is escaped.
func tableRow(cells []string) string {
	var b strings.Builder
	b.WriteString("|")
	for _, c := range cells {
		c = document.Cut(strings.TrimSpace(c), maxCellOctets)
		c = strings.NewReplacer("|", "\\|", "\r\n", " / ", "\n", " / ", "\t", " ").Replace(c)
		b.WriteString(" " + c + " |")
	}
	return b.String()
}

// rel is one relationship of a part (ECMA-376 part 2, §9.3).
type rel struct {
	kind     string // last segment of the type, e.g. "hyperlink"
	target   string // part name, or address if external
	external bool
}

// rels reads the relationships of a part by id. Damaged or missing ones give an empty map.
func (r *reader) rels(part string) map[string]rel {
	h := relHandler{dir: path.Dir(part), rels: map[string]rel{}}
	_ = r.walkPart(path.Join(path.Dir(part), "_rels", path.Base(part)+".rels"), &h) // what was read before an error counts
	return h.rels
}

type relHandler struct {
	dir  string
	rels map[string]rel
}

func (h *relHandler) start(_ *xmlPart, name string, attrs []xml.Attr) {
	if name != "rel:Relationship" {
		return
	}
	target := attr(attrs, "Target")
	external := attr(attrs, "TargetMode") == "External"
	if !external && strings.HasPrefix(target, "/") {
		target = strings.TrimPrefix(target, "/")
	} else if !external {
		target = path.Join(h.dir, target)
	}
	h.rels[attr(attrs, "Id")] = rel{kind: path.Base(attr(attrs, "Type")), target: target, external: external}
}

func (h *relHandler) end(*xmlPart, string)  {}
func (h *relHandler) text(*xmlPart, string) {}

// mainPart returns the part that the package's root relationship names, or the usual name.
func (r *reader) mainPart(usual string) string {
	for _, to := range r.rels("") {
		if to.kind == "officeDocument" && !to.external && r.archive.has(to.target) {
			return to.target
		}
	}
	return usual
}

// coreTitle reads the title from the document's properties.
func (r *reader) coreTitle(part string) {
	var h titleHandler
	_ = r.walkPart(part, &h) // a title is a nicety
	r.doc.Title = document.OneLine(h.title, maxTitleOctets)
}

type titleHandler struct {
	title string
	in    bool
}

func (h *titleHandler) start(_ *xmlPart, name string, _ []xml.Attr) { h.in = name == "dc:title" }
func (h *titleHandler) end(*xmlPart, string)                        { h.in = false }
func (h *titleHandler) text(_ *xmlPart, s string) {
	if h.in && len(h.title) < maxTitleOctets {
		h.title += s
	}
}

// externalLink returns " <address>" for a link whose text does not show its address, else "".
func externalLink(text, target string) string {
	target = document.OneLine(target, maxLinkOctets)
	if target == "" || strings.Contains(text, target) {
		return ""
	}
	return " <" + target + ">"
}
