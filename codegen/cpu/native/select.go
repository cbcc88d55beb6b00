package native

import (
	"github.com/gpuc/gpuc/codegen/cpu/amd64"
	"github.com/gpuc/gpuc/codegen/cpu/spmd"
	"github.com/gpuc/gpuc/codegen/flat"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
)

// This file selects instructions: those of the machine, with registers that it does not have yet.

// The banks of registers.
const (
	generals = iota
	vectors
	banks
)

// selector is the working memory of one compilation.
type selector struct {
	p    *spmd.Program
	f    *flat.Func
	list []amd64.Instruction
	pool amd64.Pool
	next [banks]int // numbers of registers, labels
	labs int

	flow                flow
	values              []value
	definitions         []flat.Inst
	home, reads         []int32 // by instruction its place, by register how often it is read
	block               int     // the place that is selected
	exec                amd64.Operand
	lives               amd64.Operand // the mask of the lanes that there are
	sets                []copySet     // of each of the blocks of lanes that are executed together
	turn                int           // which of them
	copies              []copyOf
	cleaned             []cleaned
	epoch               int32
	barriers            []barrier
	parts, partsVarying []flat.Operand
	partsTerms          []term
	// Labels: of the loops around the blocks, and where execution ends.
	workgroup, phase, again, done, advance, stopped, diverged int
	dispatch, frameStep                                       int // indices of list: where phases are told apart, and where the next frame is gone to
	source                                                    uint32
}

// barrier is where all lanes of a workgroup wait for each other.
type barrier struct {
	at, resume int // an index of list, and the label behind
}

func (s *selector) label() int {
	s.labs++
	return s.labs - 1
}

func (s *selector) freshGeneral() amd64.Operand {
	s.next[generals]++
	return amd64.General(amd64.FirstVirtual + s.next[generals] - 1)
}

func (s *selector) freshVector() amd64.Operand {
	s.next[vectors]++
	return amd64.Vector(amd64.FirstVirtual + s.next[vectors] - 1)
}

func (s *selector) append(i *amd64.Instruction) {
	i.Source = s.source
	s.list = append(s.list, *i)
}

func (s *selector) emit(o amd64.Op, w amd64.Width, operands ...amd64.Operand) {
	i := amd64.Instruction{Op: o, Source: s.source}
	if o.Widths() {
		i.Width = w
	}
	copy(i.Operands[:], operands)
	s.list = append(s.list, i)
}

func (s *selector) load(o amd64.Op, w amd64.Width, d amd64.Operand, at amd64.Address) {
	s.emit(o, w, d, amd64.Mem)
	s.list[len(s.list)-1].Address = at
}

func (s *selector) store(o amd64.Op, w amd64.Width, at amd64.Address, x amd64.Operand) {
	s.emit(o, w, amd64.Mem, x)
	s.list[len(s.list)-1].Address = at
}

func (s *selector) immediate(o amd64.Op, w amd64.Width, n int64, operands ...amd64.Operand) {
	s.emit(o, w, operands...)
	i := &s.list[len(s.list)-1]
	i.Operands[len(operands)], i.Immediate = amd64.Imm, n
}

func (s *selector) mark(label int) { s.emit(amd64.Place, 0, amd64.Label(label)) }
func (s *selector) jump(label int) { s.emit(amd64.Jmp, 0, amd64.Label(label)) }

func (s *selector) jumpIf(c amd64.Condition, label int) {
	s.emit(amd64.Jcc, 0, amd64.Label(label))
	s.list[len(s.list)-1].Condition = c
}

func (s *selector) compareWith(w amd64.Width, r amd64.Operand, n int64) {
	s.immediate(amd64.Cmp, w, n, r)
}

// mask returns the mask of the lanes that are active, or 0 if all are.
func (s *selector) mask() amd64.Operand {
	switch {
	case s.flow.partial[s.block]:
		return s.exec
	case s.p.Invocations()%lanes != 0:
		return s.lives
	}
	return 0
}

// general returns the general register of an operand.
func (s *selector) general(o flat.Operand) amd64.Operand {
	if o.IsConst() {
		return s.generalOf(s.f.Bits(o))
	}
	return s.value(o).general
}

func (s *selector) generalSource(o flat.Operand) taken {
	if o.IsConst() {
		return taken{constant: true, bits: s.f.Bits(o), wide: s.f.KindOf(o).Bits() == 64}
	}
	return from(s.value(o).general)
}

// vectorSource returns part of an operand.
func (s *selector) vectorSource(o flat.Operand, part int) taken {
	if !o.IsConst() {
		return from(s.value(o).vector[part])
	}
	k := s.f.KindOf(o)
	bits := s.f.Bits(o)
	if k == scalar.Bool {
		bits = -bits
	}
	return taken{constant: true, bits: bits, wide: k.Bits() == 64}
}

// vector returns part of an operand in a register.
func (s *selector) vector(o flat.Operand, part int) amd64.Operand {
	x := s.vectorSource(o, part)
	if !x.constant {
		return x.register
	}
	return s.inRegister(&x)
}

func (s *selector) inRegister(x *taken) amd64.Operand {
	r := s.freshVector()
	s.load(amd64.VMovUPS, amd64.Wide, r, amd64.At(s.constantOf(x), 0))
	return r
}

// broadcast puts a word into all lanes.
func (s *selector) broadcast(d, g amd64.Operand) {
	first := s.freshVector()
	s.emit(amd64.VMovD, 0, first, g)
	s.emit(amd64.VPBroadcastD, amd64.Wide, d, first)
}

// instruction emits what an instruction becomes, for each of the blocks of lanes that are executed together.
func (s *selector) instruction(i flat.Inst) {
	f := s.f
	if f.Op(i).Ends() || !s.isNeeded(i) || s.fused(s.block) == i {
		return
	}
	s.source = uint32(i)
	if f.Op(i) == flat.Op(op.ControlBarrier) {
		s.barrier()
		return
	}
	for u := range s.sets {
		s.use(u)
		if u > 0 {
			if same := s.same(i); same >= 0 {
				for _, r := range f.Results(i) {
					v, other := s.value(r), &s.sets[same].values[f.Index(r)]
					v.general, v.vector = other.general, other.vector
				}
				continue
			}
		}
		s.instructionOnce(i)
	}
}

// instructionOnce emits an instruction for one block of lanes.
func (s *selector) instructionOnce(i flat.Inst) {
	f := s.f
	var homes [4][2]amd64.Operand
	results := f.Results(i)
	for n, r := range results { // what lanes keep that have left is written by mask, behind
		v := s.value(r)
		if v.needs == 0 {
			v.vector = [2]amd64.Operand{s.freshVector(), s.freshVector()}
		} else if s.flow.kept[f.Index(r)] && s.varies(r) {
			homes[n] = v.vector
			v.vector = [2]amd64.Operand{s.freshVector(), s.freshVector()}
		}
	}
	s.select1(i)
	for n, r := range results {
		v := s.value(r)
		if v.needs == 0 {
			continue
		}
		if homes[n][0] != 0 {
			for part, home := range homes[n] {
				if home != 0 {
					s.blend(home, from(v.vector[part]), s.mask(), r.Class() == flat.Long, part)
				}
			}
			v.vector = homes[n]
		}
		s.derive(r)
	}
}

// blend assigns a register in the lanes of a mask; part of 64-bit lanes takes the mask of its half.
func (s *selector) blend(home amd64.Operand, x taken, mask amd64.Operand, long bool, part int) {
	o := amd64.VBlendVPS
	if mask == 0 {
		i := amd64.Of(amd64.VMovUPS, amd64.Wide, home)
		s.operand(&i, 1, &x)
		s.append(&i)
		return
	}
	if long {
		o, mask = amd64.VBlendVPD, s.widened(mask, part)
	}
	i := amd64.Of(o, amd64.Wide, home, home)
	s.operand(&i, 2, &x)
	i.Operands[3] = mask
	s.append(&i)
}

// derive makes the form of a value that its definition does not compute.
func (s *selector) derive(r flat.Operand) {
	v := s.value(r)
	if v.needs != inGeneral|inVector {
		return
	}
	c := r.Class()
	if v.form == inVector {
		x := s.cleanValue(r, 0)
		if c == flat.Long {
			s.emit(amd64.VMovQ, 0, v.general, x)
			return
		}
		s.emit(amd64.VMovD, 0, v.general, x)
		if c == flat.Predicate {
			g := s.freshGeneral()
			s.immediate(amd64.And, amd64.Narrow, 1, v.general)
			_ = g
		}
		return
	}
	switch c {
	case flat.Predicate:
		g := s.freshGeneral()
		s.emit(amd64.Mov, amd64.Narrow, g, v.general)
		s.emit(amd64.Neg, amd64.Narrow, g)
		s.broadcast(v.vector[0], g)
	case flat.Long:
		x := s.freshVector()
		s.emit(amd64.VMovQ, 0, x, v.general)
		s.emit(amd64.VPBroadcastQ, amd64.Wide, v.vector[0], x)
		s.emit(amd64.VMovUPS, amd64.Wide, v.vector[1], v.vector[0])
	default:
		if v.grows && v.stride != 0 && s.varies(r) {
			s.emit(amd64.VMovUPS, amd64.Wide, v.vector[0], s.growing(v.general, int64(v.stride)))
		} else {
			s.broadcast(v.vector[0], v.general)
		}
	}
}

// select1 emits an instruction into the registers of its results.
func (s *selector) select1(i flat.Inst) {
	f := s.f
	o := f.Op(i)
	inFirst := len(f.Results(i)) > 0 && s.value(f.Results(i)[0]).form == inGeneral
	switch {
	case flat.HasMemory(o):
		s.access(i)
	case o == flat.Builtin:
		s.builtin(i)
	case o == flat.BindingAddress:
		s.load(amd64.Mov, amd64.Wide, s.value(f.Result(i)).general, amd64.At(contextRegister, contextBindings+bindingBytes*int32(f.Aux(i))))
	case o == flat.BindingLength:
		s.load(amd64.Mov, amd64.Narrow, s.value(f.Result(i)).general, amd64.At(contextRegister, contextBindings+bindingBytes*int32(f.Aux(i))+8))
	case o == flat.SymbolAddress:
		s.symbolAddress(i)
	case o == flat.Join, o == flat.Split:
		s.joinOrSplit(i)
	case o == flat.MulWide:
		s.mulWide(i, inFirst)
	case o == flat.Op(op.Convert):
		s.convert(i, inFirst)
	case inFirst:
		s.inGenerals(i, s.scalarTemplate(i))
	case o < flat.Join:
		s.inVectors(i)
	default:
		panic(reasonOf(f, i))
	}
}

// inGenerals emits a template in general registers.
func (s *selector) inGenerals(i flat.Inst, t *template) {
	f := s.f
	var args [4]taken
	for n, a := range f.Args(i) {
		args[n] = s.generalSource(a)
	}
	width := amd64.Narrow
	if f.Kind(i).Bits() == 64 {
		width = amd64.Wide
	}
	d := s.value(f.Result(i)).general
	if op.Op(f.Op(i)) == op.Add && s.addresses(d, width, &args[0], &args[1]) {
		return
	}
	s.expand(t, width, d, args[:])
}

// addresses adds by the instruction that computes addresses, which leaves its operands as they are.
func (s *selector) addresses(d amd64.Operand, w amd64.Width, x, y *taken) bool {
	i := amd64.Of(amd64.Lea, w, d, amd64.Mem)
	switch {
	case x.constant:
		return false
	case !y.constant:
		i.Address = amd64.Indexed(x.register, y.register, 1, 0)
	case w == amd64.Narrow || int64(y.bits) == int64(int32(y.bits)):
		i.Address = amd64.At(x.register, int32(y.bits))
	default:
		return false
	}
	s.append(&i)
	return true
}

// looks reports whether an operation sees the patterns of NaN.
func looks(o flat.Op, k scalar.Kind) bool {
	if !k.IsFloat() {
		return true
	}
	switch op.Op(o) {
	case op.Neg, op.Abs:
		return true
	}
	return false
}

// operandOf returns part of an operand for an instruction.
func (s *selector) operandOf(i flat.Inst, n, part int) taken {
	f := s.f
	a := f.Arg(i, n)
	if a.IsConst() {
		return s.vectorSource(a, part)
	}
	if op.Op(f.Op(i)) == op.Select {
		if n > 0 && !s.value(f.Result(i)).loose {
			return from(s.clean(a, part))
		}
	} else if looks(f.Op(i), f.Kind(i)) {
		return from(s.clean(a, part))
	}
	return s.vectorSource(a, part)
}

// inVectors emits a template on vectors.
func (s *selector) inVectors(i flat.Inst) {
	f := s.f
	k := f.Kind(i)
	if len(f.Results(i)) != 1 || len(f.Args(i)) > 4 {
		s.packing(i)
		return
	}
	kind := k
	t := pick(table(), f, i)
	if t == nil && k == scalar.F16 {
		s.inSingle(i)
		return
	}
	if t == nil {
		s.packing(i)
		return
	}
	d := f.Result(i)
	v := s.value(d)
	if kind.Bits() != 64 {
		var args [4]taken
		for n := range f.Args(i) {
			args[n] = s.operandOf(i, n, 0)
		}
		s.expand(t, amd64.Wide, v.vector[0], args[:])
		return
	}
	result := v.vector
	if d.Class() != flat.Long {
		result = [2]amd64.Operand{s.freshVector(), s.freshVector()}
	}
	for part := range 2 {
		var args [4]taken
		for n, a := range f.Args(i) {
			args[n] = s.longOperand(i, n, part, a)
		}
		s.expand(t, amd64.Wide, result[part], args[:])
	}
	if d.Class() != flat.Long {
		s.lower(v.vector[0], result)
	}
}

// longOperand returns half of an operand of an operation on 64 bits: words are extended by zeros, predicates by their sign.
func (s *selector) longOperand(i flat.Inst, n, part int, a flat.Operand) taken {
	if a.IsConst() {
		x := s.vectorSource(a, part)
		if !x.wide {
			x.wide = true
			if s.f.KindOf(a) == scalar.Bool {
				x.bits = uint64(int64(int32(x.bits)))
			}
		}
		return x
	}
	switch a.Class() {
	case flat.Long:
		return s.operandOf(i, n, part)
	case flat.Predicate:
		return from(s.widened(s.value(a).vector[0], part))
	}
	r := s.freshVector()
	s.emit(amd64.VPMovZXDQ, amd64.Wide, r, s.lowerHalf(s.clean(a, 0), part))
	return from(r)
}

// lower makes words of the lower halves of 64-bit lanes.
func (s *selector) lower(d amd64.Operand, x [2]amd64.Operand) { s.halfWords(d, x, 0x88) }

func (s *selector) halfWords(d amd64.Operand, x [2]amd64.Operand, which int64) {
	mixed := s.freshVector()
	s.immediate(amd64.VShufPS, amd64.Wide, which, mixed, x[0], x[1])
	s.immediate(amd64.VPermQ, amd64.Wide, 0xD8, d, mixed)
}

// split makes words of 64-bit lanes, and join the reverse.
func (s *selector) split(x [2]amd64.Operand) [2]amd64.Operand {
	low, high := s.freshVector(), s.freshVector()
	s.halfWords(low, x, 0x88)
	s.halfWords(high, x, 0xDD)
	return [2]amd64.Operand{low, high}
}

func (s *selector) join(d [2]amd64.Operand, low, high amd64.Operand) {
	x, y := s.freshVector(), s.freshVector()
	s.emit(amd64.VPUnpckLDQ, amd64.Wide, x, low, high)
	s.emit(amd64.VPUnpckHDQ, amd64.Wide, y, low, high)
	s.immediate(amd64.VPerm2I128, amd64.Wide, 0x20, d[0], x, y)
	s.immediate(amd64.VPerm2I128, amd64.Wide, 0x31, d[1], x, y)
}

// inSingle computes an operation on f16 in f32: all of its operands are f32 exactly, and results that are rounded twice are what they were
// rounded to once, since f32 has more than twice the bits and two (package eval).
func (s *selector) inSingle(i flat.Inst) {
	f := s.f
	t := table()[f.Op(i)][scalar.F32][byAny]
	if t == nil || op.Op(f.Op(i)) == op.Fma {
		panic(reasonOf(f, i))
	}
	var args [4]taken
	for n := range f.Args(i) {
		x := s.operandOf(i, n, 0)
		if f.KindOf(f.Arg(i, n)).Bits() == 16 {
			r := s.freshVector()
			s.expand(conversions()[scalar.F16][scalar.F32], amd64.Wide, r, []taken{x})
			x = from(r)
		}
		args[n] = x
	}
	v := s.value(f.Result(i))
	if f.Result(i).Class() != flat.Half {
		s.expand(t, amd64.Wide, v.vector[0], args[:])
		return
	}
	r := s.freshVector()
	s.expand(t, amd64.Wide, r, args[:])
	s.expand(conversions()[scalar.F32][scalar.F16], amd64.Wide, v.vector[0], []taken{from(r)})
}

// symbolAddress emits the place of a variable.
func (s *selector) symbolAddress(i flat.Inst) {
	n := s.f.Aux(i)
	d := s.value(s.f.Result(i)).general
	place := int64(s.p.Place[n])
	if s.f.Symbols[n].Space == ir.Constant {
		s.load(amd64.Mov, amd64.Wide, d, amd64.At(contextRegister, contextConstants))
		s.immediate(amd64.Add, amd64.Wide, place, d)
		return
	}
	s.immediate(amd64.Mov, amd64.Narrow, place, d)
}

// mulWide emits the product of 64 bits of two words.
func (s *selector) mulWide(i flat.Inst, inFirst bool) {
	f := s.f
	v := s.value(f.Result(i))
	signed := f.Kind(i) == scalar.I32
	if inFirst {
		if x, factor, ok := s.factorOf(i); ok && factor == int64(int32(factor)) {
			r := s.general(x)
			if signed {
				r = s.freshGeneral()
				s.emit(amd64.MovSXD, amd64.Wide, r, s.general(x))
			}
			s.immediate(amd64.IMulImm, amd64.Wide, factor, v.general, r)
			return
		}
		for n, a := range f.Args(i) {
			x := s.generalSource(a)
			if x.constant {
				x.bits = uint64(uint32(x.bits))
				if signed {
					x.bits = uint64(int64(int32(x.bits)))
				}
				x.register = s.generalOf(x.bits)
			} else if signed {
				r := s.freshGeneral()
				s.emit(amd64.MovSXD, amd64.Wide, r, x.register)
				x.register = r
			}
			if n == 0 {
				s.emit(amd64.Mov, amd64.Wide, v.general, x.register)
			} else {
				s.emit(amd64.IMul, amd64.Wide, v.general, x.register)
			}
		}
		return
	}
	o := amd64.VPMulUDQ
	if signed {
		o = amd64.VPMulDQ
	}
	for part := range 2 {
		n := amd64.Of(o, amd64.Wide, v.vector[part])
		for k, a := range f.Args(i) {
			if a.IsConst() {
				s.operand(&n, k+1, &taken{constant: true, bits: uint64(uint32(f.Bits(a))), wide: true})
				continue
			}
			r := s.freshVector()
			s.emit(amd64.VPMovZXDQ, amd64.Wide, r, s.lowerHalf(s.clean(a, 0), part))
			n.Operands[k+1] = r
		}
		s.append(&n)
	}
}

// factorOf returns the operands of a wide product of which one is a constant.
func (s *selector) factorOf(i flat.Inst) (x flat.Operand, factor int64, ok bool) {
	f := s.f
	x, y := f.Arg(i, 0), f.Arg(i, 1)
	if x.IsConst() {
		x, y = y, x
	}
	if x.IsConst() || !y.IsConst() {
		return 0, 0, false
	}
	factor = int64(uint32(f.Bits(y)))
	if f.Kind(i) == scalar.I32 {
		factor = int64(int32(f.Bits(y)))
	}
	return x, factor, true
}

// convert emits a conversion.
func (s *selector) convert(i flat.Inst, inFirst bool) {
	f := s.f
	from1, to := f.Kind(i), f.To(i)
	v := s.value(f.Result(i))
	if inFirst {
		args := []taken{s.generalSource(f.Arg(i, 0))}
		s.expand(scalarConversions()[from1][to], amd64.Narrow, v.general, args)
		return
	}
	t := conversions()[from1][to]
	if t == nil {
		s.convertTwice(i)
		return
	}
	if from1.Bits() != 64 && to.Bits() != 64 {
		x := s.operandOf(i, 0, 0)
		s.expand(t, amd64.Wide, v.vector[0], []taken{x})
		return
	}
	result := v.vector
	if to.Bits() != 64 {
		result = [2]amd64.Operand{s.freshVector(), s.freshVector()}
	}
	for part := range 2 {
		x := s.operandOf(i, 0, part*from1.Bits()/64)
		if x.constant {
			x.register, x.constant = s.inRegister(&x), false
		}
		if from1.Bits() != 64 {
			x.register = s.lowerHalf(x.register, part)
		}
		s.expand(t, amd64.Wide, result[part], []taken{x})
	}
	if to.Bits() != 64 {
		s.immediate(amd64.VInsertI128, amd64.Wide, 1, v.vector[0], result[0], result[1])
	}
}

// convertTwice goes by way of f32, which has all values of f16.
func (s *selector) convertTwice(i flat.Inst) {
	f := s.f
	from1, to := f.Kind(i), f.To(i)
	if from1 != scalar.F16 || conversions()[scalar.F32][to] == nil {
		panic(refusal("the conversion of " + from1.String() + " to " + to.String()))
	}
	v := s.value(f.Result(i))
	x := s.freshVector()
	s.expand(conversions()[scalar.F16][scalar.F32], amd64.Wide, x, []taken{s.operandOf(i, 0, 0)})
	t := conversions()[scalar.F32][to]
	if to.Bits() != 64 {
		s.expand(t, amd64.Wide, v.vector[0], []taken{from(x)})
		return
	}
	for part := range 2 {
		s.expand(t, amd64.Wide, v.vector[part], []taken{from(s.lowerHalf(x, part))})
	}
}

// joinOrSplit puts scalars together from narrower ones, or takes them apart.
func (s *selector) joinOrSplit(i flat.Inst) {
	f := s.f
	args, results := f.Args(i), f.Results(i)
	pair := func(low, high amd64.Operand) amd64.Operand {
		upper, both := s.freshVector(), s.freshVector()
		s.immediate(amd64.VPSllD, amd64.Wide, 16, upper, high)
		s.emit(amd64.VPOr, amd64.Wide, both, upper, low)
		return both
	}
	apart := func(x amd64.Operand, low, high flat.Operand) {
		s.emitConstant(amd64.VPAnd, s.value(low).vector[0], x, 0xFFFF)
		s.immediate(amd64.VPSrlD, amd64.Wide, 16, s.value(high).vector[0], x)
	}
	if f.Op(i) == flat.Join {
		var in [4]amd64.Operand
		for n, a := range args {
			in[n] = s.clean(a, 0)
		}
		v := s.value(results[0])
		switch {
		case f.Kind(i).Bits() == 32:
			s.emit(amd64.VMovUPS, amd64.Wide, v.vector[0], pair(in[0], in[1]))
		case len(args) == 4:
			s.join(v.vector, pair(in[0], in[1]), pair(in[2], in[3]))
		default:
			s.join(v.vector, in[0], in[1])
		}
		return
	}
	if f.Kind(i).Bits() == 32 {
		apart(s.clean(args[0], 0), results[0], results[1])
		return
	}
	x := s.split([2]amd64.Operand{s.clean(args[0], 0), s.clean(args[0], 1)})
	if len(results) == 4 {
		apart(x[0], results[0], results[1])
		apart(x[1], results[2], results[3])
		return
	}
	for n, r := range results {
		s.emit(amd64.VMovUPS, amd64.Wide, s.value(r).vector[0], x[n])
	}
}

// packing emits the operations on several scalars that legalisers leave.
func (s *selector) packing(i flat.Inst) {
	f := s.f
	switch op.Op(f.Op(i)) {
	case op.Pack2x16Float:
		var in [2]amd64.Operand
		for n := range in {
			r := s.freshVector()
			s.expand(conversions()[scalar.F32][scalar.F16], amd64.Wide, r, []taken{s.vectorSource(f.Arg(i, n), 0)})
			in[n] = s.freshVector()
			s.expand(cleaners()[flat.Half], amd64.Wide, in[n], []taken{from(r)})
		}
		upper := s.freshVector()
		s.immediate(amd64.VPSllD, amd64.Wide, 16, upper, in[1])
		s.emit(amd64.VPOr, amd64.Wide, s.value(f.Result(i)).vector[0], upper, in[0])
	case op.Unpack2x16Float:
		x := s.clean(f.Arg(i, 0), 0)
		for n, r := range f.Results(i) {
			part := s.freshVector()
			if n == 0 {
				s.emitConstant(amd64.VPAnd, part, x, 0xFFFF)
			} else {
				s.immediate(amd64.VPSrlD, amd64.Wide, 16, part, x)
			}
			s.expand(conversions()[scalar.F16][scalar.F32], amd64.Wide, s.value(r).vector[0], []taken{from(part)})
		}
	default:
		panic(reasonOf(f, i))
	}
}
