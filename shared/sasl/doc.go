// Package sasl holds the client sides of the SASL mechanisms that mail servers ask for: PLAIN, LOGIN, XOAUTH2,
// OAUTHBEARER and SCRAM-SHA-256, as go-sasl clients.
//
// Security: the server is not trusted. SCRAM demands that the server proves to know the password, refuses few
// iterations (a false server could guess the password from the proof) and very many (they would cost hours). Errors never
// hold credentials. What a server says about a failed OAuth exchange is kept raw and untrusted.
//
// Divergences: SCRAM runs without channel binding (RFC 5802 §6). SASLprep (RFC 4013) is applied in the parts that change
// text; forbidden code points are left to the server.
//
// Read [NewSCRAM] first.
package sasl
