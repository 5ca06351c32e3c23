package confine

import "golang.org/x/sys/unix"

const auditArch = unix.AUDIT_ARCH_X86_64

func machineCalls() []int { return []int{unix.SYS_ARCH_PRCTL, unix.SYS_EPOLL_WAIT} }
