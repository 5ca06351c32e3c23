package readmail

import (
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"mailgap/sanitize"
)

const (
	maxRefOctets     = 4096 // Limit: a mailbox name of 1,000 octets, all of them percent-encoded, and room for the rest
	maxMailboxOctets = 1000 // Limit: the longest name that common servers accept is 255 octets per level
	maxAccountOctets = 64
	maxSectionOctets = 64 // Limit: twenty levels of nesting with two-digit part numbers
)

// ErrBadRef is returned for a message reference that does not have the form that list_messages gives.
var ErrBadRef = errors.New("readmail: malformed message reference")

// MessageRef names one message, or one body part of it, for as long as the mailbox keeps its UIDVALIDITY
// (RFC 9051 §2.3.1.1). Its written form is modelled on RFC 5092:
//
//	imap://ACCOUNT/MAILBOX;UIDVALIDITY=n/;UID=n
//	imap://ACCOUNT/MAILBOX;UIDVALIDITY=n/;UID=n/;SECTION=1.2
//
// MAILBOX is percent-encoded UTF-8. Account is the configured account name, not a host.
type MessageRef struct {
	Account     string
	Mailbox     string // decoded; "/" in it is a character of the name, whatever the hierarchy delimiter is
	UIDValidity uint32
	UID         uint32
	Section     string // part number as in RFC 9051 §6.4.5, or "" for the message
}

// String returns the written form of r.
func (r MessageRef) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "imap://%s/%s;UIDVALIDITY=%d/;UID=%d", escapeRef(r.Account), escapeRef(r.Mailbox), r.UIDValidity, r.UID)
	if r.Section != "" {
		b.WriteString("/;SECTION=" + r.Section)
	}
	return b.String()
}

// Clean returns the written form as text that fits into a tool result: it consists of unreserved characters, "%", "/",
// ";" and "=" alone.
func (r MessageRef) Clean() sanitize.Clean { return sanitize.Reference(r.String()) }

// Message returns r without its section.
func (r MessageRef) Message() MessageRef {
	r.Section = ""
	return r
}

// Part returns r with section number.
func (r MessageRef) Part(number string) MessageRef {
	r.Section = number
	return r
}

// escapeRef percent-encodes all but the unreserved characters of RFC 3986 §2.3 and "/".
func escapeRef(s string) string {
	const hex = "0123456789ABCDEF"
	var b strings.Builder
	for i := range len(s) {
		c := s[i]
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', strings.IndexByte("-._~/", c) >= 0:
			b.WriteByte(c)
		default:
			b.WriteByte('%')
			b.WriteByte(hex[c>>4])
			b.WriteByte(hex[c&15])
		}
	}
	return b.String()
}

// ParseRef reads the written form of a MessageRef. Keywords are matched without regard to case; everything else must be
// as String writes it or a percent-encoded spelling of the same. Errors wrap ErrBadRef and never repeat the input.
func ParseRef(s string) (MessageRef, error) {
	var r MessageRef
	if len(s) > maxRefOctets {
		return r, fmt.Errorf("%w: longer than %d octets", ErrBadRef, maxRefOctets)
	}
	rest, ok := cutPrefixFold(s, "imap://")
	if !ok {
		return r, fmt.Errorf("%w: it does not begin with imap://", ErrBadRef)
	}
	account, rest, ok := strings.Cut(rest, "/")
	if !ok {
		return r, fmt.Errorf("%w: no mailbox", ErrBadRef)
	}
	mailbox, params, ok := strings.Cut(rest, ";")
	if !ok {
		return r, fmt.Errorf("%w: no ;UIDVALIDITY= after the mailbox", ErrBadRef)
	}
	var err error
	if r.Account, err = unescapeRef(account, maxAccountOctets); err != nil {
		return r, fmt.Errorf("%w: account name: %v", ErrBadRef, err)
	}
	if r.Mailbox, err = unescapeRef(mailbox, maxMailboxOctets); err != nil {
		return r, fmt.Errorf("%w: mailbox name: %v", ErrBadRef, err)
	}
	return r, r.parseParams(params)
}

// parseParams reads "UIDVALIDITY=n/;UID=n" with an optional "/;SECTION=n.n".
func (r *MessageRef) parseParams(s string) error {
	validity, rest, ok := strings.Cut(s, "/;")
	if !ok {
		return fmt.Errorf("%w: no /;UID= part", ErrBadRef)
	}
	uid, section, hasSection := strings.Cut(rest, "/;")
	var err error
	if r.UIDValidity, err = nzNumber(validity, "UIDVALIDITY="); err != nil {
		return err
	}
	if r.UID, err = nzNumber(uid, "UID="); err != nil {
		return err
	}
	if !hasSection {
		return nil
	}
	number, ok := cutPrefixFold(section, "SECTION=")
	if !ok || !validPartNumber(number) {
		return fmt.Errorf("%w: SECTION must be a part number such as 1.2", ErrBadRef)
	}
	r.Section = number
	return nil
}

// nzNumber reads key followed by nz-number (RFC 9051 §9: 1 to 4294967295, no leading zero).
func nzNumber(s, key string) (uint32, error) {
	digits, ok := cutPrefixFold(s, key)
	n, err := strconv.ParseUint(digits, 10, 32)
	if !ok || err != nil || n == 0 || digits[0] < '1' {
		return 0, fmt.Errorf("%w: %s must be followed by a number from 1 to 4294967295", ErrBadRef, strings.TrimSuffix(key, "="))
	}
	return uint32(n), nil
}

// validPartNumber reports whether s is section-part of RFC 9051 §9: nz-number *("." nz-number).
func validPartNumber(s string) bool {
	if s == "" || len(s) > maxSectionOctets {
		return false
	}
	for f := range strings.SplitSeq(s, ".") {
		n, err := strconv.ParseUint(f, 10, 16)
		if err != nil || n == 0 || f[0] < '1' {
			return false
		}
	}
	return true
}

func unescapeRef(s string, limit int) (string, error) {
	v, err := url.PathUnescape(s)
	switch {
	case err != nil:
		return "", errors.New("a % is not followed by two hexadecimal digits")
	case v == "":
		return "", errors.New("it is empty")
	case len(v) > limit:
		return "", fmt.Errorf("it is longer than %d octets", limit)
	}
	return v, checkName(v)
}

// checkName refuses what no mailbox name needs and what could end an IMAP line.
func checkName(s string) error {
	if !utf8.ValidString(s) {
		return errors.New("it is not valid UTF-8")
	}
	if strings.ContainsFunc(s, unicode.IsControl) {
		return errors.New("it holds a control character")
	}
	return nil
}

func cutPrefixFold(s, prefix string) (string, bool) {
	if len(s) < len(prefix) || !strings.EqualFold(s[:len(prefix)], prefix) {
		return s, false
	}
	return s[len(prefix):], true
}
