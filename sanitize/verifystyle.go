package sanitize

import (
	"errors"
	"slices"
	"strconv"
	"strings"
)

// Words of the grammar, each between blanks.
const (
	verifyElements = " a b big blockquote br caption center code col colgroup dd div dl dt em font h1 h2 h3 h4 h5 h6 hr i img li ol p pre q s small span strong " +
		"sub sup table tbody td tfoot th thead tr u ul wbr "
	// verifyPairs are the attributes of one element; verifyEverywhere those of all but the empty ones.
	verifyPairs = " a.href img.src img.alt img.width img.height img.border img.align font.color font.face font.size " +
		"table.width table.height table.align table.bgcolor table.border table.cellpadding table.cellspacing table.role " +
		"td.width td.height td.align td.valign td.bgcolor td.colspan td.rowspan td.nowrap th.width th.height th.align th.valign th.bgcolor th.colspan th.rowspan th.nowrap " +
		"tr.align tr.valign tr.bgcolor tr.height thead.align thead.valign thead.bgcolor tbody.align tbody.valign tbody.bgcolor tfoot.align tfoot.valign tfoot.bgcolor " +
		"col.span col.width col.align col.valign colgroup.span colgroup.width colgroup.align colgroup.valign ol.start ol.type ul.type li.value li.type " +
		"hr.width hr.size hr.align hr.color body.bgcolor p.align div.align h1.align h2.align h3.align h4.align h5.align h6.align caption.align "
	verifyEverywhere = " dir lang style "
	verifyProperties = " color background-color border-color border-top-color border-right-color border-bottom-color border-left-color border border-top border-right " +
		"border-bottom border-left border-style border-top-style border-right-style border-bottom-style border-left-style border-width border-top-width " +
		"border-right-width border-bottom-width border-left-width border-radius border-top-left-radius border-top-right-radius border-bottom-left-radius " +
		"border-bottom-right-radius border-spacing border-collapse padding padding-top padding-right padding-bottom padding-left margin margin-top margin-right " +
		"margin-bottom margin-left width height min-width min-height max-width max-height line-height letter-spacing word-spacing font font-size font-family " +
		"font-weight font-style font-variant vertical-align text-align text-decoration text-decoration-line text-transform text-indent white-space word-break " +
		"word-wrap overflow-wrap direction list-style list-style-type display float clear table-layout caption-side box-sizing "
	verifyDisplays = " block inline inline-block table table-row table-cell list-item inherit "
)

// attribute checks one attribute by name and value.
func (s *vscanner) attribute(element, name, value string) error {
	anywhere := strings.Contains(verifyEverywhere, " "+name+" ") && element != "wbr"
	if !anywhere && !strings.Contains(verifyPairs, " "+element+"."+name+" ") || element == "html" && name == "style" {
		return errors.New("attribute " + element + "." + name)
	}
	ok := true
	switch name {
	case "href":
		ok = verifyTarget(value)
	case "src":
		id, cid := strings.CutPrefix(value, "cid:")
		ok = cid && slices.Contains(s.ids, id)
	case "style":
		if ok = s.styles[value]; !ok {
			ok = verifyStyle(value)
			s.styles[value] = ok
		}
	case "alt": // any text
	case "face":
		ok = only(value, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-, ")
	case "bgcolor", "color":
		ok = only(value, "abcdefghijklmnopqrstuvwxyz0123456789#")
	case "type":
		ok = only(value, "abcdefghijklmnopqrstuvwxyz1AI")
	case "size":
		ok = only(value, "0123456789+-")
	default:
		ok = only(value, "abcdefghijklmnopqrstuvwxyz0123456789-%")
	}
	if !ok {
		return errors.New("value of " + element + "." + name)
	}
	return nil
}

// only reports that s is not empty and holds no other characters.
func only(s, characters string) bool {
	for k := 0; k < len(s); k++ {
		if strings.IndexByte(characters, s[k]) < 0 {
			return false
		}
	}
	return s != ""
}

// verifyTarget: an absolute web address with a plain host, a mail address or a telephone number, in printable ASCII.
func verifyTarget(v string) bool {
	for k := 0; k < len(v); k++ {
		if v[k] <= ' ' || v[k] >= 0x7F || v[k] == '\\' || v[k] == '"' || v[k] == '<' || v[k] == '>' || v[k] == '`' {
			return false
		}
	}
	if strings.HasPrefix(v, "mailto:") {
		return len(v) > 7 && !strings.Contains(v, "//")
	}
	if strings.HasPrefix(v, "tel:") {
		return only(v[4:], "0123456789+-.()*#;=ext")
	}
	rest := ""
	switch {
	case strings.HasPrefix(v, "https://"):
		rest = v[8:]
	case strings.HasPrefix(v, "http://"):
		rest = v[7:]
	}
	end := strings.IndexAny(rest, "/?#")
	if end < 0 {
		end = len(rest)
	}
	return only(rest[:end], "abcdefghijklmnopqrstuvwxyz0123456789-._:") && rest[0] != ':'
}

// verifyStyle reads "name:value;name:value" octet by octet. Quotes only around font names, brackets only in colours.
func verifyStyle(style string) bool {
	for len(style) > 0 {
		k := strings.IndexByte(style, ':')
		if k <= 0 || !strings.Contains(verifyProperties, " "+style[:k]+" ") {
			return false
		}
		name := style[:k]
		style = style[k+1:]
		end := strings.IndexByte(style, ';')
		if end == len(style)-1 {
			return false
		}
		if end < 0 {
			end = len(style)
		}
		if !verifyValue(name, style[:end]) {
			return false
		}
		style = style[min(end+1, len(style)):]
	}
	return true
}

func verifyValue(name, value string) bool {
	if value == "" || name == "display" && !strings.Contains(verifyDisplays, " "+value+" ") {
		return false
	}
	// Security: a negative length moves one text over another.
	if negative := strings.HasPrefix(value, "-") || strings.Contains(value, " -"); negative && name == "text-indent" {
		return verifyHanging(value[1:])
	} else if negative && name != "letter-spacing" && name != "word-spacing" {
		return false
	}
	for len(value) > 0 {
		if rest, ok := cutColour(value); ok {
			end := strings.IndexByte(rest, ')')
			if end < 0 || !only(rest[:end], "0123456789.,%") {
				return false
			}
			value = rest[end+1:]
			continue
		}
		switch c := value[0]; {
		case c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9', c == '.', c == '%', c == '-', c == ' ', c == ',', c == '#':
			value = value[1:]
		case c == '/' && name == "font":
			value = value[1:]
		case c == '\'' && (name == "font" || name == "font-family"):
			end := strings.IndexByte(value[1:], '\'')
			if end < 0 || !only(value[1:end+1], "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789- ") {
				return false
			}
			value = value[end+2:]
		default:
			return false
		}
	}
	return true
}

// verifyHanging reads how far a first line hangs out to the left: half an inch at most.
func verifyHanging(length string) bool {
	for unit, most := range map[string]float64{"px": 48, "pt": 36, "rem": 3, "em": 3, "cm": 1.27, "in": 0.5} {
		number, ok := strings.CutSuffix(length, unit)
		if !ok || !only(number, "0123456789.") {
			continue
		}
		f, err := strconv.ParseFloat(number, 64)
		return err == nil && f <= most
	}
	return false
}

// cutColour cuts the start of a colour function.
func cutColour(s string) (string, bool) {
	for _, f := range []string{"rgba(", "rgb(", "hsla(", "hsl("} {
		if rest, ok := strings.CutPrefix(s, f); ok {
			return rest, true
		}
	}
	return s, false
}
