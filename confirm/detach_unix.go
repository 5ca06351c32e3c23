//go:build unix

package confirm

import "syscall"

// detached gives a program a session of its own, so that what stops this process does not stop the person's browser.
func detached() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }
