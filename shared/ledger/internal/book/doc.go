// Package book is the file format of the ledger: keys, chain, entries and the index of fingerprints. It is used by the writer and the
// reader of the ledger alone and has no policy of its own. Read Entry and Walk first, then Run.
package book
