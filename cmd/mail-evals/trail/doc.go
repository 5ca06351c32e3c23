// Package trail holds tests alone: they follow mail through both programs, from the mail server through the tools of imap-mcp and the ledger into
// the question that smtp-mcp puts to the person. Neither program may import the other, so these tests have a place
// of their own. Nothing links this package.
package trail
