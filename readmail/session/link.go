package session

import (
	"net"

	"mailgap/readmail/wire"
)

// link is what lies under the IMAP library's client.
type link struct{ net.Conn }

func newLink(conn net.Conn, cfg *Config) *link { return &link{conn} }

func (l *link) Abort(error)                { l.Close() }
func (l *link) Err() error                 { return nil }
func (l *link) Stats() wire.Stats          { return wire.Stats{} }
func (l *link) TakeRepairs() []wire.Repair { return nil }
