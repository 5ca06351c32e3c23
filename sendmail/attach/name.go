package attach

import (
	"path"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	maxNameOctets = 255 // Limit: the longest name of common file systems
	maxPathOctets = 1024
	maxPathDepth  = 8
)

// checkPath: a relative path of plain names, with / as the only separator on every system.
func checkPath(name string) error {
	switch {
	case name == "" || len(name) > maxPathOctets || !utf8.ValidString(name):
		return ErrName
	case strings.ContainsFunc(name, deceptive):
		return ErrDeceptiveName
	case strings.ContainsAny(name, `\:`) || path.Clean(name) != name || !filepath.IsLocal(filepath.FromSlash(name)):
		return ErrName
	case strings.Count(name, "/") >= maxPathDepth:
		return ErrName
	}
	for element := range strings.SplitSeq(name, "/") {
		// Security: hidden files are where keys and settings lie; "~" and a trailing dot or space mean something to some systems.
		if element[0] == '.' || element[0] == '~' || strings.HasSuffix(element, ".") || strings.TrimSpace(element) != element || len(element) > maxNameOctets {
			return ErrName
		}
	}
	return checkBase(path.Base(name))
}

// checkBase refuses names that read differently from what they are.
func checkBase(base string) error {
	switch {
	case base == "" || len(base) > maxNameOctets || !utf8.ValidString(base) || strings.ContainsAny(base, "/\\"):
		return ErrName
	case strings.ContainsFunc(base, deceptive), strings.Contains(base, "   "), strings.Contains(base, "=?"):
		return ErrDeceptiveName
	}
	parts := strings.Split(strings.ToLower(base), ".")
	for k, p := range parts {
		// Security: "invoice.exe.pdf" and "invoice.pdf .exe"; the last extension is judged by itself.
		if k > 0 && k < len(parts)-1 && innerExecutable(strings.TrimSpace(p)) {
			return ErrDeceptiveName
		}
		if k > 0 && strings.TrimSpace(p) != p && k == len(parts)-1 {
			return ErrDeceptiveName
		}
	}
	return nil
}

// deceptive: control and format characters (direction, joiners, tags), odd spaces and breaks, fillers that draw nothing.
func deceptive(r rune) bool {
	switch {
	case r >= ' ' && r < 0x7F:
		return false
	case unicode.IsControl(r), unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Co, unicode.Cs), r != ' ' && unicode.IsSpace(r):
		return true
	}
	return unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r) || unicode.Is(unicode.Noncharacter_Code_Point, r) || r == utf8.RuneError ||
		r == '․' || r == '。' || r == '．' || r == '⁄' || r == '∕' // dots and slashes that are none
}

// extension is the last extension in lower case without its dot, or "".
func extension(base string) string {
	return strings.ToLower(strings.TrimPrefix(path.Ext(base), "."))
}

// innerExecutable leaves out what is also the end of a host name or a common word, such as "com".
func innerExecutable(ext string) bool {
	switch ext {
	case "exe", "scr", "pif", "bat", "cmd", "vbs", "vbe", "js", "jse", "wsf", "wsh", "hta", "lnk", "msi", "msp", "jar", "ps1", "psm1", "dll", "cpl", "reg", "url":
		return true
	}
	return false
}

// programExtension lists extensions that systems run, whatever the content is.
func programExtension(ext string) bool {
	switch ext {
	case "exe", "com", "scr", "pif", "bat", "cmd", "vbs", "vbe", "js", "jse", "mjs", "wsf", "wsh", "wsc", "sct", "msi", "msp", "mst", "msc", "jar", "jnlp", "class", "dex", "apk",
		"ps1", "psm1", "psd1", "dll", "sys", "drv", "ocx", "cpl", "reg", "inf", "gadget", "appx", "msix", "sh", "bash", "zsh", "csh", "ksh", "fish", "command", "tool", "workflow", "action",
		"app", "pkg", "mpkg", "dmg", "iso", "img", "vhd", "vhdx", "deb", "rpm", "run", "bin", "elf", "so", "dylib", "ko", "o", "wasm", "py", "pyc", "pyw", "pyz", "pl", "rb", "php", "lua", "tcl",
		"scpt", "scptd", "applescript", "chm", "hlp", "xll", "wll", "xla", "ade", "adp", "mde", "accde", "library-ms", "search-ms", "settingcontent-ms", "appref-ms", "diagcab", "cab", "application", "vxd":
		return true
	}
	return false
}

// activeExtension lists what loads or runs something when opened.
func activeExtension(ext string) bool {
	switch ext {
	case "html", "htm", "xhtml", "xht", "shtml", "mht", "mhtml", "svg", "svgz", "hta", "htc", "xml", "xsl", "xslt", "swf", "url", "webloc", "desktop", "lnk", "website", "mhtm", "one", "iqy", "slk", "rdp", "theme", "fileloc", "inetloc":
		return true
	}
	return false
}

// macroExtension lists documents that are made to carry macros.
func macroExtension(ext string) bool {
	switch ext {
	case "docm", "dotm", "xlsm", "xltm", "xlsb", "xlam", "pptm", "potm", "ppam", "ppsm", "sldm", "dot", "xlt", "pot", "odb":
		return true
	}
	return false
}
