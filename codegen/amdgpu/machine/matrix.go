package machine

import (
	"slices"

	"github.com/gpuc/gpuc/codegen/amdgpu/isa"
	"github.com/gpuc/gpuc/codegen/mir"
	"github.com/gpuc/gpuc/ir/op"
)

// This file selects matrix products, and has their wait states. Operands are tuples of vector
// registers. The accumulation registers of gfx942 are not used.

// matrixOp is the instruction of a product: how many words of a and of b it has, and how many words
// of sums. signs says that an operand before these has a bit for each of a and b that is signed.
type matrixOp struct {
	op          opcode
	words, sums int
	signs       bool
}

const firstMatrix = op.MfmaF16

// matrixOps are the instructions that package isa has.
var matrixOps = [op.IntrinsicCount - firstMatrix]matrixOp{
	op.MfmaF16 - firstMatrix:  {op: isa.VMfmaF3216x16x16F16, words: 2, sums: 4},
	op.MfmaBF16 - firstMatrix: {op: isa.VMfmaF3216x16x16Bf16, words: 2, sums: 4},
	op.MfmaI8 - firstMatrix:   {op: isa.VMfmaI3216x16x32I8, words: 2, sums: 4},
	op.MfmaF32 - firstMatrix:  {op: isa.VMfmaF3216x16x4F32, words: 1, sums: 4},
	op.MfmaF64 - firstMatrix:  {op: isa.VMfmaF6416x16x4F64, words: 2, sums: 8},
	op.WmmaF16 - firstMatrix:  {op: isa.VWmmaF3216x16x16F16, words: 8, sums: 8},
	op.WmmaBF16 - firstMatrix: {op: isa.VWmmaF3216x16x16Bf16, words: 8, sums: 8},
	op.WmmaI8 - firstMatrix:   {op: isa.VWmmaI3216x16x16Iu8, words: 4, sums: 8, signs: true},
}

// multiplyMatrices selects a product.
func (s *selector) multiplyMatrices(i mir.Inst) {
	f := s.f
	row, args := matrixOps[op.IntrinsicID(f.Aux(i))-firstMatrix], f.Args(i)
	if row.words == 0 || row.op.Format(s.target.family) == isa.Absent {
		unsupported(op.IntrinsicID(f.Aux(i)).String() + " on " + s.target.name)
	}
	signs := uint8(0)
	if row.signs {
		signs, args = uint8(f.Bits(args[0])), args[1:]
	}
	var words []operand
	for _, a := range args {
		x := s.source(a)
		for n := range classWords[mir.ClassOf(f.KindOf(a))] {
			words = append(words, s.wordOf(&x, n))
		}
	}
	zero := !slices.ContainsFunc(words[2*row.words:], func(o operand) bool { return o.kind() != constantWord || s.value(o) != 0 })
	a, b, c := s.tuple(words[:row.words]), s.tuple(words[row.words:2*row.words]), s.constant(0)
	if !zero {
		c = s.tuple(words[2*row.words:])
	}
	d := s.fresh(vectors, row.sums)
	s.emit(row.op, d, a, b, c).neg = signs << 1 // behind the result
	for n, r := range f.Results(i) {
		s.values[f.Index(r)] = d.at(n * classWords[r.Class()])
	}
}

// tuple returns words as a register of as many words: one that has them already, or a new one.
func (s *selector) tuple(words []operand) operand {
	first := words[0]
	has := first.isVector() && (len(words) == 1 || first.word()%2 == 0) // several words are aligned
	for n, o := range words {
		has = has && o == first.at(n)
	}
	if has {
		return first
	}
	t := s.fresh(vectors, len(words))
	for n, o := range words {
		s.emit(opMove, t.at(n), o)
	}
	return t
}

// matrixStates are wait states after a product. They follow from the passes of the instruction
// (manual of gfx942, "Dependency Resolution: Required Independent Instructions").
type matrixStates struct {
	operand     int32 // until another product reads the result as a or b
	sums        int32 // until another product adds to parts of the result, and not to the whole
	vector      int32 // until a vector instruction reads or writes the result, or a load does
	memory      int32 // until an access to memory reads the result
	overwritten int32 // until something else overwrites the sums that the product reads
}

// statesOf returns the wait states after a product.
func statesOf(o opcode) matrixStates {
	switch o {
	case isa.VMfmaF3216x16x4F32: // eight passes
		return matrixStates{operand: 10, sums: 8, vector: 10, memory: 10}
	case isa.VMfmaF6416x16x4F64:
		return matrixStates{operand: 11, sums: 9, vector: 11, memory: 18}
	}
	return matrixStates{operand: 7, sums: 5, vector: 7, memory: 7, overwritten: 3} // four passes
}

// matrixState has for each vector register the time from which it can be used in some way.
type matrixState struct {
	operand, sums, vector, memory, overwritten [256]int32
	// writers are the tuples that products write, as a number that is not 0, or severalWriters
	writers [256]int32
	double  int32 // the last product of f64
}

const severalWriters = -1

// writer returns the number of a tuple.
func writer(o operand, words int) int32 { return int32(o.number())<<8 | int32(words) }

func (m *matrixState) each(f func(x *int32)) {
	for n := range m.operand {
		f(&m.operand[n])
		f(&m.sums[n])
		f(&m.vector[n])
		f(&m.memory[n])
		f(&m.overwritten[n])
	}
	f(&m.double)
}

// forget clears the writers of sums that can be used in any way, at time 0.
func (m *matrixState) forget() {
	for n := range m.writers {
		if m.sums[n] <= 0 {
			m.writers[n] = 0
		}
	}
}

// join merges the state of another path, and reports whether that changes m.
func (m *matrixState) join(o *matrixState) (changed bool) {
	later := func(x *int32, y int32) {
		if y > *x {
			*x, changed = y, true
		}
	}
	for n := range m.operand {
		later(&m.operand[n], o.operand[n])
		later(&m.sums[n], o.sums[n])
		later(&m.vector[n], o.vector[n])
		later(&m.memory[n], o.memory[n])
		later(&m.overwritten[n], o.overwritten[n])
		switch was, w := m.writers[n], o.writers[n]; {
		case w == was || w == 0 || was == severalWriters:
		case was == 0:
			m.writers[n], changed = w, true
		default:
			m.writers[n], changed = severalWriters, true
		}
	}
	later(&m.double, o.double)
	return changed
}

// hasProducts reports whether there are matrix products with wait states.
func (c *code) hasProducts() bool {
	return slices.ContainsFunc(c.list, func(i instruction) bool { return i.op != labelMark && operations[i.op].format == isa.MAI })
}

// multiply updates the state for a product.
func (c *code) multiply(h *hazardState, i *instruction) {
	m, states := &h.matrix, statesOf(i.op)
	extend := func(x *int32, n int32) { *x = max(*x, h.now+n) }
	d, sums := i.args[0], i.args[3]
	words := c.operandWords(i, 0)
	for at := int(d.number()); at < int(d.number())+words; at++ {
		if w := writer(d, words); m.sums[at] > h.now && m.writers[at] != w {
			m.writers[at] = severalWriters
		} else {
			m.writers[at] = w
		}
		extend(&m.operand[at], states.operand)
		extend(&m.sums[at], states.sums)
		extend(&m.vector[at], states.vector)
		extend(&m.memory[at], states.memory)
		h.slow[at] = -maxWaitStates - 1
	}
	if sums.kind() == assignedVector && states.overwritten > 0 {
		for at := int(sums.number()); at < int(sums.number())+words; at++ {
			extend(&m.overwritten[at], states.overwritten)
		}
	}
	if i.op == isa.VMfmaF6416x16x4F64 {
		m.double = h.now
	}
}

// matrixWaitStates returns the wait states that an instruction needs after products, or that a
// product needs.
func (c *code) matrixWaitStates(h *hazardState, i *instruction, row *operation) (needed int32) {
	m := &h.matrix
	from := func(time int32) { needed = max(needed, time-h.now) }
	accesses := row.format == isa.Global || row.format == isa.Scratch || row.format == isa.MUBUF || row.format == isa.DS
	if !accesses && !row.format.Vector() {
		return 0
	}
	for k := range i.count {
		o, words := i.args[k], c.operandWords(i, int(k))
		if o.kind() != assignedVector {
			continue
		}
		for at := int(o.number()); at < int(o.number())+words; at++ {
			switch source := row.shape[k].source; {
			case row.format == isa.MAI && source:
				from(h.vectors[at] + vectorToProduct)
				switch {
				case k != 3:
					from(m.operand[at])
				case m.writers[at] != writer(o, words):
					from(m.sums[at])
				}
			case row.format == isa.MAI: // products complete in order
			case source && accesses:
				from(m.memory[at])
			case source:
				from(m.vector[at])
			default:
				from(m.vector[at])
				from(m.overwritten[at])
			}
		}
	}
	if i.op == isa.VFmaF64 {
		from(m.double + productToDouble)
	}
	return needed
}
