package machine

import (
	"github.com/gpuc/gpuc/codegen/amdgpu/isa"
	"github.com/gpuc/gpuc/codegen/mir"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
)

// This file selects instructions. Values are in vector registers, except those that are uniform for
// simple reasons. These are addresses and lengths of bindings, workgroup IDs, and what is loaded
// from such addresses if nothing writes there.
//
// In the block that computes it, a bool is a mask with a bit for each lane. If another block uses
// it, or if it is a block parameter, it is also a word of 0 or 1. The mask would be lost when other
// lanes execute the block, since comparisons clear the bits of inactive lanes.

// selector is the state of one function's selection.
type selector struct {
	code
	f     *mir.Func
	k     *Kernel
	forms *forms

	// by register of the function
	values      []operand // its registers
	boolWords   []operand // of predicates: the word, if there is one
	defined     []int32   // index of its block in the order
	leavesLoop  []bool    // it is used outside of the loop that defines it
	leavesBlock []bool    // another block uses it

	retry   retry
	cache   valueCache
	spilled uint32 // bytes of retry.reservedPrivate that are used
	flow    flow
	// offsets of symbols in workgroup memory, private memory and the tables
	shared, private, tables []uint32
	layout                  layout
	kernarg                 operand
	groups                  [3]operand // the workgroup ID
	local                   operand    // the packed local invocation ID
	copies                  []parallelMove
}

// layout is the memory of the kernel: bytes of a workgroup and of an invocation, and the tables.
type layout struct {
	shared, private uint32
	tables          []byte
}

func (s *selector) freshMask() operand {
	m := s.fresh(scalars, s.target.maskWords())
	s.registers[m.number()].mask = true
	return m
}

// classWords is the number of words of a register, by class.
var classWords = [mir.ClassCount]int{mir.Half: 1, mir.Word: 1, mir.Long: 2, mir.Predicate: 1}

// run selects a function.
func (s *selector) run() {
	s.findUses()
	s.layOut()
	s.nameInputs()
	s.flow.analyse(s)
	conversions := conversionTemplates()
	for n, b := range s.f.Order {
		s.beginBlock(n)
		for i := s.f.First(b); i != s.f.Last(b); i = s.f.Next(i) {
			s.instruction(i, conversions)
		}
		s.endBlock(n)
	}
	s.mark(s.flow.skips[len(s.f.Order)])
	s.emit(opEnd)
}

// findUses finds which registers are used outside of the block or loop that defines them. It gives
// block parameters their registers.
func (s *selector) findUses() {
	f := s.f
	total := f.Indices()
	s.values, s.boolWords = make([]operand, total), make([]operand, total)
	s.defined, s.leavesLoop, s.leavesBlock = make([]int32, total), make([]bool, total), make([]bool, total)
	if !s.flow.Loops.Analyse(f) {
		unsupported("a loop that is entered in the middle")
	}
	for n, b := range f.Order {
		for _, p := range f.BlockParams(b) {
			s.defined[s.f.Index(p)] = int32(n)
			s.leavesBlock[s.f.Index(p)] = true
		}
		for i := f.First(b); i != 0; i = f.Next(i) {
			for _, r := range f.Results(i) {
				s.defined[s.f.Index(r)] = int32(n)
			}
		}
	}
	for n, b := range f.Order {
		use := func(o mir.Operand) {
			if o == mir.NoOperand || o.IsConst() {
				return
			}
			at := s.f.Index(o)
			s.leavesBlock[at] = s.leavesBlock[at] || int(s.defined[at]) != n
			s.leavesLoop[at] = s.leavesLoop[at] || s.flow.Leaves(int(s.defined[at]), n)
		}
		for i := f.First(b); i != 0; i = f.Next(i) {
			for _, o := range f.Args(i) {
				use(o)
			}
			if m := f.Memory(i); m != nil {
				use(m.Base)
				use(m.Index)
			}
			for _, e := range f.Edges(i) {
				for _, o := range f.EdgeArgs(e) {
					if use(o); o.Class() == mir.Predicate {
						s.leavesBlock[s.f.Index(o)] = true
					}
				}
			}
		}
	}
	for _, b := range f.Order {
		for _, p := range f.BlockParams(b) {
			r := s.fresh(vectors, classWords[p.Class()])
			if s.values[s.f.Index(p)] = r; p.Class() == mir.Predicate {
				s.boolWords[s.f.Index(p)] = r
			}
		}
	}
}

// layOut gives variables their offsets in memory.
func (s *selector) layOut() {
	s.shared, s.private, s.tables = make([]uint32, len(s.f.Symbols)), make([]uint32, len(s.f.Symbols)), make([]uint32, len(s.f.Symbols))
	s.layout.private = s.retry.reservedPrivate
	put := func(size *uint32, x *mir.Symbol) uint32 {
		at := (*size + x.Align - 1) &^ (x.Align - 1)
		*size = at + x.Bytes
		return at
	}
	for n := 1; n < len(s.f.Symbols); n++ {
		x := &s.f.Symbols[n]
		switch x.Space {
		case ir.Workgroup:
			s.shared[n] = put(&s.layout.shared, x)
		case ir.Private, ir.Function:
			s.private[n] = put(&s.layout.private, x)
		case ir.Constant:
			size := uint32(len(s.layout.tables))
			s.tables[n] = put(&size, x)
			s.layout.tables = append(s.layout.tables, make([]byte, int(size)-len(s.layout.tables))...)
			if init := s.f.Module.Global(x.Variable).Init; init != 0 {
				s.f.Module.PutConst(s.layout.tables[s.tables[n]:], init)
			}
		}
	}
}

// nameInputs names the registers that are set when a wave begins (LLVM, User Guide for AMDGPU
// Backend, "Initial Kernel Execution State").
func (s *selector) nameInputs() {
	s.local = s.fixed(vectors, 1, 0)
	s.kernarg = s.fixed(scalars, 2, 0)
	next := s.k.UserScalars
	for c := range s.groups {
		if s.k.Groups>>c&1 != 0 {
			s.groups[c] = s.fixed(scalars, 1, next)
			next++
		}
	}
}

func (s *selector) fixed(bank uint8, words, at int) operand {
	o := s.fresh(bank, words)
	s.registers[o.number()].fixed = int16(at)
	return o
}

// define returns new registers for a result.
func (s *selector) define(r mir.Operand) operand {
	at := s.f.Index(r)
	if r.Class() == mir.Predicate {
		s.values[at] = s.freshMask()
	} else {
		s.values[at] = s.fresh(vectors, classWords[r.Class()])
	}
	return s.values[at]
}

// storeBool stores a predicate that other blocks use as a word.
func (s *selector) storeBool(r mir.Operand) {
	at := s.f.Index(r)
	if r.Class() != mir.Predicate || !s.leavesBlock[at] {
		return
	}
	s.boolWords[at] = s.fresh(vectors, 1)
	s.put(opChoose, 0, 0, s.boolWords[at], s.constant(0), s.constant(1), s.values[at])
}

// source returns an operand of the machine level.
func (s *selector) source(o mir.Operand) source {
	if o.IsConst() {
		return source{bits: s.f.Bits(o), constant: true}
	}
	at := s.f.Index(o)
	if home := s.boolWords[at]; home != noOperand && o.Class() == mir.Predicate {
		m := s.freshMask()
		s.put(opNotEqual, 0, 0, m, s.constant(0), home)
		return source{register: m}
	}
	return source{register: s.values[at]}
}

// word returns an operand of one word: a register or a constant.
func (s *selector) word(o mir.Operand) operand {
	x := s.source(o)
	if x.constant {
		return s.constant(uint32(x.bits))
	}
	return x.register
}

// mask returns a predicate as a mask.
func (s *selector) mask(o mir.Operand) operand {
	x := s.source(o)
	if x.constant {
		return s.constant(-uint32(x.bits & 1))
	}
	return x.register
}

// expansionOf returns the operands and results for an instruction's template.
func (s *selector) expansionOf(i mir.Inst) (x expansion) {
	for n, a := range s.f.Args(i) {
		x.sources[n] = s.source(a)
	}
	for n, r := range s.f.Results(i) {
		x.results[n] = s.define(r)
	}
	return x
}

// instruction selects an instruction that is not a terminator.
func (s *selector) instruction(i mir.Inst, conversions *[scalar.Count][scalar.Count]template) {
	f := s.f
	o := f.Op(i)
	switch {
	case o >= mir.MachineOps:
		s.machineOp(i)
	case o >= mir.Join:
		s.lowered(i)
	case o == mir.Op(op.Select):
		s.choose(i)
	case o == mir.Op(op.Convert):
		t := conversions[f.To(i)][f.Kind(i)]
		if t == nil {
			unsupported("a conversion from " + f.Kind(i).String() + " to " + f.To(i).String())
		}
		x := s.expansionOf(i)
		s.expand(t, &x)
	case o == mir.Op(op.Load), o == mir.Op(op.AtomicLoad):
		s.load(i)
	case o == mir.Op(op.Store), o == mir.Op(op.AtomicStore):
		s.store(i)
	case o == mir.Op(op.AtomicReadModifyWrite), o == mir.Op(op.AtomicCompareExchange):
		s.atomic(i)
	case o == mir.Op(op.ControlBarrier):
		if s.emit(opBarrier); s.target.family == isa.GFX1100 {
			s.emit(isa.BufferGl0Inv) // each half of a work-group processor has its own cache
		}
	case o == mir.Op(op.Call):
		unsupported("a call that is not inlined")
	default:
		s.compute(i)
	}
	for _, r := range f.Results(i) {
		s.storeBool(r)
	}
}

// compute selects an operation that has a template or a scalar instruction.
func (s *selector) compute(i mir.Inst) {
	f := s.f
	o, k := op.Op(f.Op(i)), f.Kind(i)
	if o >= op.Eq && o <= op.Ge {
		s.compare(i, o, k)
		return
	}
	t := s.forms[o][k]
	switch {
	case s.computeScalar(i, o, k):
	case t != nil:
		x := s.expansionOf(i)
		s.expand(t, &x)
	case k == scalar.F16 && s.forms[o][scalar.F32] != nil:
		s.computeInF32(i, s.forms[o][scalar.F32])
	default:
		unsupported(o.String() + " on " + k.String())
	}
}

// computeInF32 computes an operation on f16 in f32, and rounds the result.
func (s *selector) computeInF32(i mir.Inst, t template) {
	x := s.expansionOf(i)
	for n, a := range s.f.Args(i) {
		if s.f.KindOf(a) != scalar.F16 {
			continue
		}
		wide := s.fresh(vectors, 1)
		s.put(opWidenHalf, 0, 0, wide, s.word(a))
		x.sources[n] = source{register: wide}
	}
	result := x.results[0]
	x.results[0] = s.fresh(vectors, 1)
	s.expand(t, &x)
	s.put(opNarrowHalf, 0, 0, result, x.results[0])
}

// compare selects a comparison.
func (s *selector) compare(i mir.Inst, o op.Op, k scalar.Kind) {
	x := s.expansionOf(i)
	if k == scalar.Bool {
		s.emit(opXorMask, x.results[0], s.sourceOperand(&x.sources[0], 0, 0), s.sourceOperand(&x.sources[1], 0, 0))
		if o == op.Eq {
			s.emit(opNotMask, x.results[0], x.results[0])
		}
		return
	}
	width := 1
	if mir.ClassOf(k) == mir.Long {
		width = 2
	}
	s.put(compareOps[o][k], 0, 0, x.results[0], s.sourceOperand(&x.sources[0], 0, width), s.sourceOperand(&x.sources[1], 0, width))
}

// choose selects r = c ? x : y.
func (s *selector) choose(i mir.Inst) {
	x := s.expansionOf(i)
	r := x.results[0]
	c := s.sourceOperand(&x.sources[0], 0, 0)
	if s.f.Result(i).Class() == mir.Predicate {
		a, b := s.sourceOperand(&x.sources[1], 0, 0), s.sourceOperand(&x.sources[2], 0, 0)
		t := s.freshMask()
		s.emit(opAndMask, t, c, a)
		u := s.freshMask()
		s.emit(opAndNotMask, u, b, c)
		s.emit(opOrMask, r, t, u)
		return
	}
	for n := range classWords[s.f.Result(i).Class()] {
		s.put(opChoose, 0, 0, r.at(n), s.wordOf(&x.sources[2], n), s.wordOf(&x.sources[1], n), c)
	}
}

// wordOf returns the n-th word of a source.
func (s *selector) wordOf(x *source, n int) operand {
	if x.constant {
		return s.constant(uint32(x.bits >> (32 * n)))
	}
	return x.register.at(n)
}

// lowered selects the operations of the machine level that the IR does not have.
func (s *selector) lowered(i mir.Inst) {
	f := s.f
	switch f.Op(i) {
	case mir.Join:
		s.join(i)
	case mir.Split:
		s.split(i)
	case mir.MulWide:
		if s.multiplyWide(i) {
			return
		}
		x := s.expansionOf(i)
		if f.Kind(i) == scalar.I32 {
			s.expand(wideSigned, &x)
		} else {
			s.expand(wideUnsigned, &x)
		}
	case mir.Builtin:
		s.builtin(f.Result(i), ir.Builtin(f.Aux(i)/4), int(f.Aux(i)%4))
	case mir.BindingAddress:
		r := s.fresh(scalars, 2)
		s.emit(opLoadPair, r, s.kernarg, noOperand).offset = s.k.Addresses[f.Aux(i)]
		s.setScalar(f.Result(i), r)
	case mir.BindingLength:
		r := s.fresh(scalars, 1)
		s.emit(opLoadWord, r, s.kernarg, noOperand).offset = s.k.Lengths[f.Aux(i)]
		s.setScalar(f.Result(i), r)
	case mir.SymbolAddress:
		s.symbolAddress(f.Result(i), f.Aux(i))
	}
}

// setScalar sets a result to scalar registers. If it is used outside of its loop, where lanes may
// have left in different iterations, it is copied to vector registers.
func (s *selector) setScalar(r mir.Operand, at operand) {
	if !s.leavesLoop[s.f.Index(r)] && !s.retry.vectorUniforms {
		s.values[s.f.Index(r)] = at
		return
	}
	d := s.define(r)
	for n := range classWords[r.Class()] {
		s.emit(opMove, d.at(n), at.at(n))
	}
}

// symbolAddress selects the address of a symbol.
func (s *selector) symbolAddress(r mir.Operand, symbol uint32) {
	switch s.f.Symbols[symbol].Space {
	case ir.Constant:
		s.setScalar(r, s.tableAddress(symbol))
	case ir.Workgroup:
		s.emit(opMove, s.define(r), s.constant(s.shared[symbol]))
	case ir.Immediate:
		s.emit(opMove, s.define(r), s.constant(uint32(s.k.Immediates)))
	default:
		s.emit(opMove, s.define(r), s.constant(s.private[symbol]))
	}
}

// tableAddress returns the address of a table, which follows the code, in scalar registers.
func (s *selector) tableAddress(symbol uint32) operand {
	here, r := s.fresh(scalars, 2), s.fresh(scalars, 2)
	s.emit(opGetPC, here)
	label := s.label()
	s.mark(label)
	s.emit(opAddTable, r, here.at(0), s.constant(s.tables[symbol])).offset = label
	s.emit(opAddCarry, r.at(1), here.at(1), s.constant(0))
	return r
}

// join selects a scalar made of the bits of its operands, the first lowest.
func (s *selector) join(i mir.Inst) {
	f := s.f
	parts := f.Args(i)
	width := f.Kind(i).Bits() / len(parts)
	d := s.define(f.Result(i))
	if width == 32 {
		for n, p := range parts {
			s.emit(opMove, d.at(n), s.word(p))
		}
		return
	}
	each := 32 / width // parts in a word
	for w := range f.Kind(i).Bits() / 32 {
		var words [4]operand
		for n := range each {
			words[n] = s.word(parts[w*each+n])
		}
		s.pack(d.at(w), words[:each], width)
	}
}

// pack selects a word made of parts of a width, whose upper bits may be anything.
func (s *selector) pack(d operand, parts []operand, width int) {
	sum := s.fresh(vectors, 1)
	mask := uint32(1)<<width - 1
	s.put(opAnd, 0, 0, sum, s.constant(mask), parts[0])
	for n, p := range parts[1:] {
		if n+2 < len(parts) { // the shift does not remove its upper bits
			low := s.fresh(vectors, 1)
			s.put(opAnd, 0, 0, low, s.constant(mask), p)
			p = low
		}
		to := d
		if n+2 < len(parts) {
			to = s.fresh(vectors, 1)
		}
		s.put(opShiftOr, 0, 0, to, p, s.constant(uint32((n+1)*width)), sum)
		sum = to
	}
}

// split selects the parts of a scalar, the first lowest.
func (s *selector) split(i mir.Inst) {
	f := s.f
	parts := f.Results(i)
	x := s.source(f.Arg(i, 0))
	width := f.Kind(i).Bits() / len(parts)
	for n, p := range parts {
		at := n * width
		word := s.wordOf(&x, at/32)
		switch {
		case width == 32 && (word.isVector() || word.isScalar() && !s.leavesLoop[s.f.Index(p)]):
			s.values[s.f.Index(p)] = word
		case width == 32:
			s.emit(opMove, s.define(p), word)
		default:
			s.extract(s.define(p), word, uint32(at%32), uint32(width))
		}
	}
}

// extract selects a field of a word.
func (s *selector) extract(d, word operand, at, width uint32) {
	if at+width == 32 {
		s.put(opShiftRight, 0, 0, d, s.constant(at), word)
		return
	}
	s.put(opField, 0, 0, d, word, s.constant(at), s.constant(width))
}
