package compose

import (
	"testing"

	"mailgap/shared/deptest"
)

func TestDeps(t *testing.T) {
	deptest.Check(t, []string{"mailgap/shared/addr", "github.com/emersion/go-message"}, map[string]string{
		"mailgap/readmail": "the sender cannot read mail", "mailgap/confirm": "asking comes later",
		"mailgap/sanitize": "approved text leaves as it is", "mailgap/sendmail/policy": "parts of sending know nothing of each other", "mailgap/sendmail/attach": "parts of sending know nothing of each other", "mailgap/sendmail/outbox": "parts of sending know nothing of each other", "mailgap/sendmail/submit": "parts of sending know nothing of each other", "mailgap/sendmail/wire": "parts of sending know nothing of each other",
		"github.com/emersion/go-imap": "the sender cannot read mail", "github.com/emersion/go-smtp": "nothing here talks to a server",
		"net/smtp": "nothing here talks to a server", "net/http": "nothing here talks to a server",
		"testing": "for tests only", "os/exec": "starting programs is for three other places",
	})
}
