package confirm

import (
	"crypto/sha256"
	"encoding/binary"
	"hash"
)

// Digest computes the full SHA-256 that an approval is bound to, over labelled fields. Each label and value goes in with its
// length, so no two sequences of fields have the same input. Not safe for concurrent use.
type Digest struct{ h hash.Hash }

// NewDigest returns a Digest without fields.
func NewDigest() *Digest { return &Digest{sha256.New()} }

// Add adds one field. The order of fields counts. It returns d.
func (d *Digest) Add(label string, value []byte) *Digest {
	d.part([]byte(label))
	d.part(value)
	return d
}

// AddText is Add for a string.
func (d *Digest) AddText(label, value string) *Digest { return d.Add(label, []byte(value)) }

// AddList adds a list as one field per item and one for their number.
func (d *Digest) AddList(label string, values []string) *Digest {
	d.Add(label, binary.BigEndian.AppendUint64(nil, uint64(len(values))))
	for _, v := range values {
		d.AddText(label, v)
	}
	return d
}

func (d *Digest) part(b []byte) {
	_, _ = d.h.Write(binary.BigEndian.AppendUint64(nil, uint64(len(b)))) // a hash never fails
	_, _ = d.h.Write(b)
}

// Sum returns the digest of the fields added so far.
func (d *Digest) Sum() (sum [32]byte) {
	copy(sum[:], d.h.Sum(nil))
	return sum
}
