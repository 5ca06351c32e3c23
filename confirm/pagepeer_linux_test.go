package confirm

import (
	"net"
	"net/netip"
	"os"
	"strings"
	"testing"
)

// The table as proc(5) shows it, on a little-endian machine, with the connection of user 1000 in the middle.
const peerTable = `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 1 1 0 100 0 0 10 0
   1: 0100007F:1F90 0100007F:C001 01 00000000:00000000 00:00000000 00000000     7        0 2 1 0 100 0 0 10 0
   2: 0100007F:C001 0100007F:1F90 01 00000000:00000000 00:00000000 00000000  1000        0 3 1 0 100 0 0 10 0
   3: 0100007F
`

func TestSocketOwner(t *testing.T) {
	addr := netip.MustParseAddrPort
	peer, local := addr("127.0.0.1:49153"), addr("127.0.0.1:8080")
	if kernelForms(local)[1] != "0100007F:1F90" {
		t.Skip("the table above is of a little-endian machine")
	}
	if uid, found := socketOwner(strings.NewReader(peerTable), peer, local); uid != 1000 || !found {
		t.Errorf("got user %d, found %v; want 1000, the owner of the far end", uid, found)
	}
	if _, found := socketOwner(strings.NewReader(peerTable), addr("127.0.0.1:49154"), local); found {
		t.Error("a connection that is not there was found")
	}
}

// TestOwnConnection: the table of this kernel is understood, and our own connection is not a stranger's.
func TestOwnConnection(t *testing.T) {
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	c, err := net.Dial("tcp4", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	f, err := os.Open("/proc/net/tcp")
	if err != nil {
		t.Skipf("no table here: %v", err)
	}
	defer f.Close()
	uid, found := socketOwner(f, netip.MustParseAddrPort(c.LocalAddr().String()), netip.MustParseAddrPort(l.Addr().String()))
	if !found || uid != os.Geteuid() {
		t.Errorf("got user %d, found %v; want this user", uid, found)
	}
	if otherUser(c.LocalAddr(), l.Addr()) {
		t.Error("our own connection is taken for a stranger's")
	}
}
