package vobject

import (
	"errors"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"mailgap/readmail/extract/internal/document"
)

func testOptions(t testing.TB) Options {
	here, err := time.LoadLocation("America/New_York")
	if err != nil {
		t.Fatalf("LoadLocation: %v", err)
	}
	return Options{Decode: decodeLatin, Location: here, Limits: document.Limits{MaxTextOctets: 100 << 10, MaxPages: 1, FirstPage: 1}}
}

// decodeLatin knows what the tests need.
func decodeLatin(label string, b []byte) string {
	if strings.EqualFold(label, "iso-8859-1") || !utf8.Valid(b) {
		runes := make([]rune, len(b))
		for i, c := range b {
			runes[i] = rune(c)
		}
		return string(runes)
	}
	return string(b)
}

func event(lines string) string {
	return "BEGIN:VCALENDAR\nVERSION:2.0\nMETHOD:REQUEST\nBEGIN:VEVENT\n" + lines + "\nEND:VEVENT\nEND:VCALENDAR\n"
}

const outlookZone = `BEGIN:VCALENDAR
BEGIN:VTIMEZONE
TZID:Customized Time Zone
BEGIN:STANDARD
DTSTART:16010101T030000
TZOFFSETFROM:+0200
TZOFFSETTO:+0100
RRULE:FREQ=YEARLY;INTERVAL=1;BYDAY=-1SU;BYMONTH=10
END:STANDARD
BEGIN:DAYLIGHT
DTSTART:16010101T020000
TZOFFSETFROM:+0100
TZOFFSETTO:+0200
RRULE:FREQ=YEARLY;INTERVAL=1;BYDAY=-1SU;BYMONTH=3
END:DAYLIGHT
END:VTIMEZONE
BEGIN:VEVENT
`

func TestCalendar(t *testing.T) {
	for _, c := range []struct {
		name, in string
		want     []string
		not      []string
		notes    string
	}{
		{"utc", event("SUMMARY:Review\nDTSTART:20260302T090000Z\nDTEND:20260302T100000Z"),
			[]string{"Method: REQUEST (an invitation", "Summary: Review", "Start: Mon 2026-03-02 09:00 UTC = Mon 2026-03-02 04:00 here (UTC-05:00)", "End: Mon 2026-03-02 10:00 UTC"}, nil, ""},
		{"iana zone", event("DTSTART;TZID=Europe/Berlin:20260702T100000"),
			[]string{"Start: Thu 2026-07-02 10:00 (Europe/Berlin, UTC+02:00) = Thu 2026-07-02 08:00 UTC = Thu 2026-07-02 04:00 here (UTC-04:00)"}, nil, ""},
		{"outlook zone name", event("DTSTART;TZID=\"W. Europe Standard Time\":20260102T100000"),
			[]string{"(Europe/Berlin, UTC+01:00) = Fri 2026-01-02 09:00 UTC"}, nil, ""},
		{"zone with path", event("DTSTART;TZID=/mozilla.org/20050126_1/Asia/Tokyo:20260102T100000"),
			[]string{"(Asia/Tokyo, UTC+09:00) = Fri 2026-01-02 01:00 UTC"}, nil, ""},
		{"zone from the file, summer", outlookZone + "DTSTART;TZID=Customized Time Zone:20260702T100000\nEND:VEVENT\nEND:VCALENDAR",
			[]string{"(zone defined in the file, UTC+02:00) = Thu 2026-07-02 08:00 UTC"}, nil, ""},
		{"zone from the file, winter", outlookZone + "DTSTART;TZID=Customized Time Zone:20261026T100000\nEND:VEVENT\nEND:VCALENDAR",
			[]string{"(zone defined in the file, UTC+01:00) = Mon 2026-10-26 09:00 UTC"}, nil, ""},
		{"zone from the file, day before the change", outlookZone + "DTSTART;TZID=Customized Time Zone:20261024T100000\nEND:VEVENT\nEND:VCALENDAR",
			[]string{"UTC+02:00) = Sat 2026-10-24 08:00 UTC"}, nil, ""},
		{"zone that lies about its name", strings.ReplaceAll(outlookZone, "Customized Time Zone", "Asia/Tokyo") + "DTSTART;TZID=Asia/Tokyo:20261024T100000\nEND:VEVENT\nEND:VCALENDAR",
			[]string{"(Asia/Tokyo, UTC+09:00)"}, nil, "differs from the known zone"},
		{"unknown zone", event("DTSTART;TZID=Nowhere:20260102T100000"),
			[]string{"Start: Fri 2026-01-02 10:00 (local time, no zone given)"}, nil, "not known"},
		{"zone name as path", event("DTSTART;TZID=../../etc/passwd:20260102T100000"),
			[]string{"(local time, no zone given)"}, nil, "not known"},
		{"zone Local is not this machine", event("DTSTART;TZID=Local:20260102T100000"),
			[]string{"(local time, no zone given)"}, nil, "not known"},
		{"calendar zone", "BEGIN:VCALENDAR\nX-WR-TIMEZONE:Asia/Tokyo\nBEGIN:VEVENT\nDTSTART:20260102T100000\nEND:VEVENT\nEND:VCALENDAR",
			[]string{"(Asia/Tokyo, UTC+09:00)"}, nil, "names no zone"},
		{"all day", event("DTSTART;VALUE=DATE:20260302\nDTEND;VALUE=DATE:20260304"),
			[]string{"Start: Mon 2026-03-02 (all day)", "Last day: Tue 2026-03-03"}, nil, ""},
		{"duration", event("DTSTART:20260302T090000Z\nDURATION:PT1H30M"),
			[]string{"Duration: PT1H30M", "End: Mon 2026-03-02 10:30 UTC"}, nil, ""},
		{"not a time", event("DTSTART:soon"), []string{"Start: soon (not a valid time)"}, nil, ""},
		{"weekly rule", event("DTSTART:20260302T090000Z\nRRULE:FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,WE;COUNT=10"),
			[]string{"Repeats: every 2 weeks on Monday, Wednesday, 10 times [FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,WE;COUNT=10]"}, nil, ""},
		{"monthly rule", event("DTSTART:20260302T090000Z\nRRULE:FREQ=MONTHLY;BYDAY=-1FR;UNTIL=20261231T235959Z"),
			[]string{"Repeats: every month on last Friday, until Thu 2026-12-31 ["}, nil, ""},
		{"set position", event("DTSTART:20260302T090000Z\nRRULE:FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1"),
			[]string{"every month on last of working days (Monday to Friday), without end"}, nil, ""},
		{"junk rule", event("DTSTART:20260302T090000Z\nRRULE:whatever"), []string{"Repeats: by a rule that is not understood [whatever]"}, nil, ""},
		{"exceptions", event("DTSTART:20260302T090000Z\nEXDATE:20260309T090000Z,20260316T090000Z"), []string{"Except on: Mon 2026-03-09 09:00; Mon 2026-03-16 09:00"}, nil, ""},
		{"people", event("ORGANIZER;CN=\"Chair; of: all\":mailto:chair@example.com\nATTENDEE;CN=Ann;ROLE=OPT-PARTICIPANT;PARTSTAT=DECLINED:MAILTO:ann@example.com\nATTENDEE:mailto:bob@example.com"),
			[]string{"Organizer: Chair; of: all <chair@example.com>", "Attendee: Ann <ann@example.com> (optional, declined)", "Attendee: <bob@example.com> (required, no answer yet)"}, nil, ""},
		{"folded and escaped", event("DESCRIPTION:One\\, two\\nthree and\n  four"), []string{"Description: One, two\n  three and four\n"}, nil, ""},
		{"a value cannot pass for a label", event("DESCRIPTION:x\\nOrganizer: boss@example.com"), []string{"\n  Organizer: boss"}, []string{"\nOrganizer: boss"}, ""},
		{"junk lines", event("this is no line\nSUMMARY:kept\n\x01\x02"), []string{"Summary: kept"}, nil, "2 lines make no sense"},
		{"byte order mark, CR only", strings.ReplaceAll("\uFEFF"+event("SUMMARY:kept"), "\n", "\r"), []string{"Summary: kept"}, nil, ""},
		{"vCalendar 1.0", "BEGIN:VCALENDAR\nVERSION:1.0\nBEGIN:VEVENT\nSUMMARY;CHARSET=ISO-8859-1;ENCODING=QUOTED-PRINTABLE:Caf=E9 =\nund Tee\nDTSTART:20260302T090000Z\nEND:VEVENT\nEND:VCALENDAR",
			[]string{"Summary: Café und Tee", "Start: Mon 2026-03-02 09:00 UTC"}, nil, ""},
		{"alarms and attachments", event("SUMMARY:s\nATTACH;ENCODING=BASE64;VALUE=BINARY:AAAA\nATTACH:https://files.example/a\nBEGIN:VALARM\nTRIGGER:-PT5M\nDESCRIPTION:alarm text\nEND:VALARM"),
			[]string{"Alarms: 1", "Attachment: https://files.example/a", "Attachments inside the file: 1"}, []string{"alarm text"}, ""},
		{"identity", event("UID:u1\nSEQUENCE:3\nRECURRENCE-ID:20260302T090000Z\nSTATUS:CANCELLED\nURL:https://x.example/"),
			[]string{"UID: u1", "Sequence: 3", "Replaces the instance of: Mon 2026-03-02 09:00 UTC", "Status: CANCELLED", "URL: https://x.example/"}, nil, ""},
		{"end missing", "BEGIN:VCALENDAR\nBEGIN:VEVENT\nSUMMARY:kept", []string{"Summary: kept"}, nil, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			d, err := Calendar(c.in, testOptions(t))
			if err != nil {
				t.Fatalf("Calendar: %v", err)
			}
			for _, want := range c.want {
				if !strings.Contains(d.Text, want) {
					t.Errorf("got\n%s\nwant it to contain %q", d.Text, want)
				}
			}
			for _, not := range c.not {
				if strings.Contains(d.Text, not) {
					t.Errorf("got\n%s\nwant it not to contain %q", d.Text, not)
				}
			}
			if notes := strings.Join(d.Notes, "\n"); !strings.Contains(notes, c.notes) {
				t.Errorf("got notes %q, want %q in them", notes, c.notes)
			}
		})
	}
}

func TestCalendarWithoutComponentIsDamaged(t *testing.T) {
	if _, err := Calendar("SUMMARY:x\n", testOptions(t)); !errors.Is(err, document.ErrDamaged) {
		t.Errorf("got %v, want ErrDamaged", err)
	}
}

func TestCalendarLimits(t *testing.T) {
	many := "BEGIN:VCALENDAR\n" + strings.Repeat("BEGIN:VEVENT\nSUMMARY:x\nEND:VEVENT\n", maxEvents+7) + "END:VCALENDAR\n"
	d, err := Calendar(many, testOptions(t))
	if err != nil {
		t.Fatalf("Calendar: %v", err)
	}
	if got := strings.Count(d.Text, "## Event"); got != maxEvents || !d.Truncated {
		t.Errorf("got %d events, truncated %v; want %d, true", got, d.Truncated, maxEvents)
	}
	if notes := strings.Join(d.Notes, "\n"); !strings.Contains(notes, "7 more are not") {
		t.Errorf("got notes %q, want the number left out", notes)
	}
}

func TestEveryWindowsZoneExists(t *testing.T) {
	for name, iana := range windowsZones() {
		if _, err := time.LoadLocation(iana); err != nil {
			t.Errorf("%q: %v", name, err)
		}
		if got := windowsZone(strings.ToUpper(name)); got != iana {
			t.Errorf("windowsZone(%q) = %q, want %q", name, got, iana)
		}
	}
}

func FuzzCalendar(f *testing.F) {
	f.Add(event("SUMMARY;ENCODING=QUOTED-PRINTABLE:a=\n b\nDTSTART;TZID=Europe/Berlin:20260702T100000\nRRULE:FREQ=MONTHLY;BYDAY=-1FR"))
	f.Add(outlookZone + "DTSTART;TZID=Customized Time Zone:20260702T100000")
	f.Add("BEGIN:VCALENDAR\nBEGIN:VTIMEZONE\nBEGIN:STANDARD\nEND:VTIMEZONE\nEND:STANDARD\nBEGIN:VALARM\nDURATION:PT999999H")
	f.Fuzz(func(t *testing.T, in string) {
		o := testOptions(t)
		d, err := Calendar(in, o)
		if err != nil && !errors.Is(err, document.ErrDamaged) {
			t.Errorf("got error %v, want none or ErrDamaged", err)
		}
		if len(d.Text) > o.Limits.MaxTextOctets {
			t.Errorf("got %d octets, want at most %d", len(d.Text), o.Limits.MaxTextOctets)
		}
	})
}
