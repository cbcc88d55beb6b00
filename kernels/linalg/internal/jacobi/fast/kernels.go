// Package fast has the kernels of package jacobi that multiply, without strict arithmetic: devices
// fuse products and sums.
package fast

import (
	"github.com/gpuc/gpuc/kernels/linalg/internal/jacobi"
	"github.com/gpuc/gpuc/runtime/gpu"
)

//go:generate go tool gpuc gen .

// Gram is that of package jacobi.
//
//gpuc:kernel workgroup=jacobi.GramItems types=float32,float64
func Gram[T jacobi.Real](it gpu.Item, shared *jacobi.Rows[T], s jacobi.Shape, round int, w []T, done []int32, g []T) {
	jacobi.Multiply(it, shared, s, round, w, done, g)
}

// Update is that of package jacobi.
//
//gpuc:kernel workgroup=jacobi.UpdateItems types=float32,float64
func Update[T jacobi.Real](it gpu.Item, shared *jacobi.Updating[T], s jacobi.Shape, round, rows int, done, changes []int32, g, w []T) {
	jacobi.Combine(it, shared, s, round, rows, done, changes, g, w)
}
