// Package config reads the settings of a program from its environment and one TOML file, strictly, and keeps secrets from
// being printed.
//
// A program declares its settings in a [Spec]; [LoadProcess] reads them, [Table] writes the table of its README from the
// same declaration. Read LoadAll first.
//
// # The file
//
// A key is the name of the variable without its prefix, in lower case: IMAP_HOST is host, IMAP_PASSWORD_FILE password_file.
// The environment wins over the file, setting by setting. A file may have several sections, such as [account.work] and
// [account.home]; each becomes a set of settings of its own, and what stands above the first section holds for all. What
// makes a section what it is (server, user, credentials) stands in the section alone, and cannot come from the environment
// unless that picks one section.
//
// # What it refuses
//
// A setting that does not do what its owner thinks is worse than a start that fails, above all one like ALLOW_TOOLS. So
// a name that is most likely a slip for a declared one (another case, a letter swapped, a plural) stops the start and is
// told the right name; so does a name that other mail programs use (IMAP_PASS). Other unknown names with our prefix are
// warned about. Values are read narrowly: true and false but not 1 or yes, durations with their unit, whole paths. All
// faults are reported at once. Unknown keys of the file are refused, as are values of another kind ("993" for a number), keys
// set twice, empty texts and lists.
//
// # Security model
//
// Environment and file are written by the operator and trusted to say what is wanted; what they say is still nobody else's
// business. A file that others may write to, or that belongs to another user than this one or root, is refused: it names
// programs to run and people to write to. So is one that holds a secret itself and that others may read. On Windows neither is
// looked at: the access list of the user's directory decides.
//
// A secret of the file belongs to the server and user that stand beside it (Spec.Bound). If the environment gives another
// server or user, the file's secret is refused, not sent there. An entry of the key store is named by both, so a changed
// server finds no entry.
//
// No error, warning or log record holds a value, not even a path or a host name: they end up in bug reports and
// in the context of a model. A [Secret] prints as [redacted] under every fmt verb, in JSON, XML and slog records, also
// inside other structs. It is not wiped from memory: Go may have copied it.
//
// A secret is looked up when it is needed, not at start: starting reads the settings file alone and runs no command. A secret file must be
// readable by its owner alone. A secret command runs without a shell, with no input, a limit of 30 s and of output, and
// its standard error is thrown away.
//
// The words of a command are split at spaces. 'Single' and "double" quotes keep spaces; between double quotes \" and \\
// stand for " and \. Everywhere else a backslash is a backslash. ~/ at the beginning of the first word is the home
// directory. Variables, patterns and pipes are not known; put those into a script. The first line of the output is the
// secret.
package config
