// Package logingate remembers refused logins, so that a caller that repeats its question cannot lock an account.
//
// It keeps a keyed digest of the credentials, never the credentials, and forgets everything when the process ends.
// Security: providers lock accounts or addresses after five to ten refusals in a short time; a language model retries
// without end. Other credentials than last time start afresh, so a corrected password is tried at once.
//
// Read [Gate.Check] first.
package logingate
