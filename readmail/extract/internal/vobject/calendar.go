package vobject

import (
	"strconv"
	"strings"
	"time"

	"mailgap/readmail/extract/internal/document"
)

// Limits of one calendar.
const (
	maxEvents     = 500 // shown
	maxAttendees  = 200 // shown of one event
	maxDates      = 100 // of EXDATE and RDATE, shown of one event
	maxDepth      = 20  // of nested BEGIN
	maxZones      = 200
	maxTextOctets = 32 << 10 // of one description
	maxWordOctets = 500      // of one short value
)

// Options say how a file is read.
type Options struct {
	Decode   Decode
	Location *time.Location // the reader's zone
	Limits   document.Limits
}

// component is one event, to-do, journal entry or free/busy block.
type component struct {
	kind   string // VEVENT, VTODO, VJOURNAL, VFREEBUSY
	props  []property
	alarms int
}

// calendar is what one file holds.
type calendar struct {
	method, name, zone string
	items              []component
	more               int // items beyond maxEvents
	zones              zones
	nested             []string // open BEGINs
	zoneDef            *zoneDef
	rule               *zoneRule
}

// Calendar writes the events of a calendar file. Errors: document.ErrDamaged if it holds no component at all.
func Calendar(text string, o Options) (document.Document, error) {
	s := newScanner(text, o.Decode)
	c := calendar{zones: zones{defined: map[string]*zoneDef{}, cache: map[string]*time.Location{}}}
	seen := false
	for p, ok := s.next(); ok; p, ok = s.next() {
		seen = seen || p.name == "BEGIN"
		c.take(p)
	}
	if !seen {
		return document.Document{}, document.ErrDamaged
	}
	var d document.Document
	out := document.NewBuilder(o.Limits.MaxTextOctets)
	w := calendarWriter{calendar: &c, out: out, here: o.Location, doc: &d}
	w.write()
	d.Text = out.String()
	finish(&d, s, out, o.Limits)
	return d, nil
}

// finish notes what was skipped or cut.
func finish(d *document.Document, s *scanner, out *document.Builder, l document.Limits) {
	if s.junk > 0 {
		d.Note("%d lines make no sense and are skipped", s.junk)
	}
	if s.cut || out.Full() {
		d.Truncated = true
		d.Note("text was cut: a line or the whole is over the limit of %d octets", l.MaxTextOctets)
	}
}

// take handles one property by the component it is in.
func (c *calendar) take(p property) {
	switch p.name {
	case "BEGIN":
		c.begin(strings.ToUpper(strings.TrimSpace(p.value)))
		return
	case "END":
		c.end(strings.ToUpper(strings.TrimSpace(p.value)))
		return
	}
	switch in := c.inside(); {
	case in == "VTIMEZONE" || in == "STANDARD" || in == "DAYLIGHT":
		c.zoneProperty(p)
	case in == "VALARM":
	case isItem(in):
		if n := len(c.items); n > 0 && c.more == 0 {
			c.items[n-1].props = append(c.items[n-1].props, p)
		}
	default:
		c.head(p)
	}
}

func isItem(name string) bool {
	return name == "VEVENT" || name == "VTODO" || name == "VJOURNAL" || name == "VFREEBUSY"
}

func (c *calendar) inside() string {
	if len(c.nested) == 0 {
		return ""
	}
	return c.nested[len(c.nested)-1]
}

func (c *calendar) head(p property) {
	switch p.name {
	case "METHOD":
		c.method = strings.ToUpper(document.OneLine(p.value, maxWordOctets))
	case "X-WR-CALNAME", "NAME":
		c.name = unescape(p.value)
	case "X-WR-TIMEZONE", "TZ":
		c.zone = p.value
	}
}

func (c *calendar) begin(name string) {
	if len(c.nested) >= maxDepth {
		return
	}
	c.nested = append(c.nested, name)
	switch {
	case isItem(name) && len(c.items) >= maxEvents:
		c.more++
	case isItem(name):
		c.items = append(c.items, component{kind: name})
	case name == "VALARM" && len(c.items) > 0 && c.more == 0:
		c.items[len(c.items)-1].alarms++
	case name == "VTIMEZONE":
		c.zoneDef = &zoneDef{}
	case (name == "STANDARD" || name == "DAYLIGHT") && c.zoneDef != nil:
		c.rule = &zoneRule{}
	}
}

// end closes the innermost component of that name and what was left open in it.
func (c *calendar) end(name string) {
	for i := len(c.nested) - 1; i >= 0; i-- {
		if c.nested[i] == name {
			c.nested = c.nested[:i]
			break
		}
	}
	switch {
	case (name == "STANDARD" || name == "DAYLIGHT") && c.zoneDef != nil && c.rule != nil:
		if len(c.zoneDef.rules) < maxZones {
			c.zoneDef.rules = append(c.zoneDef.rules, *c.rule)
		}
		c.rule = nil
	case name == "VTIMEZONE" && c.zoneDef != nil:
		if len(c.zones.defined) < maxZones {
			c.zones.defined[c.zoneDef.id] = c.zoneDef
		}
		c.zoneDef = nil
	}
}

func (c *calendar) zoneProperty(p property) {
	if c.zoneDef == nil {
		return
	}
	switch p.name {
	case "TZID":
		c.zoneDef.id = p.value
	case "X-LIC-LOCATION":
		c.zoneDef.location = p.value
	}
	if c.rule == nil {
		return
	}
	switch p.name {
	case "DTSTART":
		c.rule.start, _, _ = parseTime(p.value) // zero on junk: the rule then always holds
	case "TZOFFSETFROM":
		c.rule.from = parseOffset(p.value)
	case "TZOFFSETTO":
		c.rule.to = parseOffset(p.value)
	case "RRULE":
		c.zoneRule(p.value)
	}
}

// zoneRule reads the yearly rules that zones have: FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU.
func (c *calendar) zoneRule(value string) {
	parts := ruleParts(value)
	month, err := strconv.Atoi(parts["BYMONTH"])
	if parts["FREQ"] != "YEARLY" || err != nil || month < 1 || month > 12 {
		return
	}
	c.rule.yearly, c.rule.month = true, time.Month(month)
	if day := parts["BYDAY"]; len(day) > 2 {
		n, err := strconv.Atoi(day[:len(day)-2])
		weekday, ok := weekdayOf(day[len(day)-2:])
		if err == nil && ok && n >= -5 && n <= 5 {
			c.rule.nth, c.rule.weekday = n, weekday
		}
	}
	if until, _, ok := parseTime(parts["UNTIL"]); ok {
		c.rule.until = until
	}
}

// parseOffset reads +HHMM or +HHMMSS (RFC 5545 §3.3.14) into seconds.
func parseOffset(s string) int {
	s = strings.TrimSpace(s)
	sign := 1
	if strings.HasPrefix(s, "-") {
		sign = -1
	}
	s = strings.TrimLeft(s, "+-")
	if len(s) < 4 {
		return 0
	}
	h, err := strconv.Atoi(s[:2])
	m, err2 := strconv.Atoi(s[2:4])
	if err != nil || err2 != nil || h > 15 || m > 59 || h < 0 || m < 0 {
		return 0
	}
	return sign * (h*3600 + m*60)
}

// parseTime reads DATE and DATE-TIME (RFC 5545 §3.3.4, §3.3.5) and the extended forms seen in practice. utc says that
// it ends in Z. A date alone is midnight: isDate tells it apart.
func parseTime(s string) (t time.Time, utc, ok bool) {
	s = strings.ToUpper(strings.TrimSpace(s))
	s, utc = strings.CutSuffix(s, "Z")
	for _, layout := range []string{"20060102T150405", "20060102T1504", "20060102", "2006-01-02T15:04:05", "2006-01-02"} {
		if t, err := time.Parse(layout, s); err == nil {
			return t, utc, true
		}
	}
	return time.Time{}, false, false
}

func isDate(p property) bool {
	return strings.EqualFold(p.param("VALUE"), "DATE") || !strings.ContainsAny(p.value, "Tt")
}

// moment reads a time property with its zone.
func (c *calendar) moment(p property) (moment, bool) {
	t, utc, ok := parseTime(p.value)
	switch {
	case !ok:
		return moment{}, false
	case isDate(p):
		return moment{t: t, allDay: true, float: true}, true
	case utc:
		return moment{t: t, zone: "UTC"}, true
	case p.param("TZID") == "" && c.zone != "":
		m := c.zones.resolve(t, c.zone)
		m.doubt = "the time names no zone: the zone of the calendar is used"
		return m, true
	}
	return c.zones.resolve(t, p.param("TZID")), true
}
