package vobject

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"mailgap/readmail/extract/internal/document"
)

// calendarWriter writes a calendar as lines "Label: value".
type calendarWriter struct {
	*calendar
	out  *document.Builder
	here *time.Location
	doc  *document.Document
}

func (w *calendarWriter) write() {
	if w.name != "" {
		w.line("Calendar", w.name)
	}
	if w.method != "" {
		w.line("Method", w.method+methodMeaning(w.method))
	}
	if len(w.items) == 0 {
		w.doc.Note("the calendar holds no events")
	}
	for i, item := range w.items {
		if w.out.Full() {
			break
		}
		if i > 0 || w.out.Len() > 0 {
			w.out.WriteString("\n")
		}
		w.item(item)
	}
	if w.more > 0 {
		w.doc.Truncated = true
		w.doc.Note("%d events are shown, %d more are not", maxEvents, w.more)
	}
}

// methodMeaning explains RFC 5546 §1.4.
func methodMeaning(method string) string {
	switch method {
	case "REQUEST":
		return " (an invitation or its update)"
	case "REPLY":
		return " (an answer to an invitation)"
	case "CANCEL":
		return " (the event is called off, or the recipient is taken off it)"
	case "COUNTER":
		return " (another time is proposed)"
	case "DECLINECOUNTER":
		return " (the proposed time is refused)"
	case "PUBLISH":
		return " (for information, no answer expected)"
	case "ADD":
		return " (another instance of a known event)"
	case "REFRESH":
		return " (a request for the latest version)"
	}
	return ""
}

// line writes one value; its further lines are indented so that they cannot pass for another label.
func (w *calendarWriter) line(label, value string) {
	writeLine(w.out, label, value)
}

func writeLine(out *document.Builder, label, value string) {
	value = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(document.Cut(value, maxTextOctets))
	value = strings.ReplaceAll(strings.TrimSpace(value), "\n", "\n  ")
	if value != "" {
		out.WriteString(label + ": " + value + "\n")
	}
}

func (w *calendarWriter) item(c component) {
	w.out.WriteString("## " + itemName(c.kind) + "\n")
	w.first(c, "SUMMARY", "Summary")
	start := w.times(c)
	w.recurrence(c, start)
	for _, f := range []struct{ name, label string }{
		{"LOCATION", "Location"}, {"CONFERENCE", "Conference"}, {"X-GOOGLE-CONFERENCE", "Conference"},
		{"X-MICROSOFT-SKYPETEAMSMEETINGURL", "Conference"}, {"URL", "URL"},
	} {
		w.first(c, f.name, f.label)
	}
	w.people(c)
	w.first(c, "STATUS", "Status")
	w.first(c, "CATEGORIES", "Categories")
	w.first(c, "PERCENT-COMPLETE", "Percent complete")
	w.first(c, "DESCRIPTION", "Description")
	w.first(c, "COMMENT", "Comment")
	w.attachments(c)
	if c.alarms > 0 {
		w.line("Alarms", strconv.Itoa(c.alarms))
	}
	w.first(c, "UID", "UID")
	w.first(c, "SEQUENCE", "Sequence")
}

func itemName(kind string) string {
	switch kind {
	case "VTODO":
		return "To-do"
	case "VJOURNAL":
		return "Journal entry"
	case "VFREEBUSY":
		return "Free/busy"
	}
	return "Event"
}

// first writes the first property of that name.
func (w *calendarWriter) first(c component, name, label string) {
	for _, p := range c.props {
		if p.name == name {
			w.line(label, unescape(p.value))
			return
		}
	}
}

// times writes start, end, due and recurrence id; it returns the start.
func (w *calendarWriter) times(c component) moment {
	var start moment
	for _, p := range c.props {
		switch p.name {
		case "DTSTART":
			start = w.time("Start", p)
		case "DUE":
			w.time("Due", p)
		case "COMPLETED":
			w.time("Completed", p)
		case "RECURRENCE-ID":
			w.time("Replaces the instance of", p)
		}
	}
	for _, p := range c.props {
		switch p.name {
		case "DTEND":
			w.endTime(p)
		case "DURATION":
			w.duration(p.value, start)
		case "FREEBUSY":
			w.line("Busy", document.OneLine(p.value, maxTextOctets))
		}
	}
	return start
}

func (w *calendarWriter) time(label string, p property) moment {
	m, ok := w.moment(p)
	if !ok {
		w.line(label, document.OneLine(p.value, maxWordOctets)+" (not a valid time)")
		return moment{}
	}
	w.line(label, w.show(m))
	if m.doubt != "" {
		w.doc.Note("%s", m.doubt)
	}
	return m
}

// endTime writes the end; of an all-day event it is the day after the last (RFC 5545 §3.6.1).
func (w *calendarWriter) endTime(p property) {
	if m, ok := w.moment(p); ok && m.allDay {
		w.line("Last day", m.t.AddDate(0, 0, -1).Format("Mon 2006-01-02"))
		return
	}
	w.time("End", p)
}

// duration writes DURATION and the end that follows from it (RFC 5545 §3.3.6).
func (w *calendarWriter) duration(value string, start moment) {
	w.line("Duration", document.OneLine(value, maxWordOctets))
	d, ok := parseDuration(value)
	if !ok || start.t.IsZero() || start.allDay {
		return
	}
	start.t = start.t.Add(d)
	w.line("End", w.show(start))
}

// show writes a time in its own zone, in UTC, and in the reader's zone.
func (w *calendarWriter) show(m moment) string {
	const layout = "Mon 2006-01-02 15:04"
	switch {
	case m.allDay:
		return m.t.Format("Mon 2006-01-02") + " (all day)"
	case m.float:
		return m.t.Format(layout) + " (local time, no zone given)"
	}
	utc, here := m.t.UTC(), m.t.In(w.here)
	s := m.t.Format(layout) + " (" + m.zone + ", UTC" + m.t.Format("-07:00") + ")"
	if m.zone == "UTC" {
		s = utc.Format(layout) + " UTC"
	} else {
		s += " = " + utc.Format(layout) + " UTC"
	}
	_, there := m.t.Zone()
	if _, offset := here.Zone(); offset != there {
		s += " = " + here.Format(layout) + " here (UTC" + here.Format("-07:00") + ")"
	}
	return s
}

// recurrence writes RRULE in words and as it stands, EXDATE and RDATE.
func (w *calendarWriter) recurrence(c component, start moment) {
	var except, extra []string
	for _, p := range c.props {
		switch p.name {
		case "RRULE":
			raw := document.OneLine(p.value, maxWordOctets)
			w.line("Repeats", ruleWords(raw, start)+" ["+raw+"]")
		case "EXDATE":
			except = append(except, w.dates(p, maxDates-len(except))...)
		case "RDATE":
			extra = append(extra, w.dates(p, maxDates-len(extra))...)
		}
	}
	w.line("Except on", strings.Join(except, "; "))
	w.line("Also on", strings.Join(extra, "; "))
}

func (w *calendarWriter) dates(p property, room int) []string {
	var out []string
	for _, v := range strings.Split(p.value, ",") {
		if len(out) >= room {
			break
		}
		one := p
		one.value, _, _ = strings.Cut(v, "/")
		if m, ok := w.moment(one); ok {
			layout := "Mon 2006-01-02 15:04"
			if m.allDay {
				layout = "Mon 2006-01-02"
			}
			out = append(out, m.t.Format(layout))
		}
	}
	return out
}

// people writes organizer and attendees.
func (w *calendarWriter) people(c component) {
	count := 0
	for _, p := range c.props {
		switch p.name {
		case "ORGANIZER":
			w.line("Organizer", person(p))
		case "ATTENDEE":
			if count++; count <= maxAttendees {
				w.line("Attendee", person(p)+" ("+participation(p)+")")
			}
		}
	}
	if count > maxAttendees {
		w.line("Attendees", fmt.Sprintf("%d in all, %d are shown", count, maxAttendees))
	}
}

func person(p property) string {
	address := document.OneLine(p.value, maxWordOctets)
	if len(address) > 7 && strings.EqualFold(address[:7], "mailto:") {
		address = address[7:]
	}
	s := "<" + address + ">"
	if name := document.OneLine(p.param("CN"), maxWordOctets); name != "" && name != address {
		s = name + " " + s
	}
	if by := document.OneLine(p.param("SENT-BY"), maxWordOctets); by != "" {
		s += ", sent by " + by
	}
	return s
}

// participation puts role and answer into words (RFC 5545 §3.2.12, §3.2.16).
func participation(p property) string {
	role := map[string]string{"CHAIR": "chair", "OPT-PARTICIPANT": "optional", "NON-PARTICIPANT": "for information"}[strings.ToUpper(p.param("ROLE"))]
	if role == "" {
		role = "required"
	}
	answer := map[string]string{"ACCEPTED": "accepted", "DECLINED": "declined", "TENTATIVE": "tentative", "DELEGATED": "delegated",
		"COMPLETED": "completed", "IN-PROCESS": "in process"}[strings.ToUpper(firstNonEmpty(p.param("PARTSTAT"), p.param("STATUS")))]
	if answer == "" {
		answer = "no answer yet"
	}
	if kind := strings.ToLower(p.param("CUTYPE")); kind == "room" || kind == "resource" || kind == "group" {
		role = kind
	}
	return role + ", " + answer
}

func firstNonEmpty(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// attachments lists addresses of attachments and counts those that are inside.
func (w *calendarWriter) attachments(c component) {
	inside := 0
	for _, p := range c.props {
		switch {
		case p.name == "ATTACH" && p.binary:
			inside++
		case p.name == "ATTACH":
			w.line("Attachment", document.OneLine(p.value, maxWordOctets))
		case p.name == "X-ALT-DESC":
			w.doc.Note("an HTML form of the description is left out")
		}
	}
	if inside > 0 {
		w.line("Attachments inside the file", strconv.Itoa(inside)+" (not shown)")
	}
}
