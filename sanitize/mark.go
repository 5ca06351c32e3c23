package sanitize

import (
	"strconv"
	"strings"
)

// A mark stands in the text where a URL stood: ⟦link 3: shop[.]example⟧. These brackets start nothing in any markup.
const (
	markOpen  = "⟦"
	markClose = "⟧"
)

// mark handles the octet that begins "⟦". A link mark in the input is the sender's, or ours on a second pass:
// it gets the next number and an entry that says that its target is unknown, so it cannot pass for another link.
func (w *weaver) mark(i int) int {
	n, host, masked := readMark(w.src[i:])
	if n == 0 {
		w.out = append(w.out, w.src[i])
		return 1
	}
	w.c.add(KindForgedMark, 1)
	w.number++
	w.addLink(Link{Number: w.number, Host: Clean{host}, Unverified: true, Masked: masked})
	w.writeMark(host, masked)
	w.lit = i + n
	return n
}

const maskedNote = ", sign-in link hidden"

// readMark reads one link mark at the start of s: its length, its host part, and whether it is a masked one.
func readMark(s string) (n int, host string, masked bool) {
	body, ok := strings.CutPrefix(s, markOpen+"link ")
	end := strings.Index(body[:min(len(body), 200)], markClose)
	if !ok || end < 0 {
		return 0, "", false
	}
	number, host, ok := strings.Cut(body[:end], ": ")
	if !ok || number == "" || strings.Trim(number, "0123456789") != "" {
		return 0, "", false
	}
	host, masked = strings.CutSuffix(host, maskedNote)
	if host != markHost(strings.ReplaceAll(host, "[.]", ".")) {
		return 0, "", false
	}
	return len(markOpen) + len("link ") + end + len(markClose), host, masked
}

func (w *weaver) writeMark(host string, masked bool) {
	w.out = append(w.out, markOpen+"link "...)
	w.out = strconv.AppendInt(w.out, int64(w.number), 10)
	w.out = append(w.out, ": "+host...)
	if masked {
		w.out = append(w.out, maskedNote...)
	}
	w.out = append(w.out, markClose...)
}
