package signal

import (
	"github.com/gpuc/gpuc/kernels/signal/internal/fast"
	"github.com/gpuc/gpuc/runtime/gpu"
)

// rows says where the elements of a kernel are that has one for each item. Row t is row
// t%PerBatch of batch t/PerBatch. Row and batch begin at multiples of a length and a distance.
type rows struct {
	Count, Length, PerBatch uint32
	InDistance, InLength    uint32
	OutDistance, OutLength  uint32
	// N is the length of the transform, M that of a longer one if there is one. Inner is the
	// stride of the transform; Length, InLength and OutLength count numbers whose distance it
	// is.
	N, M, Inner uint32
	Flags       uint32
}

// element returns the row of an item's element, its number there, and whether there is one.
func (p *rows) element(it gpu.Item) (row, k uint32, ok bool) {
	e := fast.GroupOf(it)*items + uint32(it.LocalIndex())
	row = e / p.Length
	return row, e - row*p.Length, row < p.Count
}

// in returns where a row begins in the input.
func (p *rows) in(row uint32) uint32 {
	batch := row / p.PerBatch
	row -= batch * p.PerBatch
	return batch*p.InDistance + row/p.Inner*(p.InLength*p.Inner) + row%p.Inner
}

// out returns where a row begins in the output.
func (p *rows) out(row uint32) uint32 {
	batch := row / p.PerBatch
	row -= batch * p.PerBatch
	return batch*p.OutDistance + row/p.Inner*(p.OutLength*p.Inner) + row%p.Inner
}
