package signal

import (
	"github.com/gpuc/gpuc/kernels/signal/internal/fast"
	"github.com/gpuc/gpuc/runtime/gpu"
)

// sums says which sums of products a kernel computes. Output (i, j) of a batch is the sum of
// h(k, l)·x(i·Step+Row-k, j·Step+Column-l), where x is zero outside. All arrays are dense.
type sums struct {
	Batch                  uint32
	OutRows, OutColumns    uint32
	InRows, InColumns      uint32
	KernelRows, KernelCols uint32
	Row, Column, Step      uint32
	Blocks                 uint32 // workgroups of a row of the output
	Reversed               uint32 // 1: h is read from its end
}

// outputs is how many sums an item has, which are a workgroup apart. They share what is read of
// h.
const outputs = 4

// direct computes a convolution or a filter by its definition. Sums begin with zero, and are in
// the order of k and l.
//
//gpuc:kernel workgroup=items types=float32,float64
func direct[T Float](it gpu.Item, p sums, h, x, y []T) {
	group := fast.GroupOf(it)
	row, block := group/p.Blocks, group%p.Blocks
	if row >= p.Batch*p.OutRows {
		return
	}
	batch := row / p.OutRows
	start := block * (outputs * items)
	first := start + uint32(it.LocalIndex())
	// rows in x of the first product; those before it are large numbers, since they are unsigned
	i := (row-batch*p.OutRows)*p.Step + p.Row
	// all products of the workgroup are within a row, and adjacent
	inside := p.Step == 1 && start+p.Column+1 >= p.KernelCols && start+outputs*items+p.Column <= p.InColumns
	var a, b, c, d T
	at, by := uint32(0), uint32(1)
	if p.Reversed != 0 {
		at, by = p.KernelRows*p.KernelCols-1, ^uint32(0)
	}
	for k := range p.KernelRows {
		from := (batch*p.InRows + i - k) * p.InColumns
		switch {
		case i-k >= p.InRows:
			at += by * p.KernelCols
		case inside:
			j := first + (from + p.Column)
			for range p.KernelCols {
				f := h[at]
				at += by
				a += f * x[j]
				b += f * x[j+items]
				c += f * x[j+2*items]
				d += f * x[j+3*items]
				j--
			}
		default:
			j, step := first*p.Step+p.Column, p.Step*items
			for l := range p.KernelCols {
				f := h[at]
				at += by
				a += f * sample(x, from, j-l, p.InColumns)
				b += f * sample(x, from, j+step-l, p.InColumns)
				c += f * sample(x, from, j+2*step-l, p.InColumns)
				d += f * sample(x, from, j+3*step-l, p.InColumns)
			}
		}
	}
	to := row * p.OutColumns
	if first < p.OutColumns {
		y[to+first] = a
	}
	if first+items < p.OutColumns {
		y[to+first+items] = b
	}
	if first+2*items < p.OutColumns {
		y[to+first+2*items] = c
	}
	if first+3*items < p.OutColumns {
		y[to+first+3*items] = d
	}
}

// sample is a sample of a row of n that begins at from, or zero outside.
func sample[T Float](x []T, from, at, n uint32) T {
	v := x[from+min(at, n-1)]
	if at >= n {
		v = 0
	}
	return v
}

// windowed says what is copied: Rows × Columns elements of each batch. Element (i, j) is that of
// the input at (i+Row, j+Column), or zero outside of its InRows × InColumns.
type windowed struct {
	Batch, Rows, Columns, InRows, InColumns, Row, Column uint32
	Reversed                                             uint32 // 1: the input is read from its end
}

// window copies a part of an array, and zeros around it.
//
//gpuc:kernel workgroup=items types=float32,float64
func window[T Float](it gpu.Item, p windowed, x, y []T) {
	e := fast.GroupOf(it)*items + uint32(it.LocalIndex())
	row, j := e/p.Columns, e%p.Columns
	batch, i := row/p.Rows, row%p.Rows
	if batch >= p.Batch {
		return
	}
	i, j = i+p.Row, j+p.Column
	if p.Reversed != 0 {
		i, j = p.InRows-1-i, p.InColumns-1-j
	}
	v := T(0)
	if i < p.InRows && j < p.InColumns {
		v = x[(batch*p.InRows+i)*p.InColumns+j]
	}
	y[e] = v
}
