package factor

import (
	"testing"

	"mailgap/shared/deptest"
)

func TestDeps(t *testing.T) {
	deptest.Check(t, []string{"mailgap/confirm", "github.com/go-webauthn/webauthn/webauthn"}, map[string]string{
		"mailgap/readmail": "devices know no mail", "mailgap/sendmail": "devices know no mail", "mailgap/sanitize": "devices know no mail",
		"testing": "for tests only", "net/smtp": "devices know no mail",
	})
}
