package fingerprint

import "encoding/binary"

// The parameters of the fingerprints, measured on several hundred mails: every shared run of 28 normalised octets is found.
const (
	GramOctets   = 16                            // k: length of one hashed run of normalised text
	WindowGrams  = 13                            // w: of each so many neighbouring runs the smallest hash is kept
	SharedOctets = GramOctets + WindowGrams - 1  // every shared run of this length is found
	MaxPrints    = 4096                          // Limit: kept of one text, about 29 KB normalised
	maxIndexed   = MaxPrints * (WindowGrams + 1) // normalised octets looked at in one text; twice the average for MaxPrints
)

// Print is one kept fingerprint: the hash of GramOctets octets of normalised text, and where they begin in it.
type Print struct {
	Hash uint64
	Pos  uint32
}

// Index is what is kept of one text. Partly says that the text was longer than MaxPrints fingerprints cover: then nothing is
// known of its end.
type Index struct {
	Prints []Print // in the order of the text
	Octets int     // of the normalised text that Prints cover
	Partly bool
}

// NewIndex winnows text: it is normalised, all runs of GramOctets octets are hashed, and of each window of WindowGrams runs the
// smallest is kept (Schleimer, Wilkerson and Aiken 2003). A text of fewer than GramOctets normalised octets has none; one
// with fewer than SharedOctets keeps its smallest. Time is linear in text.
func NewIndex(text string, key TextKey) Index { return winnow(normalise(text, maxIndexed), key) }

func winnow(n normalised, key TextKey) Index {
	out := Index{Octets: len(n.text), Partly: n.cut}
	hashes := grams(n.text, key)
	if len(hashes) == 0 {
		return out
	}
	window := min(WindowGrams, len(hashes))
	last := -1 // position of the print kept last
	for end := window - 1; end < len(hashes); end++ {
		start := end - window + 1
		// The rightmost minimum is kept, so that a minimum serves as many windows as it can.
		best := last
		if last < start {
			best = start
			for p := start + 1; p <= end; p++ {
				if hashes[p] <= hashes[best] {
					best = p
				}
			}
		} else if hashes[end] <= hashes[best] {
			best = end
		}
		if best == last {
			continue
		}
		if len(out.Prints) == MaxPrints {
			out.Partly, out.Octets = true, last+GramOctets
			return out
		}
		last = best
		out.Prints = append(out.Prints, Print{Hash: hashes[best], Pos: uint32(best)})
	}
	return out
}

// grams hashes every run of GramOctets octets.
func grams(text []byte, key TextKey) []uint64 {
	if len(text) < GramOctets {
		return nil
	}
	k0, k1 := key.halves()
	out := make([]uint64, len(text)-GramOctets+1)
	for p := range out {
		out[p] = gram(k0, k1, binary.LittleEndian.Uint64(text[p:]), binary.LittleEndian.Uint64(text[p+8:]))
	}
	return out
}
