package compose

import (
	"crypto/sha256"
	"encoding/binary"
	"hash"
	"slices"

	"mailgap/shared/addr"
)

// Identity is a SHA-256 over what a message says and to whom: sender, recipients sorted by kind, subject, text, html,
// inline images and attachments (name, type, digest), parent. It leaves out Date, Message-ID, Content-IDs, boundaries and the tool used, so the same message
// proposed twice has one identity. bcc are the recipients that Facts does not hold.
func (f Facts) Identity(bcc []addr.Address) [32]byte {
	h := digest{sha256.New()}
	h.list("mailgap message identity 1")
	h.list(f.From.DisplayName, f.From.Key())
	for _, kind := range [][]addr.Address{f.To, f.Cc, bcc} {
		h.list(sortedKeys(kind)...)
	}
	h.list(f.Subject)
	h.list(f.Text)
	h.list(f.htmlPieces()...)
	h.list(f.InReplyTo)
	for _, i := range f.Inline {
		h.list("inline", i.Name, i.MediaType, string(i.SHA256[:]))
	}
	for _, a := range f.Attachments {
		h.list(a.Name, a.MediaType, string(a.SHA256[:]))
	}
	return [32]byte(h.Sum(nil))
}

func sortedKeys(list []addr.Address) []string {
	keys := make([]string, len(list))
	for k, a := range list {
		keys[k] = a.Key()
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}

// digest hashes lists of strings so that no two different sequences of lists give the same octets: counts and lengths go first.
type digest struct{ hash.Hash }

func (d digest) list(items ...string) {
	d.number(len(items))
	for _, s := range items {
		d.number(len(s))
		d.Write([]byte(s))
	}
}

func (d digest) number(n int) {
	var b [8]byte
	binary.BigEndian.PutUint64(b[:], uint64(n))
	d.Write(b[:])
}
