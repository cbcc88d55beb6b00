package linalg

import (
	"github.com/gpuc/gpuc/kernels/linalg/internal/fast"
	"github.com/gpuc/gpuc/kernels/linalg/internal/product"
	"github.com/gpuc/gpuc/runtime/gpu"
)

// Option says how a product is computed. The zero value says nothing.
type Option struct {
	strict bool
	split  bool
	tf32   bool
	after  bool // whether there is an epilogue
	// bias is a *gpu.Buffer of the elements of the product, or nil, and layout where its elements
	// are.
	bias       any
	layout     Vector[byte]
	activation Activation
}

// Strict returns the option that sums are in one order, with the same bits on every device.
// Products of Float16 and BFloat16 then do without the units that devices have for matrices.
func Strict() Option { return Option{strict: true} }

// Split returns the option that products of float32 are computed by six of BFloat16, which the
// units for matrices of many devices multiply, and which are added in float32. Errors are those of
// float32 but for elements below 2⁻¹¹⁰, whose last parts are lost. Infinities make NaN. Strict
// counts more.
func Split() Option { return Option{split: true} }

// TF32 returns the option that products of float32 may have errors of about 2⁻¹¹ of their terms, as
// operands in TensorFloat-32 make. Devices with units for products of BFloat16 then compute three
// of these for each, with errors of about 2⁻¹⁶. There, elements below 2⁻¹¹⁸ lose more, and
// infinities make NaN. Other devices compute as without the option. Split and Strict count more.
func TF32() Option { return Option{tf32: true} }

// Activation is a function that an epilogue applies to each element. It is computed in float32.
type Activation uint8

// The activations. GELU is the approximation with tanh (Hendrycks and Gimpel, "Gaussian Error
// Linear Units", 2016), and SiLU is x times Sigmoid of x. LeakyReLU has a hundredth of what is
// negative.
const (
	Identity  Activation = fast.Identity
	ReLU      Activation = fast.ReLU
	LeakyReLU Activation = fast.LeakyReLU
	Sigmoid   Activation = fast.Sigmoid
	Tanh      Activation = fast.Tanh
	SiLU      Activation = fast.SiLU
	GELU      Activation = fast.GELU
)

// Epilogue returns the option that an element of bias is added to each column of the result, and
// that an activation is applied. There is no bias if the vector has no buffer. The result is
// rounded before, too, since a second kernel does it. Products of float64 have no epilogue, and
// functions other than Gemm do without.
func Epilogue[T Element](bias Vector[T], a Activation) Option {
	o := Option{after: true, activation: a, layout: Vector[byte]{Offset: bias.Offset, Len: bias.Len, Stride: bias.Stride}}
	if bias.Buffer != nil {
		o.bias = bias.Buffer
	}
	return o
}

// joined returns what all options say together. The last epilogue counts.
func joined(list []Option) (o Option) {
	for _, next := range list {
		strict, split, tf32 := o.strict || next.strict, o.split || next.split, o.tf32 || next.tf32
		if next.after {
			o = next
		}
		o.strict, o.split, o.tf32 = strict, split, tf32
	}
	return o
}

// checkEpilogue checks the epilogue of a result.
func checkEpilogue[T Element](o operation, option Option, c gpu.MatrixBuffer[T]) error {
	if !option.after {
		return nil
	}
	if _, ok := any(c.Buffer).(*gpu.Buffer[float64]); ok {
		return o.wrong("Epilogue", "elements of 32 or 16 bits", "float64")
	}
	if err := valid(o, "activation", option.activation, GELU); err != nil || option.bias == nil {
		return err
	}
	bias, ok := option.bias.(*gpu.Buffer[T])
	if !ok {
		return o.wrong("bias", "elements as c has", "others")
	}
	l := option.layout
	return first(checkVector(o, "bias", Vector[T]{bias, l.Offset, l.Len, l.Stride}, false), o.length("bias", "elements, as c has columns", l.Len, c.Cols), apart(o, c.Buffer, bias))
}

// usableBias returns an error if an epilogue cannot use its bias, which only its own launch would
// find.
func usableBias(s *gpu.Stream, o Option) error {
	if bias, ok := o.bias.(gpu.Bound); ok {
		return s.Usable(bias)
	}
	return nil
}

// epilogue launches the kernel of an epilogue.
func epilogue[T Element](s *gpu.Stream, c gpu.MatrixBuffer[T], o Option) error {
	if !o.after || c.Rows == 0 || c.Cols == 0 || o.bias == nil && o.activation == Identity {
		return nil
	}
	switch any(c.Buffer).(type) {
	case *gpu.Buffer[float32]:
		return launchEpilogue[float32, product.F32](s, as[float32](c), o)
	case *gpu.Buffer[gpu.Float16]:
		return launchEpilogue[gpu.Float16, product.F16](s, as[gpu.Float16](c), o)
	}
	return launchEpilogue[gpu.BFloat16, product.BF16](s, as[gpu.BFloat16](c), o)
}

func launchEpilogue[T float32 | gpu.Float16 | gpu.BFloat16, V interface {
	product.Arithmetic[T, float32]
	product.F32 | product.F16 | product.BF16
}](s *gpu.Stream, c gpu.MatrixBuffer[T], o Option) error {
	g := gpu.D2(groups(c.Cols, items).X, groups(c.Rows, 4).X)
	if bias, ok := o.bias.(*gpu.Buffer[T]); ok {
		return fast.LaunchActivateBias[T, V](s, g, bias, o.layout.Offset, o.layout.Stride, c, int(o.activation))
	}
	return fast.LaunchActivate[T, V](s, g, c, int(o.activation))
}
