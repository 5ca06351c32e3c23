package provenance

import (
	"context"
	"time"

	"mailgap/confirm"
	"mailgap/shared/addr"
	"mailgap/shared/fingerprint"
	"mailgap/shared/guardswitch"
	"mailgap/shared/ledger"
)

// Limits of what is shown. Package confirm takes 32 notes of 20 values with 2,048 octets.
const (
	maxShown         = 8  // findings of one code; the rest is counted
	maxPassageOctets = 80 // of a passage; it stands in the message in full
	maxMatches       = 100
)

// Options configures a Tracker. The zero value is safe.
type Options struct {
	Levels    Levels
	Own       []addr.Address // the user's addresses
	Signature string         // configured text below each message: nobody's secret
	Clock     func() time.Time
}

// Tracker says where things come from. A nil *Tracker, or one without a book, knows nothing and says so once. Safe for
// concurrent use.
type Tracker struct {
	book Book
	o    Options
}

// New returns a tracker that asks book; nil means that the operator switched the ledger off.
func New(book Book, o Options) *Tracker {
	if o.Clock == nil {
		o.Clock = time.Now
	}
	return &Tracker{book: book, o: o}
}

// Recipient is one recipient of an outgoing message.
type Recipient struct {
	Address addr.Address
	Listed  bool      // the operator's list has the exact address
	Written time.Time // when a message that a person approved was first sent there; zero for never
}

// File is one attachment.
type File struct {
	Name, MediaType string
	Octets          []byte
}

// Outgoing is a message that was composed and waits to be asked about. Strings are what its recipients will get.
type Outgoing struct {
	Recipients []Recipient
	Subject    string
	Text       string // with the quote, as it leaves
	HTML       string // as its reader sees it; "" if there is none
	Quote      string // what Text quotes of Parent; "" if nothing
	Links      []string
	Files      []File
	Parent     *ledger.Message // the message that is answered or forwarded, if the ledger has it
	Choice     Choice          // how the recipients of an answer were found
	Target     *Target         // what Resolve said; nil if the caller named the recipients
	Forward    bool            // passing Parent on is what the message is for
	Signals    bool            // the text has the shape of instructions to an AI assistant
}

// Report is what there is to say about a message.
type Report struct {
	State      ledger.State
	Notes      []confirm.Note
	Recipients []Named // in the order of Outgoing.Recipients
	Raised     []Code  // findings above a note, each once
}

// Named is a recipient with its origin.
type Named struct {
	Origin confirm.Origin
	Level  confirm.Level
}

// Level is the highest level of the notes.
func (r Report) Level() confirm.Level {
	level := confirm.LevelNormal
	for _, n := range r.Notes {
		level = max(level, n.Level)
	}
	return level
}

// assessment is a Report in the making.
type assessment struct {
	*Tracker
	Report
	out     Outgoing
	now     time.Time
	failed  bool               // the ledger could not answer; said once
	strange []bool             // recipients that nothing speaks for
	asked   map[string]sources // of a text, so that nothing is asked twice
}

type sources struct {
	query *fingerprint.Query
	list  []fingerprint.Source
	byID  map[string]ledger.Message
}

// Assess says where the recipients and passages of out come from. It never fails: what cannot be found out is said and raises the
// level. It blocks while the ledger is asked, some milliseconds for a message of 5 kB.
func (t *Tracker) Assess(ctx context.Context, out Outgoing) Report {
	a := &assessment{Tracker: t, out: out, asked: map[string]sources{}, strange: make([]bool, len(out.Recipients))}
	a.Report.Recipients = make([]Named, len(out.Recipients))
	if !a.health(ctx) {
		a.listed()
		return a.Report
	}
	a.now = t.o.Clock()
	if !guardswitch.Off(guardswitch.ReplyTarget) {
		a.answer()
	}
	if !guardswitch.Off(guardswitch.Recipients) {
		a.recipients(ctx)
	}
	if !guardswitch.Off(guardswitch.Origins) {
		a.quote(ctx)
		a.passages(ctx)
		a.links(ctx)
		a.tokens(ctx)
		a.unread()
	}
	if !guardswitch.Off(guardswitch.Readers) {
		a.live(ctx)
	}
	if a.failed {
		a.find(CodeLedger, confirm.Say("The record of what was read could not be asked about everything, so something may be missing here."))
	}
	return a.Report
}

// health examines the ledger and says how it is. It is false if there is nothing to ask.
func (a *assessment) health(ctx context.Context) bool {
	if a.Tracker == nil || a.book == nil {
		a.State = ledger.StateOff
		a.note(confirm.Say("Where recipients and passages come from is not tracked."))
		return false
	}
	h := a.book.Health(ctx)
	a.State = h.State
	switch {
	case h.State == ledger.StateNever:
		a.note(confirm.Say("Where recipients and passages come from is not tracked."))
		return false
	case h.Alarming():
		a.find(CodeLedger, stateSentence(h.State), h.Reasons[:min(len(h.Reasons), maxShown)]...)
		return h.State == ledger.StateGap || h.State == ledger.StateRolledBack || h.State == ledger.StateReplaced
	}
	return true
}

func stateSentence(s ledger.State) confirm.Sentence {
	switch s {
	case ledger.StateMissing:
		return confirm.Say("The record of what was read existed and is gone, so it is not known where recipients and passages come from. What is known of it:")
	case ledger.StateGap:
		return confirm.Say("Entries are missing or altered in the record of what was read, so something may be missing here. What is known of it:")
	case ledger.StateRolledBack:
		return confirm.Say("The record of what was read is older than it was before, so something may be missing here. What is known of it:")
	case ledger.StateReplaced:
		return confirm.Say("The record of what was read was replaced by another one, so something may be missing here. What is known of it:")
	case ledger.StateForeignKey:
		return confirm.Say("The record of what was read cannot be opened with the key of this machine. What is known of it:")
	}
	return confirm.Say("The record of what was read cannot be read, so it is not known where recipients and passages come from. What is known of it:")
}

// note adds a line that raises nothing.
func (a *assessment) note(text confirm.Sentence, values ...string) {
	a.Notes = append(a.Notes, confirm.Note{Text: text, Values: values})
}

// find adds a finding at the level that the operator gave its code.
func (a *assessment) find(c Code, text confirm.Sentence, values ...string) confirm.Level {
	level := a.levels().of(c)
	if level > confirm.LevelNormal && !contains(a.Raised, c) {
		a.Raised = append(a.Raised, c)
	}
	a.Notes = append(a.Notes, confirm.Note{Level: level, Text: text, Values: values})
	return level
}

func (a *assessment) levels() Levels {
	if a.Tracker == nil {
		return nil
	}
	return a.o.Levels
}

// fault remembers that the ledger did not answer.
func (a *assessment) fault(err error) bool {
	a.failed = a.failed || err != nil
	return err != nil
}

// listed names the recipients that the operator's list has, which needs no ledger.
func (a *assessment) listed() {
	for i, r := range a.out.Recipients {
		if r.Listed {
			a.Report.Recipients[i].Origin = confirm.OriginListed
		}
	}
}

func contains[T comparable](list []T, v T) bool {
	for _, x := range list {
		if x == v {
			return true
		}
	}
	return false
}
