package decode

import (
	"errors"
	"strconv"
	"strings"
	"time"
)

// ErrDate is returned by Date for text that is no date, or names an impossible one.
var ErrDate = errors.New("decode: no date")

const maxDateOctets = 256 // Limit: a date with a long comment

// Date reads a date as in RFC 5322 §3.3 and in the forms seen in practice: obsolete and named zones, two-digit years, month
// names of other languages, ISO 8601, asctime, a month before the day, AM and PM. A missing or unknown zone is read as UTC, as RFC 5322 §4.3
// has it. Purely numeric dates are read only when day and month cannot be confused.
// Errors: ErrDate.
func Date(body string) (time.Time, error) {
	if len(body) > maxDateOctets {
		body = body[:maxDateOctets]
	}
	p := dateParser{year: -1, month: -1, day: -1, zone: zoneUnset}
	text, remark := withoutComments(Unstructured(body))
	for _, tok := range dateTokens(text) {
		if !p.token(tok) {
			return time.Time{}, ErrDate
		}
	}
	if p.zone == zoneUnset { // "08:00:00 (EST)"
		p.zone = 0
		if z, ok := namedZone(strings.ToLower(strings.TrimSpace(remark))); ok {
			p.zone = z
		}
	}
	return p.time()
}

const zoneUnset = 1 << 20

type dateParser struct {
	year, month, day   int
	hour, minute, sec  int
	nsec               int
	zone               int // seconds east of UTC
	haveTime, haveZone bool
	pm, am             bool
}

// withoutComments returns s without comments, and the text of the last one.
func withoutComments(s string) (text, last string) {
	var b strings.Builder
	for i := 0; i < len(s); {
		if s[i] == '(' {
			c, n := comment(s[i:])
			last = c
			b.WriteByte(' ')
			i += n
			continue
		}
		b.WriteByte(s[i])
		i++
	}
	return b.String(), last
}

// dateTokens divides a date into words, numbers, times and zones.
func dateTokens(s string) []string {
	s = strings.Join(strings.Fields(strings.ToLower(s)), " ")
	if !strings.Contains(s, "年") {
		s = eastAsianMonth(s)
	}
	for _, r := range []struct{ old, new string }{
		{" : ", ":"}, {" :", ":"}, {": ", ":"}, // "09 : 55", RFC 5322 §4.3
		{"年", "-"}, {"月", "-"}, {"日", " "}, {"년 ", "-"}, {"월 ", "-"}, {"일 ", " "},
		{"a.m.", "am"}, {"p.m.", "pm"}, {" gmt+", " +"}, {" gmt-", " -"}, {" utc+", " +"}, {" utc-", " -"}, {"--", "-"},
		{"eastern standard time", "est"}, {"eastern daylight time", "edt"}, {"central standard time", "cst"}, {"central daylight time", "cdt"},
		{"mountain standard time", "mst"}, {"mountain daylight time", "mdt"}, {"pacific standard time", "pst"}, {"pacific daylight time", "pdt"},
		{"\"", " "}, {"'", " "}, {";", " "},
	} {
		s = strings.ReplaceAll(s, r.old, r.new)
	}
	var out []string
	for f := range strings.FieldsFuncSeq(s, func(r rune) bool { return r == ' ' || r == ',' || r == '\u00a0' || r == '\u202f' }) {
		out = append(out, splitDateWord(f)...)
	}
	return out
}

// eastAsianMonth replaces a Chinese or Japanese month that stands alone ("3月", "三月") by its English name.
func eastAsianMonth(s string) string {
	months := [...]string{"dec", "nov", "oct", "sep", "aug", "jul", "jun", "may", "apr", "mar", "feb", "jan"}
	numerals := [...]string{"十二", "十一", "十", "九", "八", "七", "六", "五", "四", "三", "二", "一"}
	for i, name := range months { // from the longest, so that 十二月 is not read as 二月
		s = strings.ReplaceAll(s, strconv.Itoa(12-i)+"月", " "+name+" ")
		s = strings.ReplaceAll(s, numerals[i]+"月", " "+name+" ")
	}
	return s
}

// splitDateWord divides "2014-02-03t13:00:00+01:00", "03-feb-2014" and "13:00:00+0100".
func splitDateWord(f string) []string {
	if i := strings.IndexByte(f, 't'); i >= 8 && i+1 < len(f) && f[0] >= '0' && f[0] <= '9' && f[i+1] >= '0' && f[i+1] <= '9' {
		return append([]string{f[:i]}, splitDateWord(f[i+1:])...)
	}
	if strings.Contains(f, ":") && f[0] >= '0' && f[0] <= '9' {
		if i := strings.IndexAny(f, "+-z"); i > 0 {
			return []string{f[:i], f[i:]}
		}
		for _, half := range []string{"am", "pm"} {
			if t, ok := strings.CutSuffix(f, half); ok {
				return []string{t, half}
			}
		}
		return []string{f}
	}
	if word := strings.TrimLeft(f, "0123456789"); word != f && monthNumber(word) > 0 { // 04mar
		return []string{f[:len(f)-len(word)], word}
	}
	if strings.Trim(f, "0123456789-/.") != "" && strings.Contains(f, "-") && f[0] != '-' { // 03-feb-2014
		return strings.FieldsFunc(f, func(r rune) bool { return r == '-' })
	}
	return []string{f}
}

// token takes one word in; false means that the date cannot be read.
func (p *dateParser) token(tok string) bool {
	switch c := tok[0]; {
	case (c == '+' || c == '-') && len(tok) > 1:
		return p.numericZone(tok)
	case c >= '0' && c <= '9' && strings.Contains(tok, ":"):
		return p.clock(tok)
	case c >= '0' && c <= '9' && strings.ContainsAny(tok, "-/") || isDottedDate(tok):
		return p.numericDate(tok)
	case c >= '0' && c <= '9':
		return p.number(tok)
	}
	return p.name(strings.Trim(tok, "."))
}

func isDottedDate(tok string) bool {
	return strings.Count(strings.Trim(tok, "."), ".") == 2 && strings.Trim(tok, "0123456789.") == ""
}

func (p *dateParser) name(tok string) bool {
	switch tok {
	case "":
		return true
	case "am", "vorm", "午前", "上午":
		p.am = true
		return true
	case "pm", "nachm", "午後", "下午":
		p.pm = true
		return true
	}
	if m := monthNumber(tok); m > 0 && (p.month < 0 || p.year < 0 && !p.haveTime) { // the last: "mar" is Tuesday too
		p.month = m
		return true
	}
	if z, ok := namedZone(tok); ok && p.haveTime && !p.haveZone {
		p.zone, p.haveZone = z, true
	}
	return true // day names in any language, "de", "klo", unknown zones
}

func (p *dateParser) number(tok string) bool {
	tok = strings.TrimRight(tok, ".thndrsº°") // 3., 3rd
	n, err := strconv.Atoi(tok)
	if err != nil {
		return p.haveTime // rubbish after the time is ignored, before it is not
	}
	switch {
	case p.day < 0 && len(tok) <= 2:
		p.day = n
	case p.year < 0 && len(tok) <= 4:
		p.year = fullYear(n, len(tok))
	case len(tok) == 8 && p.day < 0: // 20140203
		p.year, p.month, p.day = n/10000, n/100%100, n%100
	case len(tok) == 4 && p.haveTime && !p.haveZone: // "0100" for "+0100"
		return p.numericZone("+" + tok)
	}
	return true
}

// fullYear reads a year as RFC 5322 §4.3 has it.
func fullYear(n, digits int) int {
	switch {
	case digits <= 2 && n < 50:
		return 2000 + n
	case digits <= 3:
		return 1900 + n
	}
	return n
}

// numericDate reads 2014-02-03, 2014/2/3, 3.2.2014, and 3/2/2014 where only one order is possible or both are the same day.
func (p *dateParser) numericDate(tok string) bool {
	f := strings.FieldsFunc(tok, func(r rune) bool { return r == '-' || r == '/' || r == '.' })
	if p.day >= 0 && isDottedDate(tok) { // 13.00.00
		return p.clock(strings.ReplaceAll(tok, ".", ":"))
	}
	if len(f) != 3 || p.day >= 0 {
		return false
	}
	var n [3]int
	for i := range f {
		v, err := strconv.Atoi(f[i])
		if err != nil || len(f[i]) > 4 {
			return false
		}
		n[i] = v
	}
	switch {
	case len(f[0]) == 4:
		p.year, p.month, p.day = n[0], n[1], n[2]
	case strings.Contains(tok, "."), n[0] > 12, n[0] == n[1]:
		p.day, p.month, p.year = n[0], n[1], fullYear(n[2], len(f[2]))
	case n[1] > 12:
		p.month, p.day, p.year = n[0], n[1], fullYear(n[2], len(f[2]))
	default:
		return false // 3/2/2014 is two different days
	}
	return true
}

// clock reads h:mm, hh:mm:ss and hh:mm:ss.fraction.
func (p *dateParser) clock(tok string) bool {
	tok, frac, _ := strings.Cut(strings.ReplaceAll(tok, ",", "."), ".")
	f := strings.Split(tok, ":")
	if p.haveTime || len(f) < 2 || len(f) > 3 {
		return p.haveTime
	}
	var n [3]int
	for i := range f {
		v, err := strconv.Atoi(f[i])
		if err != nil || v < 0 || len(f[i]) > 2 {
			return false
		}
		n[i] = v
	}
	if d, err := time.ParseDuration("0." + frac + "s"); err == nil && frac != "" && len(frac) <= 9 {
		p.nsec = int(d)
	}
	p.hour, p.minute, p.sec, p.haveTime = n[0], n[1], n[2], true
	return p.hour < 24 && p.minute < 60 && p.sec <= 60 // RFC 5322 §3.3: leap second
}

// numericZone reads +hhmm, +hh:mm, +hh and +h.
func (p *dateParser) numericZone(tok string) bool {
	if p.haveZone {
		return true
	}
	digits := strings.ReplaceAll(tok[1:], ":", "")
	n, err := strconv.Atoi(digits)
	if err != nil || len(digits) > 4 || !isDigits(digits) {
		return p.haveTime // "-" or a remark
	}
	if len(digits) <= 2 {
		n *= 100
	}
	if n/100 > 23 || n%100 > 59 {
		return false
	}
	p.zone, p.haveZone = (n/100*60+n%100)*60, true
	if tok[0] == '-' {
		p.zone = -p.zone
	}
	return true
}

func (p *dateParser) time() (time.Time, error) {
	if p.day < 1 || p.month < 1 || p.month > 12 || p.year < 1900 || p.year > 9999 {
		return time.Time{}, ErrDate
	}
	if p.am || p.pm {
		if p.hour < 1 || p.hour > 12 && p.am {
			return time.Time{}, ErrDate
		}
		if p.hour <= 12 {
			p.hour %= 12
			if p.pm {
				p.hour += 12
			}
		}
	}
	loc := time.FixedZone("", p.zone)
	if p.zone == 0 {
		loc = time.UTC
	}
	t := time.Date(p.year, time.Month(p.month), p.day, p.hour, p.minute, p.sec, p.nsec, loc)
	if first := time.Date(p.year, time.Month(p.month), p.day, 0, 0, 0, 0, loc); first.Day() != p.day {
		return time.Time{}, ErrDate // 31 June
	}
	return t, nil
}
