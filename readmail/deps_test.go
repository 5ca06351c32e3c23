package readmail

import (
	"testing"

	"mailgap/shared/deptest"
)

// Reading mail adds to the ledger through an interface with one method: it neither consults nor opens it.
func TestDeps(t *testing.T) {
	deptest.Check(t, []string{"mailgap/shared/ledger"}, map[string]string{
		"mailgap/shared/ledger/reader":        "what is handed out does not depend on what was",
		"mailgap/shared/ledger/writer":        "the program opens it",
		"mailgap/shared/ledger/internal/book": "the format is the business of writer and reader",
		"mailgap/sendmail":                    "reading cannot send",
		"mailgap/confirm":                     "there is nothing to approve",
		"testing":                             "only for tests",
	})
}
