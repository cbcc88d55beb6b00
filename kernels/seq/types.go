package seq

import "github.com/gpuc/gpuc/runtime/gpu"

// Float is the type of elements with a mean.
type Float interface{ float32 | float64 }

// Number is the type of elements that are added and compared.
type Number interface {
	int32 | uint32 | int64 | uint64 | Float
}

// Key is the type of elements that are sorted.
type Key interface {
	int8 | uint8 | int16 | uint16 | gpu.Float16 | Number
}

// kind is the index of a Number in tables of kernels.
type kind int

const (
	isInt32 kind = iota
	isUint32
	isInt64
	isUint64
	isFloat32
	isFloat64
	kinds
)

// kindOf returns the kind of T.
func kindOf[T Number]() kind {
	switch any(*new(T)).(type) {
	case int32:
		return isInt32
	case uint32:
		return isUint32
	case int64:
		return isInt64
	case uint64:
		return isUint64
	case float32:
		return isFloat32
	}
	return isFloat64
}
