// Package sendmail is the sending half of mailgap: off by default, one message at a time, at most once, and only what a
// person approved.
//
// # The story of one send
//
// A tool call proposes a message. Server.prepare puts it through everything that can refuse without a connection: policy
// (allow-list, counts, header safety), attachments (content decides what a file is), composition (RFC 5322 octets, written
// once and read back by two parsers). The journal is asked whether the same message was accepted a moment ago, and
// reserves one slot of the hourly cap. The question is built from the frozen octets and put to a person on a path that
// no tool argument can take. After a yes the journal is told "sending" and synchronised to disk, and only then may the final
// dot leave. What came of it is "sent", "failed" or "unknown"; unknown is a state of its own that blocks a silent repeat.
// Start reading at Server.Tools in tools.go and at Server.send in send.go; pending.go has the life of a reservation.
//
// # Who is asked, and where
//
// choose in way.go decides, from the operator's settings, the level of the question, and what client and machine can do:
// the client's form, or outside of the client. Outside means that the message is put on the desk (package desk), from which a page
// in the browser, "smtp-mcp approve" in a terminal, and the call that waits all read; see stand.go. The desk outlives the call
// and the process: resume.go picks up what an earlier call or server left. One question is open at a time, wherever it is put.
// A message that is only kept, because nobody can be asked from here, is no open question.
//
// # How a question ends
//
// With a yes, once; or with anything else, and then the reservation is given back at that moment: a no, a closed dialog, an
// answer that cannot be read, no answer in time (a timer ends questions that no client comes back for), a cancelled call, the
// end of the input, a signal, a newer question about the same message, a state that came back with other arguments. Each is in
// the audit log. The slot stays spent. A yes that comes later is refused. A question outside of the client does not end with its
// call: it ends with an answer, with its time, or with the process, and then only for the journal: the message waits on the desk.
//
// A signal does not tear a message that was approved and has begun: it is waited for. A call that the client cancels aborts its
// transaction before the final dot; after it the reply is awaited and recorded.
//
// # Where things come from
//
// Before anything is composed, an answer gets its recipients from the record that imap-mcp keeps of what it handed out (origin.go); after
// it, package provenance says where every recipient and passage comes from, and how much that matters. Its findings are
// notes of the question, and the highest of their levels decides who is asked and how. preview_mail does not tell them: a
// model that is led by a mail could reword a text until nothing is found.
//
// # Damaged state
//
// With sending on, an audit log that cannot be opened keeps the server from starting. A journal that cannot be used, or an audit
// log that cannot be written later, refuses each message; the tools that send nothing go on to work.
//
// # What it refuses
//
// To send at all unless SMTP_ALLOW_SEND=true: the sending tools do not exist then. To start with sending on and no
// allow-list. A sender, a display name or a header field chosen by the caller. HTML that runs, loads or hides anything. A
// recipient that no entry allows, or that looks like one that is; both get the same answer. To answer which entries exist. To repeat a message whose outcome
// is unknown without naming the earlier attempt to the person. To take an approval from a tool argument.
//
// # Security model
//
// Trusted: the operator's configuration, this machine, the person who answers. Not trusted: the model (it may have been
// talked into anything by a mail it read), every argument of every call, the mail server, and every word it says. An answer
// to an elicitation is the word of the client, not proof of a person; the results say how a message was approved.
//
// # Divergences
//
//   - RCPT is all or nothing: one refused recipient ends the transaction before DATA, because the person approved the
//     whole list (RFC 5321 §3.3 would deliver to the others).
//   - Bcc is in the envelope only and is shown to the person with a line of its own.
package sendmail
