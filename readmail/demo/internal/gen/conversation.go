package main

import "strings"

// reply gives the fields of an answer: the parent is the last of the references.
func reply(references ...string) []string {
	parent := references[len(references)-1]
	return []string{"In-Reply-To: " + parent, "References: " + strings.Join(references, "\n ")}
}

// The sender and the Message-IDs of the conversation.
const (
	robin = `"Robin (Facilities)" <robin@example.org>`
	one   = "<roof-1@example.org>"
	two   = "<roof-2@demo.example>"
	three = "<roof-3@example.org>"
	four  = "<roof-4@demo.example>"
)

// conversation is one thread of five messages across INBOX and Sent, quoted in three manners.
func conversation() []mail {
	return []mail{
		{name: "roof-1", box: "INBOX", date: "2026-11-12T09:00:00+00:00", flags: `\Seen \Answered`, shows: "conversation, start",
			from: robin, subject: "Roof repair schedule",
			body: plain(`
Hello,

the roofers can come in week 49 or in week 50. Both are possible for us.
Which one suits your floor better?

Robin
`)},
		{name: "roof-2", box: "Sent", date: "2026-11-12T10:24:00+01:00", flags: `\Seen`, shows: "conversation, own answer above the quote",
			from: owner, to: robin, subject: "Re: Roof repair schedule", auth: "none", extra: reply(one),
			body: plain(`
Robin,

week 50, please. In week 49 we have visitors on Tuesday and Wednesday.

On Thu, 12 Nov 2026 at 09:00, Robin (Facilities) wrote:
> Hello,
>
> the roofers can come in week 49 or in week 50. Both are possible for us.
> Which one suits your floor better?
>
> Robin
`)},
		{name: "roof-3", box: "INBOX", date: "2026-11-13T08:12:00+00:00", flags: `\Seen \Answered`, shows: "conversation, answer between the quoted lines, format=flowed",
			from: robin, subject: "Re: Roof repair schedule", extra: reply(one, two),
			body: text("text/plain; charset=utf-8; format=flowed", "7bit", []byte(body(`
> week 50, please.

Noted: Monday 7 to Thursday 10 December. The scaffold goes up on the Friday 
before, which is noisy until about ten.

> In week 49 we have visitors on Tuesday and Wednesday.

Understood. One more question: may the roofers use your kitchen for their 
breaks?

-- 
Robin
Facilities
`)))},
	}
}

// conversationEnd is what came after the question.
func conversationEnd() []mail {
	return []mail{
		{name: "roof-4", box: "Sent", date: "2026-11-13T11:30:00+01:00", flags: `\Seen`, shows: "conversation, own second answer",
			from: owner, to: robin, subject: "Re: Roof repair schedule", auth: "none", extra: reply(one, two, three),
			body: plain(`
Yes, they may. The key to the kitchen is with the front desk, cups are on the left.

On Fri, 13 Nov 2026 at 08:12, Robin (Facilities) wrote:
> Noted: Monday 7 to Thursday 10 December. The scaffold goes up on the Friday
> before, which is noisy until about ten.
>
> Understood. One more question: may the roofers use your kitchen for their
> breaks?
`)},
		{name: "roof-5", box: "INBOX", date: "2026-11-26T15:05:00+00:00", shows: "conversation, HTML with the whole history as blockquotes",
			from: robin, subject: "AW: Roof repair schedule", extra: reply(one, two, three, four),
			body: multipart("alternative", plain(`
One change: the scaffold comes on Thursday, 3 December, not on Friday.
Everything else stays.

> Yes, they may. The key to the kitchen is with the front desk, cups are on the left.
>
>> Noted: Monday 7 to Thursday 10 December.
`), html(`<div>One change: the scaffold comes on <b>Thursday, 3 December</b>, not on Friday.<br>Everything else stays.</div>
<div class="gmail_quote">On Fri, 13 Nov 2026 at 11:30, Demo Reader wrote:<br>
<blockquote style="margin:0 0 0 .8ex;border-left:1px solid #ccc;padding-left:1ex">Yes, they may. The key to the kitchen is with the front desk, cups are on the left.
<blockquote style="margin:0 0 0 .8ex;border-left:1px solid #ccc;padding-left:1ex">Noted: Monday 7 to Thursday 10 December.</blockquote></blockquote></div>`))},
	}
}
