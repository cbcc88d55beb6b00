// Package park blocks threads in the kernel without the help of Go's scheduler, and wakes several
// of them at once.
package park
