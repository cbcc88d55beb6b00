//go:build unix

package main

import (
	"os/exec"
	"syscall"
)

// alone makes a command end with all processes that it starts.
func alone(c *exec.Cmd) {
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	c.Cancel = func() error { return syscall.Kill(-c.Process.Pid, syscall.SIGKILL) }
}
