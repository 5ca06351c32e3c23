package book

import (
	"bytes"
	"context"
	"crypto/hmac"
	"database/sql"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"mailgap/shared/ledger"
)

// A head says how far a chain went. It is kept beside the database by writers, and in a directory of its own by each sender, so
// that a chain that ends earlier, or otherwise, is noticed. It is written over in place and not flushed: after a power cut it may
// lag behind the chain, which is allowed, but it is never ahead, because the chain was flushed first.

// Head errors. Test with errors.Is.
var (
	ErrNoHead  = errors.New("book: no head is remembered")
	ErrBadHead = errors.New("book: the remembered head is not one of this book")
)

const headOctets = 20 + 1 + 2*IDOctets + 1 + 2*macOctets + 1 + 2*macOctets + 1

// HeadText writes the head p of the book of k.
func HeadText(k *Keys, p Position) []byte {
	return fmt.Appendf(nil, "%020d %x %x %x\n", p.Seq, k.ID, p.Mac, headSum(k, p))
}

func headSum(k *Keys, p Position) []byte {
	m := k.Mac()
	m.Write(append(binary.BigEndian.AppendUint64([]byte("head"), uint64(p.Seq)), k.ID...))
	m.Write(p.Mac)
	return m.Sum(nil)
}

// ReadHead reads the head in the file path. Errors: ErrNoHead, ErrBadHead, and those of the file system.
func ReadHead(k *Keys, path string) (Position, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return Position{}, ErrNoHead
	}
	if err != nil {
		return Position{}, FileError(err)
	}
	defer f.Close() // only read
	text, err := io.ReadAll(io.LimitReader(f, headOctets+1))
	if err != nil {
		return Position{}, FileError(err)
	}
	return ParseHead(k, text)
}

// ParseHead reads what HeadText wrote.
func ParseHead(k *Keys, text []byte) (Position, error) {
	var p Position
	fields := bytes.Fields(text)
	if len(text) != headOctets || len(fields) != 4 {
		return p, ErrBadHead
	}
	for _, c := range fields[0] {
		if c < '0' || c > '9' || p.Seq > 1<<58 {
			return p, ErrBadHead
		}
		p.Seq = 10*p.Seq + int64(c-'0')
	}
	id, err1 := hex.DecodeString(string(fields[1]))
	mac, err2 := hex.DecodeString(string(fields[2]))
	sum, err3 := hex.DecodeString(string(fields[3]))
	p.Mac = mac
	if errors.Join(err1, err2, err3) != nil || !bytes.Equal(id, k.ID) || !hmac.Equal(sum, headSum(k, p)) {
		return Position{}, ErrBadHead
	}
	return p, nil
}

// OverwriteHead writes the head p into the file path, which exists.
func OverwriteHead(k *Keys, path string, p Position) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return FileError(err)
	}
	_, err = f.WriteAt(HeadText(k, p), 0)
	return FileError(errors.Join(err, f.Close()))
}

// Reaches reports whether the chain in q, which begins after base, went through p.
func Reaches(ctx context.Context, q Querier, base, p Position) (bool, error) {
	switch {
	case p.Seq < base.Seq:
		return true, nil // retention took it; what follows is bound to it
	case p.Seq == base.Seq:
		return bytes.Equal(p.Mac, base.Mac), nil
	}
	var mac []byte
	err := q.QueryRowContext(ctx, "SELECT mac FROM log WHERE seq = ?", p.Seq).Scan(&mac)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	return bytes.Equal(mac, p.Mac), DatabaseError(err)
}

// HeadPath is the file beside the database.
func HeadPath(dir string) string { return filepath.Join(dir, HeadName) }

// Traces reports whether a book was once made in dir, though its database may be gone.
func Traces(dir string, keys ledger.KeyStore) bool {
	for _, name := range []string{HeadName, KeyName} {
		if _, err := os.Lstat(filepath.Join(dir, name)); !errors.Is(err, fs.ErrNotExist) {
			return true
		}
	}
	if keys == nil {
		return false
	}
	user, err := keyUser(dir)
	if err != nil {
		return true
	}
	key, err := keys.Get(keyService, user)
	return err != nil || key != nil
}
