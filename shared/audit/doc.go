// Package audit keeps a hash-chained log of what was sent, refused and declined.
package audit
