// Package deeper is called by helpers of kernels.
package deeper

// Print stays on the host.
func Print(x float32) { // want Print:"kernels do not call println"
	println(x)
}

// Twice is for kernels.
func Twice(x float32) float32 { return x + x }
