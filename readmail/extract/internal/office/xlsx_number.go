package office

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// numberFormat says how a number is shown; only what changes its meaning is told apart.
type numberFormat int

const (
	formatGeneral numberFormat = iota
	formatDate
	formatTime
	formatDateTime
	formatPercent
	formatNothing // ";;;": Excel shows an empty cell
)

// formatOf classifies a number format by id (built in: ECMA-376 part 1, §18.8.30) or code.
func formatOf(id int, code string) numberFormat {
	if code != "" {
		return formatOfCode(code)
	}
	switch {
	case id == 9 || id == 10:
		return formatPercent
	case id == 22:
		return formatDateTime
	case id >= 14 && id <= 17, id >= 27 && id <= 31, id == 36, id >= 50 && id <= 54, id == 57, id == 58:
		return formatDate
	case id >= 18 && id <= 21, id >= 32 && id <= 35, id >= 45 && id <= 47, id == 55, id == 56:
		return formatTime
	}
	return formatGeneral
}

func formatOfCode(code string) numberFormat {
	if strings.TrimSpace(code) == ";;;" {
		return formatNothing
	}
	first, _, _ := strings.Cut(bareCode(strings.ToLower(code)), ";")
	if strings.Contains(first, "general") {
		return formatGeneral
	}
	date, clock := strings.ContainsAny(first, "dy"), strings.ContainsAny(first, "hs")
	switch {
	case strings.Contains(first, "%"):
		return formatPercent
	case date && clock:
		return formatDateTime
	case clock:
		return formatTime
	case date || strings.Contains(first, "m"):
		return formatDate
	}
	return formatGeneral
}

// bareCode drops quoted text, escaped characters and colours, but keeps elapsed time such as [h].
func bareCode(code string) string {
	var b strings.Builder
	for i := 0; i < len(code); i++ {
		switch c := code[i]; c {
		case '"':
			if j := strings.IndexByte(code[i+1:], '"'); j >= 0 {
				i += j + 1
			}
		case '\\', '_', '*':
			i++
		case '[':
			j := strings.IndexByte(code[i:], ']')
			if j < 0 {
				return b.String()
			}
			if inner := code[i+1 : i+j]; strings.Trim(inner, "hms") == "" {
				b.WriteString(inner)
			}
			i += j
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

// formatNumber shows a stored number. What is no number is shown as it is.
func formatNumber(v string, f numberFormat, date1904 bool) string {
	n, err := strconv.ParseFloat(strings.TrimSpace(v), 64)
	if err != nil || math.IsInf(n, 0) || math.IsNaN(n) {
		return v
	}
	switch f {
	case formatPercent:
		return plainNumber(n*100) + "%"
	case formatDate, formatTime, formatDateTime:
		if s, ok := serialDate(n, f, date1904); ok {
			return s
		}
	}
	return plainNumber(n)
}

// plainNumber rounds to the 15 digits that Excel keeps.
func plainNumber(n float64) string {
	short, err := strconv.ParseFloat(strconv.FormatFloat(n, 'g', 15, 64), 64)
	if err != nil {
		short = n
	}
	if a := math.Abs(short); a != 0 && (a < 1e-9 || a >= 1e15) {
		return strconv.FormatFloat(short, 'g', -1, 64)
	}
	return strconv.FormatFloat(short, 'f', -1, 64)
}

// serialDate turns days since the epoch of the workbook into text. The last day is the last of the year 9999.
//
// Quirk: Excel takes 1900 for a leap year, so serials up to 59 are one day later than counted from 1899-12-30.
func serialDate(n float64, f numberFormat, date1904 bool) (string, bool) {
	const lastSerial = 2958465
	if n < 0 || n > lastSerial {
		return "", false
	}
	epoch := time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC)
	switch {
	case date1904:
		epoch = time.Date(1904, 1, 1, 0, 0, 0, 0, time.UTC)
	case n < 60:
		epoch = epoch.AddDate(0, 0, 1)
	}
	days, part := math.Modf(n)
	t := epoch.AddDate(0, 0, int(days)).Add(time.Duration(math.Round(part*86400)) * time.Second)
	switch {
	case f == formatTime && days == 0:
		return t.Format("15:04:05"), true
	case f == formatDate && part == 0:
		return t.Format("2006-01-02"), true
	}
	return t.Format("2006-01-02 15:04:05"), true
}
