package decode

import (
	"strings"
	"unicode"
)

// FileName is a file name from a message. Raw is decoded and one line, and is for showing and comparing after cleaning only;
// Safe is a plain name without path, control or bidirectional characters, at most 200 octets, never empty, not reserved on common systems.
type FileName struct {
	Raw   string // "" if the part has no name
	Safe  string
	Notes Notes
}

const (
	maxSafeNameOctets = 200 // Limit: file systems allow 255; leaves room for a suffix
	maxExtOctets      = 20  // Limit: longest extension that is kept when a name is cut
)

// Filename picks the best name a part has (filename before name). fallback is used for Safe when there is none, e.g. "part-2".
func Filename(disposition, mediaType Params, fallback string) FileName {
	raw := disposition["filename"]
	for _, other := range []string{mediaType["name"], disposition["name"], mediaType["filename"]} {
		if raw == "" {
			raw = other
		}
	}
	return SafeFileName(raw, fallback)
}

// SafeFileName makes a FileName of a decoded name.
//
// Security: a name can hide its true extension behind right-to-left marks or a row of blanks, climb out of a directory, or name a
// device; Safe can do none of that. Of a path the last element counts.
func SafeFileName(raw, fallback string) FileName {
	f := FileName{Raw: oneLine(raw)}
	name := safeName(f.Raw)
	if name == "" {
		name = safeName(oneLine(fallback))
	}
	if name == "" {
		name = "unnamed"
	}
	if f.Raw != "" && name != f.Raw {
		f.Notes.add(NoteNameUnsafe)
	}
	if isReservedName(name) {
		f.Notes.add(NoteNameReserved)
		name = "_" + name
	}
	if len(name) > maxSafeNameOctets {
		f.Notes.add(NoteNameShortened)
		name = shortenName(name)
	}
	f.Safe = name
	return f
}

func safeName(s string) string {
	s = strings.Map(safeRune, s)
	elements := strings.FieldsFunc(s, func(r rune) bool { return r == '/' || r == '\\' })
	for i := len(elements) - 1; i >= 0; i-- {
		name := strings.Join(strings.Fields(elements[i]), " ")
		name = strings.Trim(name, " ")
		name = strings.TrimRight(strings.TrimLeft(name, ". "), ". ") // hidden files; Windows drops the last dots
		if name != "" {
			return name
		}
	}
	return ""
}

// safeRune maps what a file name must not hold: -1 for what cannot be seen, "_" for what has a meaning to some system.
func safeRune(r rune) rune {
	switch {
	case r == '/' || r == '\\':
		return r
	case strings.ContainsRune(`<>:"|?*`, r), r == '\u2215' || r == '\u2044' || r == '\u29f8' || r == '／' || r == '＼' || r == '：':
		return '_'
	case unicode.Is(unicode.Zs, r):
		return ' '
	case r == unicode.ReplacementChar:
		return '_'
	case unicode.IsControl(r), unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Cs, unicode.Co), isInvisible(r):
		return -1
	}
	return r
}

// isInvisible reports letters that show nothing and are not in category Cf: fillers and variation selectors.
func isInvisible(r rune) bool {
	switch {
	case r == '\u115f' || r == '\u1160' || r == '\u3164' || r == '\uffa0' || r == '\u034f' || r == '\u2800' || r == '\u17b4' || r == '\u17b5':
		return true
	case r >= 0xfe00 && r <= 0xfe0f, r >= 0xe0000 && r <= 0xe0fff, r >= 0x180b && r <= 0x180f:
		return true
	}
	return r&0xfffe == 0xfffe || r >= 0xfdd0 && r <= 0xfdef // noncharacters
}

// isReservedName reports the device names of Windows, with or without extension.
func isReservedName(name string) bool {
	base, _, _ := strings.Cut(strings.ToUpper(name), ".")
	switch base = strings.TrimSpace(base); base {
	case "CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$", "CLOCK$":
		return true
	}
	for _, device := range []string{"COM", "LPT"} {
		if n, ok := strings.CutPrefix(base, device); ok && len([]rune(n)) == 1 && strings.ContainsAny(n, "0123456789¹²³") {
			return true
		}
	}
	return false
}

// shortenName cuts the name before its extension.
func shortenName(name string) string {
	ext := ""
	if i := strings.LastIndexByte(name, '.'); i > 0 && len(name)-i <= maxExtOctets {
		ext = name[i:]
	}
	return strings.TrimRight(cutOctets(name[:len(name)-len(ext)], maxSafeNameOctets-len(ext)), ". ") + ext
}
