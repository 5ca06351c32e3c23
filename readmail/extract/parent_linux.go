package extract

import "syscall"

// childAttributes has the kernel kill the child when this process dies.
func childAttributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
}
