package confine

import (
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// setLimit lowers a resource limit; where that is refused the process goes on without.
func setLimit(resource int, value uint64) {
	_ = unix.Setrlimit(resource, &unix.Rlimit{Cur: value, Max: value})
}

func lock() {
	setLimit(unix.RLIMIT_FSIZE, 0)
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != nil {
		return
	}
	filter := seccompFilter()
	if len(filter) == 0 {
		return
	}
	prog := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	// TSYNC puts every thread of the process under the filter, and under no_new_privs with it.
	_, _, _ = unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, unix.SECCOMP_FILTER_FLAG_TSYNC, uintptr(unsafe.Pointer(&prog)))
}
