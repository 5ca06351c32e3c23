// Package factor is the second factor of the approval page: a security key or the passkey of this machine (WebAuthn), kept in
// one file of the state directory. Read [Keys.Assert] first.
//
// # What it refuses
//
// An answer to another challenge, from another origin (the port counts), for another relying party, by a device that is not enrolled,
// without user verification, signed by another key, with a counter that goes backwards, and any answer for the second time. A file
// that others may read or write.
//
// # Security model
//
// The challenge is SHA-256 over a nonce and the digest that the approval is bound to, so a signature is good for one message, once.
// The relying party is localhost, which all programs of this machine share; so the whole origin with its port, which one process
// listens on, is compared. An attacker who runs programs as this user cannot make the device sign without the person's finger or
// PIN. They can delete the file, or replace it with one of their own devices: where that matters, the state directory belongs to
// another user. And they can rewrite what a browser shows; the person's eyes are the limit.
//
// Attestation is not asked for: which make a device is does not matter here, and saying so would name the person.
package factor
