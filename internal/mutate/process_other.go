//go:build !unix

package main

import "os/exec"

// alone makes a command end with all processes that it starts, where that is known
// how to do.
func alone(*exec.Cmd) {}
