package submit

import "context"

// Explain turns an error of Send or Probe into an enumerated reason and advice in our own words. host is the configured
// server, for what is known about providers; it may be "". Neither result quotes the server.
func Explain(host string, err error) (Reason, string) { return ReasonOther, "" }

// Reason is an enumerated explanation.
type Reason string

// ReasonOther is everything without a word of its own.
const ReasonOther Reason = "other"

// StepName names a step of Diagnose.
type StepName string

// The steps of Diagnose, in their order.
const (
	StepConfig     StepName = "configuration"
	StepDNS        StepName = "dns"
	StepTCP        StepName = "tcp"
	StepTLS        StepName = "tls"
	StepGreeting   StepName = "greeting"
	StepExtensions StepName = "extensions"
	StepLogin      StepName = "login"
	StepQuit       StepName = "quit"
)

// Step is one finding of Diagnose. Detail may quote the server: untrusted. Hint is in our own words and says what to
// change; it may follow a step that is OK.
type Step struct {
	Name   StepName
	OK     bool
	Detail string
	Hint   string
}

// Diagnose connects step by step, reports each and stops at the first that fails. It returns whether all were fine. It
// tries one login, whatever happened before. No MAIL command is sent.
func Diagnose(ctx context.Context, cfg Config, report func(Step)) bool { return false }
