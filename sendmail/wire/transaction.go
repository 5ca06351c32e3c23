package wire

import (
	"crypto/sha256"
	"fmt"
	"strings"
	"unicode/utf8"
)

// Transaction is what may leave over a Conn. Nothing else does.
type Transaction struct {
	ReversePath  string   // without angle brackets
	ForwardPaths []string // at least one, at most 100, none twice
	Octets       int64    // of the content, without dot-stuffing
	SHA256       [32]byte // of the content, without dot-stuffing
	// BeforeDot is called once after the content was flushed and before the dot leaves; nil means no. An error closes
	// the connection.
	BeforeDot func() error
}

// NewTransaction returns the transaction for content.
func NewTransaction(from string, to []string, content []byte) Transaction {
	return Transaction{ReversePath: from, ForwardPaths: to, Octets: int64(len(content)), SHA256: sha256.Sum256(content)}
}

// Check returns ErrEnvelope for a transaction that cannot be written safely.
func (t Transaction) Check() error {
	if len(t.ForwardPaths) == 0 || len(t.ForwardPaths) > maxForwardPaths {
		return fmt.Errorf("%w: %d recipients", ErrEnvelope, len(t.ForwardPaths))
	}
	seen := map[string]bool{}
	for _, p := range t.ForwardPaths {
		if seen[p] {
			return fmt.Errorf("%w: recipient twice", ErrEnvelope)
		}
		seen[p] = true
		if err := checkPath(p); err != nil {
			return err
		}
	}
	return checkPath(t.ReversePath)
}

// checkPath refuses everything that could end the path or begin a parameter.
//
// Security: go-smtp looks for CR and LF only, so "a@b> AUTH=<x" would add a parameter to MAIL.
func checkPath(p string) error {
	local, domain, ok := cutLast(p, '@')
	if !ok || local == "" || domain == "" || len(p) > maxPathOctets || !utf8.ValidString(p) {
		return fmt.Errorf("%w: address", ErrEnvelope)
	}
	for _, r := range p {
		if r <= ' ' || r == 0x7F || r >= 0x80 && r < 0xA0 || strings.ContainsRune(`<>()",;:\`, r) || r == 0x2028 || r == 0x2029 || r == 0x85 {
			return fmt.Errorf("%w: address holds a character that is not allowed", ErrEnvelope)
		}
	}
	if strings.Contains(local, "@") {
		return fmt.Errorf("%w: address", ErrEnvelope)
	}
	return nil
}

func cutLast(s string, sep byte) (before, after string, ok bool) {
	i := strings.LastIndexByte(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+1:], true
}

// Record is what left over a Conn.
type Record struct {
	ReversePath  string   // of MAIL, "" if none was sent
	ForwardPaths []string // of RCPT, in order
	DotSent      bool     // the write with the final dot was begun
	Octets       int64    // of the content that left, without dot-stuffing
	SHA256       [32]byte // of the same
	Final        Reply    // the reply to the dot, zero if none came
}
