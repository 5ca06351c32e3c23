package sanitize

import (
	"strconv"
	"strings"
)

const (
	// minBlobOctets is how long a run without a space has to be before it is taken for encoded data.
	// Limit: longer than any word, digest or key fingerprint that a person reads; DKIM keys and tokens are longer.
	minBlobOctets = 256
	// minBlobLine is the length of one line of wrapped data (PEM has 64 characters, MIME 76: RFC 7468 §2, RFC 2045 §6.8).
	minBlobLine = 60
)

// foldBlobs replaces base64 and hexadecimal data by its length: it says nothing to a reader and may say much to a decoder.
func foldBlobs(s string, c *counts) string {
	var b strings.Builder
	done := 0
	for at := 0; at < len(s); {
		end := lineEnd(s, at)
		from, to := blobIn(s, at, end)
		if from < 0 {
			at = end + 1
			continue
		}
		c.add(KindBlob, 1)
		b.WriteString(s[done:from])
		b.WriteString("[encoded data, " + strconv.Itoa(to-from) + " characters, not shown]")
		done, at = to, to
	}
	if done == 0 {
		return s
	}
	b.WriteString(s[done:])
	return b.String()
}

func lineEnd(s string, at int) int {
	if k := strings.IndexByte(s[at:], '\n'); k >= 0 {
		return at + k
	}
	return len(s)
}

// blobIn finds the first run of data in the line s[at:end]; wrapped data extends over the lines that follow.
func blobIn(s string, at, end int) (from, to int) {
	if end-at < minBlobLine {
		return -1, -1
	}
	for k := at; end-k >= minBlobLine; {
		if gap := lastGap(s[k : k+minBlobLine]); gap >= 0 {
			k += gap + 1 // no run that begins before the gap is long enough
			continue
		}
		start, mixed := k, false
		for k < end && blobOctet(s[k]) {
			mixed = mixed || isDigit(s[k]) || s[k] >= 'A' && s[k] <= 'Z'
			k++
		}
		if k-start < minBlobLine || !mixed || uniform(s[start:k]) {
			continue
		}
		if k == end {
			k = wrapped(s, k)
		}
		if k-start >= minBlobOctets && !inURL(s, at, start) {
			return start, k
		}
	}
	return -1, -1
}

// lastGap is where the last octet of s stands that is not data, -1 if all are.
func lastGap(s string) int {
	for k := len(s) - 1; k >= 0; k-- {
		if !blobOctet(s[k]) {
			return k
		}
	}
	return -1
}

// wrapped extends a run over following lines that hold nothing but data.
func wrapped(s string, end int) int {
	for end < len(s) {
		next := lineEnd(s, end+1)
		line := s[min(end+1, len(s)):next]
		if line == "" || strings.TrimFunc(line, func(r rune) bool { return r < 0x80 && blobOctet(byte(r)) }) != "" || len(line) < minBlobLine && len(line)%4 != 0 {
			return end
		}
		end = next
		if len(line) < minBlobLine {
			return end
		}
	}
	return end
}

func blobOctet(b byte) bool {
	return isAlnum(b) || b == '+' || b == '/' || b == '=' || b == '_' || b == '-'
}

// uniform reports a drawn line: one or two different characters only.
func uniform(s string) bool {
	return strings.Trim(s, s[:1]+s[len(s)/2:len(s)/2+1]) == ""
}

// inURL reports that the run is the tail of a URL, which becomes a mark as a whole.
func inURL(s string, at, start int) bool {
	word := s[at:start]
	if k := strings.LastIndexAny(word, " \t"); k >= 0 {
		word = word[k+1:]
	}
	return strings.Contains(word, ":") || strings.Contains(word, "www.")
}
