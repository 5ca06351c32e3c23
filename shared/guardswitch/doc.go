// Package guardswitch lets the evaluation switch single guards off, in a build made for that and in no other.
//
// cmd/mail-evals measures what each guard stops by itself, which needs programs whose other guards are off. Those are
// built with the tag evalguards; there, [Off] reads the environment variable [Variable]. Without the tag Off is a constant
// false: the compiler removes both the call and the branch behind it, and the name of the variable is not even in the
// program. A test of cmd/mail-evals looks for it in the shipped programs and runs them with the variable set.
//
// What it refuses: there is no setting, argument, file or tool that reaches a guard. Guards that the operator configures
// (whether to send, whom to, how often) are not here, because a setting is enough for them.
//
// Security: whoever can build and install a program has no need of this switch.
//
// Read [Off] first.
package guardswitch

// Guard names one guard of the servers.
type Guard string

// The guards that can be switched off in the evaluation build. Each constant stands where its guard stands in the code.
const (
	Recipients  Guard = "G2"  // positive provenance of recipients, beyond the operator's list
	ReplyTarget Guard = "G3"  // answers go to the author that imap-mcp recorded
	Readers     Guard = "G4"  // reader sets and labels of mailboxes
	Origins     Guard = "G5"  // the ledger's word on passages and identifiers
	Content     Guard = "G6"  // outgoing HTML is cleaned and verified
	Files       Guard = "G7"  // attachments come from the operator's directory and are judged by content
	Limits      Guard = "G9"  // hourly cap, lock after refusals
	Once        Guard = "G10" // at most once
	Policy      Guard = "G11" // no tool changes policy
	Reading     Guard = "G12" // text towards the model is cleaned, hidden text withheld, links defanged, codes masked
)
