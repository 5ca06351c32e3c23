package readmail

import (
	"errors"
	"time"
)

// errInstant is what a date argument that cannot be read is answered with.
var errInstant = errors.New("readmail: not a date or date-time")

// parseInstant reads a date ("2026-11-30": midnight at the start of that day in zone), a local date-time
// ("2026-11-30T09:30", with optional seconds, in zone) or an RFC 3339 date-time with its own offset.
func parseInstant(s string, zone *time.Location) (time.Time, error) {
	if t, err := time.Parse(time.RFC3339, s); err == nil {
		return t, nil
	}
	for _, layout := range []string{time.DateOnly, "2006-01-02T15:04", "2006-01-02T15:04:05", "2006-01-02 15:04", time.DateTime} {
		if t, err := time.ParseInLocation(layout, s, zone); err == nil {
			return t, nil
		}
	}
	return time.Time{}, errInstant
}

// dayBefore returns the civil date that is one day before t's in UTC, dayAfter the one two days after: a search between
// the two on a server that compares days in any zone (UTC-12 to UTC+14) finds everything at t.
func dayBefore(t time.Time) time.Time { return civilDay(t.UTC().AddDate(0, 0, -1)) }

func dayAfter(t time.Time) time.Time { return civilDay(t.UTC().AddDate(0, 0, 2)) }

func civilDay(t time.Time) time.Time {
	y, m, d := t.Date()
	return time.Date(y, m, d, 0, 0, 0, 0, time.UTC)
}
