package readmail

import (
	"sync"

	"mailgap/readmail/session"
)

const (
	maxStructures      = 2000     // Limit: body structures kept in memory; a usual one is about 1 kB
	maxStructureOctets = 12 << 10 // Limit: of one that is kept, so that all of them together stay under 24 MB
	partOctets         = 200      // of a part without its strings, about
)

// structureCache remembers the body structures of messages that were listed, so that reading one takes a single round
// trip. A structure never changes while UIDVALIDITY stays. The zero value is empty and ready; it is safe for concurrent use.
type structureCache struct {
	mu   sync.Mutex
	m    map[MessageRef]*session.Part
	ring []MessageRef
	next int
}

func (c *structureCache) get(ref MessageRef) *session.Part {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.m[ref.Message()]
}

// put remembers p unless it is unusually large: names and parameters in it are as long as their sender likes. The oldest
// entry makes room.
func (c *structureCache) put(ref MessageRef, p *session.Part) {
	if p == nil || structureOctets(p) > maxStructureOctets {
		return
	}
	ref = ref.Message()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.m == nil {
		c.m = map[MessageRef]*session.Part{}
	}
	if _, ok := c.m[ref]; ok {
		return
	}
	if len(c.ring) < maxStructures {
		c.ring = append(c.ring, ref)
	} else {
		delete(c.m, c.ring[c.next])
		c.ring[c.next] = ref
		c.next = (c.next + 1) % maxStructures
	}
	c.m[ref] = p
}

// structureOctets is what p takes in memory, about; beyond maxStructureOctets it stops counting.
func structureOctets(p *session.Part) int {
	n := 0
	p.Walk(func(p *session.Part) bool {
		n += partOctets + len(p.Number) + len(p.MediaType) + len(p.ID) + len(p.Description) + len(p.Encoding) + len(p.Disposition) + len(p.Location)
		for _, l := range p.Language {
			n += len(l)
		}
		for _, params := range []map[string]string{p.Params, p.DispositionParams} {
			for k, v := range params {
				n += len(k) + len(v)
			}
		}
		return n <= maxStructureOctets
	})
	return n
}
