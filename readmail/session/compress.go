package session

import "context"

// compress asks for COMPRESS=DEFLATE where configured and offered. A refusal leaves the connection as it is.
func (c *Conn) compress(ctx context.Context, o *opening) {
	mode := c.shared.cfg.Compress
	if mode == CompressOff || mode == CompressAuto && o.loopback || !c.caps["COMPRESS=DEFLATE"] {
		return
	}
	c.info.Compressed = c.link.Compress(ctx) == nil
}
