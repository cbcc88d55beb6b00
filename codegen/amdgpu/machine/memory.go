package machine

import (
	"slices"

	"github.com/gpuc/gpuc/codegen/amdgpu/isa"
	"github.com/gpuc/gpuc/codegen/mir"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
)

// This file selects loads, stores and atomics. An address in global memory is a pair of vector
// registers, or a pair of scalar ones and an offset in a vector register. An address in workgroup
// or private memory is a word. Instructions add a constant to it.

// Traits describe this machine to the machine level. Constant offsets are those of global and
// private memory: 13 bits, signed.
var Traits = mir.Traits{LowOffset: -1 << 12, HighOffset: 1<<12 - 1, Indexed: true, Lanes: 16}

// address is the sum of a vector register, a base in scalar registers, each of which may be
// missing, and a constant.
type address struct {
	space  ir.Space
	vector operand
	base   operand
	offset int64
}

// locate selects the computation of an address.
func (s *selector) locate(m *mir.Memory) address {
	p := address{space: m.Space, offset: m.Offset}
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
		s.addWords(&p, base, m, symbol)
		s.fitOffset(&p)
		return p
	case ir.Immediate:
		p.base = s.kernarg
		symbol := int64(0)
		if m.Base == mir.NoOperand {
			symbol = int64(s.k.Immediates)
		}
		if s.addWords(&p, base, m, symbol); p.vector != noOperand || p.offset > Traits.HighOffset {
			s.fitOffset(&p)
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

// addLong selects the sum of two 64-bit addresses.
func (s *selector) addLong(to, x, y operand) {
	if opAddLong.Format(s.target.family) != isa.Absent {
		s.put(opAddLong, 0, 0, to, x, s.constant(0), y)
		return
	}
	carry, unused := s.freshMask(), s.freshMask()
	s.put(isa.VAddCoU32, 0, 0, to.at(0), carry, x.at(0), y.at(0))
	s.put(isa.VAddCoCiU32, 0, 0, to.at(1), unused, x.at(1), y.at(1), carry)
}

// addWords selects a 32-bit address: the sum of a base and an index, each of which may be missing.
// The register must not be negative when the instruction adds its constant. So with a register the
// constant is the offset of the symbol alone.
func (s *selector) addWords(p *address, base operand, m *mir.Memory, symbol int64) {
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
func (s *selector) add(p *address, by uint32) {
	sum := s.fresh(vectors, 1)
	s.put(opAdd, 0, 0, sum, s.constant(by), p.vector)
	p.vector = sum
}

// fitOffset brings the constant of a 32-bit address into the range of the instruction.
func (s *selector) fitOffset(p *address) {
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

// sizeIndex returns the index of an access of 1, 2, 4, 8 or 16 bytes in loads and stores.
func sizeIndex(bytes int) int {
	n := 0
	for ; 1<<n < bytes; n++ {
	}
	return n
}

// segmentOf returns the index of an address space in loads and stores.
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
	loaded := s.fresh(vectors, words)
	s.access(loads[segmentOf(m.Space)][sizeIndex(bytes)], &p, m, loaded)
	s.setLoaded(results, loaded, m.Kind)
}

// loadScalar selects a load from a uniform address to scalar registers, and reports whether it did.
func (s *selector) loadScalar(results []mir.Operand, p *address, bytes int, k scalar.Kind) bool {
	if k.Bytes() < 4 {
		return false
	}
	loaded := s.fresh(scalars, bytes/4)
	s.emit(scalarLoads[sizeIndex(bytes)-2], loaded, p.base, noOperand).offset = int32(p.offset)
	for n, r := range results {
		s.setScalar(r, loaded.at(n*k.Bytes()/4))
	}
	return true
}

// setLoaded sets the results of a load to their parts of the loaded words.
func (s *selector) setLoaded(results []mir.Operand, loaded operand, k scalar.Kind) {
	width := k.Bits()
	for n, r := range results {
		at := n * width
		word := loaded.at(at / 32)
		if width >= 32 || width == 16 && at%32 == 0 && k == scalar.F16 || len(results) == 1 {
			s.values[s.f.Index(r)] = word
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
	s.access(stores[segmentOf(m.Space)][sizeIndex(bytes)], &p, m, s.gather(args, m.Kind))
}

// gather returns the elements of a store in adjacent registers.
func (s *selector) gather(args []mir.Operand, k scalar.Kind) operand {
	width := k.Bits()
	h := &s.cache
	if len(args) == 1 {
		x := s.source(args[0])
		if !x.constant && x.register.isVector() {
			return x.register
		}
	}
	if h.kind == k && slices.Equal(h.stored[:h.count], args) {
		return h.vector
	}
	words := max(width*len(args)/32, 1)
	vector := s.fresh(vectors, words)
	h.kind, h.count, h.vector = k, copy(h.stored[:], args), vector
	if width >= 32 || len(args) == 1 {
		each := max(width/32, 1)
		for n, a := range args {
			x := s.source(a)
			for w := range each {
				s.emit(opMove, vector.at(n*each+w), s.wordOf(&x, w))
			}
		}
		return vector
	}
	each := 32 / width
	for w := range words {
		var parts [4]operand
		count := min(each, len(args))
		for n := range count {
			parts[n] = s.word(args[w*each+n])
		}
		s.pack(vector.at(w), parts[:count], width)
	}
	return vector
}

// access appends a load or store of data.
func (s *selector) access(o opcode, p *address, m *mir.Memory, data operand) {
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
			both := s.gather([]mir.Operand{value[0], expected[0]}, m.Kind)
			to = s.put(row.global, 0, 0, result, address, both, p.base)
		case row.shared.Format(s.target.family) == isa.Absent:
			to = s.put(row.sharedLater, 0, 0, result, address, s.gather(value, m.Kind), s.gather(expected, m.Kind))
		default:
			to = s.put(row.shared, 0, 0, result, address, s.gather(expected, m.Kind), s.gather(value, m.Kind))
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
		if data := s.gather(f.Args(i), m.Kind); shared {
			to = s.put(row.shared[words-1][n], 0, 0, result, address, data)
		} else {
			to = s.put(row.global[words-1][n], 0, 0, result, address, data, p.base)
		}
	}
	to.offset = int32(p.offset)
	if len(f.Results(i)) > 0 {
		s.values[s.f.Index(f.Result(i))] = result
	}
}
