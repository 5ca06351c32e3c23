// Package mcpserve is the only code of ours that touches the MCP library, mark3labs/mcp-go.
//
// It turns plain Go handlers into strict MCP tools and serves them on stdio, to clients of the old revisions of the
// protocol (2024-11-05 to 2025-11-25) and of 2026-07-28, from one process. A handler sees a decoded argument struct and a
// [Call]; it returns a typed [Result]. Read Define first, then NewServer and Serve; conn.go is the way of one message.
//
// # Security model
//
// The client is driven by a model, and the model by whatever it has read. It may send anything: unknown and repeated keys,
// other types, huge lines and numbers, floods, made-up answers to questions. What reaches a handler has passed the
// tool's own JSON Schema, which must be closed, and one strict reading of the message; the library is handed a message
// that was written anew from the checked parts, without the arguments, which it would read loosely.
//
// What leaves is typed. A result holds no plain string: text is [SafeText], which a sanitizer makes, or a [Word], whose
// values are our own constants and are looked up when they are written. The result type is inspected by reflection when
// the server is made, and values are encoded by this package alone, so no MarshalJSON of a foreign type is asked. The
// promise is about accidents: whoever implements SafeText on a raw string has opened the door knowingly. A result that
// does not fit the output schema is refused. Errors reach the client as a [ToolError] or not at all; a panic is contained,
// and neither the client nor the log sees its text. Refusals name arguments and what was expected, never values.
//
// # Limits
//
// A line of input has 1 MiB, JSON 64 levels, 32 calls run at once; the next is refused at once with a sentence. Serve
// returns within a second of the end of input or a signal, even if a handler ignores its context. Standard output carries
// the protocol and nothing else.
//
// # Divergences
//
// JSON-RPC batches, which only revision 2025-03-26 had, are refused. A cancelled request gets no answer, as the protocol
// asks (the library answers it). The code of a ToolError is sent in _meta and not as structured content, because clients
// check that against the output schema even after a failure.
//
// # Questions
//
// A tool made by DefineAsking may put a form before the person who uses the client; ask.go and question.go are all of it. An
// answer is the word of the client, whatever it says about a person. Answers that come with a call (inputResponses,
// requestState) reach only tools that ask, only from clients of 2026-07-28, and only with a state that is not empty: an
// old revision has no such fields, so a client could only make them up, and without a state the call is a first one. The
// library's bridge for old revisions is not used: it asks clients that declared nothing, waits without limit, and leaves the
// dialog standing when nobody waits any more.
//
// The library's stdio loop, its argument validation and its recovery are not used: the loop has one session per process,
// stops when its queue is full and reads without limit; the validation repeats values; the recovery sends the panic to
// the client.
package mcpserve
