package vector

import "unsafe"

// This file chooses the primitives in assembly, for NEON, which all processors have that Go runs
// on.

// choose puts what is in assembly in the place of what is in Go. Columns are copied by what copies
// slices, which is assembly of Go's own.
func choose(p *processor) {
	for n, assembled := range assembled {
		if assembled != nil {
			p.columns[n] = assembled
		}
	}
	p.columns[fillWord], p.columns[fillLong] = fillWordVector, fillLongVector
	p.columns[blendWord], p.columns[blendFillWord] = blendWordVector, blendFillWordVector
	p.columns[blendLong], p.columns[blendFillLong] = blendLongVector, blendFillLongVector
	p.operations = vectorOperations
}

//go:noescape
func fillWordVector(n int, d, a, b, c unsafe.Pointer)

//go:noescape
func fillLongVector(n int, d, a, b, c unsafe.Pointer)

//go:noescape
func blendWordVector(n int, d, a, b, c unsafe.Pointer)

//go:noescape
func blendFillWordVector(n int, d, a, b, c unsafe.Pointer)

//go:noescape
func blendLongVector(n int, d, a, b, c unsafe.Pointer)

//go:noescape
func blendFillLongVector(n int, d, a, b, c unsafe.Pointer)
