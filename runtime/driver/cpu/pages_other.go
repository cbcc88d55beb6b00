//go:build !linux

package cpu

// adviseLargePages does nothing.
func adviseLargePages([]byte) error { return nil }
