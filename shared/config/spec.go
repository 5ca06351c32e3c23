package config

// Kind is the kind of a setting.
type Kind int

// The kinds.
const (
	KindString   Kind = iota // any text without control characters
	KindInt                  // a whole number between Min and Max
	KindBool                 // true or false
	KindDuration             // as in Go: 90s, 5m, 1h30m; Min and Max in nanoseconds
	KindSize                 // octets, with an optional unit: 500k, 25M, 1G (powers of 1024); Min and Max in octets
	KindEnum                 // one of Choices
	KindList                 // comma-separated; Choices, if given, limit the items
	KindPath                 // a file or directory name; "~/" stands for the home directory
	KindSecret               // see Source
)

// From says where a secret may come from.
type From int

// The places, to be combined with |. 0 means all three.
const (
	FromEnv     From = 1 << iota // NAME: the secret itself
	FromFile                     // NAME_FILE: a file that holds it
	FromCommand                  // NAME_COMMAND: a command that prints it
)

// Var declares one setting.
type Var struct {
	Name     string   // with the prefix, such as IMAP_HOST
	Kind     Kind     //
	Default  string   // in the notation of the environment; empty means none
	Help     string   // one or two sentences for the settings table
	Choices  []string // of KindEnum and KindList
	Min, Max int64    // both 0 means no bounds
	From     From     // of KindSecret
	// Check, if set, refuses further values. It returns what to write instead ("a host name without a scheme"), never the value.
	Check func(value string) error
	// Aliases are foreign names that people bring along; setting one is refused with the right name.
	Aliases []string
}

// Spec declares all settings of a program.
type Spec struct {
	Prefix        string            // such as "IMAP_"
	ExtraPrefixes []string          // further prefixes that are watched for unknown names
	Vars          []Var             //
	Hints         map[string]string // foreign name to a sentence that says what to set instead
	Ignore        []string          // names with our prefix that are not ours and need no warning
}
