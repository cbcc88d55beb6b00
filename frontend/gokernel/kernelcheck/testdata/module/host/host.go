// Package host has no kernels, and nothing is said about it.
package host

func private() map[string]int { return nil }

// Public is not for kernels.
func Public() map[string]int { return private() } // want Public:"kernels have no values of type map\\[string\\]int"
