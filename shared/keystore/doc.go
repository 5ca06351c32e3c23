// Package keystore keeps secrets in the key store of the operating system: Keychain on macOS, Credential Manager on Windows,
// the Secret Service (GNOME Keyring, KWallet, KeePassXC) elsewhere. Read Store first.
//
// It refuses to start anything: where there is no session bus it says so, and never lets a library launch one. A secret passes
// through no command line and no file.
//
// # Security model
//
// The key store is trusted, and so is every program of the same user: none of the three systems tells two of them apart
// well. What is gained over a file is that the secret is encrypted at rest and stays out of backups. The two servers of
// mailgap use two service names, so neither finds the entries of the other by accident; that is order, not protection. Errors
// name what to do and hold neither the secret nor the name of an entry.
//
// # Limits
//
// Windows keeps 2,560 octets in an entry and macOS about 3,000; a longer secret is refused there, and a file is the way. A
// call waits for a person who is asked to unlock the key store; when its context ends it returns, and what it asked for may
// still happen.
package keystore
