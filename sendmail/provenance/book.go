package provenance

import (
	"context"
	"time"

	"mailgap/shared/fingerprint"
	"mailgap/shared/ledger"
	"mailgap/shared/ledger/reader"
)

// Book is what is asked of the ledger. reader.Reader is one.
type Book interface {
	Health(ctx context.Context) ledger.Health
	Message(ctx context.Context, ref string) (ledger.Message, bool, error)
	ByMessageID(ctx context.Context, id string) ([]ledger.Message, error)
	Sightings(ctx context.Context, ids []fingerprint.Identifier) ([]*reader.Sighting, error)
	Matches(ctx context.Context, q *fingerprint.Query, max int) ([]reader.Match, error)
	Confidential(ctx context.Context, since time.Time) (time.Time, ledger.Message, bool, error)
}

var _ Book = (*reader.Reader)(nil)
