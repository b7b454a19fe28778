//go:build unix

package main

import (
	"os/exec"
	"syscall"
)

// newSession runs cmd in a session of its own, which has no terminal.
func newSession(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }
