package fingerprint

import (
	"encoding/binary"
	"math/bits"
)

// TextKey keys the hash of text. One key serves one epoch of the ledger.
type TextKey [16]byte

// halves are the two words of the key, as SipHash reads them.
func (k TextKey) halves() (k0, k1 uint64) {
	return binary.LittleEndian.Uint64(k[:8]), binary.LittleEndian.Uint64(k[8:])
}

// sip is the state of SipHash.
type sip struct{ v0, v1, v2, v3 uint64 }

func newSip(k0, k1 uint64) sip {
	return sip{k0 ^ 0x736f6d6570736575, k1 ^ 0x646f72616e646f6d, k0 ^ 0x6c7967656e657261, k1 ^ 0x7465646279746573}
}

func (s *sip) round() {
	s.v0 += s.v1
	s.v1 = bits.RotateLeft64(s.v1, 13) ^ s.v0
	s.v0 = bits.RotateLeft64(s.v0, 32)
	s.v2 += s.v3
	s.v3 = bits.RotateLeft64(s.v3, 16) ^ s.v2
	s.v0 += s.v3
	s.v3 = bits.RotateLeft64(s.v3, 21) ^ s.v0
	s.v2 += s.v1
	s.v1 = bits.RotateLeft64(s.v1, 17) ^ s.v2
	s.v2 = bits.RotateLeft64(s.v2, 32)
}

func (s *sip) word(m uint64) {
	s.v3 ^= m
	s.round()
	s.round()
	s.v0 ^= m
}

func (s *sip) sum() uint64 {
	s.v2 ^= 0xff
	s.round()
	s.round()
	s.round()
	s.round()
	return s.v0 ^ s.v1 ^ s.v2 ^ s.v3
}

// SipHash is SipHash-2-4 of data with a 64-bit result (Aumasson and Bernstein, "SipHash: a fast short-input PRF").
func SipHash(key TextKey, data []byte) uint64 {
	s := newSip(key.halves())
	last := uint64(len(data)) << 56
	for ; len(data) >= 8; data = data[8:] {
		s.word(binary.LittleEndian.Uint64(data))
	}
	for i, c := range data {
		last |= uint64(c) << (8 * i)
	}
	s.word(last)
	return s.sum()
}

// gram is SipHash of the sixteen octets made of two little-endian words.
func gram(k0, k1, lo, hi uint64) uint64 {
	s := newSip(k0, k1)
	s.word(lo)
	s.word(hi)
	s.word(GramOctets << 56)
	return s.sum()
}
