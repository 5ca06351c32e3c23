// Package tlsdial holds what every client of a mail server needs to know about TLS: the modes, the client's
// configuration (authorities, pinned certificate), and one word for everything that can go wrong.
//
// It opens no connection. Security: verification is never switched off without a pinned certificate to compare with;
// TLS below 1.2 is refused (RFC 8997). The certificate's fingerprint reaches the error, so that a person can
// compare it and pin it.
//
// Divergence: a pinned certificate replaces chain, name and validity (RFC 6125 is not consulted then).
//
// Read [Config.Client] first, then [Fault].
package tlsdial
