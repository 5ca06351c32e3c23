package htmltext

import (
	"testing"

	"mailgap/shared/deptest"
)

// TestDependencies: a converter of foreign HTML has no business with networks, processes or the rest of the project.
func TestDependencies(t *testing.T) {
	deptest.Check(t, []string{"golang.org/x/net/html", "github.com/andybalholm/cascadia", "github.com/tdewolff/parse/v2/css"}, map[string]string{
		"mailgap/readmail": "it knows no mail protocol",
		"mailgap/sendmail": "it knows no mail protocol",
		"mailgap/confirm":  "it asks nobody",
		"mailgap/shared":   "it must stay usable as the judge of outgoing HTML alone",
		"net":              "nothing is fetched",
		"os/exec":          "nothing is started",
		"testing":          "test code stays out",
	})
}
