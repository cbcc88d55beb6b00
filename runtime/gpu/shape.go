package gpu

import "fmt"

// ShapeError says which parameter of an operation does not fit the others. It wraps ErrShape.
type ShapeError struct {
	Operation string // "linalg.Gemm"
	Parameter string // "b"
	Wanted    string // "4 rows, as a has 4 columns"
	Given     string // "3 rows"
}

// Error returns all of it as one line.
func (e *ShapeError) Error() string {
	if e == nil {
		return "no wrong shape"
	}
	return fmt.Sprintf("%s: %v: %s: got %s, want %s", e.Operation, ErrShape, e.Parameter, e.Given, e.Wanted)
}

// Unwrap returns ErrShape.
func (e *ShapeError) Unwrap() error { return ErrShape }
