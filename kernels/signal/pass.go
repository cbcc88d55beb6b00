package signal

import "github.com/gpuc/gpuc/kernels/signal/internal/fast"

// items is the number of items of most workgroups of this package.
const items = 256

// pass says what a kernel transforms.
type pass = fast.Pass

// Flags of a pass.
const (
	rowsIn       = fast.RowsIn
	rowsOut      = fast.RowsOut
	twiddled     = fast.Twiddled
	conjugateIn  = fast.ConjugateIn
	conjugateOut = fast.ConjugateOut
	inPlace      = fast.InPlace
)

// twiddle returns W^e from the table of the transform: first its small powers, then the large
// ones.
func twiddle[T Float](p *pass, e uint32, outer [][2]T) pair[T] {
	small := uint32(1) << p.Shift
	return load(outer, e&(small-1)).times(load(outer, small+e>>p.Shift))
}
