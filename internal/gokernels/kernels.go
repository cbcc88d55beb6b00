package gokernels

import (
	"strings"

	"github.com/gpuc/gpuc/runtime/gpu"
)

// Kernel is a kernel as plain Go.
type Kernel struct {
	Function   any
	Workgroup  gpu.Int3
	Parameters []string // the names, the item's first
}

// Kernels are those of the package, by name.
var Kernels = map[string]Kernel{
	"Saxpy":     of(Saxpy, gpu.Int3{X: 64, Y: 1, Z: 1}, "it parameters x y"),
	"VectorAdd": of(VectorAdd, gpu.Int3{X: 32, Y: 1, Z: 1}, "it a b c"),
}

func of(function any, workgroup gpu.Int3, parameters string) Kernel {
	return Kernel{function, workgroup, strings.Fields(parameters)}
}
