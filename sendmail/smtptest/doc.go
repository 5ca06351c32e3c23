// Package smtptest holds the mail servers that sending is tested against.
//
// [Server] is a real SMTP server (go-smtp) with TLS, STARTTLS and AUTH. [Scripted] is a small server of our own that fails
// on purpose: at one chosen step, in one chosen way (see [Fault]). Both write down the truth, which messages they have
// accepted and for whom, so that a test can compare what a client claims with what is so. Postfix is a real mail server, where
// one is installed, with mailboxes to look into.
//
// Security: for tests only; it accepts fixed credentials and makes its own certificates. It listens on the loopback address.
//
// Divergences: Scripted knows the commands that submission uses and no others.
//
// Read [New] first, then [Fault].
package smtptest
