package machine

import (
	"github.com/gpuc/gpuc/codegen/amdgpu/isa"
	"github.com/gpuc/gpuc/codegen/mir"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
)

// This file selects instructions. Values lie in vector registers but for what all lanes of a wave
// have in common for simple reasons: addresses and lengths of bindings, numbers of workgroups, and
// what is loaded from such addresses when nothing writes there. A bool is a mask of lanes, a bit
// for each, in the block that computes it. One that another block reads, or that a block takes as a
// parameter, is a word that is 0 or 1 besides: comparisons clear the bits of lanes that do not
// execute them, so that a mask would not survive what other lanes do in between.

// selector is the state of one function's selection.
type selector struct {
	code
	f     *mir.Func
	k     *Kernel
	forms *forms

	classStart [mir.ClassCount]uint32
	values     []operand // by register of the function: where it is
	homes      []operand // of predicates: the word, if there is one
	defined    []int32   // by register: the place of its block in the order
	escapes    []bool    // by register: it is used outside of the loop that assigns it
	crosses    []bool    // by register: another block uses it

	way     way
	held    held
	kept    uint32 // bytes of the reserved ones that are used
	flow    flow
	shared  []uint32 // by symbol: its place
	private []uint32
	tables  []uint32
	layout  layout
	kernarg operand
	groups  [3]operand
	local   operand // the packed numbers of the invocation
	copies  []copyOf
}

// layout is how much memory the kernel has.
type layout struct {
	shared, private uint32
	tables          []byte
}

func (s *selector) index(o mir.Operand) uint32 { return s.classStart[o.Class()] + o.Number() }

func (s *selector) freshMask() operand {
	m := s.fresh(scalars, s.target.maskWords())
	s.registers[m.number()].mask = true
	return m
}

// classWords is how many words a register of a class takes.
var classWords = [mir.ClassCount]int{mir.Half: 1, mir.Word: 1, mir.Long: 2, mir.Predicate: 1}

// run selects a function.
func (s *selector) run() {
	s.number()
	s.survey()
	s.place()
	s.enter()
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

// number gives registers their places in tables.
func (s *selector) number() {
	total := uint32(0)
	for c := mir.Predicate; c < mir.ClassCount; c++ {
		s.classStart[c] = total
		total += s.f.Registers(c)
	}
	s.values, s.homes = make([]operand, total), make([]operand, total)
	s.defined, s.escapes, s.crosses = make([]int32, total), make([]bool, total), make([]bool, total)
}

// survey finds where registers are defined, and which are used elsewhere.
func (s *selector) survey() {
	f := s.f
	s.flow.order(s)
	for n, b := range f.Order {
		for _, p := range f.BlockParams(b) {
			s.defined[s.index(p)] = int32(n)
			s.crosses[s.index(p)] = true
		}
		for i := f.First(b); i != 0; i = f.Next(i) {
			for _, r := range f.Results(i) {
				s.defined[s.index(r)] = int32(n)
			}
		}
	}
	for n, b := range f.Order {
		use := func(o mir.Operand) {
			if o == mir.NoOperand || o.IsConst() {
				return
			}
			at := s.index(o)
			s.crosses[at] = s.crosses[at] || int(s.defined[at]) != n
			s.escapes[at] = s.escapes[at] || s.flow.Leaves(int(s.defined[at]), n)
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
						s.crosses[s.index(o)] = true
					}
				}
			}
		}
	}
	for _, b := range f.Order {
		for _, p := range f.BlockParams(b) {
			r := s.fresh(vectors, classWords[p.Class()])
			if s.values[s.index(p)] = r; p.Class() == mir.Predicate {
				s.homes[s.index(p)] = r
			}
		}
	}
}

// place gives variables their places in memory.
func (s *selector) place() {
	s.shared, s.private, s.tables = make([]uint32, len(s.f.Symbols)), make([]uint32, len(s.f.Symbols)), make([]uint32, len(s.f.Symbols))
	s.layout.private = s.way.reserved
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

// enter names what registers hold when a wave begins (LLVM, User Guide for AMDGPU Backend, "Initial
// Kernel Execution State").
func (s *selector) enter() {
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

// define returns the vector registers of a result.
func (s *selector) define(r mir.Operand) operand {
	at := s.index(r)
	if r.Class() == mir.Predicate {
		s.values[at] = s.freshMask()
	} else {
		s.values[at] = s.fresh(vectors, classWords[r.Class()])
	}
	return s.values[at]
}

// finish says that a result is there: a predicate that others read is kept as a word.
func (s *selector) finish(r mir.Operand) {
	at := s.index(r)
	if r.Class() != mir.Predicate || !s.crosses[at] {
		return
	}
	s.homes[at] = s.fresh(vectors, 1)
	s.put(opChoose, 0, 0, s.homes[at], s.constant(0), s.constant(1), s.values[at])
}

// source returns an operand of the machine level.
func (s *selector) source(o mir.Operand) source {
	if o.IsConst() {
		return source{bits: s.f.Bits(o), constant: true}
	}
	at := s.index(o)
	if home := s.homes[at]; home != noOperand && o.Class() == mir.Predicate {
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

// expansionOf returns what an instruction's template refers to.
func (s *selector) expansionOf(i mir.Inst) (x expansion) {
	for n, a := range s.f.Args(i) {
		x.sources[n] = s.source(a)
	}
	for n, r := range s.f.Results(i) {
		x.results[n] = s.define(r)
	}
	return x
}

// instruction selects for an instruction that ends no block.
func (s *selector) instruction(i mir.Inst, conversions *[scalar.Count][scalar.Count]template) {
	f := s.f
	o := f.Op(i)
	switch {
	case o >= mir.MachineOps:
		s.own(i)
	case o >= mir.Join:
		s.level(i)
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
			s.emit(isa.BufferGl0Inv) // each half of a work-group processor has a cache of its own
		}
	case o == mir.Op(op.Call):
		unsupported("a call that is not inlined")
	default:
		s.compute(i)
	}
	for _, r := range f.Results(i) {
		s.finish(r)
	}
}

// compute expands the template of an operation.
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
		s.inSingle(i, s.forms[o][scalar.F32])
	default:
		unsupported(o.String() + " on " + k.String())
	}
}

// inSingle computes an operation on f16 in f32, and rounds the result.
func (s *selector) inSingle(i mir.Inst, t template) {
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

// level selects for the operations of the machine level.
func (s *selector) level(i mir.Inst) {
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

// setScalar says that a value lies in scalar registers, unless its loop is left with it.
func (s *selector) setScalar(r mir.Operand, at operand) {
	if !s.escapes[s.index(r)] && !s.way.copied {
		s.values[s.index(r)] = at
		return
	}
	d := s.define(r)
	for n := range classWords[r.Class()] {
		s.emit(opMove, d.at(n), at.at(n))
	}
}

// symbolAddress selects the place of a symbol.
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

// tableAddress returns where a table is, behind the code, in scalar registers.
func (s *selector) tableAddress(symbol uint32) operand {
	here, r := s.fresh(scalars, 2), s.fresh(scalars, 2)
	s.emit(opGetPC, here)
	label := s.label()
	s.mark(label)
	s.emit(opAddTable, r, here.at(0), s.constant(s.tables[symbol])).offset = label
	s.emit(opAddCarry, r.at(1), here.at(1), s.constant(0))
	return r
}

// join makes a scalar of the bits of its operands.
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
	each := 32 / width // in a word
	for w := range f.Kind(i).Bits() / 32 {
		var words [4]operand
		for n := range each {
			words[n] = s.word(parts[w*each+n])
		}
		s.pack(d.at(w), words[:each], width)
	}
}

// pack puts a word together of parts of a width, whose upper bits may be anything.
func (s *selector) pack(d operand, parts []operand, width int) {
	sum := s.fresh(vectors, 1)
	mask := uint32(1)<<width - 1
	s.put(opAnd, 0, 0, sum, s.constant(mask), parts[0])
	for n, p := range parts[1:] {
		if n+2 < len(parts) { // what is above is not pushed out
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

// split names or computes the parts of a scalar.
func (s *selector) split(i mir.Inst) {
	f := s.f
	parts := f.Results(i)
	x := s.source(f.Arg(i, 0))
	width := f.Kind(i).Bits() / len(parts)
	for n, p := range parts {
		at := n * width
		whole := s.wordOf(&x, at/32)
		switch {
		case width == 32 && (whole.isVector() || whole.isScalar() && !s.escapes[s.index(p)]):
			s.values[s.index(p)] = whole
		case width == 32:
			s.emit(opMove, s.define(p), whole)
		default:
			s.extract(s.define(p), whole, uint32(at%32), uint32(width))
		}
	}
}

// extract selects a field of a word.
func (s *selector) extract(d, whole operand, at, width uint32) {
	if at+width == 32 {
		s.put(opShiftRight, 0, 0, d, s.constant(at), whole)
		return
	}
	s.put(opField, 0, 0, d, whole, s.constant(at), s.constant(width))
}
