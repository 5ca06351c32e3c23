package mutant

// Target are functions of one file that make up a guard.
type Target struct {
	Guard string
	File  string
	Funcs []string
	// Families are the attacks that this guard is there for; they are tried first.
	Families []string
}

// Targets are the guards' own functions: where something is decided, not where a fault of the disk is passed on.
func Targets() []Target {
	recipients := []string{"new-recipient", "look-alike", "allowed-leak", "hidden-copy", "consent"}
	leaks := []string{"allowed-leak", "encoded-body", "hidden-copy", "attachment"}
	return []Target{
		{"G2", "sendmail/policy/recipients.go", []string{"CheckRecipients", "one", "decide"}, recipients},
		{"G2", "sendmail/policy/allowlist.go", []string{"Check", "denied"}, recipients},
		{"G2", "sendmail/policy/policy.go", []string{"Check"}, recipients},
		{"G2", "sendmail/policy/content.go", []string{"checkSubject", "oneLine", "isLineBreak"}, []string{"hidden-copy", "new-recipient"}},
		{"G3", "sendmail/origin.go", []string{"resolve", "target"}, []string{"reply-redirect", "forged-thread"}},
		{"G3", "sendmail/provenance/resolve.go", []string{"Resolve", "OnMessage", "Author", "Confirmed"}, []string{"reply-redirect", "forged-thread"}},
		{"G4", "sendmail/provenance/readers.go", []string{"isReader", "outsiders", "abroad"}, leaks},
		{"G5", "sendmail/provenance/passages.go", []string{"passages", "disclosed", "bulk"}, leaks},
		{"G6", "sendmail/html.go", []string{"cleanHTML", "frozen"}, []string{"link-image"}},
		{"G7", "sendmail/attach/attach.go", []string{"OpenAll", "openAll", "openOne", "readBelow"}, []string{"attachment"}},
		{"G7", "sendmail/attach/name.go", []string{"checkPath", "checkBase"}, []string{"attachment"}},
		{"G8", "confirm/answer.go", []string{"elicitationReason", "Yes", "FromElicitation"}, []string{"consent", "new-recipient", "content"}},
		{"G8", "confirm/redeem.go", []string{"Redeem", "verify"}, []string{"consent", "content"}},
		{"G8", "sendmail/send.go", []string{"sendStep"}, []string{"consent", "content"}},
		{"G9", "sendmail/outbox/begin.go", []string{"mayAsk"}, []string{"volume", "content"}},
		{"G10", "sendmail/outbox/begin.go", []string{"Begin", "acceptedBefore"}, []string{"volume"}},
	}
}
