package smtptest

// Step is where a Scripted server fails.
type Step string

// The steps, in their order.
const (
	StepConnect  Step = "connect" // before anything
	StepTLS      Step = "tls"     // instead of the handshake, or of the reply to STARTTLS
	StepGreeting Step = "greeting"
	StepEHLO     Step = "ehlo"
	StepAuth     Step = "auth"
	StepMail     Step = "mail"
	StepRcpt     Step = "rcpt"
	StepData     Step = "data" // instead of the 354
	StepBody     Step = "body" // after some octets of content
	StepDot      Step = "dot"  // instead of the reply to the final dot
	StepRset     Step = "rset"
	StepQuit     Step = "quit"
)

// Steps lists all steps.
func Steps() []Step {
	return []Step{StepConnect, StepTLS, StepGreeting, StepEHLO, StepAuth, StepMail, StepRcpt, StepData, StepBody, StepDot, StepRset, StepQuit}
}

// Action is what a Scripted server does instead of what is right.
type Action string

// The actions. Transient, Permanent and Closing are replies after which the session goes on; the others end it.
const (
	Drop      Action = "drop"      // the connection is closed (FIN)
	Cut       Action = "cut"       // the connection is reset (RST); on a pipe the same as Drop
	Transient Action = "4yz"       // a well-formed refusal
	Permanent Action = "5yz"       // a well-formed refusal
	Closing   Action = "421"       // 421, then closed
	Garbage   Action = "garbage"   // a line that is no reply
	Stall     Action = "stall"     // silence until Release or the end of the connection
	Endless   Action = "endless"   // a reply without end
	LongLine  Action = "long-line" // a line without end
	Partial   Action = "partial"   // half of a reply, then closed
	Surplus   Action = "surplus"   // the right reply twice
	Late      Action = "late"      // the right reply, but not before Release; not in Actions
)

// Actions lists all actions.
func Actions() []Action {
	return []Action{Drop, Cut, Transient, Permanent, Closing, Garbage, Stall, Endless, LongLine, Partial, Surplus}
}

// Fault is one failure. The zero value fails nowhere.
type Fault struct {
	Step   Step
	Action Action
	Nth    int    // which RCPT, from 1; 0 means the first
	Accept bool   // StepDot: the message is accepted before the fault is played
	Reply  string // for Transient and Permanent: the reply instead of the usual one, lines separated by CRLF
	// AnyReply takes Reply as it is, even if it is empty.
	AnyReply bool
}
