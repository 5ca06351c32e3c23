package main

// damaged is mail that breaks the rules as real mail does, without any bad intent.
func damaged() []mail {
	return []mail{
		{name: "malformed-date", box: "INBOX", date: "2026-11-22T10:00:00+00:00", flags: `\Seen`, shows: "Date field that no parser takes",
			from: "Scanner <scanner@copyroom.example>", subject: "Scan finished", rawDate: "dom nov 22 11h00 CET 2026",
			body: plain("The scan of 4 pages is in the shared tray.")},
		{name: "latin1-label", box: "INBOX", date: "2026-11-16T13:00:00+01:00", flags: `\Seen`, shows: "labelled ISO-8859-1, written in windows-1252: euro sign, dash, quotes",
			from: "Ticket Desk <tickets@theatre.example>", subject: "=?iso-8859-1?Q?Two_seats_=96_=8048?=",
			body: text("text/plain; charset=iso-8859-1", "8bit", in("windows-1252", body(`
Your seats are reserved: row 7, places 11 and 12 – “The Lighthouse”.

Please pay €48 at the box office… by Friday.
`)))},
		{name: "missing-boundary", box: "Archive", date: "2026-11-08T08:08:00+00:00", flags: `\Seen`, shows: "no closing boundary, file name in RFC 2231 pieces",
			from: word("utf-8", "Protokollführung") + " <protokoll@verein.example>", subject: "Protokoll der Sitzung",
			body: part{mediaType: "multipart/mixed", unclosed: true, parts: []part{
				plain("Anbei das Protokoll.\n\nDie Protokollführung"),
				{mediaType: "text/plain; charset=utf-8", encoding: "quoted-printable",
					content: []byte(body("Übersicht der Änderungen\n\n1. Der Beitrag bleibt gleich.\n2. Das Sommerfest ist am 19. Juni.")),
					fields:  []string{"Content-Disposition: attachment;\n filename*0*=utf-8''%C3%9Cbersicht%20%E2%80%93%20;\n filename*1*=%C3%84nderungen;\n filename*2=.txt"}},
			}}},
		{name: "delivery-failure", box: "INBOX", date: "2026-11-15T07:03:00+00:00", flags: `\Seen`, shows: "delivery failure (multipart/report)",
			from: "Mail Delivery System <postmaster@demo.example>", subject: "Undelivered Mail Returned to Sender",
			auth:  "spf=none smtp.mailfrom=<>;\n dmarc=pass header.from=demo.example",
			extra: []string{"Auto-Submitted: auto-replied"},
			body: part{mediaType: "multipart/report; report-type=delivery-status", parts: []part{
				text("text/plain; charset=us-ascii", "7bit", []byte(body(`
This is the mail system at host mx.demo.example.

Your message could not be delivered to one recipient:

<nobody@example.net>: host mx.example.net said: 550 5.1.1 No such user here
`))),
				text("message/delivery-status", "7bit", []byte(body(`
Reporting-MTA: dns; mx.demo.example
Arrival-Date: Sun, 15 Nov 2026 07:02:41 +0000

Final-Recipient: rfc822; nobody@example.net
Action: failed
Status: 5.1.1
Remote-MTA: dns; mx.example.net
Diagnostic-Code: smtp; 550 5.1.1 No such user here
`))),
				text("text/rfc822-headers", "7bit", []byte(body(`
From: Demo Reader <reader@demo.example>
To: nobody@example.net
Subject: Key for the bicycle room
Date: Sun, 15 Nov 2026 07:02:40 +0000
Message-ID: <bicycle-key@demo.example>
`))),
			}}},
	}
}
