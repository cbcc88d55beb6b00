package signal

import "github.com/gpuc/gpuc/runtime/gpu"

// items is the number of items of all workgroups of this package.
const items = 256

// pass says what a kernel transforms. A workgroup has Batch transforms of N numbers. They are
// Batch of the Columns of an outer index; Blocks workgroups have all columns of one.
//
// Number k of column c of outer index o is at o·InOuter + c·InColumn + k·InElement in the input.
// In the output it is at o·OutOuter + c/Span·OutBlock + c%Span + k·Span. So Span results of each
// column are adjacent, as a stage of Stockham's algorithm has them.
type pass struct {
	N, Batch, Blocks, Columns    uint32
	Groups                       uint32 // workgroups that have work
	InBase, OutBase              uint32 // where the numbers of outer index 0 begin
	InOuter, InColumn, InElement uint32
	OutOuter, OutBlock, Span     uint32
	// Inner is the stride of the transform whose stage this is. Column c has the twiddle factors
	// W^(c%Span/Inner·k). They are products of two factors: W^(e>>Shift<<Shift) and
	// W^(e%(1<<Shift)).
	Inner, Shift uint32
	// Stages are those of composite kernels. Columns of theirs are a power of two, 1<<Bits.
	Stages, Bits uint32
	Flags        uint32
}

// Flags of a pass.
const (
	rowsIn       = 1 << iota // the numbers of a column are adjacent in the input
	rowsOut                  // the same in the output
	twiddled                 // there are twiddle factors
	conjugateIn              // the input is conjugated
	conjugateOut             // so is the output
	inPlace                  // the input is y, and x is not read
)

// groupOf is the index of a workgroup in the grids of gridOf, which have two dimensions since
// devices limit each of them.
func groupOf(it gpu.Item) uint32 {
	return uint32(it.Group().Y)*uint32(it.Groups().X) + uint32(it.Group().X)
}

// twiddle returns W^e from the table of the transform: first its small powers, then the large
// ones.
func twiddle[T Float](p *pass, e uint32, outer [][2]T) pair[T] {
	small := uint32(1) << p.Shift
	return load(outer, e&(small-1)).times(load(outer, small+e>>p.Shift))
}
