package readmail

import (
	"context"
	"time"

	"mailgap/readmail/session"
)

const (
	orderTolerance = 10 * time.Minute    // servers and relays deliver a little out of order
	quietDays      = 3 * 24 * time.Hour  // the newest message of a mailbox in use is younger
	importGap      = 14 * 24 * time.Hour // a jump of dates between neighbours that an import leaves behind
	orderCheckTime = time.Minute
)

// orderVerdict says whether the UIDs of a mailbox follow INTERNALDATE, for one UIDVALIDITY.
type orderVerdict struct {
	state       orderState
	uidValidity uint32
}

type orderState int

const (
	orderUnknown orderState = iota
	orderFine
	orderBroken
)

// orderOf returns what is known about the order of a mailbox.
func (s *Server) orderOf(mailbox string) orderState {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.order[mailbox].state
}

func (s *Server) setOrder(mailbox string, uidValidity uint32, state orderState) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.order[mailbox] = orderVerdict{state, uidValidity}
}

// checkOrder looks at the newest messages of a mailbox, falling by UID, and returns whether their dates fall too. Where they
// do and still look like an import (nothing recent, or a long gap), the rest of the mailbox is compared in the background,
// and later calls know.
//
// Quirk: bridges number messages in the order of synchronisation, and a moved or imported message keeps its date and gets a
// new UID.
func (s *Server) checkOrder(mailbox string, state session.State, falling []*summaryFacts) orderState {
	s.mu.Lock()
	known := s.order[mailbox]
	s.mu.Unlock()
	if known.state != orderUnknown && known.uidValidity == state.UIDValidity {
		return known.state
	}
	shown := len(falling)
	falling = dated(falling)
	if !falls(falling) {
		s.setOrder(mailbox, state.UIDValidity, orderBroken)
		return orderBroken
	}
	s.setOrder(mailbox, state.UIDValidity, orderFine)
	if int(state.Messages) > shown && looksImported(falling, s.cfg.Now()) {
		s.verifyOrder(mailbox, falling[len(falling)-1])
	}
	return orderFine
}

// dated are the messages of a page whose INTERNALDATE is known. The others say nothing about the order: the server fails on
// them, or gives a date that cannot be.
func dated(page []*summaryFacts) (out []*summaryFacts) {
	for _, f := range page {
		if !f.internal.IsZero() {
			out = append(out, f)
		}
	}
	return out
}

// falls reports whether the dates of a page never rise by more than servers deliver out of order.
func falls(page []*summaryFacts) bool {
	page = dated(page)
	for i, oldest := 1, 0; i < len(page); i++ {
		step := page[oldest].internal.Sub(page[i].internal)
		if step < -orderTolerance {
			return false
		}
		if step > 0 {
			oldest = i
		}
	}
	return true
}

// looksImported reports whether falling dates, none of them unknown, are old or have a long gap.
func looksImported(falling []*summaryFacts, now time.Time) bool {
	if len(falling) == 0 {
		return false
	}
	old := now.Sub(falling[0].internal) > quietDays
	for i := 1; i < len(falling); i++ {
		old = old || falling[i-1].internal.Sub(falling[i].internal) > importGap
	}
	return old
}

// verifyOrder asks the server, in the background, whether messages with lower UIDs than oldest's are newer than it.
func (s *Server) verifyOrder(mailbox string, oldest *summaryFacts) {
	if oldest.uid <= 1 {
		return
	}
	s.background(func() {
		ctx, cancel := context.WithTimeout(s.life, orderCheckTime)
		defer cancel()
		err := s.do(ctx, mailbox, func(ctx context.Context, c *session.Conn) error {
			r, err := c.Search(ctx, mailbox, session.And(
				session.In(session.UIDRange(1, oldest.uid-1)), session.Since(dayAfter(oldest.received))))
			if err == nil && len(r.UIDs) > 0 {
				s.setOrder(mailbox, r.State.UIDValidity, orderBroken)
			}
			return err
		})
		if err != nil {
			s.log.Debug("order of a mailbox not verified", "error", err)
		}
	})
}
