package book

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"mailgap/shared/fingerprint"
	"mailgap/shared/ledger"
)

// Sighting is an identifier and where it was seen.
type Sighting struct {
	Digest fingerprint.Digest
	Place  ledger.Place
}

// Hash is what the index knows a sighting by.
func (s Sighting) Hash() uint64 { return DigestHash(s.Digest) }

// DigestHash is what the index knows an identifier by.
func DigestHash(d fingerprint.Digest) uint64 { return binary.LittleEndian.Uint64(d[:8]) }

// Body is what an entry adds to what is known of a message.
type Body struct {
	Partly    bool
	Octets    int // normalised octets of all texts of the message so far
	Sightings []Sighting
	Prints    []fingerprint.Print
}

// maxPosition is the largest position kept. Limit: MaxPrints fingerprints cover fewer octets.
const maxPosition = math.MaxUint16 - 1

// SightingPosition marks an index entry that is no fingerprint.
const SightingPosition = math.MaxUint16

const bodyVersion = 1

// EncodeBody writes b.
func EncodeBody(b Body) []byte {
	out := make([]byte, 0, 16+17*len(b.Sightings)+10*len(b.Prints))
	flags := byte(0)
	if b.Partly {
		flags = 1
	}
	out = append(out, bodyVersion, flags)
	out = binary.AppendUvarint(out, uint64(b.Octets))
	out = binary.AppendUvarint(out, uint64(len(b.Sightings)))
	places := ledger.Places()
	for _, s := range b.Sightings {
		out = append(out, byte(slices.Index(places, s.Place)))
		out = append(out, s.Digest[:]...)
	}
	out = binary.AppendUvarint(out, uint64(len(b.Prints)))
	for _, p := range b.Prints {
		out = binary.LittleEndian.AppendUint64(out, p.Hash)
		out = binary.LittleEndian.AppendUint16(out, uint16(min(p.Pos, maxPosition)))
	}
	return out
}

// DecodeBody reads what EncodeBody wrote.
func DecodeBody(in []byte) (Body, error) {
	var b Body
	bad := fmt.Errorf("%w: content of an entry", ledger.ErrCorrupt)
	if len(in) < 2 || in[0] != bodyVersion {
		return b, bad
	}
	b.Partly, in = in[1]&1 != 0, in[2:]
	number := func(width int) (int, bool) {
		v, n := binary.Uvarint(in)
		if n <= 0 || v > math.MaxInt32 || width > 0 && v > uint64(len(in)-n)/uint64(width) {
			return 0, false
		}
		in = in[n:]
		return int(v), true
	}
	var ok bool
	var n int
	if b.Octets, ok = number(0); !ok {
		return b, bad
	}
	if n, ok = number(17); !ok {
		return b, bad
	}
	places := ledger.Places()
	for range n {
		if int(in[0]) >= len(places) {
			return b, bad
		}
		b.Sightings = append(b.Sightings, Sighting{fingerprint.Digest(in[1:17]), places[in[0]]})
		in = in[17:]
	}
	if n, ok = number(10); !ok || len(in) != 10*n {
		return b, bad
	}
	b.Prints = make([]fingerprint.Print, n)
	for i := range b.Prints {
		b.Prints[i] = fingerprint.Print{Hash: binary.LittleEndian.Uint64(in), Pos: uint32(binary.LittleEndian.Uint16(in[8:]))}
		in = in[10:]
	}
	return b, nil
}

// EncodeFacts writes f.
func EncodeFacts(f ledger.Facts) ([]byte, error) {
	out, err := json.Marshal(f)
	if err != nil {
		return nil, fmt.Errorf("%w: %v", ledger.ErrFailed, err)
	}
	return out, nil
}

// DecodeFacts reads what EncodeFacts wrote.
func DecodeFacts(in []byte) (ledger.Facts, error) {
	var f ledger.Facts
	if err := json.Unmarshal(in, &f); err != nil {
		return f, fmt.Errorf("%w: facts of an entry", ledger.ErrCorrupt)
	}
	return f, nil
}

// FactsName binds the sealed facts to their entry.
func FactsName(seq int64) []byte { return name("head", seq) }

// BodyName binds the sealed body to its entry.
func BodyName(seq int64) []byte { return name("body", seq) }

func name(kind string, n int64) []byte {
	return binary.BigEndian.AppendUint64([]byte(kind), uint64(n))
}
