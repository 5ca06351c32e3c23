// Package setup leads a person from an address to a settings file that works, and to a client that knows the program. Read
// Run first.
//
// # The story
//
// Run asks for the address, finds the servers (package discover, or by hand), asks for a password or signs in, and tries the whole
// with the same steps as the check command. Each failure is explained and can be corrected on the spot. Then it shows what it
// would write, as a difference, and writes after a yes: the secret to the key store or else a file of mode 0600, the settings
// to the file. Last it offers to add the program to the clients that it finds on the machine.
//
// # What it refuses
//
// To run without a terminal. To write anything before a yes: until then secrets and sign-ins stay in memory, so that ending it at
// any question loses nothing and leaves nothing behind. To change a settings file that it does not understand, or whose meaning
// would change by more than the new section. To rewrite a client's file that it cannot extend in place, octet by octet (JSON with
// comments, YAML in flow style): it prints what to add instead. To put a secret into a client's file. To replace an entry of the
// same name.
//
// # Security model
//
// Trusted: the person at the terminal, the machine, the client's own files. Not trusted: what DNS, a web server or a mail
// server says. Such words reach the terminal in one line and without anything it would act on; every character that is shown
// goes through one function (see visible). A host that was looked up is shown with its source before a password goes there. A
// certificate that no authority vouches for is pinned only after its fingerprint was shown and the word pin typed.
package setup
