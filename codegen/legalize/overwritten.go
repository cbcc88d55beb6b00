package legalize

import (
	"math/bits"
	"slices"

	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/opt/analysis"
)

// isOverwritten reports whether a kernel cannot tell what a workgroup variable
// holds at its start: nothing reads it, or every element has been stored before
// anything is read. The second is proved for the way tiles are filled:
//
//	loop {
//	  tile[local.y][local.x] = …   each invocation stores one element, together all
//	  barrier
//	  … = tile[local.y][k]         every read lies behind the barrier
//
// The store stands before the barrier in the barrier's block or around it, so an
// invocation that comes to the barrier has made its store; all come to the
// barrier, or none does; and all reads stand behind the barrier in its block.
// The store may also be an if that stores in both branches, and several stores
// may share a variable with more elements than there are invocations.
func isOverwritten(m *ir.Module, f *ir.Func, v ir.Value) bool {
	o := overwriter{m: m, f: f, v: v}
	for _, other := range m.Funcs {
		if other != f && mentions(other, v) {
			return false
		}
	}
	o.reads = o.readsFrom(f.First(f.Entry), 0, f.Entry)
	if o.reads == 0 {
		return true
	}
	for i, w := range f.Workgroup {
		n, _ := m.ConstUint(w)
		o.size[i] = int64(n)
	}
	return o.prove(f.Entry, 0)
}

type overwriter struct {
	m     *ir.Module
	f     *ir.Func
	v     ir.Value
	size  [3]int64 // of the workgroup
	reads int      // instructions that read the variable
}

// shares is a set of equal shares of a variable's elements, of as many elements
// as there are invocations. The variable is stored when all are.
type shares uint64

const maxShares = 64

// mentions reports whether an instruction of a function has the variable as operand.
func mentions(f *ir.Func, v ir.Value) bool {
	for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
		if slices.Contains(f.Args(i), v) {
			return true
		}
	}
	return false
}

// points reports whether a value is the variable's address or leads back to it.
func (o *overwriter) points(v ir.Value) bool {
	for {
		i, ok := o.f.Def(v)
		if !ok {
			return v == o.v
		}
		if k := o.f.Op(i); k != op.Access && k != op.Address {
			return false
		}
		v = o.f.Arg(i, 0)
	}
}

// isRead reports whether an instruction, which owns no blocks, reads the variable
// or lets someone else do so.
func (o *overwriter) isRead(i ir.Inst) bool {
	k := o.f.Op(i)
	if k == op.Access || k == op.Address {
		return false // who uses the address says what happens there
	}
	for n, a := range o.f.Args(i) {
		written := k.WritesOperand(n) && !k.ReadsOperand(n)
		if !written && o.m.IsPointer(o.f.TypeOf(a)) && o.points(a) {
			return true
		}
	}
	return false
}

// readsFrom counts the reads from an instruction on to another in a walk over a block.
func (o *overwriter) readsFrom(i, end ir.Inst, b ir.Block) int {
	reads := 0
	for ; i != end; i = o.f.After(i, b) {
		if !o.f.Op(i).Is(op.Control) && o.isRead(i) {
			reads++
		}
	}
	return reads
}

// prove looks for the barrier in a block and the blocks in it. Stored are the
// shares that have been stored when the block begins.
func (o *overwriter) prove(b ir.Block, stored shares) bool {
	f := o.f
	for i := f.First(b); i != 0; i = f.Next(i) {
		k := f.Op(i)
		switch {
		case k.Is(op.Barrier):
			memory := op.Memory(f.Aux(i))
			if o.isAll(stored) && memory&op.WorkgroupMemory != 0 && memory&op.SubgroupScope == 0 {
				return o.readsFrom(f.Next(i), 0, b) == o.reads
			}
		case k.Is(op.Control):
			if o.readsFrom(i, f.Beyond(i, b), b) > 0 {
				for n := range f.Blocks(i) {
					if o.prove(f.Region(i, n), stored) {
						return true
					}
				}
				return false
			}
			if k == op.If {
				stored |= o.filledByBoth(f.Region(i, 0), f.Region(i, 1))
			}
		case o.isRead(i):
			return false
		default:
			share, _ := o.filling(i)
			stored |= share
		}
	}
	return false
}

// isAll reports whether all of the variable's shares are in a set.
func (o *overwriter) isAll(stored shares) bool {
	n := o.places() / o.invocations()
	return n > 0 && stored == 1<<n-1
}

func (o *overwriter) invocations() int64 { return o.size[0] * o.size[1] * o.size[2] }

// places returns the number of the variable's elements, nested arrays taken
// together.
func (o *overwriter) places() int64 {
	places := int64(1)
	for t := o.m.Element(o.m.Global(o.v).Type); o.m.KindOf(t) == ir.ArrayType; t = o.m.Element(t) {
		n, _ := o.m.Count(t)
		places *= int64(n)
	}
	return places
}

// filledByBoth returns the shares that two branches store whichever is taken: before
// anything that might leave them, and each invocation the same element. Were the
// elements numbered in different orders, two invocations might store one of them
// and none another.
func (o *overwriter) filledByBoth(a, b ir.Block) (stored shares) {
	f := o.f
	for i := f.First(a); i != 0 && !f.Op(i).Is(op.Control); i = f.Next(i) {
		share, order := o.filling(i)
		for j := f.First(b); share != 0 && j != 0 && !f.Op(j).Is(op.Control); j = f.Next(j) {
			if other, same := o.filling(j); other == share && same == order {
				stored |= share
				break
			}
		}
	}
	return stored
}

// filling returns the share that is stored when all invocations execute an
// instruction, or none, and the number of the element that each stores.
func (o *overwriter) filling(i ir.Inst) (share shares, place affine) {
	f := o.f
	if k := f.Op(i); k != op.Store && k != op.AtomicStore {
		return 0, place
	}
	access, ok := f.Def(f.Arg(i, 0))
	if !ok || f.Op(access) != op.Access || f.Arg(access, 0) != o.v {
		return 0, place
	}
	// place is the number of the element, the last index changing first
	indices := f.Args(access)[1:]
	t := o.m.Element(o.m.Global(o.v).Type)
	for n := 0; n < len(indices); n++ {
		if o.m.KindOf(t) != ir.ArrayType {
			return 0, place
		}
		count, _ := o.m.Count(t)
		index := indices[n]
		t = o.m.Element(t)
		if n+1 < len(indices) && o.m.KindOf(t) == ir.ArrayType {
			// quotient and remainder of one number by the inner count
			inner, _ := o.m.Count(t)
			if whole, ok := o.joined(index, indices[n+1], inner); ok {
				index, count = whole, count*inner
				t = o.m.Element(t)
				n++
			}
		}
		x, ok := o.affine(index, affineDepth)
		if !ok || o.highest(x) >= int64(count) {
			return 0, place
		}
		for c := range place {
			place[c] = place[c]*int64(count) + x[c]
		}
	}
	n, rest := place[3]/o.invocations(), place[3]%o.invocations()
	if o.m.KindOf(t) == ir.ArrayType || !o.numbers(place) || o.places()%o.invocations() != 0 || rest != 0 || n >= maxShares {
		return 0, place
	}
	return 1 << n, place
}

// joined returns x if the operands are x / n and x % n.
func (o *overwriter) joined(quotient, remainder ir.Value, n uint32) (ir.Value, bool) {
	x, ok := o.split(quotient, op.Div, op.Shr, n, bits.TrailingZeros32(n))
	y, also := o.split(remainder, op.Rem, op.And, n, int(n)-1)
	return x, ok && also && x == y
}

// split returns x if v is x divided by n, or the remainder: by the operation of
// division, or if n is a power of two by the other one with its own operand.
func (o *overwriter) split(v ir.Value, division, other op.Op, n uint32, operand int) (ir.Value, bool) {
	i, ok := o.f.Def(v)
	if !ok || o.f.Type(i) != ir.U32 {
		return ir.NoValue, false
	}
	switch o.f.Op(i) {
	case division:
		return o.f.Arg(i, 0), o.f.Arg(i, 1) == o.m.ConstU32(n)
	case other:
		return o.f.Arg(i, 0), n&(n-1) == 0 && o.f.Arg(i, 1) == o.m.ConstU32(uint32(operand))
	}
	return ir.NoValue, false
}

// affine is a sum: the factors of the components of local_invocation_id, and a
// constant. None is negative.
type affine [4]int64

// highest returns the greatest value of the sum.
func (o *overwriter) highest(x affine) int64 {
	high := x[3]
	for c, size := range o.size {
		high += x[c] * (size - 1)
	}
	return high
}

// numbers reports whether a sum, its constant left out, numbers the invocations:
// its factors are those of a mixed radix, in some order.
func (o *overwriter) numbers(x affine) bool {
	next := int64(1)
	var used [3]bool
	for range o.size {
		for c, size := range o.size {
			if !used[c] && x[c] == next && size > 1 {
				used[c] = true
				next *= size
				break
			}
		}
	}
	return next == o.invocations()
}

const (
	affineDepth   = 6
	maximumFactor = 1 << 20 // keeps the sums far from wrapping
)

// affine returns a value as such a sum.
func (o *overwriter) affine(v ir.Value, depth int) (affine, bool) {
	f := o.f
	if x, ok := o.m.ConstUint(v); ok {
		return affine{3: int64(min(x, maximumFactor))}, x <= maximumFactor
	}
	i, ok := f.Def(v)
	if !ok {
		return affine{1, o.size[0], o.size[0] * o.size[1]}, o.builtin(v) == ir.LocalInvocationIndex
	}
	if depth == 0 {
		return affine{}, false
	}
	args := f.Args(i)
	switch f.Op(i) {
	case op.Extract:
		c, ok := o.m.ConstIndex(f.TypeOf(args[0]), args[1])
		if ok && o.builtin(args[0]) == ir.LocalInvocationID {
			x := affine{}
			x[c] = 1
			return x, true
		}
	case op.Bitcast, op.Convert:
		if !analysis.Whole(f.TypeOf(args[0])).Empty() && !analysis.Whole(f.Type(i)).Empty() {
			return o.affine(args[0], depth-1)
		}
	case op.Add:
		x, ok := o.affine(args[0], depth-1)
		y, also := o.affine(args[1], depth-1)
		for c := range x {
			x[c] += y[c]
		}
		return x, ok && also
	case op.Mul, op.Shl:
		a, b := args[0], args[1]
		if a.IsConst() && f.Op(i) == op.Mul {
			a, b = b, a
		}
		factor, constant := o.m.ConstUint(b)
		if f.Op(i) == op.Shl {
			factor = 1 << (factor & 31)
		}
		x, ok := o.affine(a, depth-1)
		ok = ok && constant && factor <= maximumFactor
		for c := range x {
			ok = ok && x[c] <= maximumFactor
			x[c] *= int64(factor)
		}
		return x, ok
	}
	return affine{}, false
}

// builtin returns what a parameter of the kernel holds.
func (o *overwriter) builtin(v ir.Value) ir.Builtin {
	for n, p := range o.f.Params(o.f.Entry) {
		if p == v {
			return o.f.Builtins[n]
		}
	}
	return ir.NoBuiltin
}
