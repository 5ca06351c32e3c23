package main

import (
	"testing"

	"mailgap/shared/deptest"
)

// The sender cannot read mail (I3).
func TestDependencies(t *testing.T) {
	deptest.Check(t, []string{"mailgap/sendmail", "mailgap/confirm", "github.com/emersion/go-smtp", "mailgap/shared/ledger/reader"}, map[string]string{
		"mailgap/readmail":                    "the sender must not read",
		"mailgap/shared/ledger/writer":        "the sender asks the ledger and adds nothing to it",
		"github.com/emersion/go-imap":         "the sender must not read, and needs no IMAP type",
		"net/smtp":                            "frozen, and without the bounds of sendmail/wire",
		"testing":                             "tests stay out of the binary",
		"github.com/mark3labs/mcp-go/client":  "the program is a server",
		"github.com/mark3labs/mcp-go/mcptest": "tests stay out of the binary",
	})
}
