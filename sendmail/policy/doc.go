// Package policy decides whether a proposed message may be sent at all.
package policy
