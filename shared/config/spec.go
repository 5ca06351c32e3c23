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

// The places, to be combined with |. 0 means all of them.
const (
	FromEnv     From = 1 << iota // NAME: the secret itself
	FromFile                     // NAME_FILE: a file that holds it
	FromCommand                  // NAME_COMMAND: a command that prints it
	FromStore                    // the operating system's key store, looked at if no other place is set
)

// Scope says for what a setting holds where a file has several sections.
type Scope int

// The scopes.
const (
	// ScopeEach: at the top of the file or in the environment it holds for every section, in a section for that one.
	ScopeEach Scope = iota
	// ScopeOwn: it makes the section what it is (server, user, credentials). With several sections it stands in a section.
	ScopeOwn
	// ScopeProgram: there is one value for the program. It never stands in a section.
	ScopeProgram
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
	Scope    Scope    // for what it holds where a file has several sections
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

	// Program is the name of the program, for hints. Section is the name of the tables in its file, such as "account" for
	// [account.work]; empty means that the file has none.
	Program, Section string
	// Selector is the setting that names the section: without sections it is a name, with them it picks the only one to use.
	// It must be a KindString setting with a default.
	Selector string
	// Bound are settings that a secret belongs to, such as user and host. A secret of the file is refused if the environment
	// gives one of them another value, and an entry of the key store is named by them.
	Bound []string
}
