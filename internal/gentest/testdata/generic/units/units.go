// Package units has types that kernels are compiled for.
package units

// Metres is a number.
type Metres float32

// Span is a structure.
type Span struct {
	From, To Metres
	Count    uint32
}
