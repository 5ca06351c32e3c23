//go:build linux && (amd64 || arm64)

package confine

import "golang.org/x/sys/unix"

// Offsets in struct seccomp_data of linux/seccomp.h; the flags of clone are its first argument on both machines.
const (
	offsetNumber = 0
	offsetArch   = 4
	offsetArg0   = 16
)

// seccompFilter lets through what a running Go program without files and network needs. Everything else, open and
// socket and execve among it, answers EPERM; an unknown machine (32-bit calls on amd64) ends the process.
func seccompFilter() []unix.SockFilter {
	calls := allowedCalls()
	f := []unix.SockFilter{
		load(offsetArch),
		jumpEqual(auditArch, 1, 0),
		ret(unix.SECCOMP_RET_KILL_PROCESS),
		load(offsetNumber),
		jumpEqual(unix.SYS_CLONE, 0, 4), // clone is for threads only
		load(offsetArg0),
		{Code: unix.BPF_JMP | unix.BPF_JSET | unix.BPF_K, K: unix.CLONE_THREAD, Jt: 0, Jf: 1},
		ret(unix.SECCOMP_RET_ALLOW),
		ret(unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM)),
		// clone3 keeps its flags in memory, where a filter cannot look. C libraries then fall back to clone.
		jumpEqual(unix.SYS_CLONE3, 0, 1),
		ret(unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS)),
	}
	for i, nr := range calls {
		f = append(f, jumpEqual(uint32(nr), uint8(len(calls)-i), 0))
	}
	return append(f, ret(unix.SECCOMP_RET_ERRNO|uint32(unix.EPERM)), ret(unix.SECCOMP_RET_ALLOW))
}

func load(offset uint32) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: offset}
}

func jumpEqual(k uint32, yes, no uint8) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: k, Jt: yes, Jf: no}
}

func ret(k uint32) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: k}
}

// allowedCalls is what the Go runtime and reading from and writing to open pipes need.
func allowedCalls() []int {
	calls := []int{
		unix.SYS_READ, unix.SYS_WRITE, unix.SYS_CLOSE, unix.SYS_FSTAT, unix.SYS_LSEEK, unix.SYS_FCNTL,
		unix.SYS_MMAP, unix.SYS_MUNMAP, unix.SYS_MPROTECT, unix.SYS_MADVISE, unix.SYS_MINCORE, unix.SYS_BRK,
		unix.SYS_FUTEX, unix.SYS_SCHED_YIELD, unix.SYS_SCHED_GETAFFINITY, unix.SYS_SET_ROBUST_LIST, unix.SYS_RSEQ,
		unix.SYS_NANOSLEEP, unix.SYS_CLOCK_NANOSLEEP, unix.SYS_CLOCK_GETTIME, unix.SYS_GETTIMEOFDAY,
		unix.SYS_RT_SIGACTION, unix.SYS_RT_SIGPROCMASK, unix.SYS_RT_SIGRETURN, unix.SYS_SIGALTSTACK, unix.SYS_RESTART_SYSCALL,
		unix.SYS_TIMER_CREATE, unix.SYS_TIMER_SETTIME, unix.SYS_TIMER_DELETE, unix.SYS_SETITIMER,
		unix.SYS_GETPID, unix.SYS_GETTID, unix.SYS_TGKILL, unix.SYS_GETRANDOM, unix.SYS_PRCTL,
		unix.SYS_EPOLL_CREATE1, unix.SYS_EPOLL_CTL, unix.SYS_EPOLL_PWAIT, unix.SYS_EVENTFD2, unix.SYS_PIPE2,
		unix.SYS_EXIT, unix.SYS_EXIT_GROUP,
	}
	return append(calls, machineCalls()...)
}
