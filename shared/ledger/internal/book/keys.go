package book

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash"
	"io"

	"mailgap/shared/fingerprint"
	"mailgap/shared/ledger"
)

// Sizes of keys and names, in octets.
const (
	MasterOctets = 32
	IDOctets     = 16
	secretOctets = 32
	macOctets    = sha256.Size
	tagsOctets   = 16
)

// Keys are what the master key gives for one book. Safe for concurrent use.
type Keys struct {
	ID    []byte // of the book, random
	chain []byte
	wrap  cipher.AEAD
}

// NewKeys derives the keys of the book id.
func NewKeys(master, id []byte) (*Keys, error) {
	if len(master) != MasterOctets || len(id) != IDOctets {
		return nil, fmt.Errorf("%w: wrong length", ledger.ErrKey)
	}
	chain, err := hkdf.Key(sha256.New, master, id, "mailgap ledger chain", macOctets)
	if err != nil {
		return nil, fmt.Errorf("%w: %v", ledger.ErrKey, err)
	}
	wrap, err := derivedAEAD(master, id, "mailgap ledger wrap")
	return &Keys{ID: id, chain: chain, wrap: wrap}, err
}

func derivedAEAD(secret, salt []byte, purpose string) (cipher.AEAD, error) {
	key, err := hkdf.Key(sha256.New, secret, salt, purpose, 32)
	if err != nil {
		return nil, fmt.Errorf("%w: %v", ledger.ErrKey, err)
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, fmt.Errorf("%w: %v", ledger.ErrKey, err)
	}
	aead, err := cipher.NewGCM(block)
	if err != nil {
		return nil, fmt.Errorf("%w: %v", ledger.ErrKey, err)
	}
	return aead, nil
}

// Check proves that a master key belongs to a book.
func (k *Keys) Check() []byte { return k.sum("check") }

// Genesis stands in for the code before the first entry.
func (k *Keys) Genesis() []byte { return k.sum("genesis") }

func (k *Keys) sum(word string) []byte {
	m := hmac.New(sha256.New, k.chain)
	io.WriteString(m, word) // a hash never fails
	m.Write(k.ID)
	return m.Sum(nil)
}

// Mac returns a hash under the key of the chain. It can be reset and used again.
func (k *Keys) Mac() hash.Hash { return hmac.New(sha256.New, k.chain) }

// Epoch is the keys of one week.
type Epoch struct {
	N    int64
	Text fingerprint.TextKey
	ID   fingerprint.IDKey
	ref  []byte
	seal cipher.AEAD

	wrapped []byte
}

// Wraps reports whether e is the key that wrapped holds, as OpenEpoch read it.
func (e *Epoch) Wraps(wrapped []byte) bool { return bytes.Equal(e.wrapped, wrapped) }

// NewEpoch draws the secret of week n and returns it wrapped as well.
func (k *Keys) NewEpoch(n int64, random io.Reader) (*Epoch, []byte, error) {
	var buf [secretOctets + 12]byte
	if _, err := io.ReadFull(random, buf[:]); err != nil {
		return nil, nil, fmt.Errorf("%w: random source: %v", ledger.ErrFailed, err)
	}
	nonce := buf[secretOctets:]
	wrapped := k.wrap.Seal(append([]byte(nil), nonce...), nonce, buf[:secretOctets], k.epochName(n))
	e, err := newEpoch(n, buf[:secretOctets])
	return e, wrapped, err
}

// OpenEpoch unwraps the secret of week n.
func (k *Keys) OpenEpoch(n int64, wrapped []byte) (*Epoch, error) {
	if len(wrapped) < 12 {
		return nil, fmt.Errorf("%w: key of a week", ledger.ErrCorrupt)
	}
	secret, err := k.wrap.Open(nil, wrapped[:12], wrapped[12:], k.epochName(n))
	if err != nil {
		return nil, fmt.Errorf("%w: key of a week does not open", ledger.ErrCorrupt)
	}
	e, err := newEpoch(n, secret)
	if err == nil {
		e.wrapped = bytes.Clone(wrapped)
	}
	return e, err
}

func (k *Keys) epochName(n int64) []byte {
	return binary.BigEndian.AppendUint64(append([]byte("epoch"), k.ID...), uint64(n))
}

func newEpoch(n int64, secret []byte) (*Epoch, error) {
	e := &Epoch{N: n}
	text, err := hkdf.Key(sha256.New, secret, nil, "text", len(e.Text))
	if err != nil {
		return nil, fmt.Errorf("%w: %v", ledger.ErrKey, err)
	}
	id, err := hkdf.Key(sha256.New, secret, nil, "identifier", len(e.ID))
	if err != nil {
		return nil, fmt.Errorf("%w: %v", ledger.ErrKey, err)
	}
	if e.ref, err = hkdf.Key(sha256.New, secret, nil, "reference", 32); err != nil {
		return nil, fmt.Errorf("%w: %v", ledger.ErrKey, err)
	}
	copy(e.Text[:], text)
	copy(e.ID[:], id)
	e.seal, err = derivedAEAD(secret, nil, "seal")
	return e, err
}

// About is the keyed name of a message reference, never 0.
func (e *Epoch) About(ref string) int64 { return e.tag("ref", ref) }

// MessageID is the keyed name of a Message-ID; 0 for none.
func (e *Epoch) MessageID(id string) int64 {
	if id == "" {
		return 0
	}
	return e.tag("mid", id)
}

func (e *Epoch) tag(kind, s string) int64 {
	m := hmac.New(sha256.New, e.ref)
	io.WriteString(m, kind) // a hash never fails
	m.Write([]byte{0})
	io.WriteString(m, s)
	return int64(binary.BigEndian.Uint64(m.Sum(nil)) | 1)
}

// Seal encrypts plain under the week's key and binds it to name.
func (e *Epoch) Seal(random io.Reader, plain, name []byte) ([]byte, error) {
	out := make([]byte, 12, 12+len(plain)+16)
	if _, err := io.ReadFull(random, out); err != nil {
		return nil, fmt.Errorf("%w: random source: %v", ledger.ErrFailed, err)
	}
	return e.seal.Seal(out, out[:12], plain, name), nil
}

// Open undoes Seal. Content that was altered, or that belongs to another place, does not open.
func (e *Epoch) Open(sealed, name []byte) ([]byte, error) {
	if len(sealed) < 12+16 {
		return nil, fmt.Errorf("%w: content is cut", ledger.ErrCorrupt)
	}
	plain, err := e.seal.Open(nil, sealed[:12], sealed[12:], name)
	if err != nil {
		return nil, fmt.Errorf("%w: content does not open", ledger.ErrCorrupt)
	}
	return plain, nil
}
