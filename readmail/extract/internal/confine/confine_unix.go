//go:build linux || darwin

package confine

import "golang.org/x/sys/unix"

const maxOpenFiles = 64 // pipes, poller, cache files

func limitMemory(maxOctets int64) {
	setLimit(unix.RLIMIT_CORE, 0)
	setLimit(unix.RLIMIT_NOFILE, maxOpenFiles)
	// RLIMIT_DATA counts what is writable and private, so Go's large reservations of address space do not count.
	setLimit(unix.RLIMIT_DATA, uint64(maxOctets))
}
