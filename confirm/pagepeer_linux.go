package confirm

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"
	"slices"
	"strconv"
	"strings"
)

// maxPeerRows bounds the reading of the kernel's table. Limit: a busy server has some ten thousand connections.
const maxPeerRows = 1 << 17

// otherUser says whether the connection from peer to local, both on this machine, is known to belong to another user than the
// one this process runs as. Root, who can do everything here anyway, and what cannot be told are not strangers.
//
// Security: the address of the page stands among the arguments of the program that opens the browser, where every user of the
// machine can read it. Another user who is quicker than the browser gets nothing for it.
func otherUser(peer, local net.Addr) bool {
	p, err1 := netip.ParseAddrPort(peer.String())
	l, err2 := netip.ParseAddrPort(local.String())
	if err1 != nil || err2 != nil {
		return false
	}
	for _, table := range []string{"/proc/net/tcp", "/proc/net/tcp6"} {
		f, err := os.Open(table)
		if err != nil {
			continue
		}
		uid, found := socketOwner(f, p, l)
		_ = f.Close() // it was only read
		if found {
			return uid != 0 && uid != os.Geteuid()
		}
	}
	return false
}

// socketOwner looks for the socket from peer to local in a table as proc(5) describes it: columns local_address, rem_address
// and uid are the second, third and eighth.
func socketOwner(table io.Reader, peer, local netip.AddrPort) (uid int, found bool) {
	from, to := kernelForms(peer), kernelForms(local)
	lines := bufio.NewScanner(table)
	for row := 0; lines.Scan() && row < maxPeerRows; row++ {
		f := strings.Fields(lines.Text())
		if len(f) < 8 || !slices.Contains(from, f[1]) || !slices.Contains(to, f[2]) {
			continue
		}
		uid, err := strconv.Atoi(f[7])
		return uid, err == nil
	}
	return 0, false
}

// kernelForms writes an address as the tables do: words of four octets in the machine's order, a colon, the
// port. An IPv4 address also has the form of an IPv6 socket.
func kernelForms(a netip.AddrPort) []string {
	words := func(b []byte) string {
		var s strings.Builder
		for w := range slices.Chunk(b, 4) {
			fmt.Fprintf(&s, "%08X", binary.NativeEndian.Uint32(w))
		}
		return fmt.Sprintf("%s:%04X", s.String(), a.Port())
	}
	addr := a.Addr().Unmap()
	sixteen := addr.As16()
	forms := []string{words(sixteen[:])}
	if addr.Is4() {
		forms = append(forms, words(addr.AsSlice()))
	}
	return forms
}
