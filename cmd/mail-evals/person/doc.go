// Package person holds those who answer smtp-mcp's questions in the evaluation: nobody, somebody careful, a rubber stamp, and a
// client that garbles every answer.
//
// [Read] takes a question apart into its lines, as a person who looks for something would; nothing else about a message reaches
// these people. [Careful] approves only what the user's request asked for.
//
// What it refuses: to look at anything but the text of the question.
//
// Security: questions hold foreign words on lines that begin with ">". Read keeps them apart from the server's own lines.
//
// Read [Person] first.
package person
