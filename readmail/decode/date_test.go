package decode

import (
	"errors"
	"testing"
)

func TestDate(t *testing.T) {
	for _, c := range []struct{ name, body, want string }{
		{"standard", "Tue, 04 Mar 2025 10:15:00 +0100", "2025-03-04T09:15:00Z"},
		{"no day of week", "4 Mar 2025 10:15 -0500", "2025-03-04T15:15:00Z"},
		{"comment", "Tue, 4 Mar 2025 10:15:00 +0100 (CET (Berlin))", "2025-03-04T09:15:00Z"},
		{"comments inside", "Tue(x), 4 (y) Mar 2025 10:15:00 +0000", "2025-03-04T10:15:00Z"},
		{"folded", "Tue,\r\n 4 Mar 2025\r\n 10:15:00 +0000", "2025-03-04T10:15:00Z"},
		{"EST", "Mon, 3 Feb 2014 08:00:00 EST", "2014-02-03T13:00:00Z"},
		{"PDT", "Mon, 3 Feb 2014 08:00:00 PDT", "2014-02-03T15:00:00Z"},
		{"CEST", "Mon, 4 Aug 2014 08:00:00 CEST", "2014-08-04T06:00:00Z"},
		{"JST", "Mon, 3 Feb 2014 09:00:00 JST", "2014-02-03T00:00:00Z"},
		{"UT", "Mon, 3 Feb 2014 08:00:00 UT", "2014-02-03T08:00:00Z"},
		{"military", "Mon, 3 Feb 2014 08:00:00 A", "2014-02-03T08:00:00Z"},
		{"zone in a comment only", "Mon, 3 Feb 2014 08:00:00 (EST)", "2014-02-03T13:00:00Z"},
		{"number beats comment", "Mon, 3 Feb 2014 08:00:00 +0000 (EST)", "2014-02-03T08:00:00Z"},
		{"no zone", "Mon, 3 Feb 2014 08:00:00", "2014-02-03T08:00:00Z"},
		{"unknown zone", "Mon, 3 Feb 2014 08:00:00 XYZT", "2014-02-03T08:00:00Z"},
		{"minus zero", "Mon, 3 Feb 2014 08:00:00 -0000", "2014-02-03T08:00:00Z"},
		{"GMT and offset", "Mon, 3 Feb 2014 08:00:00 GMT+0200", "2014-02-03T06:00:00Z"},
		{"zone with colon", "Mon, 3 Feb 2014 08:00:00 +05:30", "2014-02-03T02:30:00Z"},
		{"zone glued on", "Mon, 3 Feb 2014 08:00:00+0530", "2014-02-03T02:30:00Z"},
		{"zone without sign", "Mon, 3 Feb 2014 08:00:00 0100", "2014-02-03T07:00:00Z"},
		{"two-digit year", "Wed, 11 Feb 98 11:51 CST", "1998-02-11T17:51:00Z"},
		{"two-digit year of this century", "3 Feb 14 08:00 +0000", "2014-02-03T08:00:00Z"},
		{"three-digit year", "3 Feb 114 08:00 +0000", "2014-02-03T08:00:00Z"},
		{"one-digit time", "3 Feb 2014 8:5:9 +0000", "2014-02-03T08:05:09Z"},
		{"double spaces", "Mon,  3  Feb  2014  08:00:00  +0000", "2014-02-03T08:00:00Z"},
		{"AM", "Mon, 3 Feb 2014 12:05:00 AM +0000", "2014-02-03T00:05:00Z"},
		{"PM", "Mon, 3 Feb 2014 8:05:00 PM +0000", "2014-02-03T20:05:00Z"},
		{"PM glued on", "3 Feb 2014 8:05pm", "2014-02-03T20:05:00Z"},
		{"asctime", "Mon Feb  3 08:00:00 2014", "2014-02-03T08:00:00Z"},
		{"asctime with zone", "Mon Feb 3 08:00:00 EST 2014", "2014-02-03T13:00:00Z"},
		{"month first", "February 3, 2014 08:00:00 +0000", "2014-02-03T08:00:00Z"},
		{"hyphens", "03-Feb-2014 08:00:00 +0000", "2014-02-03T08:00:00Z"},
		{"hyphens, two digits", "Mon, 03-Feb-14 08:00:00 GMT", "2014-02-03T08:00:00Z"},
		{"ISO", "2014-02-03T08:00:00Z", "2014-02-03T08:00:00Z"},
		{"ISO with offset", "2014-02-03T08:00:00.250+01:00", "2014-02-03T07:00:00Z"},
		{"ISO with a space", "2014-02-03 08:00:00 +0100", "2014-02-03T07:00:00Z"},
		{"ISO date only", "2014-02-03", "2014-02-03T00:00:00Z"},
		{"compact", "20140203 08:00", "2014-02-03T08:00:00Z"},
		{"German", "Mo, 3 März 2014 08:00:00 +0100", "2014-03-03T07:00:00Z"},
		{"German dotted", "Mo., 3. Okt. 2014, 08:00:00 MEZ", "2014-10-03T07:00:00Z"},
		{"Spanish", "jue ago 30 2018 08:00:00 +0000", "2018-08-30T08:00:00Z"},
		{"Spanish Tuesday", "mar, 4 feb 2014 08:00:00 +0000", "2014-02-04T08:00:00Z"},
		{"French", "mar., 4 févr. 2014 08:00:00 +0100", "2014-02-04T07:00:00Z"},
		{"Italian", "lun, 3 giu 2014 08:00:00 +0200", "2014-06-03T06:00:00Z"},
		{"Polish", "pon, 3 lut 2014 08:00:00 +0100", "2014-02-03T07:00:00Z"},
		{"Russian", "Пн, 3 фев 2014 08:00:00 +0400", "2014-02-03T04:00:00Z"},
		{"Russian in an encoded word", "=?utf-8?B?0J/QvSwgMyDRhNC10LIgMjAxNA==?= 08:00:00 +0400", "2014-02-03T04:00:00Z"},
		{"Japanese", "2014年2月3日 08:00:00 +0900", "2014-02-02T23:00:00Z"},
		{"German numbers", "3.2.2014 08:00", "2014-02-03T08:00:00Z"},
		{"slashes, clear order", "2/25/2014 08:00", "2014-02-25T08:00:00Z"},
		{"dotted time", "3 Feb 2014 13.00.00 +0000", "2014-02-03T13:00:00Z"},
		{"leap second", "30 Jun 2012 23:59:60 +0000", "2012-07-01T00:00:00Z"},
		{"leap day", "29 Feb 2016 08:00:00 +0000", "2016-02-29T08:00:00Z"},
		{"remark after", "Mon, 3 Feb 2014 08:00:00 +0100 (added by relay@example.com)", "2014-02-03T07:00:00Z"},
		{"quotes", `"Mon, 3 Feb 2014 08:00:00 +0100"`, "2014-02-03T07:00:00Z"},
		{"day ordinal", "3rd Feb 2014 08:00 UTC", "2014-02-03T08:00:00Z"},
		{"daylight time in words", "Tue, 4 Mar 2025 10:15:00 +0100 (Central European Standard Time)", "2025-03-04T09:15:00Z"},

		{"spaces and comments in the time", "Fri, 21 Nov 1997 09(comment):   55  :  06 -0600", "1997-11-21T15:55:06Z"},
		{"month glued to the day", "Tue, 04Mar 2025 10:15:00 +0100", "2025-03-04T09:15:00Z"},
		{"Japanese month", "火, 4 3月 2025 10:15:00 +0900", "2025-03-04T01:15:00Z"},
		{"Chinese month", "周二, 4 十二月 2025 10:15:00 +0800", "2025-12-04T02:15:00Z"},
		{"zone in words", "Tue, 4 Mar 2025 10:15:00 Eastern Standard Time", "2025-03-04T15:15:00Z"},
		{"double sign", "Tue, 04 Mar 2025 10:15:00 --0500", "2025-03-04T15:15:00Z"},

		{"empty", "", ""},
		{"words", "yesterday", ""},
		{"31 June", "31 Jun 2014 08:00:00 +0000", ""},
		{"29 February", "29 Feb 2015 08:00:00 +0000", ""},
		{"day zero", "0 Feb 2014 08:00:00 +0000", ""},
		{"hour 25", "3 Feb 2014 25:00:00 +0000", ""},
		{"minute 61", "3 Feb 2014 08:61:00 +0000", ""},
		{"zone of 99 hours", "3 Feb 2014 08:00:00 +9900", ""},
		{"year 10", "3 Feb 1010 08:00:00 +0000", ""},
		{"thirteen PM is noon's thirteen", "3 Feb 2014 0:10 PM", ""},
		{"ambiguous", "3/2/2014 08:00", ""},
		{"month 13", "2014-13-03", ""},
		{"time only", "08:00:00", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := Date(c.body)
			if c.want == "" {
				if !errors.Is(err, ErrDate) {
					t.Errorf("got %v, want ErrDate", got)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if s := got.UTC().Format("2006-01-02T15:04:05Z"); s != c.want {
				t.Errorf("got %s, want %s", s, c.want)
			}
		})
	}
}

func TestDateKeepsZone(t *testing.T) {
	got, err := Date("Tue, 04 Mar 2025 10:15:00 +0130")
	if err != nil {
		t.Fatal(err)
	}
	if _, offset := got.Zone(); offset != 5400 {
		t.Errorf("offset = %d s, want 5400", offset)
	}
}

func FuzzDate(f *testing.F) {
	f.Add("Tue, 04 Mar 2025 10:15:00 +0100 (CET)")
	f.Add("2014-02-03T08:00:00.5Z")
	f.Add("3.2.2014 8:05 pm (EST")
	f.Fuzz(func(t *testing.T, body string) {
		got, err := Date(body)
		if err != nil {
			return
		}
		if y := got.Year(); y < 1899 || y > 10000 {
			t.Errorf("year %d", y)
		}
		again, err := Date(got.Format("Mon, 02 Jan 2006 15:04:05 -0700"))
		if err == nil && again.Unix() != got.Unix() && got.Year() <= 9999 {
			t.Errorf("%q reads as %v, printed and read again as %v", body, got, again)
		}
	})
}
