package lower

import (
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
// first group of a subgroup stores.
var Fragments = opt.Pass{
	Name:     "lower-fragments",
	Doc:      "replace fragments by arrays of each invocation, and their operations by loops",
	Needs:    ir.Structured,
	Breaks:   ir.Promoted | ir.NoPrivate,
	Keeps:    ir.AsWritten,
	Replaces: op.Fragments,
	Run: func(c *opt.Context, m *ir.Module) {
		if m.HasFragments() {
			l := fragmentLowering{m: m, types: map[ir.Type]ir.Type{}}
			l.chooseGrid()
			for _, f := range m.Funcs {
				l.function(f)
			}
		}
	},
}

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
	// number is the invocation's number in its subgroup, and copied the variable that has it for
	// functions which are no kernels.
	number, copied ir.Value
}

// group is how many invocations hold a fragment together.
func (l *fragmentLowering) group() int { return l.gridRows * l.gridColumns }

// chooseGrid chooses the largest grid that divides the rows and columns of all fragments, and among
// those the one whose invocations load the fewest elements.
func (l *fragmentLowering) chooseGrid() {
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
	most := l.mostInGroup()
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

// mostInGroup returns the greatest power of two that divides the size of every subgroup.
func (l *fragmentLowering) mostInGroup() int {
	m := l.m
	most := ir.MaxFragmentSide
	for _, f := range m.Funcs {
		if !f.Kernel {
			continue
		}
		size, items := smallestSubgroup, 1
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
		rows, columns := l.shape(t)
		to = m.ArrayOf(m.FragmentScalar(t), m.ConstU32(uint32(rows*columns)))
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

// count builds a loop of n iterations, or its body alone if n is 1.
func (l *fragmentLowering) count(n int, body func(k ir.Value)) {
	if n == 1 {
		body(l.u32(0))
		return
	}
	l.b.Count(uint32(n), body)
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
	const name = "lane"
	switch {
	case l.f.Kernel && l.number == ir.NoValue:
		l.number = rewrite.Builtin(l.f, ir.SubgroupInvocationID, name)
	case !l.f.Kernel && l.copied == ir.NoValue:
		l.copied = rewrite.CopiedBuiltin(l.m, ir.SubgroupInvocationID, name)
	}
	if l.f.Kernel {
		return l.number
	}
	return l.b.Load(l.copied)
}

// place returns the row and the column of the grid at which the invocation is.
func (l *fragmentLowering) place() (row, column ir.Value) {
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
	firstRow, firstColumn := l.place()
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

// variable returns a new array of the invocation for a fragment type.
func (l *fragmentLowering) variable(t ir.Type) ir.Value { return l.b.Var(l.typeOf(t), "fragment") }

// spill returns an array with a fragment, whose elements can be indexed.
func (l *fragmentLowering) spill(v ir.Value) ir.Value {
	array := l.variable(l.fragmentType(v))
	l.b.Store(array, l.value(v))
	return array
}

// of returns the address of an element of an array.
func (l *fragmentLowering) of(array, n ir.Value) ir.Value { return l.b.AccessWithin(array, n) }

// instruction lowers an instruction, which is removed later.
func (l *fragmentLowering) instruction(i ir.Inst) {
	f := l.f
	l.b.At(i)
	l.b.Flags = 0
	if f.Op(i) == op.FragmentStore {
		l.store(i)
		return
	}
	r := f.Result(i)
	t := l.fragmentType(r)
	to := l.variable(t)
	switch f.Op(i) {
	case op.FragmentLoad:
		l.load(i, t, to)
	case op.FragmentSplat:
		x := l.clamp(t, f.Arg(i, 0))
		l.each(t, func(n ir.Value) { l.b.Store(l.of(to, n), x) })
	case op.FragmentMulAdd:
		l.mulAdd(i, t, to)
	default:
		a, b := l.spill(f.Arg(i, 0)), l.spill(f.Arg(i, 1))
		l.each(t, func(n ir.Value) {
			x, y := l.b.Load(l.of(a, n)), l.b.Load(l.of(b, n))
			l.b.Flags = f.Flags(i)
			v := l.b.Op(elementOps[f.Op(i)], x, y)
			l.b.Flags = 0
			l.b.Store(l.of(to, n), l.wrap(t, v))
		})
	}
	f.Replace(r, l.b.Load(to))
}

// elementOps are the operations on elements.
var elementOps = map[op.Op]op.Op{op.FragmentAdd: op.Add, op.FragmentSub: op.Sub, op.FragmentMul: op.Mul}

// each builds a loop over the elements that the invocation holds.
func (l *fragmentLowering) each(t ir.Type, body func(n ir.Value)) {
	rows, columns := l.shape(t)
	l.count(rows*columns, body)
}

// mulAdd lowers a product: row by column of what the invocation holds.
func (l *fragmentLowering) mulAdd(i ir.Inst, t ir.Type, to ir.Value) {
	f, b := l.f, &l.b
	left, right := f.Arg(i, 0), f.Arg(i, 1)
	_, _, depth := l.m.FragmentShape(l.fragmentType(left))
	rows, columns := l.shape(t)
	kind := scalar.Kind(l.m.FragmentScalar(t))
	left, right = l.spill(left), l.spill(right)
	b.Store(to, l.value(f.Arg(i, 2)))
	fast := f.Flags(i) & ir.Fast
	l.count(depth, func(k ir.Value) {
		l.count(rows, func(r ir.Value) {
			x := b.Convert(kind, b.Load(l.of(left, l.sum(l.op(op.Mul, r, depth), k))))
			l.count(columns, func(c ir.Value) {
				y := b.Convert(kind, b.Load(l.of(right, l.sum(l.op(op.Mul, k, columns), c))))
				at := l.of(to, l.sum(l.op(op.Mul, r, columns), c))
				sum := b.Load(at)
				if kind.IsFloat() {
					b.Flags = fast
					sum = b.Op(op.Fma, x, y, sum)
					b.Flags = 0
				} else {
					sum = l.wrap(t, b.Op(op.Add, b.Op(op.Mul, x, y), sum))
				}
				b.Store(at, sum)
			})
		})
	})
}
