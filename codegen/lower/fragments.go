package lower

import (
	"cmp"

	"github.com/gpuc/gpuc/codegen/rewrite"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/opt"
)

// Fragments lowers fragments to arrays of each invocation and loops, for any target. A fragment
// type becomes an array type wherever it occurs: in variables, parameters, arrays and structures.
//
// The invocations of a subgroup form groups, and each group holds the whole fragment. A group is a
// grid over the rows and columns of results. An invocation has the elements of its rows and columns
// there, all elements of its rows in a left fragment, and all of its columns in a right one:
//
//	           right            With a grid of 2 rows and 2 columns the marked elements
//	           . x . x          are those of invocation 1 of a group.
//	           . x . x
//	left       result
//	x x        . x . x
//	. .        . . . .
//
// So it has all that a product needs, and nothing is exchanged. That is right for any size of
// subgroups that the size of a group divides, and for a last subgroup that is not full. Only the
// first group of a subgroup stores (docs/decisions/0054-subgroup-matrices.md).
//
// If the target has instructions for all products, fragments are in the layouts of those instead
// (fragmentlayout.go), or stay for the target's own compiler (KeepsFragments).
var Fragments = opt.Pass{
	Name:     "lower-fragments",
	Doc:      "replace fragments by arrays of each invocation, and their operations by loops or a target's instructions",
	Needs:    ir.Structured,
	Breaks:   ir.Promoted | ir.NoPrivate,
	Keeps:    ir.AsWritten,
	Replaces: op.Fragments,
	Run: func(c *opt.Context, m *ir.Module) {
		if m.HasFragments() && !KeepsFragments(c, m) {
			l := newFragmentLowering(c, m)
			for n := range m.Globals {
				g := &m.Globals[n]
				g.Type = l.typeOf(g.Type)
				if g.Init != ir.NoValue {
					g.Init = l.value(g.Init)
				}
			}
			for _, f := range m.Funcs {
				l.function(f)
			}
		}
	},
}

// unrolledSteps is the number of steps up to which an operation is built without loops. Its
// elements stay values then. Those of larger ones would hardly fit into registers.
const unrolledSteps = 1 << 8

// smallestSubgroup is the least size of subgroups that devices have (WGSL §15.6).
const smallestSubgroup = 4

// fragmentLowering lowers the fragments of a module.
type fragmentLowering struct {
	m *ir.Module
	f *ir.Func
	b ir.Builder
	// gridRows and gridColumns are the shape of a group. They are powers of two.
	gridRows, gridColumns int
	// types are the types that replace those with fragments; others are their own.
	types map[ir.Type]ir.Type
	// before are the types that the values of the function had.
	before []ir.Type
	// layouts are those of the target's instructions, or nil if there is a grid.
	layouts *fragmentLayouts
	// unrolled says that no loops are built for the current instruction.
	unrolled bool
	// number is the invocation's number in its subgroup, and copied the variable that has it for
	// functions which are no kernels.
	number, copied ir.Value
}

// group is how many invocations hold a fragment together.
func (l *fragmentLowering) group() int { return l.gridRows * l.gridColumns }

// newFragmentLowering chooses the layout of a module's fragments.
func newFragmentLowering(c *opt.Context, m *ir.Module) *fragmentLowering {
	l := &fragmentLowering{m: m, types: map[ir.Type]ir.Type{}, gridRows: 1, gridColumns: 1}
	if l.layouts = layoutsOf(c, m); l.layouts == nil {
		l.chooseGrid(l.mostInGroup(int(cmp.Or(c.Subgroup, smallestSubgroup))))
	}
	return l
}

// chooseGrid chooses the largest grid that divides the rows and columns of all fragments, and among
// those the one whose invocations load the fewest elements. A group has most invocations at most.
func (l *fragmentLowering) chooseGrid(most int) {
	m := l.m
	rows, columns := 0, 0
	for t := range m.TypeCount() {
		if t := ir.Type(t); m.IsFragment(t) {
			_, r, c := m.FragmentShape(t)
			if m.FragmentUse(t) != ir.RightUse {
				rows |= r
			}
			if m.FragmentUse(t) != ir.LeftUse {
				columns |= c
			}
		}
	}
	best := 0
	l.gridRows, l.gridColumns = 1, 1
	for r := 1; r <= min(most, lowestBit(rows, most)); r *= 2 {
		c := min(most/r, lowestBit(columns, most/r))
		cost := rows/r + columns/c
		if r*c > l.group() || r*c == l.group() && (best == 0 || cost < best) {
			l.gridRows, l.gridColumns, best = r, c, cost
		}
	}
}

// lowestBit returns the greatest power of two that divides n, or none if n is 0.
func lowestBit(n, none int) int {
	if n == 0 {
		return none
	}
	return n & -n
}

// mostInGroup returns the greatest power of two that divides the size of every subgroup, where
// those that are full have a multiple of some size.
func (l *fragmentLowering) mostInGroup(full int) int {
	m := l.m
	most := ir.MaxFragmentSide
	for _, f := range m.Funcs {
		if !f.Kernel {
			continue
		}
		size, items := full, 1
		if n, ok := m.ConstUint(f.SubgroupSize); ok {
			size = int(n)
		}
		for _, side := range f.Workgroup {
			n, _ := m.ConstUint(side)
			items *= int(max(n, 1))
		}
		most = min(most, size, items&-items)
	}
	return most
}

// typeOf returns the type that replaces a type.
func (l *fragmentLowering) typeOf(t ir.Type) ir.Type {
	m := l.m
	if to, ok := l.types[t]; ok {
		return to
	}
	to := t
	switch m.KindOf(t) {
	case ir.FragmentType:
		to = m.ArrayOf(l.heldType(t), l.u32(l.heldCount(t)))
	case ir.ArrayType:
		if element := l.typeOf(m.Element(t)); element != m.Element(t) {
			to = m.ArrayOf(element, m.ArrayCount(t))
		}
	case ir.PointerType:
		if element := l.typeOf(m.Element(t)); element != m.Element(t) {
			to = m.PointerTo(m.SpaceOf(t), element, m.AccessOf(t))
		}
	case ir.StructType:
		members, changed := append([]ir.Member(nil), m.Members(t)...), false
		for n := range members {
			of := l.typeOf(members[n].Type)
			changed = changed || of != members[n].Type
			members[n].Type = of
		}
		if changed {
			size, align := m.LayoutStruct(members, nil, nil)
			to = m.NewStruct(m.StructName(t), members, size, align)
		}
	}
	l.types[t] = to
	return to
}

// heldType returns the type of what an invocation holds of a fragment, and heldCount how many of
// them.
func (l *fragmentLowering) heldType(t ir.Type) ir.Type {
	if l.layouts != nil && l.layoutOf(t).Packed > 1 {
		return ir.U32
	}
	return l.m.FragmentScalar(t)
}

func (l *fragmentLowering) heldCount(t ir.Type) int {
	if l.layouts != nil {
		layout := l.layoutOf(t)
		return layout.Elements() / layout.Packed
	}
	rows, columns := l.shape(t)
	return rows * columns
}

// value returns what replaces a value that has been given its new type, or a constant.
func (l *fragmentLowering) value(v ir.Value) ir.Value {
	m := l.m
	if !v.IsConst() {
		return v
	}
	t := m.TypeOf(v)
	to := l.typeOf(t)
	switch {
	case to == t:
		return v
	case m.IsZero(v):
		return m.Zero(to)
	}
	n, _ := m.Count(t)
	parts := make([]ir.Value, n)
	for k := range parts {
		parts[k] = l.value(m.ConstPart(v, uint32(k)))
	}
	return m.ConstComposite(to, parts)
}

// function gives the values of a function their new types, and then lowers its operations.
func (l *fragmentLowering) function(f *ir.Func) {
	l.f, l.number = f, ir.NoValue
	l.b = ir.Builder{F: f, Span: f.Span, Folds: true}
	if f.ResultType != ir.Void {
		f.ResultType = l.typeOf(f.ResultType)
	}
	l.before = make([]ir.Type, f.ValueCount())
	for n := range l.before {
		if v := ir.Value(n); n != 0 {
			l.before[n] = f.TypeOf(v)
			if to := l.typeOf(l.before[n]); to != l.before[n] {
				f.SetType(v, to)
			}
		}
	}
	if l.layouts != nil {
		l.layouts.enter(f)
	}
	var fragments []ir.Inst // in the order of the text
	for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
		if op.Fragments.Has(f.Op(i)) {
			fragments = append(fragments, i)
			continue
		}
		for n, v := range f.Args(i) {
			if to := l.value(v); to != v {
				f.SetArg(i, n, to)
			}
		}
	}
	for _, i := range fragments {
		l.instruction(i)
		f.Remove(i)
	}
	f.ApplyReplacements()
}

// fragmentType returns the type that a fragment had.
func (l *fragmentLowering) fragmentType(v ir.Value) ir.Type {
	if v.IsLocal() {
		return l.before[v.Index()]
	}
	return l.m.TypeOf(v)
}

// shape returns how many rows and columns of a fragment type an invocation holds.
func (l *fragmentLowering) shape(t ir.Type) (rows, columns int) {
	_, rows, columns = l.m.FragmentShape(t)
	if l.m.FragmentUse(t) != ir.RightUse {
		rows /= l.gridRows
	}
	if l.m.FragmentUse(t) != ir.LeftUse {
		columns /= l.gridColumns
	}
	return rows, columns
}

func (l *fragmentLowering) u32(n int) ir.Value { return l.m.ConstU32(uint32(n)) }

// op builds an operation on a value and a constant, unless that changes nothing.
func (l *fragmentLowering) op(o op.Op, x ir.Value, n int) ir.Value {
	switch {
	case n == 1 && (o == op.Mul || o == op.Div):
		return x
	case n == 1 && o == op.Rem:
		return l.u32(0)
	}
	return l.b.Op(o, x, l.u32(n))
}

// sum adds values, leaving out those that are zero.
func (l *fragmentLowering) sum(x, y ir.Value) ir.Value {
	switch {
	case l.m.IsZero(x):
		return y
	case l.m.IsZero(y):
		return x
	}
	return l.b.Op(op.Add, x, y)
}

// count builds a loop of n iterations, or its body n times.
func (l *fragmentLowering) count(n int, body func(k ir.Value)) {
	if n > 1 && !l.unrolled {
		l.b.Count(uint32(n), body)
		return
	}
	for k := range n {
		body(l.u32(k))
	}
}

// when builds what runs if a condition holds.
func (l *fragmentLowering) when(condition ir.Value, body func()) {
	i := l.b.If(condition)
	behind := l.b
	for n := range 2 {
		l.b.SetBlock(l.f.Region(i, n))
		if n == 0 {
			body()
		}
		l.b.Exit(i)
	}
	l.b = behind
}

// invocation returns the invocation's number in its subgroup.
func (l *fragmentLowering) invocation() ir.Value {
	return l.builtin(ir.SubgroupInvocationID, "lane", &l.number, &l.copied)
}

// builtin returns a builtin value: in a kernel its parameter, and in other functions what a
// variable has that kernels set. Both are made once.
func (l *fragmentLowering) builtin(which ir.Builtin, name string, parameter, copied *ir.Value) ir.Value {
	switch {
	case l.f.Kernel && *parameter == ir.NoValue:
		*parameter = rewrite.Builtin(l.f, which, name)
	case !l.f.Kernel && *copied == ir.NoValue:
		*copied = rewrite.CopiedBuiltin(l.m, which, name)
	}
	if l.f.Kernel {
		return *parameter
	}
	return l.b.Load(*copied)
}

// gridPosition returns the row and the column of the grid at which the invocation is.
func (l *fragmentLowering) gridPosition() (row, column ir.Value) {
	if l.group() == 1 {
		return l.u32(0), l.u32(0)
	}
	lane := l.invocation()
	return l.op(op.Rem, l.op(op.Div, lane, l.gridColumns), l.gridRows), l.op(op.Rem, lane, l.gridColumns)
}

// elements builds the loops over the elements of a fragment that the invocation holds: their number
// in its array, and their row and column in the fragment.
func (l *fragmentLowering) elements(t ir.Type, body func(n, row, column ir.Value)) {
	rows, columns := l.shape(t)
	firstRow, firstColumn := l.gridPosition()
	l.count(rows, func(r ir.Value) {
		row := r
		if l.m.FragmentUse(t) != ir.RightUse {
			row = l.sum(firstRow, l.op(op.Mul, r, l.gridRows))
		}
		l.count(columns, func(c ir.Value) {
			column := c
			if l.m.FragmentUse(t) != ir.LeftUse {
				column = l.sum(firstColumn, l.op(op.Mul, c, l.gridColumns))
			}
			body(l.sum(l.op(op.Mul, r, columns), c), row, column)
		})
	})
}

// elementsOf is the elements of a fragment that the invocation holds: values, or if there are loops
// those of a variable.
type elementsOf struct {
	l        *fragmentLowering
	t        ir.Type // of the array
	variable ir.Value
	whole    ir.Value // from which values are extracted
	values   []ir.Value
}

// made returns elements that are to be set.
func (l *fragmentLowering) made(t ir.Type) elementsOf {
	e := elementsOf{l: l, t: l.typeOf(t)}
	if l.unrolled {
		n, _ := l.m.Count(e.t)
		e.values = make([]ir.Value, n)
	} else {
		e.variable = l.b.Var(e.t, "fragment")
	}
	return e
}

// read returns the elements of a fragment.
func (l *fragmentLowering) read(v ir.Value) elementsOf {
	e := l.made(l.fragmentType(v))
	e.whole = l.value(v)
	if !l.unrolled {
		l.b.Store(e.variable, e.whole)
	}
	return e
}

func (e *elementsOf) get(n ir.Value) ir.Value {
	if e.variable != ir.NoValue {
		return e.l.b.Load(e.l.b.AccessWithin(e.variable, n))
	}
	k, _ := e.l.m.ConstUint(n)
	if e.values[k] == ir.NoValue {
		e.values[k] = e.l.b.Extract(e.whole, uint32(k))
	}
	return e.values[k]
}

func (e *elementsOf) set(n, x ir.Value) {
	if e.variable != ir.NoValue {
		e.l.b.Store(e.l.b.AccessWithin(e.variable, n), x)
		return
	}
	k, _ := e.l.m.ConstUint(n)
	e.values[k] = x
}

// value returns the fragment.
func (e *elementsOf) value() ir.Value {
	if e.variable != ir.NoValue {
		return e.l.b.Load(e.variable)
	}
	return e.l.b.Construct(e.t, e.values...)
}

// instruction lowers an instruction, which is removed later.
func (l *fragmentLowering) instruction(i ir.Inst) {
	f := l.f
	l.b.At(i)
	l.b.Flags = 0
	r := f.Result(i)
	switch f.Op(i) {
	case op.FragmentStore:
		r = f.Arg(i, ir.FragmentStored)
	case op.FragmentCount, op.FragmentRow, op.FragmentColumn, op.FragmentGet, op.FragmentSet:
		f.Replace(r, l.element(i))
		return
	}
	t := l.fragmentType(r)
	if l.layouts != nil {
		if v := l.inLayout(i, t); v != ir.NoValue {
			f.Replace(r, v)
		}
		return
	}
	rows, columns := l.shape(t)
	depth := 1
	if f.Op(i) == op.FragmentMulAdd {
		_, _, depth = l.m.FragmentShape(l.fragmentType(f.Arg(i, 0)))
	}
	l.unrolled = rows*columns*depth <= unrolledSteps
	switch f.Op(i) {
	case op.FragmentLoad:
		f.Replace(r, l.load(i, t))
	case op.FragmentStore:
		l.store(i, t)
	case op.FragmentMulAdd:
		f.Replace(r, l.mulAdd(i, t, depth))
	case op.FragmentSplat:
		x, to := l.clamp(t, f.Arg(i, 0)), l.made(t)
		l.count(rows*columns, func(n ir.Value) { to.set(n, x) })
		f.Replace(r, to.value())
	default:
		x, y, to := l.read(f.Arg(i, 0)), l.read(f.Arg(i, 1)), l.made(t)
		l.count(rows*columns, func(n ir.Value) {
			a, b := x.get(n), y.get(n)
			l.b.Flags = f.Flags(i)
			v := l.b.Op(elementOps[f.Op(i)], a, b)
			l.b.Flags = 0
			to.set(n, l.wrap(t, v))
		})
		f.Replace(r, to.value())
	}
}

// elementOps are the operations on elements.
var elementOps = [op.Count]op.Op{op.FragmentAdd: op.Add, op.FragmentSub: op.Sub, op.FragmentMul: op.Mul}

// mulAdd lowers a product: row by column of what the invocation holds.
func (l *fragmentLowering) mulAdd(i ir.Inst, t ir.Type, depth int) ir.Value {
	f, b := l.f, &l.b
	rows, columns := l.shape(t)
	kind := scalar.Kind(l.m.FragmentScalar(t))
	factor, _, _ := l.m.FragmentShape(l.fragmentType(f.Arg(i, 0)))
	other, _, _ := l.m.FragmentShape(l.fragmentType(f.Arg(i, 1)))
	left, right, sums := l.read(f.Arg(i, 0)), l.read(f.Arg(i, 1)), l.read(f.Arg(i, 2))
	l.count(depth, func(k ir.Value) {
		l.count(rows, func(r ir.Value) {
			x := b.Convert(kind, widenElement(b, factor, left.get(l.sum(l.op(op.Mul, r, depth), k))))
			l.count(columns, func(c ir.Value) {
				y := b.Convert(kind, widenElement(b, other, right.get(l.sum(l.op(op.Mul, k, columns), c))))
				n := l.sum(l.op(op.Mul, r, columns), c)
				sum := sums.get(n)
				if b.Flags = f.Flags(i); kind == scalar.F32 {
					b.Flags &= ir.Fast
					sum = b.Op(op.Fma, x, y, sum)
				} else { // of halves devices have no exact fma
					sum = b.Op(op.Add, b.Op(op.Mul, x, y), sum)
				}
				b.Flags = 0
				sums.set(n, l.wrap(t, sum))
			})
		})
	})
	return sums.value()
}
