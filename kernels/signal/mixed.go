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
	// Radices are those of the stages in a workgroup, four bits each, the first one lowest.
	Radices uint32
	// Lanes is how many items work on a row, a power of two and 8 or more.
	Lanes uint32
	Flags uint32
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

// mixedRows transforms rows of numbers whose count has factors up to 13. Stages are those of
// Stockham's algorithm, so that results are in order. They go from one half of the workgroup's
// memory to the other. Source: Cochran et al., "What is the fast Fourier transform?", 1967.
//
// Lanes items work on a row, and eight with the same Y on numbers that are adjacent.
//
//gpuc:kernel workgroup=8,32 types=float32/[8192]float32,float64/[4096]float64
func mixedRows[T Float, R room[T]](it gpu.Item, shared *R, p pass, scale T, stages, x, y [][2]T) {
	group := groupOf(it)
	if group >= p.Groups {
		return
	}
	lane, block := uint32(it.Local().X), uint32(it.Local().Y)*8
	o := group / p.Blocks
	first := (group - o*p.Blocks) * p.Batch
	rows := min(p.Batch, p.Columns-first)
	row, rowStep, k := block/p.Lanes, items/p.Lanes, block%p.Lanes+lane
	part := uint32(len(*shared)) / 4
	for c := row; c < rows; c += rowStep {
		at := p.InBase + o*p.InOuter + (first+c)*p.InColumn
		for k := k; k < p.N; k += p.Lanes {
			v := pair[T]{}
			if p.Flags&inPlace != 0 {
				v = load(y, at+k)
			} else {
				v = load(x, at+k)
			}
			if p.Flags&conjugateIn != 0 {
				v = v.conjugated()
			}
			(*shared)[c*p.N+k] = v.re
			(*shared)[c*p.N+k+part] = v.im
		}
	}
	b := butterfly{span: 1, to: 2 * part, part: part, factor: roots}
	for radices := p.Radices; radices != 0; radices >>= 4 {
		it.Barrier()
		radix := radices & 15
		count := p.N / radix
		for c := row; c < rows; c += rowStep {
			for k := k; k < count; k += p.Lanes {
				j := k % b.span
				compute(shared, &b, radix, c*p.N+k, count, c*p.N+(k-j)*radix+j, b.span, b.factor+j, stages)
			}
		}
		b.next(radix)
	}
	it.Barrier()
	for c := row; c < rows; c += rowStep {
		at := p.OutBase + o*p.OutOuter + (first+c)*p.OutBlock
		for k := k; k < p.N; k += p.Lanes {
			v := pair[T]{(*shared)[b.from+c*p.N+k], (*shared)[b.from+part+c*p.N+k]}.scaled(scale)
			if p.Flags&conjugateOut != 0 {
				v = v.conjugated()
			}
			y[at+k] = [2]T{v.re, v.im}
		}
	}
}

// mixedColumns is mixedRows for columns, whose number is a power of two and 8 or more. Eight
// items with the same Y work on columns that are adjacent.
//
//gpuc:kernel workgroup=8,32 types=float32/[8192]float32,float64/[4096]float64
func mixedColumns[T Float, R room[T]](it gpu.Item, shared *R, p pass, scale T, stages, outer, x, y [][2]T) {
	group := groupOf(it)
	if group >= p.Groups {
		return
	}
	lane, block := uint32(it.Local().X), uint32(it.Local().Y)*8
	o := group / p.Blocks
	first := (group - o*p.Blocks) * p.Batch
	base, k, step := block%p.Batch, block/p.Batch, items/p.Batch
	part := uint32(len(*shared)) / 4
	column := min(first+base+lane, p.Columns-1)
	at := p.InBase + o*p.InOuter + column
	j := column % p.Span / p.Inner
	for k := k; k < p.N; k += step {
		v := pair[T]{}
		if p.Flags&inPlace != 0 {
			v = load(y, at+k*p.InElement)
		} else {
			v = load(x, at+k*p.InElement)
		}
		if p.Flags&conjugateIn != 0 {
			v = v.conjugated()
		}
		if p.Flags&twiddled != 0 {
			v = v.times(twiddle(&p, j*k, outer))
		}
		(*shared)[k*p.Batch+base+lane] = v.re
		(*shared)[k*p.Batch+base+lane+part] = v.im
	}
	b := butterfly{span: 1, to: 2 * part, part: part, factor: roots}
	for radices := p.Radices; radices != 0; radices >>= 4 {
		it.Barrier()
		radix := radices & 15
		count := p.N / radix
		for k := k; k < count; k += step {
			j := k % b.span
			compute(shared, &b, radix, k*p.Batch+base+lane, count*p.Batch, ((k-j)*radix+j)*p.Batch+base+lane, b.span*p.Batch, b.factor+j, stages)
		}
		b.next(radix)
	}
	it.Barrier()
	out := p.OutBase + o*p.OutOuter
	switch column := first + base; {
	case p.Flags&rowsOut != 0:
		for c := block / p.Lanes; c < min(p.Batch, p.Columns-first); c += items / p.Lanes {
			for k := block%p.Lanes + lane; k < p.N; k += p.Lanes {
				store(y, &p, out+(first+c)*p.OutBlock+k, pair[T]{(*shared)[b.from+k*p.Batch+c], (*shared)[b.from+part+k*p.Batch+c]}.scaled(scale))
			}
		}
	case p.Span%8 == 0 && column+8 <= p.Columns:
		at := out + column/p.Span*p.OutBlock + column%p.Span
		for k := k; k < p.N; k += step {
			from := b.from + k*p.Batch + base + lane
			store(y, &p, at+k*p.Span+lane, pair[T]{(*shared)[from], (*shared)[from+part]}.scaled(scale))
		}
	case column+lane < p.Columns:
		column += lane
		at := out + column/p.Span*p.OutBlock + column%p.Span
		for k := k; k < p.N; k += step {
			from := b.from + k*p.Batch + base + lane
			store(y, &p, at+k*p.Span, pair[T]{(*shared)[from], (*shared)[from+part]}.scaled(scale))
		}
	}
}

// store writes a result.
func store[T Float](y [][2]T, p *pass, at uint32, v pair[T]) {
	if p.Flags&conjugateOut != 0 {
		v = v.conjugated()
	}
	y[at] = [2]T{v.re, v.im}
}

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
