// Package oauth signs a person in at a mail provider with OAuth 2.0 and keeps the access token of a mailbox fresh. Read
// SignIn first, then Source.
//
// # The story
//
// A person runs the login command once. SignInCode opens a listener on loopback, prints an address for the browser, and waits
// for the browser to come back with a code (authorization code with PKCE: RFC 6749, RFC 7636, RFC 8252). SignInDevice prints
// an address and a short code to be typed on any device (RFC 8628). Either ends in a Grant, which holds the refresh token, and
// is kept by a Keeper: an entry of the key store, or a file. From then on a Source gives access tokens: it refreshes when the
// last one is about to expire, and keeps the new refresh token before it uses the new access token. Access tokens stay in
// memory.
//
// # What it refuses
//
// Issuers and endpoints without TLS, unless they are on loopback; metadata of another issuer than the one asked (RFC 8414
// §3.3); redirects; replies beyond 64 KiB; a grant without the mail scope, or without a refresh token; an answer in the
// browser with another state, of another issuer (RFC 9207), or after the first.
//
// # Security model
//
// Trusted: the operator's settings, the provider, the key store, the local user. Not trusted: the network, pages in the
// person's browser, what a provider says in error texts. Such a page can reach the loopback listener: without the state, 256
// random bits that only the address printed to the person holds, it gets nothing and ends nothing; the code verifier never
// leaves the process, so a code that leaks is useless. Errors and logs hold no token, no code and none of the provider's
// words, only error codes of the RFCs.
//
// Refresh tokens are as good as a password for what they are scoped to. Microsoft tells reading (IMAP.AccessAsUser.All) and
// sending (SMTP.Send) apart, so each server holds half. Google has one scope for both: a reader's token could send, and only
// the program that holds it does not.
//
// # Divergences
//
//   - Google gives no mail scope to the device flow and wants a client secret from installed programs, which is none.
//   - Microsoft matches loopback redirects by the name localhost, so that name is used there, and 127.0.0.1 elsewhere.
//   - Registration of clients (RFC 7591) is not done: the client id is the operator's.
package oauth
