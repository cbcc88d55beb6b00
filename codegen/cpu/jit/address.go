package jit

import (
	"slices"

	"github.com/gpuc/gpuc/codegen/cpu/amd64"
	"github.com/gpuc/gpuc/codegen/cpu/lower"
	"github.com/gpuc/gpuc/codegen/mir"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
)

// This file selects the addressing of accesses. lower.AppendAddends has decomposed an address in a
// buffer into a uniform part, which is in general registers of 64 bits, and words times factors, by
// which lanes differ.
//
// The legalisers keep active lanes within the buffer, which has less than 2 GiB (Kernel.Takes
// refuses others). So the part of an active lane is below 2^31, and its lower 32 bits are all of
// it. The first lane, if it is not active itself, may be a little below, and negative: words are
// extended by their sign. Memory with addresses of 32 bits is indexed by words that wrap, and their
// sum is extended likewise.

// address is what a memory instruction names.
type address struct {
	space ir.Space
	// uniform parts, and strided words in memory with addresses of 32 bits
	general []mir.Operand
	scaled  mir.Operand // a uniform word, times scale
	scale   uint8
	offset  int64
	terms   []term      // by which lanes differ
	long    mir.Operand // instead of terms: a register of 64 bits
	pattern addressPattern
	stride  int64 // in bytes, of strided and clamped addresses
	from    mir.Operand
	bound   mir.Operand // see clampedAddress
	window  int         // words of a window that seems to hold all lanes, or 0: see nearby.go
	// words that vary, in memory of 32-bit addresses: all of them if one does
	varying []mir.Operand
	table   bool // it is relative to the tables of constants
	within  bool // it is known to be in bounds
	anyNaN  bool // the variable may hold any NaN (nan.go)
}

// term is a word times a factor.
type term struct {
	word   mir.Operand
	factor int64
}

// addressPattern says how the addresses of neighbouring lanes are related.
type addressPattern uint8

const (
	uniformAddress addressPattern = iota
	stridedAddress                // they differ by stride
	// the one term is min(from, bound), where from is strided and bound is uniform: the address is
	// strided as long as no lane exceeds the bound
	clampedAddress
	indexedAddress // each lane has its own words
	longAddress    // each lane has its own 64 bits, in long
)

// isRun reports whether lanes access consecutive elements of so many bytes, unless a bound is
// exceeded.
func (a *address) isRun(bytes int64) bool {
	return (a.pattern == stridedAddress || a.pattern == clampedAddress) && a.stride == bytes && bytes >= 4
}

// isHalves reports whether lanes access consecutive elements of 16 bits, which vectors hold in
// words.
func (a *address) isHalves(bytes int64) bool {
	return a.space != ir.Private && a.pattern == stridedAddress && a.stride == bytes && bytes == 2
}

// resolve returns the address of a memory instruction, decomposed on first use.
func (s *selector) resolve(i mir.Inst) address {
	if s.resolved[i] == 0 {
		s.resolutions = append(s.resolutions, s.decompose(i))
		s.resolved[i] = int32(len(s.resolutions))
	}
	a := s.resolutions[s.resolved[i]-1]
	if s.inUsual && s.usual.within[i].check != 0 {
		return s.inBounds(a, s.usual.within[i])
	}
	return a
}

// typicalParts is how many parts of a kind most addresses have.
const typicalParts = 4

// reserveParts returns an empty list with room for typicalParts.
func reserveParts[T any](from *[]T) []T {
	n := len(*from)
	if n+typicalParts > cap(*from) {
		*from, n = make([]T, 0, 256*typicalParts), 0
	}
	*from = (*from)[:n+typicalParts]
	return (*from)[n : n : n+typicalParts]
}

func (s *selector) decompose(i mir.Inst) address {
	m := s.f.Memory(i)
	a := address{space: m.Space, offset: m.Offset, general: reserveParts(&s.parts), varying: reserveParts(&s.parts), terms: reserveParts(&s.partsTerms)}
	if m.Base == mir.NoOperand {
		a.offset += int64(s.p.Offsets[m.Symbol])
		a.table = m.Space == ir.Constant
	}
	if s.isNarrow(m.Space) {
		for _, o := range [...]mir.Operand{m.Base, m.Index} {
			s.narrowPart(&a, o)
		}
		a.offset = int64(int32(a.offset))
		perLane := a.space == ir.Private && (a.stride != 0 || m.Kind.Bytes() < 4)
		switch {
		case a.space != ir.Private && a.stride == 0 && len(a.varying) == 1 && s.clampNarrow(&a):
		case len(a.varying) > 0 || perLane:
			a.pattern = indexedAddress
			a.varying, a.general = append(a.varying, a.general...), nil
		case a.stride != 0:
			a.pattern = stridedAddress
		}
		return a
	}
	s.addWide(&a, m.Base)
	s.addWide(&a, m.Index)
	switch {
	case a.long != mir.NoOperand && len(a.terms) > 0:
		panic(refusal("an address of two parts that differ from lane to lane"))
	case a.long != mir.NoOperand:
		a.pattern = longAddress
	case len(a.terms) > 0:
		s.classify(&a)
	}
	return a
}

// classify finds the pattern of the terms of an address.
func (s *selector) classify(a *address) {
	a.pattern = stridedAddress
	for _, t := range a.terms {
		stride, ok := s.stride(t.word)
		if !ok {
			a.pattern = indexedAddress
		}
		a.stride += int64(stride) * t.factor
	}
	if a.pattern == stridedAddress || len(a.terms) > 1 {
		return
	}
	if !s.clamp(a) {
		s.findNearby(a)
	}
}

// clamp reports whether the one term of an address is a clamped word, and notes that.
func (s *selector) clamp(a *address) bool {
	word, bound, ok := s.p.Clamped(&s.p.Uniform[lower.Block], a.terms[0].word)
	if !ok {
		return false
	}
	stride, ok := s.stride(word)
	if !ok || stride <= 0 {
		return false
	}
	a.pattern, a.stride, a.from, a.bound = clampedAddress, int64(stride)*a.terms[0].factor, word, bound
	return true
}

// clampNarrow reports whether the one varying word of an address of 32 bits is a clamped word times
// a constant, plus what lanes have in common, and notes that.
func (s *selector) clampNarrow(a *address) bool {
	f := s.f
	uniform, offset, word := reserveParts(&s.parts), a.offset, a.varying[0]
	for {
		i, ok := s.definition(word)
		if !ok || f.Op(i) != mir.Op(op.Add) {
			break
		}
		x, y := f.Arg(i, 0), f.Arg(i, 1)
		if !s.varies(x) {
			x, y = y, x
		}
		switch {
		case s.varies(y):
			return false
		case y.IsConst():
			offset += int64(int32(f.Bits(y)))
		default:
			uniform = append(uniform, y)
		}
		word = x
	}
	factor := int64(1)
	if i, ok := s.definition(word); ok && f.Op(i) == mir.Op(op.Mul) && f.Arg(i, 1).IsConst() {
		word, factor = f.Arg(i, 0), int64(int32(f.Bits(f.Arg(i, 1))))
	}
	a.terms = append(a.terms, term{word, factor})
	if factor <= 0 || !s.clamp(a) {
		a.terms = a.terms[:0]
		return false
	}
	a.general, a.varying, a.offset = append(a.general, uniform...), a.varying[:0], offset
	return true
}

// isNarrow reports whether a space has addresses of 32 bits.
func (s *selector) isNarrow(space ir.Space) bool {
	return space == ir.Workgroup || space == ir.Private || space == ir.Immediate
}

func (s *selector) narrowPart(a *address, o mir.Operand) {
	switch {
	case o == mir.NoOperand:
	case o.IsConst():
		a.offset += int64(int32(s.f.Bits(o)))
	default:
		if stride, ok := s.stride(o); ok {
			a.general = append(a.general, o)
			a.stride += int64(stride)
		} else {
			a.varying = append(a.varying, o)
		}
	}
}

// addWide adds an operand of 64 bits to an address. An operand that cannot be decomposed is used as
// it is.
func (s *selector) addWide(a *address, o mir.Operand) {
	f := s.f
	s.addends = s.p.AppendAddends(s.addends[:0], &s.p.Uniform[lower.Block], o)
	if slices.ContainsFunc(s.addends, func(x lower.Addend) bool { return x.Kind == lower.OtherAddend }) {
		if a.long != mir.NoOperand || len(a.terms) > 0 {
			panic(refusal("an address of two parts that differ from lane to lane"))
		}
		a.long = o
		return
	}
	for n := range s.addends {
		switch x := &s.addends[n]; {
		case x.Kind == lower.ScaledWord:
			word, more := s.splitConstant(x.Word, x.Factor)
			a.terms = append(a.terms, term{word, x.Factor})
			a.offset += more
		case x.Value.IsConst():
			a.offset += int64(f.Bits(x.Value))
		case !s.addIndex(a, x.Value):
			a.general = append(a.general, x.Value)
		}
	}
}

// splitConstant returns a word that grows from lane to lane without a constant that is added to it,
// and that constant times a factor. Neighbouring accesses then have the same word.
func (s *selector) splitConstant(word mir.Operand, factor int64) (mir.Operand, int64) {
	if _, grows := s.stride(word); !grows {
		return word, 0
	}
	i, ok := s.definition(word)
	if !ok || s.f.Op(i) != mir.Op(op.Add) || !s.f.Arg(i, 1).IsConst() {
		return word, 0
	}
	more := int64(int32(s.f.Bits(s.f.Arg(i, 1)))) * factor
	if more > farthest || more < -farthest {
		return word, 0
	}
	return s.f.Arg(i, 0), more
}

// addIndex makes a uniform product of a word the scaled index of an address, if it has none yet.
// It reports false of other values.
func (s *selector) addIndex(a *address, o mir.Operand) bool {
	i, ok := s.definition(o)
	if !ok || s.f.Op(i) != mir.MulWide || s.f.Kind(i) != scalar.U32 || a.scaled != mir.NoOperand {
		return false
	}
	x, factor, ok := s.factorOf(i)
	if !ok || factor != 1 && factor != 2 && factor != 4 && factor != 8 {
		return false
	}
	a.scaled, a.scale = x, uint8(factor)
	return true
}

// definition returns the instruction that assigns a register, or false if it is a parameter.
func (s *selector) definition(o mir.Operand) (mir.Inst, bool) {
	i := s.p.Def(o)
	return i, i != 0
}

// operands calls a function with the forms in which an address needs registers.
func (a *address) operands(need func(mir.Operand, form)) {
	for _, o := range a.general {
		need(o, inGeneral)
	}
	if a.scaled != mir.NoOperand {
		need(a.scaled, inGeneral)
	}
	for _, o := range a.varying {
		need(o, inVector)
	}
	switch a.pattern {
	case stridedAddress:
		for _, t := range a.terms {
			need(t.word, inGeneral)
		}
	case clampedAddress:
		need(a.from, inGeneral)
		need(a.bound, inGeneral)
	case indexedAddress:
		for _, t := range a.terms {
			need(t.word, inVector)
		}
		if a.window > 0 {
			need(a.bound, inGeneral)
		}
	case longAddress:
		need(a.long, inVector)
	}
}

// pointer returns a register with where a space of 32-bit addresses is.
func (s *selector) pointer(space ir.Space) amd64.Operand {
	at := [...]int32{ir.Workgroup: contextWorkgroup, ir.Private: contextFrame, ir.Immediate: contextImmediates, ir.Constant: contextConstants}[space]
	set := 0
	if space == ir.Private {
		set = s.set
	}
	if r := s.recent(amd64.Operand(at), set); r != 0 {
		return r
	}
	r := s.freshGeneral()
	s.load(amd64.Mov, amd64.Wide, r, amd64.At(contextRegister, at))
	if set > 0 {
		s.immediate(amd64.Add, amd64.Wide, int64(set)*lanes*int64(s.p.PrivateBytes), r)
	}
	s.remember(amd64.Operand(at), set, r)
	return r
}

// first returns the address of the first lane, or without what varies.
func (s *selector) first(a *address) amd64.Address {
	if s.isNarrow(a.space) {
		return s.firstNarrow(a)
	}
	at := amd64.Address{Displacement: int32(a.offset)}
	if a.offset != int64(int32(a.offset)) {
		s.addTo(&at, s.generalOf(uint64(a.offset)))
		at.Displacement = 0
	}
	if a.table {
		s.addTo(&at, s.pointer(ir.Constant))
	}
	for _, o := range a.general {
		s.addTo(&at, s.general(o))
	}
	if a.scaled != mir.NoOperand {
		s.addScaled(&at, s.general(a.scaled), a.scale)
	}
	switch a.pattern {
	case stridedAddress:
		for _, t := range a.terms {
			s.addTerm(&at, t.word, t.factor)
		}
	case clampedAddress:
		s.addTerm(&at, a.from, a.terms[0].factor)
	}
	return at
}

// addTo adds a register to an address.
func (s *selector) addTo(at *amd64.Address, r amd64.Operand) {
	switch {
	case at.Base == 0:
		at.Base = r
	case at.Index == 0:
		at.Index, at.Scale = r, 1
	default:
		sum := s.freshGeneral()
		i := amd64.Of(amd64.Lea, amd64.Wide, sum, amd64.Mem)
		i.Address = amd64.Indexed(at.Base, at.Index, at.Scale, 0)
		s.append(&i)
		at.Base, at.Index, at.Scale = sum, r, 1
	}
}

// addTerm adds a word of the first lane, which is extended by its sign, times a factor.
func (s *selector) addTerm(at *amd64.Address, term mir.Operand, factor int64) {
	first, more := s.fromFirst(term, factor)
	if sum := int64(at.Displacement) + more; sum == int64(int32(sum)) {
		at.Displacement = int32(sum)
	} else {
		first = s.general(term)
	}
	r := s.extended(first)
	scale := uint8(1)
	switch factor {
	case 1, 2, 4, 8:
		scale = uint8(factor)
	default:
		product := s.freshGeneral()
		i := amd64.Of(amd64.IMulImm, amd64.Wide, product, r, amd64.Imm)
		i.Immediate = factor
		s.append(&i)
		r = product
	}
	s.addScaled(at, r, scale)
}

// extended marks a register as the sign extension of another one, see recent.
const extended = -2

// extended returns a word extended by its sign.
func (s *selector) extended(word amd64.Operand) amd64.Operand {
	r := s.recent(word, extended)
	if r == 0 {
		r = s.freshGeneral()
		s.emit(amd64.MovSXD, amd64.Wide, r, word)
		s.remember(word, extended, r)
	}
	return r
}

// addScaled adds a register times a scale to an address.
func (s *selector) addScaled(at *amd64.Address, r amd64.Operand, scale uint8) {
	if at.Index != 0 {
		sum := s.freshGeneral()
		i := amd64.Of(amd64.Lea, amd64.Wide, sum, amd64.Mem)
		i.Address = amd64.Indexed(at.Base, at.Index, at.Scale, 0)
		s.append(&i)
		at.Base = sum
	}
	at.Index, at.Scale = r, scale
}

// firstNarrow is first for addresses of 32 bits, whose sum wraps.
func (s *selector) firstNarrow(a *address) amd64.Address {
	if a.pattern == clampedAddress {
		common := *a
		common.pattern = uniformAddress
		at := s.firstNarrow(&common)
		s.addTerm(&at, a.from, a.terms[0].factor)
		return at
	}
	scale := uint8(1)
	if a.space == ir.Private { // the invocations of a block lie side by side, word by word
		scale = lanes
	}
	base := s.pointer(a.space)
	if len(a.general) == 0 {
		return amd64.At(base, int32(a.offset)*int32(scale))
	}
	if len(a.general) == 1 && a.offset >= -farthestNarrow && a.offset <= farthestNarrow {
		sum, more := s.general(a.general[0]), int64(0)
		if a.space != ir.Private {
			sum, more = s.fromFirst(a.general[0], 1)
		}
		// else it is not negative
		if more != 0 || a.offset != 0 || a.pattern == stridedAddress && s.flow.partial[s.block] {
			return amd64.Indexed(base, s.extended(sum), scale, int32(more+a.offset)*int32(scale))
		}
	}
	sum := s.general(a.general[0])
	for _, o := range a.general[1:] {
		next := s.freshGeneral()
		s.emit(amd64.Mov, amd64.Narrow, next, sum)
		s.emit(amd64.Add, amd64.Narrow, next, s.general(o))
		sum = next
	}
	if a.offset != 0 {
		next := s.freshGeneral()
		i := amd64.Of(amd64.Lea, amd64.Narrow, next, amd64.Mem)
		i.Address = amd64.At(sum, int32(a.offset))
		s.append(&i)
		sum = next
	}
	// the first lane is not active, perhaps, and is a little below; or a clamped word is added
	if a.pattern == stridedAddress && s.flow.partial[s.block] || a.from != mir.NoOperand {
		next := s.freshGeneral()
		s.emit(amd64.MovSXD, amd64.Wide, next, sum)
		sum = next
	}
	return amd64.Indexed(base, sum, scale, 0)
}
