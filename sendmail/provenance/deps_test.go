package provenance_test

import (
	"testing"

	"mailgap/shared/deptest"
)

func TestDeps(t *testing.T) {
	deptest.Check(t, []string{"mailgap/shared/ledger/reader", "mailgap/shared/fingerprint", "mailgap/confirm"}, map[string]string{
		"mailgap/readmail": "the sender must not read", "mailgap/shared/ledger/writer": "the sender asks the ledger and adds nothing to it",
		"mailgap/sendmail/submit": "what is said about a message does not depend on sending it", "testing": "for tests only",
	})
}
