package vobject

import (
	"strings"
	"time"
	_ "time/tzdata" // zones on systems that have none (Windows, bare containers); 450 kB
)

const maxZoneName = 80 // octets

// zones resolves the zone names of one calendar.
type zones struct {
	defined map[string]*zoneDef // VTIMEZONE blocks by TZID
	cache   map[string]*time.Location
}

// zoneDef is one VTIMEZONE.
type zoneDef struct {
	id, location string // TZID, X-LIC-LOCATION
	rules        []zoneRule
}

// zoneRule is one STANDARD or DAYLIGHT block.
type zoneRule struct {
	start    time.Time // local time without zone, kept as UTC
	from, to int       // offsets in seconds
	yearly   bool
	month    time.Month
	weekday  time.Weekday
	nth      int // 1 to 5 from the start of the month, -1 to -5 from its end
	until    time.Time
}

// moment is a time as a calendar gives it.
type moment struct {
	t      time.Time
	allDay bool
	zone   string // name as shown; "" if floating
	float  bool   // no zone given: the clock time wherever the reader is
	doubt  string // remark, "" if none
}

// resolve gives the local time (kept as UTC) its zone. tzid is the TZID parameter.
func (z *zones) resolve(local time.Time, tzid string) moment {
	def := z.defined[tzid]
	loc := z.known(tzid)
	if loc == nil && def != nil {
		loc = z.known(def.location)
	}
	switch {
	case loc != nil:
		t := time.Date(local.Year(), local.Month(), local.Day(), local.Hour(), local.Minute(), local.Second(), 0, loc)
		m := moment{t: t, zone: loc.String()}
		if _, known := t.Zone(); def != nil && len(def.rules) > 0 && def.offset(local) != known {
			m.doubt = "the zone definition in the file differs from the known zone of that name; other programs may show another time"
		}
		return m
	case def != nil && len(def.rules) > 0:
		seconds := def.offset(local)
		fixed := time.FixedZone("", seconds)
		return moment{t: time.Date(local.Year(), local.Month(), local.Day(), local.Hour(), local.Minute(), local.Second(), 0, fixed), zone: "zone defined in the file"}
	case tzid != "":
		return moment{t: local, float: true, doubt: "the zone named in the file is not known: the clock time is shown as it stands"}
	}
	return moment{t: local, float: true}
}

// known finds an IANA zone for a name: itself, the tail of a path such as "/mozilla.org/20050126_1/Europe/Berlin", or a
// Windows name. Nil if there is none.
func (z *zones) known(name string) *time.Location {
	name = strings.TrimSpace(name)
	if name == "" || len(name) > maxZoneName {
		return nil
	}
	if loc, ok := z.cache[name]; ok {
		return loc
	}
	loc := findZone(name)
	z.cache[name] = loc
	return loc
}

func findZone(name string) *time.Location {
	if iana := windowsZone(name); iana != "" {
		name = iana
	}
	switch strings.ToUpper(name) {
	case "UTC", "GMT", "Z", "ETC/UTC":
		return time.UTC
	}
	parts := strings.Split(strings.Trim(name, "/"), "/")
	for n := min(3, len(parts)); n > 0; n-- {
		tail := strings.Join(parts[len(parts)-n:], "/")
		if !isZoneName(tail) {
			continue
		}
		if loc, err := time.LoadLocation(tail); err == nil {
			return loc
		}
	}
	return nil
}

// isZoneName keeps names from becoming paths of other files, and "Local" from meaning this machine.
func isZoneName(s string) bool {
	if s == "" || strings.EqualFold(s, "Local") || strings.HasPrefix(s, "/") || strings.Contains(s, "..") {
		return false
	}
	return strings.Trim(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_+-/") == ""
}

// offset finds the rule whose latest onset before local is the latest of all; before all onsets it is the
// earliest rule's former offset.
func (d *zoneDef) offset(local time.Time) int {
	var best time.Time
	offset, found := d.rules[0].from, false
	for _, r := range d.rules {
		if on, ok := r.onset(local); ok && (!found || on.After(best)) {
			best, offset, found = on, r.to, true
		}
	}
	return offset
}

// onset returns the latest time not after local at which the rule begins to hold.
func (r zoneRule) onset(local time.Time) (time.Time, bool) {
	if r.start.After(local) {
		return time.Time{}, false
	}
	if !r.yearly {
		return r.start, true
	}
	last := local.Year()
	if !r.until.IsZero() {
		last = min(last, r.until.Year())
	}
	for year := last; year >= last-1; year-- {
		on := r.inYear(year)
		if !on.After(local) && !on.Before(r.start) && (r.until.IsZero() || !on.After(r.until)) {
			return on, true
		}
	}
	return r.start, true
}

// inYear is the onset in one year: the nth weekday of the month, at the clock time of the start.
func (r zoneRule) inYear(year int) time.Time {
	at := func(day int) time.Time {
		return time.Date(year, r.month, day, r.start.Hour(), r.start.Minute(), r.start.Second(), 0, time.UTC)
	}
	if r.nth == 0 {
		return at(r.start.Day())
	}
	if r.nth > 0 {
		first := at(1)
		return at(1 + (int(r.weekday)-int(first.Weekday())+7)%7 + 7*(r.nth-1))
	}
	last := at(1).AddDate(0, 1, -1)
	return at(last.Day() - (int(last.Weekday())-int(r.weekday)+7)%7 + 7*(r.nth+1))
}
