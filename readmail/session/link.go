package session

import (
	"net"

	"mailgap/readmail/wire"
)

// newLink puts the wire layer on a connection whose greeting is still to come.
func newLink(conn net.Conn, cfg *Config) *wire.Conn {
	return wire.New(conn, wire.Options{
		Limits: wire.Limits{
			GreetingTimeout: cfg.DialTimeout,
			FirstTimeout:    cfg.CommandTimeout,
			PartialOctets:   2 * chunkOctets, // no piece is larger than chunkOctets
			IdleTimeout:     2 * idleRestart,
		},
	})
}
