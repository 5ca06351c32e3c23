package main

// everyday is mail as it comes each day: notices, a newsletter, lists, codes.
func everyday() []mail {
	return []mail{
		{name: "welcome", box: "INBOX", date: "2026-11-30T08:00:00+00:00", shows: "what this mailbox is",
			from: "Demo Desk <desk@demo.example>", subject: "Welcome to the demo mailbox",
			body: plain(`
Welcome.

This mailbox lives inside the program. Nothing in it is real, nothing leaves the
process, and nothing can be changed. Things to try:

  - list the newest messages, then those with attachments
  - read the newsletter and see what is left of its hidden lines
  - follow the conversation "Roof repair schedule" across INBOX and Sent
  - look at who really sent "Your account is on hold"
  - open the PDF, the spreadsheet and the picture

The hostile messages are meant to be read. That is what they are here for.
`)},
		{name: "newsletter", box: "INBOX", date: "2026-11-28T06:30:00+00:00", shows: "newsletter: hidden preheader, layout tables, tracking pixel",
			from: "Garden Letters <letters@garden.example>", subject: word("utf-8", "Five jobs for the winter garden 🌱"),
			extra: []string{"List-Unsubscribe: <https://garden.example/u/7f3a91c2>", "List-Unsubscribe-Post: List-Unsubscribe=One-Click", "Precedence: bulk"},
			body: multipart("alternative", plain(`
FIVE JOBS FOR THE WINTER GARDEN

1. Cover the roses before the first hard frost.
2. Empty the water butt.
3. Sharpen and oil the tools.
4. Order seeds: the early list closes on 12 December.
5. Feed the birds.

Read on: https://garden.example/winter
Unsubscribe: https://garden.example/u/7f3a91c2
`), html(newsletterHTML))},
		{name: "plain-stub", box: "INBOX", date: "2026-11-27T17:20:00+01:00", shows: "plain part is a stub, the facts are in the HTML part",
			from: "Front Office <frontoffice@hotel.example>", subject: "Your stay from 11 December",
			body: multipart("alternative", plain(`
To see this message, open it in a mail program that shows HTML, or view it in your browser.
`), html(`<html><body style="font-family:sans-serif">
<h1>We look forward to your stay</h1>
<table border="1" cellpadding="6"><tr><th>Arrival</th><th>Departure</th><th>Room</th><th>Guests</th></tr>
<tr><td>Fri, 11 December, from 15:00</td><td>Sun, 13 December, by 11:00</td><td>214, garden side</td><td>2</td></tr></table>
<p>The door code is given at the desk. Breakfast is from <b>7:00 to 10:30</b>.</p>
<p><a href="https://hotel.example/stay/change">Change or cancel</a> free of charge until 9 December.</p>
</body></html>`))},
	}
}

// accountNotices are about logging in, and a mailing list, and a receipt.
func accountNotices() []mail {
	return []mail{
		{name: "one-time-code", box: "INBOX", date: "2026-11-30T11:41:00+00:00", shows: "one-time code",
			from: "Sign-in <no-reply@portal.example>", subject: "Your sign-in code",
			body: plain(`
Your one-time code is 481 920.

It is valid for ten minutes. Do not give it to anyone: we never ask for it by
telephone or mail. If you did not try to sign in, ignore this message.
`)},
		{name: "password-reset", box: "INBOX", date: "2026-11-29T20:03:00+00:00", flags: `\Seen`, shows: "password reset link",
			from: "Accounts Team <accounts@example.com>", subject: "Reset your password",
			body: multipart("alternative", plain(`
Someone, probably you, asked to reset the password of the account reader@demo.example.

https://example.com/reset?token=Zx81-demo-0f6b2c9d47e5a3

The link works once and for one hour.
`), html(`<p>Someone, probably you, asked to reset the password of the account <b>reader@demo.example</b>.</p>
<p><a href="https://example.com/reset?token=Zx81-demo-0f6b2c9d47e5a3">Choose a new password</a></p>
<p>The link works once and for one hour.</p>`))},
		{name: "mailing-list", box: "Archive", date: "2026-11-10T21:14:00+00:00", flags: `\Seen`, shows: "mailing list with footer and List-Id",
			from: "Sparrow Watcher <watcher@birds.example>", to: "Sparrow Count <sparrows@lists.example>", subject: "[sparrows] Counting in the rain",
			auth:  "spf=pass smtp.mailfrom=lists.example;\n dkim=fail (body has been altered) header.d=birds.example;\n dmarc=none header.from=birds.example",
			extra: []string{"List-Id: Sparrow Count <sparrows.lists.example>", "List-Post: <mailto:sparrows@lists.example>", "Sender: <sparrows-bounces@lists.example>"},
			body: text("text/plain; charset=us-ascii", "7bit", []byte(body(`
Does anybody count while it rains? Last Sunday I saw none for an hour and then
eleven in one hedge within a minute.

I would leave such an hour out, but the instructions say nothing about it.

_______________________________________________
sparrows mailing list -- sparrows@lists.example
To leave send an email to sparrows-leave@lists.example
`)))},
		{name: "receipt", box: "Archive", date: "2026-11-03T13:37:00+00:00", flags: `\Seen \Flagged`, shows: "HTML only, a table of figures",
			from: "Shop Receipts <receipts@shop.example>", subject: "Receipt 2026-11-0417",
			body: html(`<html><head><style>td{padding:4px}.r{text-align:right}</style></head><body><p>Thank you for your order.</p>
<table><tr><th>Item</th><th>Pieces</th><th>Price</th></tr>
<tr><td>Notebook, squared</td><td class="r">3</td><td class="r">11.70</td></tr>
<tr><td>Pencil, soft</td><td class="r">12</td><td class="r">9.60</td></tr>
<tr><td><b>Total</b></td><td></td><td class="r"><b>21.30</b></td></tr></table>
<p>Paid by card on 3 November 2026.</p></body></html>`)},
	}
}

// asides are what lies in the smaller mailboxes.
func asides() []mail {
	return []mail{
		{name: "draft-greeting", box: "Drafts", date: "2026-11-29T22:10:00+00:00", flags: `\Seen \Draft`, shows: "a draft without an end",
			from: owner, to: "Robin <robin@example.org>", subject: "Thursday", auth: "none",
			body: plain("Robin,\n\nThursday suits me. Could you also look at the")},
		{name: "trash-offer", box: "Trash", date: "2026-11-05T07:45:00+00:00", flags: `\Seen`, shows: "thrown away",
			from: "Offers <offers@shop.example>", subject: "Only today: everything for less",
			body: plain("Everything for less, only today, only while there is some.\n\nTo stop these messages: https://shop.example/stop")},
		{name: "suggestion-japanese", box: "Vorschläge & 提案", date: "2026-11-21T09:30:00+09:00", flags: `\Seen`, shows: "format=flowed with DelSp=yes",
			from: word("utf-8", "図書係") + " <books@museum.example>", subject: word("utf-8", "売店の本についての提案"),
			body: text("text/plain; charset=utf-8; format=flowed; delsp=yes", "8bit", []byte(body(`
売店に置く本について、次の三冊を提案いたします。いずれも入荷までに 
二週間ほどかかりますので、今月末までにお返事をいただけると 
助かります。

図書係
`)))},
	}
}

const newsletterHTML = `<!DOCTYPE html><html><head><meta charset="utf-8"><title>Winter garden</title>
<style>.pre{display:none!important;max-height:0;overflow:hidden;mso-hide:all} a{color:#2b6e2b} @media(max-width:600px){.col{width:100%!important}}</style></head>
<body style="margin:0;background:#f3f3ee">
<div class="pre">Frost is coming: what to cover, what to empty, what to order. &#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;</div>
<table role="presentation" width="100%" cellpadding="0" cellspacing="0"><tr><td align="center">
<table role="presentation" width="600" cellpadding="0" cellspacing="0" style="background:#ffffff">
<tr><td style="padding:24px"><img src="https://garden.example/img/logo.png" width="180" height="40" alt="Garden Letters"></td></tr>
<tr><td style="padding:0 24px"><h1>Five jobs for the winter garden</h1>
<p>The first hard frost is expected in the second week of December.</p></td></tr>
<tr><td><table role="presentation" width="100%"><tr>
<td class="col" width="50%" valign="top" style="padding:24px"><h2>Outside</h2><ol><li>Cover the roses.</li><li>Empty the water butt.</li><li>Feed the birds.</li></ol></td>
<td class="col" width="50%" valign="top" style="padding:24px"><h2>Inside</h2><ol start="4"><li>Sharpen and oil the tools.</li><li>Order seeds: the early list closes on <b>12 December</b>.</li></ol></td>
</tr></table></td></tr>
<tr><td align="center" style="padding:24px"><a href="https://click.garden.example/c/7f3a91c2?u=https%3A%2F%2Fgarden.example%2Fwinter" style="background:#2b6e2b;color:#ffffff;padding:12px 24px;text-decoration:none">Read the whole letter</a></td></tr>
<tr><td style="padding:24px;font-size:11px;color:#777777">You get this letter because you asked for it. <a href="https://garden.example/u/7f3a91c2">Unsubscribe</a></td></tr>
</table></td></tr></table>
<img src="https://click.garden.example/o/7f3a91c2.gif" width="1" height="1" alt="" style="display:block">
</body></html>`
