package confine

import "golang.org/x/sys/unix"

// setLimit lowers a resource limit; where that is refused the process goes on without.
func setLimit(resource int, value uint64) {
	_ = unix.Setrlimit(resource, &unix.Rlimit{Cur: value, Max: value})
}

func lock() { setLimit(unix.RLIMIT_FSIZE, 0) }
