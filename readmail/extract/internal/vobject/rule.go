package vobject

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// ruleParts splits a recurrence rule into NAME=VALUE parts, upper case.
func ruleParts(value string) map[string]string {
	parts := map[string]string{}
	for _, one := range strings.Split(strings.ToUpper(value), ";") {
		if name, v, ok := strings.Cut(one, "="); ok {
			parts[strings.TrimSpace(name)] = strings.TrimSpace(v)
		}
	}
	return parts
}

// ruleWords puts a recurrence rule (RFC 5545 §3.3.10) into words as far as it is of a common shape. The rule as it
// stands is always shown beside it.
func ruleWords(value string, start moment) string {
	parts := ruleParts(value)
	unit := map[string]string{"YEARLY": "year", "MONTHLY": "month", "WEEKLY": "week", "DAILY": "day", "HOURLY": "hour",
		"MINUTELY": "minute", "SECONDLY": "second"}[parts["FREQ"]]
	if unit == "" {
		return "by a rule that is not understood"
	}
	s := "every " + unit
	if n, err := strconv.Atoi(parts["INTERVAL"]); err == nil && n > 1 {
		s = "every " + strconv.Itoa(n) + " " + unit + "s"
	}
	if days := dayWords(parts["BYDAY"], parts["BYSETPOS"]); days != "" {
		s += " on " + days
	}
	if days := parts["BYMONTHDAY"]; days != "" {
		s += " on day " + strings.ReplaceAll(days, ",", ", ") + " of the month"
	}
	if months := monthWords(parts["BYMONTH"]); months != "" {
		s += " in " + months
	}
	return s + endWords(parts, start)
}

func endWords(parts map[string]string, start moment) string {
	if n := parts["COUNT"]; n != "" {
		return ", " + n + " times"
	}
	until, utc, ok := parseTime(parts["UNTIL"])
	if !ok {
		return ", without end"
	}
	if utc && !start.float && !start.t.IsZero() {
		until = until.In(start.t.Location())
	}
	return ", until " + until.Format("Mon 2006-01-02")
}

// weekdayOf reads a weekday of RFC 5545.
func weekdayOf(s string) (time.Weekday, bool) {
	i := slices.Index([]string{"SU", "MO", "TU", "WE", "TH", "FR", "SA"}, s)
	return time.Weekday(max(i, 0)), i >= 0
}

// dayWords reads BYDAY: "MO,WE" or "2TU" or "-1FR"; setpos is BYSETPOS, which numbers the days as a set.
func dayWords(byday, setpos string) string {
	if byday == "" {
		return ""
	}
	var words []string
	for _, d := range strings.Split(byday, ",") {
		d = strings.TrimSpace(d)
		if len(d) < 2 {
			continue
		}
		weekday, ok := weekdayOf(d[len(d)-2:])
		if !ok {
			continue
		}
		words = append(words, strings.TrimSpace(ordinal(d[:len(d)-2])+" "+weekday.String()))
	}
	s := strings.Join(words, ", ")
	if byday == "MO,TU,WE,TH,FR" {
		s = "working days (Monday to Friday)"
	}
	if o := ordinal(setpos); o != "" {
		s = o + " of " + s
	}
	return s
}

// ordinal puts "2" or "-1" into words.
func ordinal(s string) string {
	words := map[string]string{"1": "first", "2": "second", "3": "third", "4": "fourth", "5": "fifth", "-1": "last", "-2": "second to last"}
	return words[strings.TrimPrefix(s, "+")]
}

func monthWords(bymonth string) string {
	var words []string
	for _, m := range strings.Split(bymonth, ",") {
		if n, err := strconv.Atoi(strings.TrimSpace(m)); err == nil && n >= 1 && n <= 12 {
			words = append(words, time.Month(n).String())
		}
	}
	return strings.Join(words, ", ")
}

// parseDuration reads a duration of RFC 5545 §3.3.6; days count 24 hours.
func parseDuration(s string) (time.Duration, bool) {
	s = strings.ToUpper(strings.TrimSpace(s))
	sign := time.Duration(1)
	if rest, ok := strings.CutPrefix(s, "-"); ok {
		s, sign = rest, -1
	}
	s, ok := strings.CutPrefix(strings.TrimPrefix(s, "+"), "P")
	if !ok || s == "" {
		return 0, false
	}
	var total time.Duration
	for s != "" {
		s = strings.TrimPrefix(s, "T")
		i := strings.IndexAny(s, "WDHMS")
		if i <= 0 {
			return 0, false
		}
		n, err := strconv.Atoi(s[:i])
		if err != nil || n < 0 || n > 100_000 {
			return 0, false
		}
		unit := map[byte]time.Duration{'W': 7 * 24 * time.Hour, 'D': 24 * time.Hour, 'H': time.Hour, 'M': time.Minute, 'S': time.Second}[s[i]]
		total += time.Duration(n) * unit
		s = s[i+1:]
	}
	return sign * total, true
}
