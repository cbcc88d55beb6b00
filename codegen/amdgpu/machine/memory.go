package machine

import (
	"slices"

	"github.com/gpuc/gpuc/codegen/amdgpu/isa"
	"github.com/gpuc/gpuc/codegen/mir"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
)

// This file selects loads, stores and atomics. An address of global memory is a pair of registers,
// or a pair of scalar ones with a word that is added; those of workgroup and private memory are
// words, to which the instruction adds a constant.

// Traits are those of the machine level for this machine: constants are what global and private
// memory add, in 13 bits with a sign.
var Traits = mir.Traits{LowOffset: -1 << 12, HighOffset: 1<<12 - 1, Indexed: true, Lanes: 16}

// place is an address: a vector register, or none, a base in scalar registers, or none, and a
// constant.
type place struct {
	space  ir.Space
	vector operand
	base   operand
	offset int64
}

// locate selects what computes an address.
func (s *selector) locate(m *mir.Memory) place {
	p := place{space: m.Space, offset: m.Offset}
	base := noOperand
	if m.Base != mir.NoOperand {
		base = s.word(m.Base)
	}
	switch m.Space {
	case ir.Workgroup, ir.Private, ir.Function:
		symbol := int64(0)
		if m.Base == mir.NoOperand {
			if symbol = int64(s.private[m.Symbol]); m.Space == ir.Workgroup {
				symbol = int64(s.shared[m.Symbol])
			}
		}
		s.sum(&p, base, m, symbol)
		s.within(&p)
		return p
	case ir.Immediate:
		p.base = s.kernarg
		symbol := int64(0)
		if m.Base == mir.NoOperand {
			symbol = int64(s.k.Immediates)
		}
		if s.sum(&p, base, m, symbol); p.vector != noOperand || p.offset > Traits.HighOffset {
			s.within(&p)
		}
		return p
	}
	if base == noOperand {
		base = s.tableAddress(m.Symbol)
	}
	if m.Index != mir.NoOperand {
		if index := s.word(m.Index); index.isScalar() && base.isScalar() {
			base = s.addScalar(base, index)
		} else {
			sum := s.fresh(vectors, 2)
			s.addLong(sum, index, base)
			base = sum
		}
	}
	if base.isScalar() {
		p.base = base
	} else {
		p.vector = base
	}
	return p
}

// addLong selects the sum of two addresses.
func (s *selector) addLong(to, x, y operand) {
	if opAddLong.Format(s.target.family) != isa.Absent {
		s.put(opAddLong, 0, 0, to, x, s.constant(0), y)
		return
	}
	carry, unused := s.freshMask(), s.freshMask()
	s.put(isa.VAddCoU32, 0, 0, to.at(0), carry, x.at(0), y.at(0))
	s.put(isa.VAddCoCiU32, 0, 0, to.at(1), unused, x.at(1), y.at(1), carry)
}

// sum selects an address of words: a base, if there is one, and an index, if there is one. What the
// instruction adds itself must not make up for a sum below zero, so with a register it is the place
// of the symbol alone.
func (s *selector) sum(p *place, base operand, m *mir.Memory, symbol int64) {
	if base != noOperand {
		p.vector = s.inVector(base, 1)
	}
	if m.Index != mir.NoOperand {
		if x := s.inVector(s.word(m.Index), 1); p.vector == noOperand {
			p.vector = x
		} else {
			sum := s.fresh(vectors, 1)
			s.put(opAdd, 0, 0, sum, x, p.vector)
			p.vector = sum
		}
	}
	if p.vector != noOperand && p.offset != 0 {
		s.add(p, uint32(p.offset))
		p.offset = 0
	}
	p.offset += symbol
}

// add adds a constant to an address.
func (s *selector) add(p *place, by uint32) {
	sum := s.fresh(vectors, 1)
	s.put(opAdd, 0, 0, sum, s.constant(by), p.vector)
	p.vector = sum
}

// within brings the constant of an address of words into the range that instructions have.
func (s *selector) within(p *place) {
	low, high := Traits.LowOffset, Traits.HighOffset
	if p.space == ir.Workgroup {
		low, high = 0, 1<<16-1
	}
	if p.offset >= low && p.offset <= high {
		return
	}
	if p.vector == noOperand {
		p.vector = s.inVector(s.constant(uint32(p.offset)), 1)
	} else {
		s.add(p, uint32(p.offset))
	}
	p.offset = 0
}

// widths number the sizes of accesses: 1, 2, 4, 8 and 16 bytes.
func widthOf(bytes int) int {
	n := 0
	for ; 1<<n < bytes; n++ {
	}
	return n
}

// segmentOf is which kind of memory instructions access a space.
func segmentOf(space ir.Space) int {
	switch space {
	case ir.Workgroup:
		return 1
	case ir.Private, ir.Function:
		return 2
	}
	return 0
}

// load selects a load.
func (s *selector) load(i mir.Inst) {
	f := s.f
	m, results := f.Memory(i), f.Results(i)
	if len(results) == 0 {
		return
	}
	bytes := m.Kind.Bytes() * len(results)
	p := s.locate(m)
	if p.vector == noOperand && p.base != noOperand && m.Unchanged || p.space == ir.Immediate && p.vector == noOperand {
		if bytes >= 4 && m.Align >= 4 && s.loadScalar(results, &p, bytes, m.Kind) {
			return
		}
	}
	words := max(bytes/4, 1)
	whole := s.fresh(vectors, words)
	s.access(loads[segmentOf(m.Space)][widthOf(bytes)], &p, m, whole)
	s.take(results, whole, m.Kind)
}

// loadScalar selects a load whose address all lanes have in common, if its results can stay in
// scalar registers.
func (s *selector) loadScalar(results []mir.Operand, p *place, bytes int, k scalar.Kind) bool {
	if k.Bytes() < 4 {
		return false
	}
	whole := s.fresh(scalars, bytes/4)
	s.emit(scalarLoads[widthOf(bytes)-2], whole, p.base, noOperand).offset = int32(p.offset)
	for n, r := range results {
		s.setScalar(r, whole.at(n*k.Bytes()/4))
	}
	return true
}

// take names or computes the elements of what was loaded.
func (s *selector) take(results []mir.Operand, whole operand, k scalar.Kind) {
	width := k.Bits()
	for n, r := range results {
		at := n * width
		word := whole.at(at / 32)
		if width >= 32 || width == 16 && at%32 == 0 && k == scalar.F16 || len(results) == 1 {
			s.values[s.index(r)] = word
			continue
		}
		s.extract(s.define(r), word, uint32(at%32), uint32(width))
	}
}

// store selects a store.
func (s *selector) store(i mir.Inst) {
	f := s.f
	m, args := f.Memory(i), f.Args(i)
	bytes := m.Kind.Bytes() * len(args)
	p := s.locate(m)
	s.access(stores[segmentOf(m.Space)][widthOf(bytes)], &p, m, s.together(args, m.Kind))
}

// together puts what is stored into registers beside each other.
func (s *selector) together(args []mir.Operand, k scalar.Kind) operand {
	width := k.Bits()
	h := &s.held
	if len(args) == 1 {
		x := s.source(args[0])
		if !x.constant && x.register.isVector() {
			return x.register
		}
	}
	if h.kind == k && slices.Equal(h.stored[:h.count], args) {
		return h.whole
	}
	words := max(width*len(args)/32, 1)
	whole := s.fresh(vectors, words)
	h.kind, h.count, h.whole = k, copy(h.stored[:], args), whole
	if width >= 32 || len(args) == 1 {
		each := max(width/32, 1)
		for n, a := range args {
			x := s.source(a)
			for w := range each {
				s.emit(opMove, whole.at(n*each+w), s.wordOf(&x, w))
			}
		}
		return whole
	}
	each := 32 / width
	for w := range words {
		var parts [4]operand
		count := min(each, len(args))
		for n := range count {
			parts[n] = s.word(args[w*each+n])
		}
		s.pack(whole.at(w), parts[:count], width)
	}
	return whole
}

// access appends a load or store of data.
func (s *selector) access(o opcode, p *place, m *mir.Memory, data operand) {
	var i *instruction
	row := &operations[o]
	store := row.effects&isa.Stores != 0
	address := p.vector
	if address == noOperand && row.format != isa.Scratch {
		address = s.inVector(s.constant(0), 1)
	}
	first, second := data, address
	if store {
		first, second = address, data
	}
	if row.format == isa.DS {
		i = s.put(o, 0, 0, first, second)
	} else {
		i = s.put(o, 0, 0, first, second, p.base)
	}
	i.offset = int32(p.offset)
	if m.Order == mir.Relaxed && row.format == isa.Global {
		i.flags |= coherent
	}
}

// atomic selects an atomic operation.
func (s *selector) atomic(i mir.Inst) {
	f := s.f
	m := f.Memory(i)
	words := m.Kind.Bits() / 32
	if words == 0 {
		unsupported("an atomic operation on " + m.Kind.String())
	}
	p := s.locate(m)
	address := p.vector
	if address == noOperand {
		address = s.inVector(s.constant(0), 1)
	}
	result := s.fresh(vectors, words)
	shared := m.Space == ir.Workgroup
	var to *instruction
	if f.Op(i) == mir.Op(op.AtomicCompareExchange) {
		row := &compareExchanges[words-1]
		expected, value := f.Args(i)[:1], f.Args(i)[1:]
		switch {
		case !shared:
			both := s.together([]mir.Operand{value[0], expected[0]}, m.Kind)
			to = s.put(row.global, 0, 0, result, address, both, p.base)
		case row.shared.Format(s.target.family) == isa.Absent:
			to = s.put(row.sharedLater, 0, 0, result, address, s.together(value, m.Kind), s.together(expected, m.Kind))
		default:
			to = s.put(row.shared, 0, 0, result, address, s.together(expected, m.Kind), s.together(value, m.Kind))
		}
	} else {
		row := &atomics[f.Aux(i)]
		if m.Kind.IsFloat() && op.AtomicOperation(f.Aux(i)) != op.AtomicExchange {
			unsupported("an atomic " + op.AtomicOperation(f.Aux(i)).String() + " on " + m.Kind.String())
		}
		n := 0
		if m.Kind.IsSigned() {
			n = 1
		}
		if data := s.together(f.Args(i), m.Kind); shared {
			to = s.put(row.shared[words-1][n], 0, 0, result, address, data)
		} else {
			to = s.put(row.global[words-1][n], 0, 0, result, address, data, p.base)
		}
	}
	to.offset = int32(p.offset)
	if len(f.Results(i)) > 0 {
		s.values[s.index(f.Result(i))] = result
	}
}
