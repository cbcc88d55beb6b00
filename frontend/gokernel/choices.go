// This file makes choices between values of branches that do nothing else. Go has no operation that chooses, so that what
// kernels in WGSL say by select is an if around an assignment or a return in Go:
//
//	if x > most {                            most = x > most ? x : most
//		most = x                    ─►
//	}
//
// Only little is computed that a branch would have left out, and nothing that could be told from having been computed.

package gokernel

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
)

// choice is a store that only happens where a test has a truth. The variable holds what it has otherwise.
type choice struct {
	*ssa.Store
	test  *test
	truth bool
}

// returned is what a block returns: what the instruction says or, if it is nil, one of two.
type returned struct {
	*ssa.Return
	test        *test
	first, then *returned
}

// Bounds of what a branch may have to be computed always, and of what it may choose.
const (
	mostComputed = 4
	mostChosen   = 2
)

// choose makes choices of the branches of a block, and reports whether there were any.
func (x *function) choose(n int32, entered []int) bool {
	b := &x.blocks[n]
	if len(b.ways) != 2 || b.ways[0].to == b.ways[1].to {
		return false
	}
	arm := func(way int) *block { return &x.blocks[b.ways[way].to] }
	only := func(way int) bool { return entered[b.ways[way].to] == 1 && b.ways[way].to != n }
	switch {
	case only(0) && only(1) && len(arm(0).ways) == 0 && len(arm(1).ways) == 0 && x.returns(arm(0)) && x.returns(arm(1)):
		first, then := arm(0), arm(1)
		b.returned = &returned{test: b.test, first: first.returned, then: then.returned}
		x.put(n, first, nil, true)
		x.put(n, then, nil, true)
		b.ways, b.test = nil, nil
		return true
	case only(0) && only(1) && x.onlyChooses(arm(0)) && x.onlyChooses(arm(1)) && arm(0).ways[0].to == arm(1).ways[0].to:
		on, decided := arm(0).ways, b.test
		x.put(n, arm(0), decided, true)
		x.put(n, arm(1), decided, false)
		b.ways, b.test = on, nil
		return true
	}
	for way := range 2 {
		if only(way) && x.onlyChooses(arm(way)) && arm(way).ways[0].to == b.ways[1-way].to {
			on, decided := arm(way).ways, b.test
			x.put(n, arm(way), decided, way == 0)
			b.ways, b.test = on, nil
			return true
		}
	}
	return false
}

// put appends the instructions of an arm to a block, with stores as choices by a test.
func (x *function) put(n int32, arm *block, decided *test, truth bool) {
	b := &x.blocks[n]
	b.instructions = slices.Clip(b.instructions)
	for _, i := range arm.instructions {
		if v, ok := i.(ssa.Value); ok {
			x.block[x.number[v]] = n
		}
		if s, ok := i.(*ssa.Store); ok {
			i = &choice{s, decided, truth}
		}
		b.instructions = append(b.instructions, i)
	}
	arm.instructions, arm.ways, arm.test, arm.returned = nil, nil, nil, nil
}

// onlyChooses reports whether a block does nothing but to compute a little and to store numbers in variables of the item,
// and goes on where no phi asks from where. Nothing of what it loads it has stored itself.
func (x *function) onlyChooses(b *block) bool {
	if len(b.ways) != 1 || x.hasPhi(b.ways[0].to) {
		return false
	}
	stores := 0
	for _, i := range b.instructions {
		s, ok := i.(*ssa.Store)
		switch {
		case !ok && stores > 0 || !ok && !isEager(i):
			return false
		case !ok:
		case !isOwn(s.Addr) || !isScalar(s.Val.Type()):
			return false
		default:
			stores++
		}
	}
	return stores > 0 && stores <= mostChosen && len(b.instructions)-stores <= mostComputed
}

// returns reports whether a block does nothing but to compute a little and return numbers, which it notes.
func (x *function) returns(b *block) bool {
	if b.returned == nil {
		if b.source == nil {
			return false
		}
		r, ok := b.source.Instrs[len(b.source.Instrs)-1].(*ssa.Return)
		if !ok || len(r.Results) == 0 || len(r.Results) > mostChosen {
			return false
		}
		for _, v := range r.Results {
			if !isScalar(v.Type()) {
				return false
			}
		}
		b.returned = &returned{Return: r}
	}
	return len(b.instructions) <= mostComputed && x.eager(b.instructions)
}

// isScalar reports whether a type's values are numbers or bools.
func isScalar(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && basics[b.Kind()] != ir.Void
}

// values calls f with each value of SSA that a return needs.
func (r *returned) values(f func(ssa.Value)) {
	switch {
	case r == nil:
	case r.Return != nil:
		for _, v := range r.Results {
			f(v)
		}
	default:
		r.test.values(f)
		r.first.values(f)
		r.then.values(f)
	}
}

// result makes the n-th of the values that are returned.
func (f *frame) result(r *returned, n int) ir.Value {
	if r.Return != nil {
		return f.value(r.Results[n])
	}
	return f.t.b.Op(op.Select, f.test(r.test), f.result(r.first, n), f.result(r.then, n))
}

// choice stores one of two values.
func (f *frame) choice(c *choice) {
	to := f.operand(c.Addr)
	if to.kind != aPointer {
		return
	}
	chosen, other := f.value(c.Val), f.loadFrom(to).value
	if !c.truth {
		chosen, other = other, chosen
	}
	f.store(to, made(f.t.b.Op(op.Select, f.test(c.test), chosen, other)))
}
