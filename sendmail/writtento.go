package sendmail

import (
	"os"
	"sync"
	"time"

	"mailgap/confirm"
	"mailgap/shared/addr"
	"mailgap/shared/audit"
)

// maxWrittenTo bounds the messages that are remembered. Limit: some months of one person's mail.
const maxWrittenTo = 2000

// correspondents are the addresses that messages were sent to which a person approved, from the audit log. Somebody who was approved once
// is no first contact the next time. Safe for concurrent use.
type correspondents struct {
	mu    sync.Mutex
	size  int64 // of the log when it was read
	first map[string]time.Time
}

// since says when the first such message to an address was sent.
func (c *correspondents) since(auditLog string, to addr.Address) time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	info, err := os.Stat(auditLog)
	if err != nil {
		return time.Time{}
	}
	if c.first == nil || info.Size() != c.size {
		c.read(auditLog)
		c.size = info.Size()
	}
	return c.first[to.Key()]
}

// read goes through the log. What cannot be read is not known, and then it is first contact.
func (c *correspondents) read(auditLog string) {
	c.first = map[string]time.Time{}
	entries, err := audit.Read(auditLog, audit.Filter{Outcomes: []audit.Outcome{audit.OutcomeSent}, Last: maxWrittenTo})
	if err != nil {
		return
	}
	for _, e := range entries {
		if e.Approval == string(confirm.PathToken) {
			continue // no person saw it
		}
		for _, r := range e.Recipients {
			a, err := addr.ParseSpec(r)
			if _, known := c.first[a.Key()]; err == nil && !known {
				c.first[a.Key()] = e.Time
			}
		}
	}
}
