package attach

import (
	"bytes"
	"encoding/binary"
	"regexp"
	"unicode/utf16"
	"unicode/utf8"
)

const oleMagic = "\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1" // [MS-CFB] §2.2

// program reports content that a system, a virtual machine or an installer runs.
func program(b []byte) bool {
	if isDOS(b) || isPython(b) || bytes.HasPrefix(trimBOM(b), []byte("#!")) {
		return true
	}
	for _, magic := range []string{
		"\x7FELF", "\xFE\xED\xFA\xCE", "\xFE\xED\xFA\xCF", "\xCE\xFA\xED\xFE", "\xCF\xFA\xED\xFE", // Mach-O of 32 and 64 bits in both orders
		"\xCA\xFE\xBA\xBE", "\xBE\xBA\xFE\xCA", "\xCA\xFE\xBA\xBF", "\xBF\xBA\xFE\xCA", // Mach-O fat of 32 and 64 bits; the first is Java's too
		"\x00asm", "dex\n", "\x1BLua", "BC\xC0\xDE", "L\x00\x00\x00\x01\x14\x02\x00", // WASM, Android, Lua, LLVM, shell link
		"!<arch>\n", "\xED\xAB\xEE\xDB", "xar!", "MSCF", "ITSF", "FasdUAS ", // deb, rpm, macOS package, cabinet, CHM, AppleScript
		"Windows Registry Editor", "REGEDIT4", "<?php", "hsqs", "AMBN",
	} {
		if bytes.HasPrefix(b, []byte(magic)) {
			return true
		}
	}
	return len(b) > 32774 && string(b[32769:32774]) == "CD001" || len(b) >= 512 && string(b[len(b)-512:len(b)-508]) == "koly" // ISO 9660, Apple disk image
}

// isDOS: "MZ" or "ZM" with a header behind it, so that a text may begin with these letters.
func isDOS(b []byte) bool {
	return (bytes.HasPrefix(b, []byte("MZ")) || bytes.HasPrefix(b, []byte("ZM"))) && bytes.IndexByte(b[:min(len(b), 64)], 0) >= 0
}

// isPython: compiled modules have a two-octet version and CR LF.
func isPython(b []byte) bool {
	return len(b) > 16 && b[1] >= 0x0B && b[1] <= 0x0F && b[2] == '\r' && b[3] == '\n' && bytes.IndexByte(b[4:16], 0) >= 0
}

// programInside looks for a whole PE behind other content, which is how droppers travel in pictures.
func programInside(b []byte) bool {
	for from := 1; from < len(b); {
		k := bytes.Index(b[from:], []byte("MZ"))
		if k < 0 {
			return false
		}
		at := from + k
		if at+0x40 <= len(b) {
			pe := at + int(binary.LittleEndian.Uint32(b[at+0x3C:at+0x40])&0xFFFFFF)
			if pe+4 <= len(b) && string(b[pe:pe+4]) == "PE\x00\x00" {
				return true
			}
		}
		from = at + 2
	}
	return false
}

// active reports content that loads or runs something when opened, whatever its name is.
func active(b []byte) bool {
	head := bytes.ToLower(asUTF8(b[:min(len(b), 2048)]))
	head = bytes.TrimLeft(trimBOM(head), " \t\r\n\f\x00")
	for _, start := range []string{"<!doctype html", "<html", "<head", "<body", "<script", "<svg", "<iframe", "<object", "<embed", "<meta", "<hta:", "<job", "<package", "<scriptlet", "<?xml", "<!--",
		"<!doctype svg", "<xsl:", "[internetshortcut]", "[desktop entry]", "[.shellclassinfo]", "id;p"} {
		if bytes.HasPrefix(head, []byte(start)) {
			return true
		}
	}
	return false
}

func holdsMarkup(head []byte) bool {
	head = bytes.ToLower(head)
	for _, tag := range []string{"<html", "<script", "<!doctype", "<body", "<svg", "<iframe"} {
		if bytes.Contains(head, []byte(tag)) {
			return true
		}
	}
	return false
}

// pdfAction: the names that start a script or a program. Quirk: names may be written with #xx; those are read too.
var pdfAction = regexp.MustCompile(`/(?:JavaScript|JS|Launch|RichMedia)[\s/<>(\[{%]`)

var pdfEscape = regexp.MustCompile(`#[0-9A-Fa-f]{2}`)

func pdfDanger(b []byte) error {
	if pdfAction.Match(b) {
		return ErrActiveContent
	}
	if bytes.IndexByte(b, '#') >= 0 && pdfAction.Match(pdfEscape.ReplaceAllFunc(b, unhex)) {
		return ErrActiveContent
	}
	return nil
}

func unhex(esc []byte) []byte {
	digit := func(c byte) byte {
		switch {
		case c <= '9':
			return c - '0'
		case c <= 'F':
			return c - 'A' + 10
		}
		return c - 'a' + 10
	}
	return []byte{digit(esc[1])<<4 | digit(esc[2])}
}

// csvFormula: a cell that starts a program through DDE, or sends the sheet elsewhere, when a spreadsheet opens it.
var csvFormula = regexp.MustCompile(`(?im)(?:^|[,;\t"])\s*[=+@-][^,;\t\n]{0,200}(?:\|[^\n]{0,200}!|\b(?:DDE|WEBSERVICE|IMPORTXML|IMPORTDATA|IMPORTHTML|IMPORTFEED|IMPORTRANGE|CALL|REGISTER)\s*\()`)

func csvDanger(b []byte) error {
	if csvFormula.Match(asUTF8(b)) {
		return ErrActiveContent
	}
	return nil
}

func utf16le(s string) []byte {
	var out []byte
	for _, u := range utf16.Encode([]rune(s)) {
		out = binary.LittleEndian.AppendUint16(out, u)
	}
	return out
}

// oleDanger reads the directory names of a compound file ([MS-CFB] §2.6.1), wherever they lie.
func oleDanger(b []byte) error {
	has := func(s string) bool { return bytes.Contains(b, utf16le(s)) }
	switch {
	case bytes.Contains(b, []byte("\x84\x10\x0C\x00\x00\x00\x00\x00\xC0\x00\x00\x00\x00\x00\x00\x46")), // class of an MSI database
		bytes.Contains(b, []byte("\x86\x10\x0C\x00\x00\x00\x00\x00\xC0\x00\x00\x00\x00\x00\x00\x46")): // and of a patch
		return ErrExecutable
	case has("_VBA_PROJECT"), has("VBA\x00"), has("Macros\x00"), has("\x01Ole10Native"), has("\x01CompObj") && has("ObjectPool"), has("Package\x00"):
		return ErrMacros
	}
	return nil
}

func oleAgrees(ext string, b []byte) error {
	stream := map[string][]string{"doc": {"WordDocument\x00"}, "xls": {"Workbook\x00", "Book\x00"}, "ppt": {"PowerPoint Document\x00"}}
	for _, s := range stream[ext] {
		if bytes.Contains(b, utf16le(s)) {
			return nil
		}
	}
	return ErrTypeMismatch
}

// isText: UTF-8, UTF-16 with a byte order mark, or an older 8-bit charset, without NUL and other controls, and not the
// beginning of a format that happens to be readable.
func isText(b []byte) bool {
	for _, start := range []string{"%PDF-", "%!PS", "GIF87a", "GIF89a", "{\\rtf", "RIFF", "PK\x03\x04", "II*", "MM\x00*"} {
		if bytes.HasPrefix(trimBOM(b), []byte(start)) {
			return false
		}
	}
	for _, c := range asUTF8(b) {
		if c < 0x20 && c != '\t' && c != '\n' && c != '\r' && c != '\f' || c == 0x7F {
			return false
		}
	}
	return true
}

// asUTF8 converts UTF-16 with a byte order mark; anything else stays.
func asUTF8(b []byte) []byte {
	var order binary.ByteOrder
	switch {
	case bytes.HasPrefix(b, []byte("\xFF\xFE")):
		order = binary.LittleEndian
	case bytes.HasPrefix(b, []byte("\xFE\xFF")):
		order = binary.BigEndian
	default:
		return b
	}
	var out []byte
	units := make([]uint16, 0, len(b)/2)
	for k := 2; k+1 < len(b); k += 2 {
		units = append(units, order.Uint16(b[k:]))
	}
	for _, r := range utf16.Decode(units) {
		out = utf8.AppendRune(out, r)
	}
	return out
}

func trimBOM(b []byte) []byte { return bytes.TrimPrefix(b, []byte("\xEF\xBB\xBF")) }

func startsWith(b []byte, want string) bool {
	b = bytes.TrimLeft(trimBOM(asUTF8(b)), " \t\r\n")
	return len(b) >= len(want) && bytes.EqualFold(b[:len(want)], []byte(want))
}
