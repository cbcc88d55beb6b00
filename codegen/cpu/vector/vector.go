//go:build amd64 || arm64

package vector

import "unsafe"

// This file has the operations on masks and places that are in assembly.

//go:noescape
func bitsVector(to *uint64, column unsafe.Pointer, lanes int)

//go:noescape
func expandVector(to unsafe.Pointer, mask *uint64, lanes int)

//go:noescape
func followsVector(lanes int, column unsafe.Pointer, step uint32) bool

//go:noescape
func gatherVector(lanes int, to, column unsafe.Pointer, w *window)

//go:noescape
func scatterVector(lanes int, from, column, mask unsafe.Pointer, w *window)

// vectorOperations are the operations on masks and places in assembly.
var vectorOperations = operations{
	bits:   func(to []uint64, column unsafe.Pointer, lanes int) { bitsVector(&to[0], column, lanes) },
	expand: func(to unsafe.Pointer, mask []uint64, lanes int) { expandVector(to, &mask[0], lanes) },
	follows: func(lanes int, column unsafe.Pointer, step uint32) bool {
		if lanes%8 != 0 {
			return follows(lanes, column, step)
		}
		return followsVector(lanes, column, step)
	},
	gather:     gatherVector,
	scatter:    scatterVector,
	scatterRow: scatterRow,
	gatherRow:  gatherRow,
}
