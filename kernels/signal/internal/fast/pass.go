package fast

import "github.com/gpuc/gpuc/runtime/gpu"

// Pass says what a kernel transforms. A workgroup has Batch transforms of N numbers. They are
// Batch of the Columns of an outer index; Blocks workgroups have all columns of one.
//
// Number k of column c of outer index o is at o·InOuter + c·InColumn + k·InElement in the input.
// In the output it is at o·OutOuter + c/Span·OutBlock + c%Span + k·Span. So Span results of each
// column are adjacent, as a stage of Stockham's algorithm has them.
type Pass struct {
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
	RowsIn       = 1 << iota // the numbers of a column are adjacent in the input
	RowsOut                  // the same in the output
	Twiddled                 // there are twiddle factors
	ConjugateIn              // the input is conjugated
	ConjugateOut             // so is the output
	InPlace                  // the input is y, and x is not read
)

// GroupOf is the index of a workgroup in grids of two dimensions, since devices limit each of
// them.
func GroupOf(it gpu.Item) uint32 {
	return uint32(it.Group().Y)*uint32(it.Groups().X) + uint32(it.Group().X)
}

// twiddle returns W^e from the table of the transform: first its small powers, then the large
// ones.
func (p *Pass) twiddle(e uint32, outer [][2]float32) number {
	small := uint32(1) << p.Shift
	return load(outer, e&(small-1)).times(load(outer, small+e>>p.Shift))
}

// Words returns the values of a launch, see gpu.Embedded.Launch.
func (p *Pass) Words() []uint32 {
	return []uint32{
		p.N, p.Batch, p.Blocks, p.Columns, p.Groups, p.InBase, p.OutBase, p.InOuter, p.InColumn, p.InElement,
		p.OutOuter, p.OutBlock, p.Span, p.Inner, p.Shift, p.Stages, p.Bits, p.Flags,
	}
}
