// Package wire is the only code on the IMAP socket. A Conn is a net.Conn between a (TLS) connection and go-imap's
// client.
package wire
