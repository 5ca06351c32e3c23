// Package sanitize turns text that strangers wrote into text that may be shown to a model.
//
// Start with [ForModel]: its comment states the passes and why they stand in that order. [HTML] is the same for HTML, [Line]
// for values of one line, [Fence] for the frame around a text, [Compare] for the two texts of one message.
// The other direction is [OutgoingHTML]: HTML that a model wrote, on its way to people.
//
// # Security model
//
// The attacker writes everything: bodies, subjects, names, addresses, file names, and replies of a server. The reader is a
// language model, and behind it some renderer that nobody here chose: a chat window, an editor, a terminal. The package
// promises, for every input:
//
//   - Nothing acts. No renderer of the panel in the tests (goldmark; markdown-it, marked, commonmark.js, micromark with
//     GFM, remark-gfm, showdown) fetches anything for the text, and none makes a link of it, except that a plain mail
//     address may become a mailto link that shows what it does. [Options].Strict removes that one too.
//   - Nothing is unseen. Invisible characters, terminal sequences and what a style sheet hides are taken out, counted and
//     reported. Hidden text is returned on request only, apart from the text.
//   - Nothing forges the frame. Inside a [Fence] no line can close it, and a mark that looks like one of ours gets a number and
//     an entry of its own that says so.
//   - Honest text stays. There is no Unicode normal form, no removal of words, and in ordinary prose no change at all; where
//     markup could start, one backslash is put between its first two characters. Taking the backslashes out gives the text back.
//   - Time is linear and output bounded.
//
// It does not promise that a model disregards what a text tells it to do. [Signals] names the common shapes of such orders, to
// be shown beside the text; nothing is filtered by them. Whoever acts on mail needs a person in between.
//
// The promise is held by types: tool results take [Clean] alone, and only this package makes one.
//
// # What a text looks like afterwards
//
//	⟦link 3: shop[.]example⟧   a URL, or the end of an HTML link; Result.Links says where number 3 leads
//	[image: Our shop]          an image, by its alternative text
//	[one-time code hidden]     a code that signs somebody in
//	[hidden text withheld: 214 characters, display:none]
//	[not on every screen: …] a line that telephones or dark colours leave out
//	[not every reader sees this, closed details: …]
//	[quoted history folded: 1800 characters]
//	[encoded data, 4312 characters, not shown]
//	<\b>, ]\(, !\[, ]\:, <\|   markup that was kept from starting
//
// Targets are written as [Defang] does. In values of one line, which have no list of links, URLs are written so in place.
//
// # Outgoing HTML
//
// The attacker writes the source, by way of a model; the reader uses a mail program nobody here chose. Promised: what
// [OutgoingHTML] returns loads nothing, runs nothing, shows all its text but one preview line, and leads only where its
// links say; what was taken out is in the report; and an independent verifier (verify.go) read the very octets as the
// grammar and the HTML parser read them, or there is nothing to send. Start with OutgoingHTML, then cleaner.element. Not
// promised: that styles for some screens only survive (style elements go, what they say for all screens is written into style
// attributes), or that a link's owner is honest.
//
// # Divergences
//
// CommonMark reads a backslash as an escape before ASCII punctuation only; before a letter it would show. That is why the
// rules rest on neighbours that are no longer neighbours, not on what a renderer makes of the backslash. ECMA-48 control
// strings without a terminator lose their introducer only, so that an unfinished one cannot swallow a message. Tag characters
// are kept in the three flags of Unicode's RGI set and nowhere else, although CLDR would allow more. The look-alike table is
// the part of UTS #39 that can spell a Latin host name, not all of it.
//
// # What it refuses
//
// It reads no file, opens no connection, starts no process, and draws no random number but from the reader it is given.
package sanitize
