//go:build !unix || darwin

package keystore

// hasSession is always true: Keychain and Credential Manager need no bus.
func hasSession() bool { return true }
