package jit

import (
	"github.com/gpuc/gpuc/codegen/cpu/amd64"
	"github.com/gpuc/gpuc/codegen/cpu/lower"
	"github.com/gpuc/gpuc/codegen/cpu/neon"
	"github.com/gpuc/gpuc/codegen/mir"
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

// selector is the working memory of one compilation, and of others when that has ended.
type selector struct {
	p     *lower.Program
	f     *mir.Func
	list  []amd64.Instruction
	pool  amd64.Pool
	banks []uint8 // by register that the machine does not have: its bank
	labs  int     // count of labels

	machine Machine

	flow         flow
	values       []value
	home, reads  []int32 // by instruction its block, by register how often it is read
	synchronizes []bool  // by block: there is a barrier
	loaded       [4]loaded
	nextLoaded   int
	crowded      int // see isCrowded: 1 is yes, -1 no
	ahead        int // how many of the instructions that follow have been selected, too
	straight     int // no other way leads to where the list is from this index on
	block        int // the block that is selected
	exec         amd64.Operand
	// by bit of a general register: the lanes of the block that are active in all blocks of lanes,
	// see fullmask.go
	active   amd64.Operand
	fullMask bool // all lanes are active, whatever flow says
	// see versions.go: the version of a block that is selected
	usual              usualCase
	inUsual, inUnusual bool
	some               int           // label: of the access for which that is not so
	lives              amd64.Operand // the mask of the lanes that there are
	sets               []copySet     // of each of the blocks of lanes that are executed together
	set                int           // which of them
	copies             []copyOf
	canonicalized      []canonicalized
	observed           []bool        // by register: see nan.go
	numbers            []scalar.Kind // by symbol: see nan.go
	sums               []bool        // by register: see inPlace
	epoch              int32
	barriers           []barrier
	preemptions        []preemptionPoint
	calls              []Call
	// how many columns the request area has, see callout.go
	requestColumns int
	deltas         []delta // by register: see lanedelta.go
	resolved       []int32 // by instruction: its address in resolutions, from 1
	resolutions    []address
	parts          []mir.Operand // of addresses, see room
	partsTerms     []term
	addends        []lower.Addend
	// Labels: of the loops around the blocks, and where execution ends.
	workgroup, phase, again, resumed, done, advance, ended, stopped, diverged, preempted, begins int
	// index of list: where code jumps to the phase
	dispatch      int
	earlyOutToEnd bool
	// see hoist.go
	isHoisted []bool // by instruction
	hoisted   []mir.Inst
	source    uint32

	spare    []amd64.Instruction // what the list was before: see renew
	operands []mir.Operand
	worklist []mir.Inst // see demand
	looked   []bool
	skips    []mir.Inst // by block, see skipOf
	// by block, see allcontinue.go
	continuations []allContinue
	entries       []int      // by block: the label for lanes that continue, or 0
	earlyOut      []bool     // by block: the phase ends after it, perhaps
	earlyOutTo    []mir.Inst // the barriers that are come to then
	walked        []int32
	entered       []int // see enterOnce
	depth         []int // see pressure
	stamps        []int
	inOrder       []mir.Inst
	targets       []int32 // see threadJumps
	marks         []int32
	used          []bool
	ways          []int32
	plan          copySet   // what there is before the sets
	copied        []copySet // the memory of the sets
	cutter        cutter
	allocator     allocator
	fuelCounter   fuelCounter
	assembler     amd64.Assembler
	text          []byte

	translator neon.Translator // see translate
}

// barrier is where all lanes of a workgroup wait for each other.
type barrier struct {
	resume   int  // the label after
	earlyOut bool // perhaps the blocks that follow have nothing to do: see earlyout.go
}

// placeholder reserves an index of the list for code that is inserted later: the jump to the phase,
// and each barrier (cutAtBarriers).
var placeholder = amd64.Instruction{Op: amd64.Nop, Immediate: 1}

// mask returns the mask of the lanes that are active, or 0 if all are.
func (s *selector) mask() amd64.Operand {
	switch {
	case s.fullMask:
		return 0
	case s.flow.partial[s.block]:
		return s.exec
	case s.hasDead():
		return s.lives
	}
	return 0
}

// general returns the general register of an operand.
func (s *selector) general(o mir.Operand) amd64.Operand {
	if o.IsConst() {
		return s.generalOf(s.f.Bits(o))
	}
	return s.value(o).general
}

func (s *selector) generalSource(o mir.Operand) taken {
	if o.IsConst() {
		return taken{constant: true, bits: s.f.Bits(o), wide: s.f.KindOf(o).Bits() == 64}
	}
	return from(s.value(o).general)
}

// vectorSource returns part of an operand.
func (s *selector) vectorSource(o mir.Operand, part int) taken {
	if !o.IsConst() {
		if s.isLate(o) {
			return from(s.growing(s.value(o).general, int64(s.value(o).stride)))
		}
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
func (s *selector) vector(o mir.Operand, part int) amd64.Operand {
	x := s.vectorSource(o, part)
	if !x.constant {
		return x.register
	}
	return s.inRegister(&x)
}

func (s *selector) inRegister(x *taken) amd64.Operand {
	c := s.constantOf(x)
	if r := s.recent(c, -1); r != 0 {
		return r
	}
	r := s.freshVector()
	s.load(amd64.VMovUPS, amd64.Wide, r, amd64.At(c, 0))
	s.remember(c, -1, r)
	return r
}

// loaded is what a register was loaded with: a constant, or the address of a space for one of the
// blocks of lanes.
type loaded struct {
	what     amd64.Operand
	variant  int
	register amd64.Operand
	at       int // an index of list
}

// near is for how many instructions a register is used again that has been loaded: it is not to be
// kept for long.
const near = 16

// recent returns the register that was loaded with something a few instructions ago, on all ways
// here, or 0.
func (s *selector) recent(what amd64.Operand, variant int) amd64.Operand {
	for n := range s.loaded {
		if l := &s.loaded[n]; l.what == what && l.variant == variant && l.at > s.straight && l.at+near >= len(s.list) && l.register != 0 {
			return l.register
		}
	}
	return 0
}

func (s *selector) remember(what amd64.Operand, variant int, register amd64.Operand) {
	s.loaded[s.nextLoaded%len(s.loaded)] = loaded{what, variant, register, len(s.list)}
	s.nextLoaded++
}

// broadcast puts a word into all lanes.
func (s *selector) broadcast(d, g amd64.Operand) {
	first := s.freshVector()
	s.emit(amd64.VMovD, 0, first, g)
	s.emit(amd64.VPBroadcastD, amd64.Wide, d, first)
}

// instruction emits what an instruction becomes, for each of the blocks of lanes that are executed
// together.
func (s *selector) instruction(i mir.Inst) {
	f := s.f
	if s.ahead > 0 {
		s.ahead--
		return
	}
	if f.Op(i).Ends() || !s.isNeeded(i) || s.isHoisted[i] || s.fused(s.block) == i || s.delayed(s.block) == i {
		return
	}
	s.forAll(i)
}

// forAll emits it.
func (s *selector) forAll(i mir.Inst) {
	f := s.f
	s.source = uint32(i)
	if f.Op(i) == mir.Op(op.ControlBarrier) {
		s.barrier(i)
		return
	}
	if lower.IsSubgroup(f.Op(i)) {
		s.meet(i)
		return
	}
	if count := s.interleaves(i); count > 0 {
		for u := range s.sets {
			s.use(u)
			s.storeInterleaved(i, count)
		}
		s.ahead = count - 1
		return
	}
	if mir.IsTexture(f.Op(i)) {
		s.callOut(i)
		return
	}
	if count := s.deinterleaves(i); count > 0 {
		for u := range s.sets {
			s.use(u)
			s.loadDeinterleaved(i, count)
		}
		s.ahead = count - 1
		return
	}
	if s.accessFullMask(i) {
		return
	}
	for u := range s.sets {
		s.use(u)
		if u > 0 {
			if same := s.same(i); same >= 0 {
				s.share(i, same)
				continue
			}
		}
		s.instructionOnce(i)
	}
}

// share gives the selected block of lanes the results of another one.
func (s *selector) share(i mir.Inst, u int) {
	for _, r := range s.f.Results(i) {
		v, other := s.value(r), &s.sets[u].values[s.f.Index(r)]
		v.general, v.vector = other.general, other.vector
	}
}

// instructionOnce emits an instruction for one block of lanes.
func (s *selector) instructionOnce(i mir.Inst) {
	var h homes
	s.beginResults(i, &h)
	s.choose(i)
	s.endResults(i, &h)
}

// homes are the registers of results that are written by mask.
type homes [4][2]amd64.Operand

// beginResults prepares the registers of an instruction's results for one block of lanes: what
// lanes keep that have left is written by mask, after.
func (s *selector) beginResults(i mir.Inst, homes *homes) {
	f := s.f
	for n, r := range f.Results(i) {
		v := s.value(r)
		if v.needs == 0 {
			v.vector = [2]amd64.Operand{s.freshVector(), s.freshVector()}
		} else if s.flow.kept[f.Index(r)] && s.varies(r) {
			homes[n] = v.vector
			v.vector = [2]amd64.Operand{s.freshVector(), s.freshVector()}
		}
	}
}

// endResults writes what is written by mask, and makes the other form of results.
func (s *selector) endResults(i mir.Inst, homes *homes) {
	f := s.f
	for n, r := range f.Results(i) {
		v := s.value(r)
		if v.needs == 0 {
			continue
		}
		if homes[n][0] != 0 {
			for part, home := range homes[n] {
				if home != 0 {
					s.blend(home, from(v.vector[part]), s.mask(), r.Class() == mir.Long, part)
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
func (s *selector) derive(r mir.Operand) {
	v := s.value(r)
	if v.needs != inGeneral|inVector || s.isLate(r) {
		return
	}
	c := r.Class()
	if v.form == inVector {
		x := s.canonicalize(r, 0)
		if c == mir.Long {
			s.emit(amd64.VMovQ, 0, v.general, x)
			return
		}
		s.emit(amd64.VMovD, 0, v.general, x)
		if c == mir.Predicate {
			s.immediate(amd64.And, amd64.Narrow, 1, v.general)
		}
		return
	}
	switch c {
	case mir.Predicate:
		g := s.freshGeneral()
		s.emit(amd64.Mov, amd64.Narrow, g, v.general)
		s.emit(amd64.Neg, amd64.Narrow, g)
		s.broadcast(v.vector[0], g)
	case mir.Long:
		x := s.freshVector()
		s.emit(amd64.VMovQ, 0, x, v.general)
		s.emit(amd64.VPBroadcastQ, amd64.Wide, v.vector[0], x)
		s.emit(amd64.VMovUPS, amd64.Wide, v.vector[1], v.vector[0])
	default:
		if s.set > 0 {
			first := s.sets[0].values[s.f.Index(r)].vector[0]
			if d := s.delta(r); d.state == constant && s.p.Uniform[lower.Always].Varies(r) && first != 0 && first != v.vector[0] {
				i := amd64.Of(amd64.VPAddD, amd64.Wide, v.vector[0], first)
				s.operand(&i, 2, &taken{constant: true, bits: uint64(uint32(d.by[s.set]))})
				s.append(&i)
				return
			}
		}
		if v.strided && v.stride != 0 && s.varies(r) {
			s.emit(amd64.VMovUPS, amd64.Wide, v.vector[0], s.growing(v.general, int64(v.stride)))
		} else {
			s.broadcast(v.vector[0], v.general)
		}
	}
}

// choose emits an instruction into the registers of its results.
func (s *selector) choose(i mir.Inst) {
	f := s.f
	o := f.Op(i)
	inFirst := len(f.Results(i)) > 0 && s.value(f.Results(i)[0]).form == inGeneral
	switch {
	case mir.HasMemory(o):
		s.access(i)
	case o == mir.Builtin:
		s.builtin(i)
	case o == lower.Prefetch:
		s.prefetch(i)
	case o == mir.BindingAddress:
		s.load(amd64.Mov, amd64.Wide, s.value(f.Result(i)).general, amd64.At(contextRegister, contextBindings+bindingBytes*int32(f.Aux(i))))
	case o == mir.BindingLength:
		s.load(amd64.Mov, amd64.Narrow, s.value(f.Result(i)).general, amd64.At(contextRegister, contextBindings+bindingBytes*int32(f.Aux(i))+8))
	case o == mir.SymbolAddress:
		s.symbolAddress(i)
	case o == mir.Join, o == mir.Split:
		s.joinOrSplit(i)
	case o == mir.MulWide:
		s.mulWide(i, inFirst)
	case o == mir.Op(op.Convert):
		s.convert(i, inFirst)
	case inFirst:
		s.inGenerals(i, s.scalarTemplate(i))
	case o < mir.Join:
		s.inVectors(i)
	default:
		panic(reasonOf(f, i))
	}
}

// inGenerals emits a template in general registers.
func (s *selector) inGenerals(i mir.Inst, t *template) {
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
	switch op.Op(f.Op(i)) {
	case op.Add:
		if s.addresses(d, width, &args[0], &args[1]) {
			return
		}
	case op.Mul:
		if s.multiplies(d, width, &args[0], &args[1]) {
			return
		}
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

// multiplies multiplies by a constant, by an address if that is a scale.
func (s *selector) multiplies(d amd64.Operand, w amd64.Width, x, y *taken) bool {
	factor := int64(int32(y.bits))
	if x.constant || !y.constant || w == amd64.Wide && factor != int64(y.bits) {
		return false
	}
	i := amd64.Of(amd64.IMulImm, w, d, x.register, amd64.Imm)
	switch factor {
	case 2, 4, 8:
		i = amd64.Of(amd64.Lea, w, d, amd64.Mem)
		i.Address = amd64.Address{Index: x.register, Scale: uint8(factor)}
	default:
		i.Immediate = factor
	}
	s.append(&i)
	return true
}

// looks reports whether an operation observes the patterns of NaN.
func looks(o mir.Op, k scalar.Kind) bool {
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
func (s *selector) operandOf(i mir.Inst, n, part int) taken {
	f := s.f
	a := f.Arg(i, n)
	if a.IsConst() {
		return s.vectorSource(a, part)
	}
	if op.Op(f.Op(i)) == op.Select {
		if n > 0 && !s.value(f.Result(i)).anyNaN {
			return from(s.canonical(a, part))
		}
	} else if looks(f.Op(i), f.Kind(i)) {
		return from(s.canonical(a, part))
	}
	return s.vectorSource(a, part)
}

// inVectors emits a template on vectors.
func (s *selector) inVectors(i mir.Inst) {
	f := s.f
	k := f.Kind(i)
	if s.dividesByConstant(i) {
		return
	}
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
	if s.inPlace(i) {
		return
	}
	if kind.Bits() != 64 {
		var args [4]taken
		for n := range f.Args(i) {
			args[n] = s.operandOf(i, n, 0)
		}
		s.expand(t, amd64.Wide, v.vector[0], args[:])
		return
	}
	result := v.vector
	if d.Class() != mir.Long {
		result = [2]amd64.Operand{s.freshVector(), s.freshVector()}
	}
	for part := range 2 {
		var args [4]taken
		for n, a := range f.Args(i) {
			args[n] = s.longOperand(i, n, part, a)
		}
		s.expand(t, amd64.Wide, result[part], args[:])
	}
	if d.Class() != mir.Long {
		s.lower(v.vector[0], result)
	}
}
