//go:build !linux

package confirm

import "net"

// otherUser cannot tell on this system. Elsewhere than on Linux the address of the page is kept out of what other users see: see
// OpenBrowser.
func otherUser(_, _ net.Addr) bool { return false }
