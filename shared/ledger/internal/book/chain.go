package book

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
)

// Querier is what *sql.DB and *sql.Tx have in common for reading.
type Querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// ErrChain says that the chain does not hold. The text says where, in our own words.
var ErrChain = errors.New("the chain of entries is broken")

// Entry is a row of the log without its content. The slices are valid until the next row is read.
type Entry struct {
	Seq, Epoch, At    int64
	Kind              int64
	About, MessageID  int64
	Tags, Digest, Mac []byte
	Gone              int64 // number of the entry that says that the content of this one was taken away; 0: it is there
}

// Position is a place in the chain: the number of an entry, and its code.
type Position struct {
	Seq int64
	Mac []byte
}

// ContentDigest is what binds content to its entry.
func ContentDigest(head, body []byte) []byte {
	h := sha256.New()
	h.Write(binary.BigEndian.AppendUint64(nil, uint64(len(head))))
	h.Write(head)
	h.Write(body)
	return h.Sum(nil)
}

// TagSum binds the keyed names of an entry to it, and stays when the names are taken away.
func TagSum(m hash.Hash, seq, about, mid int64) []byte {
	var b [28]byte
	copy(b[:], "tags")
	binary.BigEndian.PutUint64(b[4:], uint64(seq))
	binary.BigEndian.PutUint64(b[12:], uint64(about))
	binary.BigEndian.PutUint64(b[20:], uint64(mid))
	m.Reset()
	m.Write(b[:])
	return m.Sum(nil)[:tagsOctets]
}

// Code binds an entry to the one before it.
func Code(m hash.Hash, prev []byte, e *Entry) []byte {
	var b [25]byte
	binary.BigEndian.PutUint64(b[0:], uint64(e.Seq))
	binary.BigEndian.PutUint64(b[8:], uint64(e.Epoch))
	binary.BigEndian.PutUint64(b[16:], uint64(e.At))
	b[24] = byte(e.Kind)
	m.Reset()
	m.Write(prev)
	m.Write(b[:])
	m.Write(e.Tags)
	m.Write(e.Digest)
	return m.Sum(nil)
}

// Base returns where the chain begins: before the first entry, or after the last one that retention took away.
func Base(ctx context.Context, q Querier, k *Keys) (Position, error) {
	var head []byte
	err := q.QueryRowContext(ctx, "SELECT c.head FROM log l JOIN content c ON c.seq = l.seq WHERE l.kind = ? ORDER BY l.seq DESC LIMIT 1", KindExpired).Scan(&head)
	if errors.Is(err, sql.ErrNoRows) {
		return Position{Mac: k.Genesis()}, nil
	}
	if err != nil {
		return Position{}, DatabaseError(err)
	}
	return ParseExpired(head)
}

// Expired is the content of an entry that says that all entries up to p are gone.
func Expired(p Position) []byte {
	return append(binary.BigEndian.AppendUint64(nil, uint64(p.Seq)), p.Mac...)
}

// ParseExpired reads the content of such an entry.
func ParseExpired(b []byte) (Position, error) {
	if len(b) != 8+macOctets {
		return Position{}, fmt.Errorf("%w: an entry on retention is malformed", ErrChain)
	}
	return Position{Seq: int64(binary.BigEndian.Uint64(b)), Mac: bytes.Clone(b[8:])}, nil
}

// Numbers is the content of an entry that says of which entries the content was taken away. They ascend.
func Numbers(seqs []int64) []byte {
	var out []byte
	prev := int64(0)
	for _, s := range seqs {
		out = binary.AppendUvarint(out, uint64(s-prev))
		prev = s
	}
	return out
}

// ParseNumbers reads such content.
func ParseNumbers(b []byte) ([]int64, error) {
	var out []int64
	prev := int64(0)
	for len(b) > 0 {
		d, n := binary.Uvarint(b)
		if n <= 0 || d == 0 || int64(d) < 0 || prev+int64(d) < prev {
			return nil, fmt.Errorf("%w: an entry on forgetting is malformed", ErrChain)
		}
		prev += int64(d)
		out, b = append(out, prev), b[n:]
	}
	return out, nil
}

// walk is one passage through the chain.
type walk struct {
	keys    *Keys
	mac     hash.Hash
	at      Position
	gone    map[int64]int64 // entry to the one that took its content
	control []control
	visit   func(*Entry)
}

// control is an entry whose content is part of the proof.
type control struct {
	seq, kind int64
	digest    []byte
}

// Walk follows the chain from the entry after from to the newest and returns the position of that. visit, if not nil, sees each
// entry. Errors: ErrChain, and those of the database.
func Walk(ctx context.Context, q Querier, k *Keys, from Position, visit func(*Entry)) (Position, error) {
	w := &walk{keys: k, mac: k.Mac(), at: from, gone: map[int64]int64{}, visit: visit}
	if err := w.rows(ctx, q); err != nil {
		return from, err
	}
	if err := w.contents(ctx, q); err != nil {
		return from, err
	}
	for seq := range w.gone {
		return from, fmt.Errorf("%w: the content of entry %d was taken away and nothing says so", ErrChain, seq)
	}
	return w.at, nil
}

func (w *walk) rows(ctx context.Context, q Querier) error {
	rows, err := q.QueryContext(ctx, "SELECT seq, epoch, at, kind, about, mid, tags, digest, mac, gone FROM log WHERE seq > ? ORDER BY seq", w.at.Seq)
	if err != nil {
		return DatabaseError(err)
	}
	defer rows.Close() // its error is rows.Err
	var e Entry
	var tags, digest, mac sql.RawBytes
	for rows.Next() {
		if err := rows.Scan(&e.Seq, &e.Epoch, &e.At, &e.Kind, &e.About, &e.MessageID, &tags, &digest, &mac, &e.Gone); err != nil {
			return DatabaseError(err)
		}
		e.Tags, e.Digest, e.Mac = tags, digest, mac
		if err := w.row(&e); err != nil {
			return err
		}
	}
	return DatabaseError(rows.Err())
}

func (w *walk) row(e *Entry) error {
	if e.Seq != w.at.Seq+1 {
		return fmt.Errorf("%w: after entry %d comes %d", ErrChain, w.at.Seq, e.Seq)
	}
	if !hmac.Equal(Code(w.mac, w.at.Mac, e), e.Mac) {
		return fmt.Errorf("%w: entry %d is not the one that was written after %d", ErrChain, e.Seq, w.at.Seq)
	}
	switch {
	case e.Gone != 0:
		w.gone[e.Seq] = e.Gone
	case !hmac.Equal(TagSum(w.mac, e.Seq, e.About, e.MessageID), e.Tags):
		return fmt.Errorf("%w: the names of entry %d were changed", ErrChain, e.Seq)
	}
	if e.Kind != KindRecord {
		w.control = append(w.control, control{e.Seq, e.Kind, bytes.Clone(e.Digest)})
	}
	w.at = Position{e.Seq, append(w.at.Mac[:0:0], e.Mac...)}
	if w.visit != nil {
		w.visit(e)
	}
	return nil
}

// contents reads what the control entries say and strikes the entries off whose content may be missing.
func (w *walk) contents(ctx context.Context, q Querier) error {
	for _, c := range w.control {
		var head, body []byte
		if err := q.QueryRowContext(ctx, "SELECT head, body FROM content WHERE seq = ?", c.seq).Scan(&head, &body); err != nil {
			return fmt.Errorf("%w: the content of entry %d is missing", ErrChain, c.seq)
		}
		if !hmac.Equal(ContentDigest(head, body), c.digest) {
			return fmt.Errorf("%w: the content of entry %d was changed", ErrChain, c.seq)
		}
		if c.kind != KindForget {
			continue
		}
		seqs, err := ParseNumbers(head)
		if err != nil {
			return err
		}
		for _, s := range seqs {
			if w.gone[s] == c.seq {
				delete(w.gone, s)
			}
		}
	}
	return nil
}

// Newest returns the last entry of the log, unverified; Seq is 0 if there is none.
func Newest(ctx context.Context, q Querier) (Position, Entry, error) {
	var e Entry
	err := q.QueryRowContext(ctx, "SELECT seq, epoch, at, mac FROM log ORDER BY seq DESC LIMIT 1").Scan(&e.Seq, &e.Epoch, &e.At, &e.Mac)
	if errors.Is(err, sql.ErrNoRows) {
		return Position{}, e, nil
	}
	return Position{e.Seq, e.Mac}, e, DatabaseError(err)
}
