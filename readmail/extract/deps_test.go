package extract

import (
	"testing"

	"mailgap/shared/deptest"
)

func TestDeps(t *testing.T) {
	deptest.Check(t, []string{"os/exec", "github.com/klippa-app/go-pdfium/webassembly", "mailgap/readmail/extract/internal/office"}, map[string]string{
		"mailgap/sendmail":         "reading must not send",
		"mailgap/confirm":          "reading asks nobody",
		"mailgap/sanitize":         "the caller sanitises; this package gives raw text",
		"mailgap/readmail/decode":  "the caller decodes; it passes a function",
		"mailgap/readmail/wire":    "attachments come from the caller",
		"mailgap/readmail/session": "attachments come from the caller",
		"net/http":                 "nothing is fetched",
		"net/smtp":                 "reading must not send",
		"testing":                  "belongs to tests",
		"mailgap/readmail/extract/internal/fixture": "belongs to tests",
	})
}
