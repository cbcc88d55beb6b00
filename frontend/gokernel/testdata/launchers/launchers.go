// Package launchers uses the launchers of its kernels before they are made: as values of a function
// type, and with type arguments.
package launchers

import "github.com/gpuc/gpuc/runtime/gpu"

//gpuc:kernel workgroup=64 types=float32,float64
func Fill[T float32 | float64](it gpu.Item, v T, m gpu.Matrix[T], x gpu.Tensor[T], y []T) {
	m.Set(0, 0, v)
	y[0] = v + x.At(0, 0, 0, 0)
}

func fill(s *gpu.Stream, m gpu.MatrixBuffer[float64], x gpu.TensorBuffer[float64], y *gpu.Buffer[float64]) error {
	return LaunchFill[float64](s, gpu.D1(1), 2, m, x, y)
}

var launch func(*gpu.Stream, gpu.Grid, float32, gpu.MatrixBuffer[float32], gpu.TensorBuffer[float32], *gpu.Buffer[float32]) error = LaunchFill

var run = RunFill[float32]
