package readmail

import (
	"sync"

	"mailgap/readmail/session"
)

const maxStructures = 2000 // Limit: body structures kept in memory; a usual one is about 1 kB

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

// put remembers p unless it is unusually large. The oldest entry makes room.
func (c *structureCache) put(ref MessageRef, p *session.Part) {
	if p == nil || countParts(p) > maxCachedParts {
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

func countParts(p *session.Part) int {
	n := 0
	p.Walk(func(*session.Part) bool {
		n++
		return n <= maxCachedParts
	})
	return n
}
