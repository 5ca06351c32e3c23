package setup

import (
	"testing"

	"mailgap/shared/deptest"
)

// Both programs link this package: it knows neither of the mail protocols.
func TestDeps(t *testing.T) {
	deptest.Check(t, []string{"mailgap/shared/config", "mailgap/shared/provider/discover"}, map[string]string{
		"mailgap/readmail": "what tries an account is passed in", "mailgap/sendmail": "what tries an identity is passed in",
		"mailgap/sanitize": "shared packages import nothing above them", "mailgap/confirm": "shared packages import nothing above them",
		"github.com/emersion": "no mail protocol here", "net/smtp": "no mail protocol here", "testing": "for tests only",
	})
}
