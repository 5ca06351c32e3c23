//go:build unix

package main

import "syscall"

// noTerminal starts a process in a session of its own, which has no controlling terminal.
func noTerminal() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }
