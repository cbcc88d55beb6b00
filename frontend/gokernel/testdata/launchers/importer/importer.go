// Package importer uses a launcher of another package with a type argument.
package importer

import (
	"github.com/gpuc/gpuc/frontend/gokernel/testdata/launchers/made"
	"github.com/gpuc/gpuc/runtime/gpu"
)

//gpuc:kernel workgroup=64
func Set(it gpu.Item, x []float32) { x[it.Index()] = made.One() }

func clear(s *gpu.Stream, x *gpu.Buffer[float32]) error {
	return made.LaunchClear[float32](s, gpu.D1(1), x)
}
