package desk

import (
	"testing"

	"mailgap/shared/deptest"
)

func TestDependencies(t *testing.T) {
	deptest.Check(t, []string{"modernc.org/sqlite", "mailgap/shared/audit/filelock", "mailgap/confirm"}, map[string]string{
		"mailgap/readmail":         "sending never links reading",
		"mailgap/sendmail/outbox":  "the journal is another memory",
		"mailgap/sendmail/compose": "keeps octets and never makes them",
		"mailgap/sendmail/submit":  "does not send",
		"github.com/emersion":      "no mail protocol here",
		"testing":                  "tests only",
	})
}
