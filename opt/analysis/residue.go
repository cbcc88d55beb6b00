package analysis

import (
	"math/bits"

	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
)

// Residue is what is known of an integer's lowest bits: they are Bits, Count of them. So the number
// is Bits modulo 2^Count, as a counter in steps of four is 0 modulo 4. The zero Residue knows
// nothing, and all bits of a constant are known.
//
// Powers of two are the moduli that wrapping leaves alone. The lowest bits of sums and products
// depend on the lowest bits of the operands and on nothing else, whatever the width and the sign.
// What is known is the same on all paths, so that conditions play no part. They do in Interval,
// which residues make smaller: of the values below 64 those that are 0 modulo 4 end at 60.
type Residue struct {
	Count uint8
	Bits  uint64
}

// residueOf returns the Residue of the lowest bits of a number.
func residueOf(count int, x uint64) Residue {
	if count < 64 {
		x &= 1<<count - 1
	}
	return Residue{uint8(count), x}
}

// lowest returns what is known of at most so many bits.
func (r Residue) lowest(count int) Residue { return residueOf(min(int(r.Count), count), r.Bits) }

// join returns what is known of a number that is one of two.
func (r Residue) join(s Residue) Residue {
	return r.lowest(min(int(s.Count), bits.TrailingZeros64(r.Bits^s.Bits)))
}

// zeros returns how many of the lowest bits are known to be 0.
func (r Residue) zeros() int { return min(int(r.Count), bits.TrailingZeros64(r.Bits)) }

// extended returns a residue that is r, and goes on with bits that are alike as long as an
// operand is known to have them.
func (r Residue) extended(x, y Residue, bit uint64) Residue {
	if y.Count > x.Count {
		x = y
	}
	for r.Count < x.Count && x.Bits>>r.Count&1 == bit {
		r.Bits |= bit << r.Count
		r.Count++
	}
	return r
}

// Tighten returns the part of an interval between its least and its greatest number with the
// residue; the interval itself if there is none, in code that does not run.
func (r Residue) Tighten(v Interval) Interval {
	if r.Count == 0 || r.Count > 32 || v.Low >= v.high() {
		return v
	}
	m := int64(1)<<r.Count - 1
	up := (int64(r.Bits) - v.Low) & m
	down := (v.high() - int64(r.Bits)) & m
	if up+down > v.high()-v.Low {
		return v
	}
	return Interval{v.Low + up, v.End - down}
}

// residues gives what is known of an operation's result from what is known of its operands, for
// integers of a width. A nil row means that nothing is.
var residues = [op.Count]func(width int, x [3]Residue) Residue{
	op.Neg: func(_ int, x [3]Residue) Residue { return residueOf(int(x[0].Count), -x[0].Bits) },
	op.Not: func(_ int, x [3]Residue) Residue { return residueOf(int(x[0].Count), ^x[0].Bits) },
	op.Add: func(_ int, x [3]Residue) Residue {
		return residueOf(int(min(x[0].Count, x[1].Count)), x[0].Bits+x[1].Bits)
	},
	op.Sub: func(_ int, x [3]Residue) Residue {
		return residueOf(int(min(x[0].Count, x[1].Count)), x[0].Bits-x[1].Bits)
	},
	op.Mul: func(width int, x [3]Residue) Residue {
		// of (a + m·2^i) · (b + n·2^j) the bits of a·b up to the lowest unknown one
		known := min(int(x[0].Count)+x[1].zeros(), int(x[1].Count)+x[0].zeros(), width)
		return residueOf(known, x[0].Bits*x[1].Bits)
	},
	op.Div: func(width int, x [3]Residue) Residue {
		shift := bits.TrailingZeros64(x[1].Bits)
		if int(x[1].Count) < width || bits.OnesCount64(x[1].Bits) != 1 || x[0].zeros() < shift {
			return Residue{}
		}
		return Residue{x[0].Count - uint8(shift), x[0].Bits >> shift} // exactly
	},
	op.Rem: func(width int, x [3]Residue) Residue {
		if int(x[1].Count) < width || x[1].Bits == 0 {
			return Residue{}
		}
		return x[0].lowest(x[1].zeros()) // a multiple of the divisor less
	},
	op.And: func(_ int, x [3]Residue) Residue {
		return residueOf(int(min(x[0].Count, x[1].Count)), x[0].Bits&x[1].Bits).extended(x[0], x[1], 0)
	},
	op.Or: func(_ int, x [3]Residue) Residue {
		return residueOf(int(min(x[0].Count, x[1].Count)), x[0].Bits|x[1].Bits).extended(x[0], x[1], 1)
	},
	op.Xor: func(_ int, x [3]Residue) Residue {
		return residueOf(int(min(x[0].Count, x[1].Count)), x[0].Bits^x[1].Bits)
	},
	op.Shl: func(width int, x [3]Residue) Residue {
		if shift, ok := amount(width, x[1]); ok {
			return residueOf(min(int(x[0].Count)+shift, width), x[0].Bits<<shift)
		}
		return residueOf(x[0].zeros(), 0)
	},
	op.Shr: func(width int, x [3]Residue) Residue {
		shift, ok := amount(width, x[1])
		if !ok {
			return Residue{}
		}
		return residueOf(max(int(x[0].Count)-shift, 0), x[0].Bits>>shift)
	},
	op.Min:    func(_ int, x [3]Residue) Residue { return x[0].join(x[1]) },
	op.Max:    func(_ int, x [3]Residue) Residue { return x[0].join(x[1]) },
	op.Clamp:  func(_ int, x [3]Residue) Residue { return x[0].join(x[1]).join(x[2]) },
	op.Abs:    func(_ int, x [3]Residue) Residue { return x[0].join(residueOf(int(x[0].Count), -x[0].Bits)) },
	op.Select: func(_ int, x [3]Residue) Residue { return x[1].join(x[2]) },
}

// amount returns by how much a shift moves, if that is known. It is modulo the width.
func amount(width int, r Residue) (int, bool) {
	if uint64(1)<<r.Count < uint64(width) && r.Count < 64 {
		return 0, false
	}
	return int(r.Bits) & (width - 1), true
}

// Residue returns what is known of the lowest bits of an integer; nothing is of other types.
func (a *Ranges) Residue(v ir.Value) Residue {
	if !a.integer(a.f.TypeOf(v)) {
		return Residue{}
	}
	return a.residue(v, 0, residueDepth)
}

// residueDepth bounds how far a value is followed to what it is computed from.
const residueDepth = 6

// residue returns what is known of an integer, or of component c of a vector. It is computed on
// demand, as few values are compared or count loops.
func (a *Ranges) residue(v ir.Value, c, depth int) Residue {
	f := a.f
	m := f.Module
	t := f.TypeOf(v)
	k := m.ScalarOf(t)
	vector := m.IsVector(t)
	if !k.IsInteger() || !vector && !m.IsScalar(t) {
		return Residue{}
	}
	if v.IsConst() {
		if vector {
			v = m.ConstPart(v, uint32(c))
		}
		return residueOf(k.Bits(), m.ConstBits(v))
	}
	if !v.IsLocal() {
		return Residue{}
	}
	if vector {
		return a.computeResidue(v, t, c, depth)
	}
	if known := a.residues[v.Index()]; known.Count > 0 {
		return Residue{known.Count - 1, known.Bits}
	}
	r := a.computeResidue(v, t, 0, depth)
	if !a.guessing && int(v.Index()) < len(a.residues) {
		a.learn(v, r)
	}
	return r
}

// computeResidue finds out what is known of a local value, or its component c, of type t.
func (a *Ranges) computeResidue(v ir.Value, t ir.Type, c, depth int) Residue {
	f := a.f
	m := f.Module
	i, ok := f.Def(v)
	if !ok || depth == 0 || f.Op(i).Is(op.Control) {
		return Residue{}
	}
	width := m.ScalarOf(t).Bits()
	args := f.Args(i)
	switch o := f.Op(i); o {
	case op.Construct:
		return a.residue(args[c], 0, depth-1)
	case op.Splat:
		return a.residue(args[0], 0, depth-1)
	case op.Shuffle:
		return a.residue(args[0], int(op.SwizzleComponent(f.Aux(i), c)), depth-1)
	case op.Extract:
		if n, ok := m.ConstIndex(f.TypeOf(args[0]), args[1]); ok && m.IsVector(f.TypeOf(args[0])) {
			return a.residue(args[0], int(n), depth-1)
		}
	case op.Convert, op.Bitcast:
		if from := f.TypeOf(args[0]); m.Components(from) == m.Components(t) {
			return a.residue(args[0], c, depth-1).lowest(min(width, m.ScalarOf(from).Bits()))
		}
	default:
		if row := residues[o]; row != nil {
			var x [3]Residue
			for n, arg := range args {
				x[n] = a.residue(arg, c, depth-1)
			}
			return row(width, x)
		}
	}
	return Residue{}
}

// integer reports whether a type is that of integers, whose residues are kept.
func (a *Ranges) integer(t ir.Type) bool {
	m := a.f.Module
	return m.IsScalar(t) && m.ScalarOf(t).IsInteger()
}

// learn notes what is known of an integer.
func (a *Ranges) learn(v ir.Value, r Residue) { a.residues[v.Index()] = Residue{r.Count + 1, r.Bits} }

// loopResidues finds what is known of a loop's parameters by induction: what their starts have
// and, if they have it, their next values, too.
func (a *Ranges) loopResidues(loop ir.Inst) {
	f := a.f
	params := f.Params(f.Region(loop, 0))
	for n, p := range params {
		if a.integer(f.TypeOf(p)) {
			a.learn(p, a.residue(f.Args(loop)[n], 0, residueDepth))
		}
	}
	next := f.Terminator(f.Region(loop, 1))
	if next == 0 || f.Op(next) != op.Next {
		return
	}
	after, _, _ := f.NextArgs(next)
	a.guessing = true
	for changed := true; changed; {
		changed = false
		for n, p := range params {
			known := a.residues[p.Index()]
			if known.Count <= 1 {
				continue // nothing is left
			}
			known.Count--
			less := Residue{}
			switch step := a.continued.Through(loop, after[n]); step {
			case ir.NoValue, p:
				continue
			case Mixed:
			default:
				less = known.join(a.residue(step, 0, residueDepth))
			}
			if less != known {
				a.learn(p, less)
				changed = true
			}
		}
	}
	a.guessing = false
}
