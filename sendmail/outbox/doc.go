// Package outbox is the durable memory of what was sent: at most once, an hourly cap, a lock after refusals.
package outbox
