package book

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"slices"
	"sort"

	"mailgap/shared/ledger"
)

// The index. A run holds the hashes of a range of entries of one week in ascending order: the upper halves in its head, which a
// reader keeps in memory, and the rest in blocks that are read when an upper half was found. What a run does not hold is not
// in its entries, because head and blocks are sealed and the head says how many there are; so a run that was taken away or
// exchanged costs time and hides nothing.

// Sizes of runs.
const (
	RunEntries   = 256      // entries that make a first run
	MergedRuns   = 8        // runs of one size that become one
	MaxRunSpan   = 2048     // entries of the largest run; their numbers must fit 16 bits
	blockPrints  = 512      // items of one block, 8 octets each
	blocksPerRun = 1 << 20  // so that a block's number has room in its row's
	tagBytes     = 16       // of a run, random: binds blocks to their head
	maxRunPrints = 12 << 20 // Limit: MaxRunSpan entries of MaxPrints fingerprints and MaxSightings identifiers
)

// Item is one hash of one entry.
type Item struct {
	Hash uint64
	Seq  int64
	Pos  uint16 // SightingPosition: it is an identifier
}

// Span is a range of entries, both ends included.
type Span struct{ First, Last int64 }

// Run is an open run. Safe for concurrent reading.
type Run struct {
	ID    int64
	Epoch int64
	Span
	Entries int
	upper   []uint32
	tag     []byte
}

// SortItems puts items into the order of a run.
func SortItems(items []Item) {
	slices.SortFunc(items, func(a, b Item) int {
		return cmp.Or(cmp.Compare(a.Hash, b.Hash), cmp.Compare(a.Seq, b.Seq), cmp.Compare(a.Pos, b.Pos))
	})
}

func runName(epoch int64, s Span) []byte {
	b := binary.BigEndian.AppendUint64([]byte("run"), uint64(epoch))
	return binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(b, uint64(s.First)), uint64(s.Last))
}

func blockName(tag []byte, n int) []byte {
	return binary.BigEndian.AppendUint64(append([]byte("block"), tag...), uint64(n))
}

// Sealed is a run ready to be written.
type Sealed struct {
	Head   []byte
	Blocks [][]byte
}

// SealRun seals sorted items.
func SealRun(e *Epoch, random io.Reader, s Span, items []Item) (Sealed, error) {
	if s.Last-s.First >= MaxRunSpan || len(items) > maxRunPrints {
		return Sealed{}, fmt.Errorf("%w: run too large", ledger.ErrFailed)
	}
	tag := make([]byte, tagBytes)
	if _, err := io.ReadFull(random, tag); err != nil {
		return Sealed{}, fmt.Errorf("%w: random source: %v", ledger.ErrFailed, err)
	}
	head := append(make([]byte, 0, tagBytes+4*len(items)), tag...)
	for _, it := range items {
		head = binary.LittleEndian.AppendUint32(head, uint32(it.Hash>>32))
	}
	var out Sealed
	var err error
	if out.Head, err = e.Seal(random, head, runName(e.N, s)); err != nil {
		return out, err
	}
	for n := 0; n*blockPrints < len(items); n++ {
		block := make([]byte, 0, 8*blockPrints)
		for _, it := range items[n*blockPrints : min(len(items), (n+1)*blockPrints)] {
			block = binary.LittleEndian.AppendUint32(block, uint32(it.Hash))
			block = binary.LittleEndian.AppendUint16(block, uint16(it.Seq-s.First))
			block = binary.LittleEndian.AppendUint16(block, it.Pos)
		}
		sealed, err := e.Seal(random, block, blockName(tag, n))
		if err != nil {
			return out, err
		}
		out.Blocks = append(out.Blocks, sealed)
	}
	return out, nil
}

// OpenRun opens the head of a run that claims to hold the entries of s.
func OpenRun(e *Epoch, id int64, s Span, entries int, sealed []byte) (*Run, error) {
	plain, err := e.Open(sealed, runName(e.N, s))
	if err != nil {
		return nil, err
	}
	if len(plain) < tagBytes || (len(plain)-tagBytes)%4 != 0 || s.First > s.Last || s.Last-s.First >= MaxRunSpan {
		return nil, fmt.Errorf("%w: head of a run", ledger.ErrCorrupt)
	}
	r := &Run{ID: id, Epoch: e.N, Span: s, Entries: entries, tag: bytes.Clone(plain[:tagBytes]), upper: make([]uint32, (len(plain)-tagBytes)/4)}
	for i := range r.upper {
		r.upper[i] = binary.LittleEndian.Uint32(plain[tagBytes+4*i:])
	}
	return r, nil
}

// Items is how many hashes the run holds.
func (r *Run) Items() int { return len(r.upper) }

// BlockRow is the row of block n of a run.
func BlockRow(run int64, n int) int64 { return run*blocksPerRun + int64(n) }

// Block reads block n.
func (r *Run) Block(ctx context.Context, q Querier, e *Epoch, n int) ([]byte, error) {
	var sealed []byte
	if err := q.QueryRowContext(ctx, "SELECT data FROM block WHERE id = ?", BlockRow(r.ID, n)).Scan(&sealed); err != nil {
		return nil, fmt.Errorf("%w: block of a run: %v", ledger.ErrCorrupt, err)
	}
	plain, err := e.Open(sealed, blockName(r.tag, n))
	if err != nil {
		return nil, err
	}
	if want := min(blockPrints, len(r.upper)-n*blockPrints); len(plain) != 8*want {
		return nil, fmt.Errorf("%w: block of a run", ledger.ErrCorrupt)
	}
	return plain, nil
}

// item is item i, which lies in block.
func (r *Run) item(block []byte, i int) Item {
	b := block[8*(i%blockPrints):]
	return Item{
		Hash: uint64(r.upper[i])<<32 | uint64(binary.LittleEndian.Uint32(b)),
		Seq:  r.First + int64(binary.LittleEndian.Uint16(b[4:])), Pos: binary.LittleEndian.Uint16(b[6:]),
	}
}

// Asked is a hash that is looked for, and what it is to whoever asks.
type Asked struct {
	Hash  uint64
	Index int32
}

const digitBits = 11 // Limit: three digits cover the upper half, and their counts fit the first-level cache

// Ask puts hashes into the order in which runs are searched, by their upper halves, and numbers them as they come. It is linear: a
// long text asks for hundreds of thousands.
func Ask(hashes []uint64) []Asked {
	from, to := make([]Asked, len(hashes)), make([]Asked, len(hashes))
	for i, h := range hashes {
		from[i] = Asked{h, int32(i)}
	}
	for shift := 32; shift < 64; shift += digitBits {
		var starts [1 << digitBits]int32
		for _, a := range from {
			starts[a.Hash>>shift&(1<<digitBits-1)]++
		}
		sum := int32(0)
		for d, n := range starts {
			starts[d], sum = sum, sum+n
		}
		for _, a := range from {
			d := a.Hash >> shift & (1<<digitBits - 1)
			to[starts[d]] = a
			starts[d]++
		}
		from, to = to, from
	}
	return from
}

// Find calls found for each item of the run whose hash is asked for. Asked hashes come from Ask. Each block is read once at most.
func (r *Run) Find(ctx context.Context, q Querier, e *Epoch, asked []Asked, found func(Item, int32)) error {
	var block []byte
	loaded, at := -1, 0
	for _, a := range asked {
		up := uint32(a.Hash >> 32)
		at = r.seek(at, up)
		for i := at; i < len(r.upper) && r.upper[i] == up; i++ {
			if i/blockPrints != loaded {
				var err error
				if block, err = r.Block(ctx, q, e, i/blockPrints); err != nil {
					return err
				}
				loaded = i / blockPrints
			}
			if it := r.item(block, i); it.Hash == a.Hash {
				found(it, a.Index)
			}
		}
	}
	return nil
}

// seek returns the first index from at on whose upper half is not below up, in steps that double.
func (r *Run) seek(at int, up uint32) int {
	step := 1
	hi := at
	for hi < len(r.upper) && r.upper[hi] < up {
		at = hi + 1
		hi += step
		step *= 2
	}
	hi = min(hi, len(r.upper))
	return at + sort.Search(hi-at, func(i int) bool { return r.upper[at+i] >= up })
}

// All reads the whole run.
func (r *Run) All(ctx context.Context, q Querier, e *Epoch) ([]Item, error) {
	out := make([]Item, 0, len(r.upper))
	var block []byte
	for i := range r.upper {
		if i%blockPrints == 0 {
			var err error
			if block, err = r.Block(ctx, q, e, i/blockPrints); err != nil {
				return nil, err
			}
		}
		out = append(out, r.item(block, i))
	}
	return out, nil
}

// Items lists the hashes of an entry.
func (b Body) Items(seq int64) []Item {
	out := make([]Item, 0, len(b.Prints)+len(b.Sightings))
	for _, p := range b.Prints {
		out = append(out, Item{p.Hash, seq, uint16(p.Pos)})
	}
	for _, s := range b.Sightings {
		out = append(out, Item{s.Hash(), seq, SightingPosition})
	}
	return out
}

// Load reads the content of an entry that was handed out. e is the key of its week.
func Load(ctx context.Context, q Querier, e *Epoch, seq int64, facts, body bool) (ledger.Facts, Body, error) {
	var f ledger.Facts
	var b Body
	var head, rest []byte
	query := "SELECT head, body FROM content WHERE seq = ?"
	if !body {
		query = "SELECT head, x'' FROM content WHERE seq = ?"
	}
	if err := q.QueryRowContext(ctx, query, seq).Scan(&head, &rest); err != nil {
		return f, b, fmt.Errorf("%w: content of entry %d: %v", ledger.ErrCorrupt, seq, err)
	}
	if facts {
		plain, err := e.Open(head, FactsName(seq))
		if err != nil {
			return f, b, err
		}
		if f, err = DecodeFacts(plain); err != nil {
			return f, b, err
		}
	}
	if body {
		plain, err := e.Open(rest, BodyName(seq))
		if err != nil {
			return f, b, err
		}
		if b, err = DecodeBody(plain); err != nil {
			return f, b, err
		}
	}
	return f, b, nil
}

// Spans returns the ranges between from and to that no run covers. runs ascend and do not overlap; what does is not used.
func Spans(runs []Span, from, to int64) []Span {
	var out []Span
	for _, r := range runs {
		if r.First > from {
			out = append(out, Span{from, min(r.First-1, to)})
		}
		from = max(from, r.Last+1)
	}
	if from <= to {
		out = append(out, Span{from, to})
	}
	return out
}
