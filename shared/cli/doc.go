// Package cli holds what the command lines of the two servers have in common: flags with a value, the commands that show
// settings and keep credentials.
//
// It refuses values of flags that are missing or given twice, and never prints a secret. Both programs are trusted with the
// terminal they run in; what a server or a key store says reaches it without control characters. Read TakeValues and Login.
package cli
