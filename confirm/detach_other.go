//go:build !unix

package confirm

import "syscall"

func detached() *syscall.SysProcAttr { return nil }
