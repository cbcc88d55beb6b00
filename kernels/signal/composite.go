package signal

import (
	"github.com/gpuc/gpuc/kernels/signal/internal/fast"
	"github.com/gpuc/gpuc/runtime/gpu"
)

// schedule says what the stages of a composite transform do, of words that are named below.
type schedule [stagesAtMost][3][4]uint32

const stagesAtMost = 8

// The words of a stage. A stage has count transforms of radix numbers in a row, and those before
// it make span. Quotients by count and by span are products with the words that follow them,
// shifted by quotientBits.
//
// Numbers in workgroup memory are in blocks of span, with gap numbers between. Outputs are in
// larger blocks, as many numbers apart as outBlock says. Rows are pitch apart, numbers of a row
// apart, inputs of a transform step and outputs far.
const (
	wordCount = iota
	wordByCount
	wordSpan
	wordBySpan
	wordRadix
	wordFactors // where the twiddle factors begin
	wordGap
	wordStep
	wordOutBlock
	wordPitch
	wordApart
	wordFar
)

const quotientBits = 22

// pairRoom is the workgroup memory of a composite transform: half of it is what a stage reads, and
// half what it writes.
type pairRoom[T Float] interface {
	[2048][2]T | [4096][2]T | [8192][2]T
}

// composite transforms rows or columns of numbers whose count has factors up to 13. Stages are
// those of Stockham's algorithm, with radices up to 16, so that results are in order. The first one
// reads x and the last one writes y, and workgroup memory is between them. Transforms of all rows
// of a workgroup are counted together, so that no items are idle but at the end. Columns are a
// power of two and 8 or more, and eight items with the same Y have adjacent ones.
//
// Source: Cochran et al., "What is the fast Fourier transform?", 1967.
//
//gpuc:kernel workgroup=8,32 resident=4 types=[4096][2]float32,[8192][2]float32
func composite[R pairRoom[float32]](it gpu.Item, shared *R, p pass, scale float32, schedules []schedule, stages, outer, x, y [][2]float32) {
	compositePass(it, shared, p, scale, schedules, stages, outer, x, y)
}

// compositeDoubles is composite for float64, whose numbers take twice the registers.
//
//gpuc:kernel workgroup=8,32 resident=2
func compositeDoubles(it gpu.Item, shared *[2048][2]float64, p pass, scale float64, schedules []schedule, stages, outer, x, y [][2]float64) {
	compositePass(it, shared, p, scale, schedules, stages, outer, x, y)
}

func compositePass[T Float, R pairRoom[T]](it gpu.Item, shared *R, p pass, scale T, schedules []schedule, stages, outer, x, y [][2]T) {
	group := fast.GroupOf(it)
	if group >= p.Groups {
		return
	}
	lane, block := uint32(it.Local().X), uint32(it.Local().Y)*8
	id := block + lane
	o := group / p.Blocks
	first := (group - o*p.Blocks) * p.Batch
	rows, columns := min(p.Batch, p.Columns-first), p.Flags&rowsIn == 0
	if columns {
		rows = p.Batch // items of those that there are not have no work
	}
	in, out := p.InBase+o*p.InOuter, p.OutBase+o*p.OutOuter
	plan := &schedules[0]
	z := sinkOf(scale, p.Flags)
	half := uint32(len(*shared)) / 2
	b := between{to: half}
	// So the compiler proves that all memory is written before it is read. It would set it to zero
	// with more instructions.
	for n := uint32(0); n < half; n += items {
		at := 2 * (n + id)
		(*shared)[at][0], (*shared)[at][1] = 0, 0
		(*shared)[at+1][0], (*shared)[at+1][1] = 0, 0
	}
	it.Barrier()
	// Stages and their transforms are one loop, so that comparisons with the radix are not
	// invariant in it: the compiler would do all of them before.
	for n, begin := uint32(0), uint32(0); n < p.Stages; {
		w, more, last := plan[n][0], plan[n][1], plan[n][2]
		count, span := w[wordCount], w[wordSpan]
		t := begin + id
		row := t * w[wordByCount] >> quotientBits
		k := t - row*count
		across := columns && (n+1 < p.Stages || p.Flags&rowsOut == 0)
		if across {
			row, k = (begin+block)&(p.Batch-1)+lane, (begin+block)>>(p.Bits%32)
		}
		end := p.Columns
		if t >= rows*count {
			end = 0
		}
		if column := first + row; column < end {
			radix := more[wordRadix%4]
			q := k * w[wordBySpan] >> quotientBits
			j := k - q*span
			b.span, b.step, b.far = span, more[wordStep%4], last[wordFar%4]
			pitch, apart := last[wordPitch%4], last[wordApart%4]
			b.in = b.from + row*pitch + (k+q*more[wordGap%4])*apart
			b.out = b.to + row*pitch + (q*last[wordOutBlock%4]+j)*apart
			b.factor = more[wordFactors%4] + j
			v := sixteen[T]{}
			if n == 0 {
				v = takeSome(x, y, &p, in+column*p.InColumn+k*p.InElement, count*p.InElement, radix)
				conjugate(&v, p.Flags)
				if p.Flags&twiddled != 0 {
					j := column % p.Span / p.Inner
					powers(&v, twiddle(&p, j*k, outer), twiddle(&p, j*count, outer))
				}
			} else {
				v = gather(shared, &b, radix, stages)
			}
			switch radix {
			case 16:
				dft16(&v)
			case 10:
				dft10(&v)
			case 8:
				w := [8]pair[T]{v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7]}
				dft8(&w)
				v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7] = w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7]
			case 9:
				dft9(&v)
			case 12:
				dft12(&v)
			case 15:
				dft15(&v)
			case 5:
				v[0], v[1], v[2], v[3], v[4] = dft5(v[0], v[1], v[2], v[3], v[4])
			case 6:
				dft6(&v)
			case 7:
				v[0], v[1], v[2], v[3], v[4], v[5], v[6] = dft7(v[0], v[1], v[2], v[3], v[4], v[5], v[6])
			case 14:
				dft14(&v)
			case 4:
				v[0], v[1], v[2], v[3] = dft4(v[0], v[1], v[2], v[3])
			case 3:
				v[0], v[1], v[2] = dft3(v[0], v[1], v[2])
			case 11:
				v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7], v[8], v[9], v[10] = dft11(v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7], v[8], v[9], v[10])
			case 13:
				v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7], v[8], v[9], v[10], v[11], v[12] = dft13(v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7], v[8], v[9], v[10], v[11], v[12])
			case 2:
				v[0], v[1] = dft2(v[0], v[1])
			}
			if n+1 < p.Stages {
				scatter(shared, &b, &v, radix)
			} else {
				z.at, z.step = out+column*p.OutBlock+k, count
				if across {
					z.at, z.step = out+column/p.Span*p.OutBlock+column%p.Span+k*p.Span, count*p.Span
				}
				z.storeSome(y, &v, radix)
			}
		}
		begin += items
		if begin >= rows*count {
			n, begin = n+1, 0
			b.from, b.to = b.to, b.from
		}
		it.Barrier()
	}
}

// between is where a transform of a stage has its numbers in workgroup memory, and its twiddle
// factors.
type between struct {
	from, to uint32 // the halves of workgroup memory
	in, step uint32
	out, far uint32
	factor   uint32
	span     uint32 // what factors are apart
}

// takeSome loads radix numbers that are step apart, of x or of y.
func takeSome[T Float](x, y [][2]T, p *pass, at, step, radix uint32) sixteen[T] {
	if p.Flags&inPlace != 0 {
		return someApart(y, at, step, radix)
	}
	return someApart(x, at, step, radix)
}

func someApart[T Float](x [][2]T, at, step, radix uint32) (v sixteen[T]) {
	v[0] = load(x, at)
	if radix > 1 {
		v[1] = load(x, at+step)
	}
	if radix > 2 {
		v[2] = load(x, at+2*step)
	}
	if radix > 3 {
		v[3] = load(x, at+3*step)
	}
	if radix > 4 {
		v[4] = load(x, at+4*step)
	}
	if radix > 5 {
		v[5] = load(x, at+5*step)
		if radix > 6 {
			v[6] = load(x, at+6*step)
		}
		if radix > 7 {
			v[7] = load(x, at+7*step)
		}
	}
	if radix > 8 {
		v[8] = load(x, at+8*step)
		if radix > 9 {
			v[9] = load(x, at+9*step)
		}
	}
	if radix > 10 {
		v[10] = load(x, at+10*step)
		if radix > 11 {
			v[11] = load(x, at+11*step)
		}
	}
	if radix > 12 {
		v[12] = load(x, at+12*step)
		if radix > 13 {
			v[13] = load(x, at+13*step)
		}
		if radix > 14 {
			v[14] = load(x, at+14*step)
		}
	}
	if radix > 15 {
		v[15] = load(x, at+15*step)
	}
	return v
}

// storeSome stores radix results.
func (z *sink[T]) storeSome(y [][2]T, v *sixteen[T], radix uint32) {
	z.storeOne(y, 0, v[0])
	if radix > 1 {
		z.storeOne(y, 1, v[1])
	}
	if radix > 2 {
		z.storeOne(y, 2, v[2])
	}
	if radix > 3 {
		z.storeOne(y, 3, v[3])
	}
	if radix > 4 {
		z.storeOne(y, 4, v[4])
	}
	if radix > 5 {
		z.storeOne(y, 5, v[5])
		if radix > 6 {
			z.storeOne(y, 6, v[6])
		}
		if radix > 7 {
			z.storeOne(y, 7, v[7])
		}
	}
	if radix > 8 {
		z.storeOne(y, 8, v[8])
		if radix > 9 {
			z.storeOne(y, 9, v[9])
		}
	}
	if radix > 10 {
		z.storeOne(y, 10, v[10])
		if radix > 11 {
			z.storeOne(y, 11, v[11])
		}
	}
	if radix > 12 {
		z.storeOne(y, 12, v[12])
		if radix > 13 {
			z.storeOne(y, 13, v[13])
		}
		if radix > 14 {
			z.storeOne(y, 14, v[14])
		}
	}
	if radix > 15 {
		z.storeOne(y, 15, v[15])
	}
}

func (z *sink[T]) storeOne(y [][2]T, e uint32, v pair[T]) {
	y[z.at+e*z.step] = [2]T{v.re * z.real, v.im * z.imaginary}
}

// gather reads radix numbers of workgroup memory, times their twiddle factors. It may read a few
// more, whose indices are limited.
func gather[T Float, R pairRoom[T]](shared *R, b *between, radix uint32, stages [][2]T) (v sixteen[T]) {
	at, f := b.in, b.factor
	v[0] = pairAt[T](shared, at)
	v[1] = pairAt[T](shared, at+b.step).times(factorAt(stages, f))
	v[2] = pairAt[T](shared, at+2*b.step).times(factorAt(stages, f+b.span))
	v[3] = pairAt[T](shared, at+3*b.step).times(factorAt(stages, f+2*b.span))
	v[4] = pairAt[T](shared, at+4*b.step).times(factorAt(stages, f+3*b.span))
	if radix > 5 {
		v[5] = pairAt[T](shared, at+5*b.step).times(factorAt(stages, f+4*b.span))
		v[6] = pairAt[T](shared, at+6*b.step).times(factorAt(stages, f+5*b.span))
		v[7] = pairAt[T](shared, at+7*b.step).times(factorAt(stages, f+6*b.span))
	}
	if radix > 8 {
		v[8] = pairAt[T](shared, at+8*b.step).times(factorAt(stages, f+7*b.span))
		v[9] = pairAt[T](shared, at+9*b.step).times(factorAt(stages, f+8*b.span))
	}
	if radix > 10 {
		v[10] = pairAt[T](shared, at+10*b.step).times(factorAt(stages, f+9*b.span))
		v[11] = pairAt[T](shared, at+11*b.step).times(factorAt(stages, f+10*b.span))
	}
	if radix > 12 {
		v[12] = pairAt[T](shared, at+12*b.step).times(factorAt(stages, f+11*b.span))
		v[13] = pairAt[T](shared, at+13*b.step).times(factorAt(stages, f+12*b.span))
		v[14] = pairAt[T](shared, at+14*b.step).times(factorAt(stages, f+13*b.span))
	}
	if radix > 15 {
		v[15] = pairAt[T](shared, at+15*b.step).times(factorAt(stages, f+14*b.span))
	}
	return v
}

func pairAt[T Float, R pairRoom[T]](shared *R, at uint32) pair[T] {
	v := (*shared)[min(at, uint32(len(*shared))-1)]
	return pair[T]{v[0], v[1]}
}

func factorAt[T Float](stages [][2]T, at uint32) pair[T] {
	return load(stages, min(at, uint32(len(stages))-1))
}

// scatter writes radix results to workgroup memory.
func scatter[T Float, R pairRoom[T]](shared *R, b *between, v *sixteen[T], radix uint32) {
	at := b.out
	setPair(shared, at, v[0])
	if radix > 1 {
		setPair(shared, at+b.far, v[1])
	}
	if radix > 2 {
		setPair(shared, at+2*b.far, v[2])
	}
	if radix > 3 {
		setPair(shared, at+3*b.far, v[3])
	}
	if radix > 4 {
		setPair(shared, at+4*b.far, v[4])
	}
	if radix > 5 {
		setPair(shared, at+5*b.far, v[5])
		if radix > 6 {
			setPair(shared, at+6*b.far, v[6])
		}
		if radix > 7 {
			setPair(shared, at+7*b.far, v[7])
		}
	}
	if radix > 8 {
		setPair(shared, at+8*b.far, v[8])
		if radix > 9 {
			setPair(shared, at+9*b.far, v[9])
		}
	}
	if radix > 10 {
		setPair(shared, at+10*b.far, v[10])
		if radix > 11 {
			setPair(shared, at+11*b.far, v[11])
		}
	}
	if radix > 12 {
		setPair(shared, at+12*b.far, v[12])
		if radix > 13 {
			setPair(shared, at+13*b.far, v[13])
		}
		if radix > 14 {
			setPair(shared, at+14*b.far, v[14])
		}
	}
	if radix > 15 {
		setPair(shared, at+15*b.far, v[15])
	}
}

// setPair writes a number, whose index is in bounds. The limit tells the compiler.
func setPair[T Float, R pairRoom[T]](shared *R, at uint32, v pair[T]) {
	(*shared)[min(at, uint32(len(*shared))-1)] = [2]T{v.re, v.im}
}
