// Package authres reads Authentication-Results (RFC 8601) and says whether the author of a message is who the From field claims.
//
// # Security model
//
// Anybody can write an Authentication-Results field. Only a field added by the reader's own receiving server means something, and what
// tells it from a forgery is its authserv-id and its place: receiving servers put it on top and RFC 8601 §5 has them remove
// fields that claim their id. So one field counts: the topmost of all, and only if its authserv-id is trusted and nothing that a foreign server
// wrote stands above it. A comment or quoted string is never read as a result. Whatever cannot be read makes the verdict
// [Unknown], never [Verified].
//
// Read [Verdict] first.
package authres
