package lower

import (
	"math"
	"slices"

	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/opt"
	"github.com/gpuc/gpuc/opt/analysis"
)

// KeepsFragments reports whether the fragments of a module stay. The target writes fragments, and
// has all of their products. All subgroups are full, and have the size of the target's.
//
// Checks that record faults need the address of each element, and strict arithmetic one order of
// sums. Both have arrays.
func KeepsFragments(c *opt.Context, m *ir.Module) bool {
	size := c.FragmentSubgroup
	if size == 0 || c.Bounds.Traps() || c.Math == opt.MathStrict || !m.HasFragmentProducts(c.Fragments) {
		return false
	}
	for _, f := range m.Funcs {
		if f.Had(&fragmentElements) {
			return false
		}
		if !f.Kernel {
			continue
		}
		width, known := m.ConstUint(f.Workgroup[0])
		asked, isSet := m.ConstUint(f.SubgroupSize)
		if !known || width%uint64(size) != 0 || isSet && asked != uint64(size) {
			return false
		}
	}
	return !slices.ContainsFunc(m.Funcs, usesOtherWords)
}

// fragmentElements are the operations on the elements that an invocation holds. Which these are is
// not known of fragments that stay.
var fragmentElements = op.SetOf(op.FragmentCount, op.FragmentRow, op.FragmentColumn, op.FragmentGet, op.FragmentSet)

// FragmentAccess prepares the loads and stores of fragments that stay (KeepsFragments). The
// instructions of devices access the whole fragment, which must be in the array, at an alignment
// (Vulkan, VUID-RuntimeSpirv-OpCooperativeMatrixLoadKHR-08986). Where neither is proved, a test
// chooses between such an instruction and the same elements one by one:
//
//	if aligned and inside {        load @a, %offset
//	} else {                       stage[subgroup][…] = a[…], by all invocations of the subgroup
//	                               load @stage, subgroup·size }
//
// The stage is workgroup memory with room for one fragment of each subgroup. Elements outside of
// the array are those of other accesses: loads clamp the index, and stores leave them out.
//
// The operands of these instructions are subgroup-uniform (Vulkan, SPV_KHR_cooperative_matrix), and
// so is the test.
var FragmentAccess = opt.Pass{
	Name:   "fragment-access",
	Doc:    "load and store fragments by element where they may be unaligned or outside of their array",
	Needs:  ir.Bound | ir.Structured,
	Breaks: ir.NoPrivate,
	Run: func(c *opt.Context, m *ir.Module) {
		x := fragmentAccess{fragmentLowering: fragmentLowering{m: m}, c: c, stages: map[ir.Type]ir.Value{}, alignment: fragmentAlignment}
		x.functions()
	},
}

// FragmentBounds is FragmentAccess for devices whose instructions need no alignment.
var FragmentBounds = opt.Pass{
	Name:   "fragment-bounds",
	Doc:    "load and store fragments by element where they may be outside of their array",
	Needs:  ir.Bound | ir.Structured,
	Breaks: ir.NoPrivate,
	Run: func(c *opt.Context, m *ir.Module) {
		x := fragmentAccess{fragmentLowering: fragmentLowering{m: m}, c: c, stages: map[ir.Type]ir.Value{}}
		x.functions()
	},
}

// fragmentAccess prepares the fragments of a module.
type fragmentAccess struct {
	fragmentLowering
	c      *opt.Context
	ranges *analysis.Ranges
	// alignment is that of the lines of a fragment in bytes, unless they are shorter; 0 is none.
	alignment int
	// stages are the variables for the types of elements, sized for all fragments of a type.
	stages map[ir.Type]ir.Value
	// subgroup is the number of the subgroup in the kernel, and copiedSubgroup the variable that
	// has it for other functions.
	subgroup, copiedSubgroup ir.Value
}

// fragmentAlignment is the alignment in bytes of the lines of a fragment, unless they are shorter.
const fragmentAlignment = 16

func (x *fragmentAccess) functions() {
	for _, f := range x.m.Funcs {
		if x.c.FragmentSubgroup != 0 && f.Had(&op.Fragments) {
			x.function(f)
		}
	}
}

func (x *fragmentAccess) function(f *ir.Func) {
	x.f, x.number, x.subgroup = f, ir.NoValue, ir.NoValue
	x.b = ir.Builder{F: f, Folds: true}
	x.ranges = opt.Scratch[analysis.Ranges](x.c, "ranges")
	x.ranges.Analyse(f)
	for i := f.First(f.Entry); i != 0; {
		next := f.After(i, f.Entry)
		switch f.Op(i) {
		case op.FragmentLoad, op.FragmentStore:
			x.access(i)
		case op.FragmentSplat:
			x.b.At(i)
			f.SetArg(i, 0, x.clamp(f.Type(i), f.Arg(i, 0)))
		}
		i = next
	}
	f.ApplyReplacements()
}

// access makes a load or store conditional, unless the condition is proved.
func (x *fragmentAccess) access(i ir.Inst) {
	f := x.f
	if f.HasFragmentWords(i) { // a tile is in the array, and each vector is aligned
		return
	}
	x.b.At(i)
	condition := x.both(x.aligned(i), x.inside(i))
	if condition == ir.NoValue || condition == x.m.ConstBool(true) {
		return
	}
	args := append([]ir.Value(nil), f.Args(i)...)
	test := x.b.If(condition)
	x.b.SetBlock(f.Region(test, 0))
	if f.Op(i) == op.FragmentStore {
		x.b.Emit(op.FragmentStore, ir.Void, 0, args...)
		x.b.Exit(test)
		x.b.SetBlock(f.Region(test, 1))
		x.storeElements(i)
		x.b.Exit(test)
	} else {
		t := f.Type(i)
		x.b.Exit(test, x.b.Emit(op.FragmentLoad, t, 0, args...))
		x.b.SetBlock(f.Region(test, 1))
		x.b.Exit(test, x.loadElements(i))
		f.Replace(f.Result(i), f.AddResult(test, t))
	}
	f.Remove(i)
}

// both returns the conjunction of two conditions, of which NoValue is true.
func (x *fragmentAccess) both(a, b ir.Value) ir.Value {
	yes, no := x.m.ConstBool(true), x.m.ConstBool(false)
	switch {
	case a == ir.NoValue || a == yes || b == no:
		return b
	case b == ir.NoValue || b == yes || a == no:
		return a
	}
	return x.b.Op(op.And, a, b)
}

// aligned builds the test that all lines of a fragment are aligned, or returns NoValue.
func (x *fragmentAccess) aligned(i ir.Inst) ir.Value {
	if x.alignment == 0 {
		return ir.NoValue
	}
	_, length, perWord := x.f.FragmentReach(i)
	array := x.f.Arg(i, ir.FragmentArray)
	bytes := int(x.m.Size(x.m.Element(x.m.Element(x.f.TypeOf(array))))) / perWord // of an element
	unit := min(x.alignment, length*bytes) / bytes
	first, known := x.start(array)
	if !known || first%bytes != 0 {
		return x.m.ConstBool(false)
	}
	offset, _, stride := x.f.FragmentPosition(i)
	condition := ir.NoValue
	for _, at := range [...]struct {
		v    ir.Value
		more int
	}{{offset, first / bytes}, {stride, 0}} {
		if r := x.ranges.Residue(at.v); 1<<min(r.Count, 31) >= unit && (int(r.Bits)+at.more)%unit == 0 {
			continue
		}
		low := x.b.Op(op.And, x.sum(at.v, x.u32(at.more)), x.u32(unit-1))
		condition = x.both(condition, x.b.Op(op.Eq, low, x.u32(0)))
	}
	return condition
}

// start returns where an array begins, as bytes modulo fragmentAlignment. Variables begin at a
// multiple of it: the runtime binds such offsets for kernels with fragments, and devices align the
// variables of workgroup memory. The offsets in a workgroup structure are not known.
func (x *fragmentAccess) start(array ir.Value) (bytes int, known bool) {
	f, m := x.f, x.m
	for {
		i, ok := f.Def(array)
		if !ok || f.Op(i) != op.Access {
			return bytes % fragmentAlignment, true
		}
		array = f.Arg(i, 0)
		t := m.Element(f.TypeOf(array))
		for n, index := range f.Args(i)[1:] {
			at, isConst := m.ConstUint(f.Arg(i, n+1))
			switch {
			case isConst && at == 0:
			case m.SpaceOf(f.TypeOf(array)) != ir.Storage:
				return 0, false
			case m.KindOf(t) == ir.StructType:
				bytes += int(m.Members(t)[at].Offset)
			case isConst:
				bytes += int(at) * int(m.Stride(t)) % fragmentAlignment
			case m.Stride(t)%fragmentAlignment != 0:
				return 0, false
			}
			x, _ := m.ConstUint(index)
			t = m.PartType(t, uint32(x))
		}
	}
}

// inside builds the test that all elements of a fragment are in the array, or returns NoValue. It
// counts words, and holds for fragments that are aligned.
func (x *fragmentAccess) inside(i ir.Inst) ir.Value {
	b, m := &x.b, x.m
	lines, length, perWord := x.f.FragmentReach(i)
	offset, _, stride := x.f.FragmentPosition(i)
	condition := ir.NoValue
	if x.f.Op(i) == op.FragmentStore && x.ranges.Of(stride).Low < 1 { // the instruction takes no 0
		condition = b.Op(op.Ge, stride, x.u32(1))
	}
	if x.c.Bounds == opt.BoundsOff || x.f.Flags(i)&ir.InBounds != 0 || x.ranges.Proves(i, 0) {
		return condition
	}
	offset, stride, length = x.words(offset, perWord), x.words(stride, perWord), length/perWord
	count := x.length(i)
	// the greatest stride for which the reach does not wrap
	most := (math.MaxUint32 - uint32(length)) / uint32(max(lines-1, 1))
	condition = x.both(condition, b.Op(op.Le, stride, m.ConstU32(most)))
	reach := b.Op(op.Add, b.Op(op.Mul, stride, x.u32(lines-1)), x.u32(length))
	condition = x.both(condition, b.Op(op.Le, reach, count))
	return x.both(condition, b.Op(op.Le, offset, b.Op(op.Sub, count, reach)))
}

// words returns how many whole words a number of elements has.
func (x *fragmentAccess) words(elements ir.Value, perWord int) ir.Value {
	if perWord == 1 {
		return elements
	}
	return x.b.Op(op.Shr, elements, x.u32(2))
}

// length returns the number of words of the array that a load or store accesses.
func (x *fragmentAccess) length(i ir.Inst) ir.Value {
	array := x.f.Arg(i, ir.FragmentArray)
	if n, ok := x.m.Count(x.m.Element(x.f.TypeOf(array))); ok {
		return x.m.ConstU32(n)
	}
	return x.b.Emit(op.ArrayLength, ir.U32, 0, array)
}

// stage returns the variable for fragments of a type, and the index of the subgroup's first word.
func (x *fragmentAccess) stage(t ir.Type) (variable, first ir.Value, words int) {
	m := x.m
	element := m.FragmentScalar(t)
	if x.stages[element] == ir.NoValue {
		most := 0
		for n := range m.TypeCount() {
			if t := ir.Type(n); m.IsFragment(t) && m.FragmentScalar(t) == element {
				most = max(most, x.wordsOf(t))
			}
		}
		array := m.ArrayOf(element, x.u32(most*x.subgroups()))
		x.stages[element] = m.AddGlobal(ir.Global{Name: "stage." + m.TypeString(element), Type: m.PointerTo(ir.Workgroup, array, ir.ReadWrite)})
	}
	return x.stages[element], x.b.Op(op.Mul, x.subgroupNumber(), x.u32(x.wordsOf(t))), x.wordsOf(t)
}

// wordsOf returns the words that a fragment has in memory.
func (x *fragmentAccess) wordsOf(t ir.Type) int {
	_, rows, columns := x.m.FragmentShape(t)
	if x.isByte(t) {
		return rows * columns / 4
	}
	return rows * columns
}

// subgroups returns the greatest number of subgroups of a kernel.
func (x *fragmentAccess) subgroups() (most int) {
	for _, f := range x.m.Funcs {
		if !f.Kernel {
			continue
		}
		items := 1
		for _, side := range f.Workgroup {
			n, _ := x.m.ConstUint(side)
			items *= int(n)
		}
		most = max(most, items/int(x.c.FragmentSubgroup))
	}
	return most
}

// subgroupNumber returns the number of the subgroup in the workgroup.
func (x *fragmentAccess) subgroupNumber() ir.Value {
	return x.builtin(ir.SubgroupID, "subgroup", &x.subgroup, &x.copiedSubgroup)
}

// wait waits for the subgroup, so that its accesses to the stage are ordered.
func (x *fragmentAccess) wait() { x.b.Barrier(op.WorkgroupMemory | op.SubgroupScope) }

// each builds a loop in which the invocations of the subgroup share n numbers.
func (x *fragmentAccess) each(n int, body func(k ir.Value)) {
	size := int(x.c.FragmentSubgroup)
	lane := x.invocation()
	x.b.Count(uint32((n+size-1)/size), func(k ir.Value) {
		k = x.b.Op(op.Add, x.b.Op(op.Mul, k, x.u32(size)), lane)
		if n%size == 0 {
			body(k)
			return
		}
		x.when(x.b.Op(op.Lt, k, x.u32(n)), func() { body(k) })
	})
}

// address returns where an element of memory is, clamped to the array, and whether it is there,
// which is NoValue if bounds are off.
func (x *fragmentAccess) address(i ir.Inst, word ir.Value) (pointer, exists ir.Value) {
	if x.c.Bounds == opt.BoundsOff {
		return x.b.AccessWithin(x.f.Arg(i, ir.FragmentArray), word), ir.NoValue
	}
	count := x.length(i)
	within := x.b.Op(op.Min, word, x.b.Op(op.Sub, count, x.u32(1)))
	return x.b.AccessWithin(x.f.Arg(i, ir.FragmentArray), within), x.b.Op(op.Lt, word, count)
}

// loadElements loads a fragment by element, by rows, and from the stage.
func (x *fragmentAccess) loadElements(i ir.Inst) ir.Value {
	b, t := &x.b, x.f.Type(i)
	stage, first, words := x.stage(t)
	_, _, columns := x.m.FragmentShape(t)
	x.wait() // for those that load what was there
	x.each(words, func(n ir.Value) {
		if !x.isByte(t) {
			pointer, _ := x.address(i, x.index(i, x.op(op.Div, n, columns), x.op(op.Rem, n, columns)))
			b.Store(b.AccessWithin(stage, b.Op(op.Add, first, n)), b.Load(pointer))
			return
		}
		value := x.m.Zero(x.m.FragmentScalar(t))
		for k := range 4 {
			e := b.Op(op.Add, b.Op(op.Mul, n, x.u32(4)), x.u32(k))
			pointer, shift, _ := x.byteOf(i, x.op(op.Div, e, columns), x.op(op.Rem, e, columns))
			byte := b.Op(op.ExtractBits, b.Load(pointer), shift, x.u32(8))
			value = b.Op(op.InsertBits, value, byte, x.u32(8*k), x.u32(8))
		}
		b.Store(b.AccessWithin(stage, b.Op(op.Add, first, n)), value)
	})
	x.wait()
	return b.Emit(op.FragmentLoad, t, 0, stage, x.elementsOfStage(t, first), x.m.ConstBool(false), x.u32(columns))
}

// storeElements stores a fragment in the stage, by rows, and its elements where they belong. Bytes
// are stored by one invocation, as those of a word may be of several lines.
func (x *fragmentAccess) storeElements(i ir.Inst) {
	b := &x.b
	stored := x.f.Arg(i, ir.FragmentStored)
	t := x.f.TypeOf(stored)
	stage, first, words := x.stage(t)
	_, rows, columns := x.m.FragmentShape(t)
	x.wait()
	b.Emit(op.FragmentStore, ir.Void, 0, stage, x.elementsOfStage(t, first), stored, x.m.ConstBool(false), x.u32(columns))
	x.wait()
	if !x.isByte(t) {
		x.each(words, func(n ir.Value) {
			value := b.Load(b.AccessWithin(stage, b.Op(op.Add, first, n)))
			pointer, exists := x.address(i, x.index(i, x.op(op.Div, n, columns), x.op(op.Rem, n, columns)))
			x.storeIf(exists, pointer, value)
		})
		return
	}
	x.when(b.Op(op.Eq, x.invocation(), x.u32(0)), func() {
		b.Count(uint32(rows*columns), func(e ir.Value) {
			word := b.Load(b.AccessWithin(stage, b.Op(op.Add, first, b.Op(op.Shr, e, x.u32(2)))))
			byte := b.Op(op.ExtractBits, word, b.Op(op.Shl, b.Op(op.And, e, x.u32(3)), x.u32(3)), x.u32(8))
			pointer, shift, exists := x.byteOf(i, x.op(op.Div, e, columns), x.op(op.Rem, e, columns))
			x.storeIf(exists, pointer, b.Op(op.InsertBits, b.Load(pointer), byte, shift, x.u32(8)))
		})
	})
}

// byteOf is address for an element of 8 bits, with the position of its bits in the word.
func (x *fragmentAccess) byteOf(i ir.Inst, row, column ir.Value) (pointer, shift, exists ir.Value) {
	n := x.index(i, row, column)
	pointer, exists = x.address(i, x.b.Op(op.Shr, n, x.u32(2)))
	return pointer, x.b.Op(op.Shl, x.b.Op(op.And, n, x.u32(3)), x.u32(3)), exists
}

// elementsOfStage returns the number of elements before a word of the stage.
func (x *fragmentAccess) elementsOfStage(t ir.Type, word ir.Value) ir.Value {
	if x.isByte(t) {
		return x.b.Op(op.Mul, word, x.u32(4))
	}
	return word
}
