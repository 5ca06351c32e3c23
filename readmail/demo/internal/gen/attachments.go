package main

import "bytes"

const (
	typeDOCX = officeDoc + "wordprocessingml.document"
	typeXLSX = officeDoc + "spreadsheetml.sheet"
	typePPTX = officeDoc + "presentationml.presentation"
	typeODT  = "application/vnd.oasis.opendocument.text"
)

// attachments has one message for each kind of attached file.
func attachments() []mail {
	return []mail{
		{name: "invoice-pdf", box: "INBOX", date: "2026-11-25T07:30:00+00:00", shows: "PDF attachment",
			from: "Accounts Team <accounts@example.com>", subject: "Invoice 2026-118",
			body: multipart("mixed", plain("Please find the invoice for November attached. It is due on 14 December.\n\nAccounts Team"),
				file("application/pdf", "invoice-2026-118.pdf", pdf("Invoice 2026-118", []string{
					"Customer: Demo Reader", "Period: November 2026", "Cleaning of the stairs, 4 weeks   120.00",
					"Salt and gravel (winter stock)    36.50", "Total                            156.50", "Due on 14 December 2026"})))},
		{name: "project-documents", box: "Projects/2026", date: "2026-11-18T15:00:00+00:00", flags: `\Seen \Flagged`, shows: "DOCX, XLSX, PPTX and ODT attachments; a nested mailbox",
			from: "Project Office <office@project.example>", subject: "Documents for the library project",
			body: multipart("mixed", plain("All four documents for the meeting, as agreed.\n\nProject Office"),
				file(typeDOCX, "minutes.docx", docx("Minutes of 17 November 2026", "Decided: the reading room opens at eight.", "Open: who orders the lamps?")),
				file(typeXLSX, "budget.xlsx", xlsx("Budget", [][]string{{"Item", "Pieces", "Price"}, {"Lamp", "14", "39.90"}, {"Shelf", "6", "210"}, {"Total", "", "1818.60"}})),
				file(typePPTX, "plan.pptx", pptx("Library project\nPlan for 2026", "Next steps\nPaint the reading room\nHang the lamps")),
				file(typeODT, "house-rules.odt", odt("House rules of the reading room", "Talking is allowed in the corridor.", "Coffee is not allowed near the maps.")))},
	}
}

// tablesAndPictures carry CSV, ICS, vCard and PNG files.
func tablesAndPictures() []mail {
	return []mail{
		{name: "project-tables", box: "Projects/2026", date: "2026-11-20T08:40:00+00:00", shows: "CSV, ICS and vCard attachments",
			from: "Project Office <office@project.example>", subject: "Delivery dates and contacts",
			body: multipart("mixed", plain("The dates as a table and as a calendar file, and the contact of the joiner."),
				file("text/csv", "deliveries.csv", []byte(body("item,pieces,date\n\"Lamp, brass\",14,2026-12-04\nShelf,6,2026-12-11\nLadder,1,2026-12-11"))),
				file("text/calendar", "delivery.ics", []byte(body(`
BEGIN:VCALENDAR
VERSION:2.0
PRODID:-//Project Office//Demo//EN
BEGIN:VEVENT
UID:delivery-1@project.example
DTSTAMP:20261120T080000Z
DTSTART:20261204T080000Z
DTEND:20261204T090000Z
SUMMARY:Delivery of the lamps
LOCATION:Back entrance
END:VEVENT
END:VCALENDAR
`))),
				file("text/vcard", "joiner.vcf", []byte(body("BEGIN:VCARD\nVERSION:3.0\nFN:Joiner's Workshop\nN:Workshop;Joiner's;;;\nEMAIL:workshop@joiner.example\nTEL:+1-202-555-0143\nEND:VCARD"))))},
		{name: "inline-picture", box: "INBOX", date: "2026-11-21T10:10:00+00:00", flags: `\Seen`, shows: "PNG shown inside the text (multipart/related)",
			from: "Meter Reading <meters@utility.example>", subject: "Your water use in pictures",
			body: multipart("related", html(`<p>Your water use in the last six months:</p><p><img src="cid:chart@utility.example" alt="Bars: May to October" width="96" height="64"></p><p>October was the lowest month.</p>`),
				part{mediaType: "image/png; name=\"chart.png\"", encoding: "base64", content: picture(40, 52, 60, 55, 38, 30),
					fields: []string{"Content-ID: <chart@utility.example>", "Content-Disposition: inline; filename=\"chart.png\""}})},
	}
}

// wrappers carry a message, a TNEF file and an invitation inside something else.
func wrappers() []mail {
	return []mail{
		{name: "forwarded-message", box: "INBOX", date: "2026-11-19T09:20:00+00:00", flags: `\Seen $Forwarded`, shows: "message/rfc822 attachment that has an attachment itself",
			from: `"Robin (Facilities)" <robin@example.org>`, subject: "Fwd: Measurements of the window",
			body: multipart("mixed", plain("The joiner's message is attached as it came. Note the table."),
				part{mediaType: "message/rfc822; name=\"Measurements of the window.eml\"", content: nested(),
					fields: []string{"Content-Disposition: attachment; filename=\"Measurements of the window.eml\""}})},
		{name: "outlook-data", box: "Archive", date: "2026-11-06T16:16:00+00:00", flags: `\Seen`, shows: "TNEF attachment (winmail.dat)",
			from: "Records <records@office.example>", subject: "Minutes in a strange wrapper",
			body: multipart("mixed", plain("The minutes are attached."), file("application/ms-tnef", "winmail.dat", tnef("minutes.txt", "Minutes: the door is painted green.\r\n")))},
		{name: "invitation", box: "INBOX", date: "2026-11-24T13:00:00+00:00", shows: "invitation: text/calendar as third alternative, Outlook zone name",
			from: "Events Desk <events@project.example>", subject: "Invitation: Opening of the reading room",
			body: multipart("alternative", plain("Opening of the reading room\nWednesday, 9 December 2026, 16:00 to 17:30 (Berlin)\nReading room, first floor"),
				html("<p><b>Opening of the reading room</b><br>Wednesday, 9 December 2026, 16:00 to 17:30 (Berlin)<br>Reading room, first floor</p>"),
				text("text/calendar; charset=utf-8; method=REQUEST", "quoted-printable", []byte(body(`
BEGIN:VCALENDAR
METHOD:REQUEST
PRODID:-//Events Desk//Demo//EN
VERSION:2.0
BEGIN:VEVENT
UID:opening-2026@project.example
DTSTAMP:20261124T130000Z
DTSTART;TZID=W. Europe Standard Time:20261209T160000
DTEND;TZID=W. Europe Standard Time:20261209T173000
SUMMARY:Opening of the reading room
LOCATION:Reading room\, first floor
ORGANIZER;CN=Events Desk:mailto:events@project.example
ATTENDEE;CN=Demo Reader;PARTSTAT=NEEDS-ACTION;RSVP=TRUE:mailto:reader@demo.example
END:VEVENT
END:VCALENDAR
`))))},
	}
}

// nested is the message that another one carries.
func nested() []byte {
	inner := mail{name: "window", date: "2026-11-18T17:45:00+00:00", auth: "none", from: "Joiner's Workshop <workshop@joiner.example>",
		to: `"Robin (Facilities)" <robin@example.org>`, subject: "Measurements of the window",
		body: multipart("mixed", plain("Measured today. Width 118 cm, height 142 cm, the table has the rest."),
			file("text/csv", "window.csv", []byte("part,width,height\r\nframe,118,142\r\nsash,54,136\r\n")))}
	return bytes.TrimRight(inner.render(), "\r\n")
}

// tnef wraps one file the way Outlook does: attributes of MS-OXTNEF §2.1.3, each with length and checksum.
func tnef(name, content string) []byte {
	const (
		signature   = 0x223E9F78
		levelFile   = 2
		attTitle    = 0x00018010 // the file name
		attData     = 0x0006800F
		attRendData = 0x00069002 // begins an attachment
		rendOctets  = 14
	)
	out := le(nil, signature, 4)
	out = le(out, 1, 2) // key
	add := func(id int, value []byte) {
		out = append(out, levelFile)
		out = le(out, id, 4)
		out = le(out, len(value), 4)
		out = append(out, value...)
		sum := 0
		for _, b := range value {
			sum += int(b)
		}
		out = le(out, sum&0xffff, 2)
	}
	rend := make([]byte, rendOctets)
	rend[0] = 1 // a file
	add(attRendData, rend)
	add(attTitle, append([]byte(name), 0))
	add(attData, []byte(content))
	return out
}

// le appends v in n octets, least significant first.
func le(b []byte, v, n int) []byte {
	for range n {
		b = append(b, byte(v))
		v >>= 8
	}
	return b
}
