package ledger_test

import (
	"testing"

	"mailgap/shared/deptest"
)

func TestDeps(t *testing.T) {
	deptest.Check(t, nil, map[string]string{
		"mailgap/readmail": "shared packages import nothing above them", "mailgap/sendmail": "shared packages import nothing above them",
		"mailgap/shared/fingerprint":   "the types of both sides need nothing of ours",
		"mailgap/shared/ledger/writer": "it would reach the sender", "mailgap/shared/ledger/reader": "it is above",
		"database/sql": "the files are the business of writer and reader",
		"testing":      "for tests only",
	})
}
