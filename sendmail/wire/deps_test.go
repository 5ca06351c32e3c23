package wire

import (
	"testing"

	"mailgap/shared/deptest"
)

func TestDependencies(t *testing.T) {
	deptest.Check(t, []string{"crypto/tls"}, map[string]string{
		"mailgap/readmail":            "sending cannot read mail",
		"mailgap/confirm":             "approvals come before this package",
		"github.com/emersion/go-imap": "sending cannot read mail",
		"net/smtp":                    "one SMTP client is enough",
		"os/exec":                     "nothing is executed here",
		"testing":                     "this is part of the binary",
	})
}
