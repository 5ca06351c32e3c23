// Package office reads the text of DOCX, XLSX, PPTX, ODT, ODS and ODP files.
package office

import (
	"context"

	"mailgap/readmail/extract/internal/document"
)

// Read returns the text of the document in data, which is of the given kind.
func Read(ctx context.Context, kind string, data []byte, l document.Limits) (document.Document, error) {
	return document.Document{}, document.ErrUnsupported
}
