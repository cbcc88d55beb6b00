package fast

import (
	"github.com/gpuc/gpuc/kernels/linalg/internal/product"
	"github.com/gpuc/gpuc/runtime/gpu"
)

// Values of the parameter activation: the functions that Activate applies.
const (
	Identity = iota
	ReLU
	LeakyReLU
	Sigmoid
	Tanh
	SiLU
	GELU
)

const rowsAtOnce = 4

// Activate applies a function to each element of c.
//
//gpuc:kernel workgroup=256 types=f32/a32,f16/a16,bf16/ab16
func Activate[T product.Element, V product.Arithmetic[T, float32]](it gpu.Item, c gpu.Matrix[T], activation int) {
	var v V
	for i := it.Group().Y * rowsAtOnce; i < c.Rows(); i += it.Groups().Y * rowsAtOnce {
		for j := it.Global().X; j < c.Cols(); j += it.Groups().X * 256 {
			for e := range rowsAtOnce {
				if i+e < c.Rows() {
					c.Set(i+e, j, v.Round(activated(v.Wide(c.At(i+e, j)), activation)))
				}
			}
		}
	}
}

// ActivateBias adds an element of bias to each column of c, and applies a function. Element j of
// bias is that of its buffer at offset + j·stride.
//
//gpuc:kernel workgroup=256 types=f32/a32,f16/a16,bf16/ab16
func ActivateBias[T product.Element, V product.Arithmetic[T, float32]](it gpu.Item, bias []T, offset, stride int, c gpu.Matrix[T], activation int) {
	var v V
	for i := it.Group().Y * rowsAtOnce; i < c.Rows(); i += it.Groups().Y * rowsAtOnce {
		for j := it.Global().X; j < c.Cols(); j += it.Groups().X * 256 {
			b := v.Wide(bias[offset+j*stride])
			for e := range rowsAtOnce {
				if i+e < c.Rows() {
					c.Set(i+e, j, v.Round(activated(v.Wide(c.At(i+e, j))+b, activation)))
				}
			}
		}
	}
}

// activated returns a function of x.
func activated(x float32, activation int) float32 {
	switch activation {
	case ReLU:
		return max(x, 0)
	case LeakyReLU:
		return max(x, 0.01*x)
	case Sigmoid:
		return 1 / (1 + gpu.Exp(-x))
	case Tanh:
		return gpu.Tanh(x)
	case SiLU:
		return x / (1 + gpu.Exp(-x))
	case GELU:
		return x / (1 + gpu.Exp(-1.5957691*(x+0.044715*x*x*x)))
	}
	return x
}
