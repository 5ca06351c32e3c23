//go:build !linux

package extract

import "syscall"

// childAttributes is empty: the child ends itself at its deadline.
func childAttributes() *syscall.SysProcAttr { return nil }
