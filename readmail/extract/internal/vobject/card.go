package vobject

import (
	"strconv"
	"strings"

	"mailgap/readmail/extract/internal/document"
)

// Limits of one file of address cards.
const (
	maxCards       = 500
	maxCardEntries = 200 // properties shown of one card
)

// Cards writes the address cards of a vCard file. Errors: document.ErrDamaged if it holds none.
func Cards(text string, o Options) (document.Document, error) {
	s := newScanner(text, o.Decode)
	out := document.NewBuilder(o.Limits.MaxTextOctets)
	w := cardWriter{out: out}
	for p, ok := s.next(); ok && !out.Full(); p, ok = s.next() {
		w.take(p)
	}
	w.close()
	if w.cards == 0 {
		return document.Document{}, document.ErrDamaged
	}
	d := document.Document{Text: out.String()}
	if w.cards > maxCards {
		d.Truncated = true
		d.Note("%d address cards are shown, %d more are not", maxCards, w.cards-maxCards)
	}
	finish(&d, s, out, o.Limits)
	return d, nil
}

// cardWriter writes the cards as their lines come.
type cardWriter struct {
	out      *document.Builder
	cards    int
	open     bool
	props    []property
	pictures int
	dropped  int
}

func (w *cardWriter) take(p property) {
	value := strings.ToUpper(strings.TrimSpace(p.value))
	switch {
	case p.name == "BEGIN" && value == "VCARD":
		w.close()
		w.cards++
		w.open = true
	case p.name == "END" && value == "VCARD":
		w.close()
	case !w.open || w.cards > maxCards:
	case p.name == "PHOTO" || p.name == "LOGO" || p.name == "SOUND" || p.name == "KEY":
		w.pictures++
	case len(w.props) >= maxCardEntries:
		w.dropped++
	default:
		w.props = append(w.props, p)
	}
}

// close writes the card that is open.
func (w *cardWriter) close() {
	if !w.open {
		return
	}
	props := w.props
	labels := groupLabels(props)
	if w.cards <= maxCards {
		if w.out.Len() > 0 {
			w.out.WriteString("\n")
		}
		w.out.WriteString("## Address card\n")
		w.names(props)
		for _, p := range props {
			w.entry(p, labels)
		}
		w.counts()
	}
	*w = cardWriter{out: w.out, cards: w.cards}
}

func (w *cardWriter) counts() {
	if w.pictures > 0 {
		writeLine(w.out, "Pictures, sounds and keys", strconv.Itoa(w.pictures)+" (not shown)")
	}
	if w.dropped > 0 {
		writeLine(w.out, "Further entries", strconv.Itoa(w.dropped)+" (not shown)")
	}
}

// names writes FN, or N in reading order where FN is missing.
func (w *cardWriter) names(props []property) {
	var formatted, structured string
	for _, p := range props {
		switch {
		case p.name == "FN" && formatted == "":
			formatted = unescape(p.value)
		case p.name == "N" && structured == "":
			f := append(split(p.value, ';'), "", "", "", "", "")
			structured = strings.Join(strings.Fields(strings.Join([]string{f[3], f[1], f[2], f[0], f[4]}, " ")), " ")
		}
	}
	writeLine(w.out, "Name", firstNonEmpty(formatted, structured))
	if formatted != "" && structured != "" && structured != formatted {
		writeLine(w.out, "Name in parts", structured)
	}
}

// groupLabels reads the labels that Apple's address book gives groups: item1.X-ABLabel:Boat.
func groupLabels(props []property) map[string]string {
	labels := map[string]string{}
	for _, p := range props {
		if p.group != "" && p.name == "X-ABLABEL" {
			label := strings.TrimSuffix(strings.TrimPrefix(unescape(p.value), "_$!<"), ">!$_")
			labels[p.group] = document.OneLine(label, maxNameOctets)
		}
	}
	return labels
}

func (w *cardWriter) entry(p property, labels map[string]string) {
	label := map[string]string{"EMAIL": "Email", "TEL": "Phone", "ORG": "Organization", "TITLE": "Title", "ROLE": "Role", "ADR": "Address",
		"LABEL": "Address label", "NOTE": "Note", "URL": "URL", "BDAY": "Birthday", "ANNIVERSARY": "Anniversary", "NICKNAME": "Nickname",
		"IMPP": "Messaging", "CATEGORIES": "Categories", "RELATED": "Related", "GENDER": "Gender", "LANG": "Language", "TZ": "Zone",
		"KIND": "Kind", "MEMBER": "Member"}[p.name]
	if label == "" || p.binary {
		return
	}
	value := unescape(p.value)
	switch p.name {
	case "ORG":
		value = joined(split(p.value, ';'), ", ")
	case "ADR":
		value = joined(split(p.value, ';'), ", ")
	case "EMAIL", "TEL", "IMPP", "MEMBER":
		value = strings.TrimPrefix(strings.TrimPrefix(value, "mailto:"), "tel:")
	}
	if types := cardTypes(p, labels); types != "" {
		label += " (" + types + ")"
	}
	writeLine(w.out, label, value)
}

// cardTypes lists TYPE values and the label of the group.
func cardTypes(p property, labels map[string]string) string {
	var types []string
	if l := labels[p.group]; p.group != "" && l != "" {
		types = append(types, l)
	}
	for _, q := range p.params {
		if q.name != "TYPE" {
			continue
		}
		for _, t := range strings.Split(strings.ToLower(q.value), ",") {
			if t != "" && t != "internet" && t != "voice" && t != "x400" && len(types) < 5 {
				types = append(types, document.OneLine(t, maxNameOctets))
			}
		}
	}
	return strings.Join(types, ", ")
}

func joined(parts []string, sep string) string {
	var out []string
	for _, p := range parts {
		if p = strings.TrimSpace(p); p != "" {
			out = append(out, p)
		}
	}
	return strings.Join(out, sep)
}
