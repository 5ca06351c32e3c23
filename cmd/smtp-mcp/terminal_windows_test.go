package main

import "syscall"

// noTerminal starts a process without a console (DETACHED_PROCESS).
func noTerminal() *syscall.SysProcAttr { return &syscall.SysProcAttr{CreationFlags: 0x8} }
