// Package config reads the settings of a program from its environment, strictly, and keeps secrets from being printed.
//
// A program declares its settings in a [Spec]; [LoadProcess] reads them, [Table] writes the table of its README from the
// same declaration. Read Load first.
//
// # What it refuses
//
// A setting that does not do what its owner thinks is worse than a start that fails, above all one like ALLOW_TOOLS. So
// a name that is most likely a slip for a declared one (another case, a letter swapped, a plural) stops the start and is
// told the right name; so does a name that other mail programs use (IMAP_PASS). Other unknown names with our prefix are
// warned about. Values are read narrowly: true and false but not 1 or yes, durations with their unit, whole paths. All
// faults are reported at once.
//
// # Security model
//
// The environment is written by the operator and trusted to say what is wanted; what it says is still nobody else's
// business. No error, warning or log record holds a value, not even a path or a host name: they end up in bug reports and
// in the context of a model. A [Secret] prints as [redacted] under every fmt verb, in JSON, XML and slog records, also
// inside other structs. It is not wiped from memory: Go may have copied it.
//
// A secret is looked up when it is needed, not at start: starting reads no file and runs no command. A secret file must be
// readable by its owner alone. A secret command runs without a shell, with no input, a limit of 30 s and of output, and
// its standard error is thrown away.
//
// The words of a command are split at spaces. 'Single' and "double" quotes keep spaces; between double quotes \" and \\
// stand for " and \. Everywhere else a backslash is a backslash. ~/ at the beginning of the first word is the home
// directory. Variables, patterns and pipes are not known; put those into a script. The first line of the output is the
// secret.
package config
