// This file makes choices between values of branches that do nothing else. Go has no operation that
// chooses, so that what kernels in WGSL say by select is an if around an assignment or a return in
// Go:
//
//	if x > most {
//		most = x                    ─►     most = select(x > most, x, most)
//	}
//
// Only little is computed that a branch would have left out, and nothing that could be told from
// having been computed.

package gokernel

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
)

// returned is what a block returns: what the instruction says or, if there is a test, one of two.
type returned struct {
	*ssa.Return
	test        *test
	first, then *returned
}

// Bounds of what a branch may have to be computed always, and of how much it may choose.
const (
	mostComputed = 6
	mostChosen   = 2
)

// choose makes a choice of the branch that ends block n, if there is one to make. only says of its
// ways that nothing else leads where they do.
func (x *function) choose(n int32, only [2]bool) bool {
	b := &x.blocks[n]
	arms := [2]*block{&x.blocks[b.ways[0].to], &x.blocks[b.ways[1].to]}
	if only[0] && only[1] && returns(arms[0]) && returns(arms[1]) {
		chosen := &returned{test: b.test, first: arms[0].returned, then: arms[1].returned}
		x.put(n, arms[0])
		x.put(n, arms[1])
		b.ways, b.test, b.returned = nil, nil, chosen
		return true
	}
	// By each way the edges that lead on behind an arm, or past it.
	var on [2]way
	for k := range on {
		on[k] = b.ways[k]
		if only[k] && len(arms[k].ways) == 1 && isEagerList(arms[k].instructions, mostComputed) {
			on[k] = arms[k].ways[0]
		}
	}
	switch { // at least one way is an arm that leads where the other does
	case on[0].to == on[1].to:
	case on[0].to == b.ways[1].to:
		on[1] = b.ways[1]
	case on[1].to == b.ways[0].to:
		on[0] = b.ways[0]
	default:
		return false
	}
	if len(on[0].edges) != 1 || len(on[1].edges) != 1 || !canChoose(&on[0].edges[0], &on[1].edges[0]) {
		return false
	}
	joined := way{on[0].to, []edge{{test: b.test, first: &on[0].edges[0], then: &on[1].edges[0]}}}
	for k := range on {
		if on[k].to != b.ways[k].to {
			x.put(n, arms[k])
		}
	}
	b.ways, b.test = []way{joined}, nil
	return true
}

// canChoose reports whether what phis take by two edges are few values that differ, all of them
// numbers, or one bool of && or ||, which is as cheap as a number.
func canChoose(first, then *edge) bool {
	differ := 0
	for _, i := range phis(first.to()) {
		phi := i.(*ssa.Phi)
		n := scalarsOf(phi.Type())
		if n > mostChosen {
			return false
		}
		if first.first != nil || then.first != nil || !isSame(phi.Edges[first.place()], phi.Edges[then.place()]) {
			differ += n
		}
	}
	return differ > 0 && differ <= mostChosen
}

// returns reports whether a block does nothing but to compute a little and return numbers, which it
// notes.
func returns(b *block) bool {
	if len(b.ways) > 0 || b.source == nil || !isEagerList(b.instructions, mostComputed) {
		return false
	}
	if b.returned != nil {
		return true
	}
	r, ok := b.source.Instrs[len(b.source.Instrs)-1].(*ssa.Return)
	if !ok || len(r.Results) == 0 {
		return false
	}
	scalars := 0
	for _, v := range r.Results {
		scalars += scalarsOf(v.Type())
	}
	if scalars > mostChosen {
		return false
	}
	b.returned = &returned{Return: r}
	return true
}

// scalarsOf returns of how many numbers and bools a type's values are, and too many if they are of
// anything else.
func scalarsOf(t types.Type) (n int) {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		if basics[u.Kind()] != ir.Void {
			return 1
		}
	case *types.Struct:
		for f := range u.Fields() {
			n += scalarsOf(f.Type())
		}
		return n
	}
	return mostChosen + 1
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
	return f.chosen(r.test, f.result(r.first, n), f.result(r.then, n))
}

// passed returns what a phi takes by an edge.
func (f *frame) passed(e *edge, phi *ssa.Phi) operand {
	if e.first == nil {
		return f.operand(phi.Edges[e.place()])
	}
	first, then := f.passed(e.first, phi), f.passed(e.then, phi)
	if first.kind != aValue || then.kind != aValue {
		return operand{}
	}
	return made(f.chosen(e.test, first.value, then.value))
}

// chosen makes the value that is one of two by a test; of && and || it is that.
func (f *frame) chosen(c *test, x, y ir.Value) ir.Value {
	b, m := &f.t.b, f.t.m
	switch t := b.F.TypeOf(x); {
	case x == y:
		return x
	case m.KindOf(t) == ir.StructType:
		parts := make([]ir.Value, len(m.Members(t)))
		for n := range parts {
			parts[n] = f.chosen(c, b.Extract(x, uint32(n)), b.Extract(y, uint32(n)))
		}
		return b.Construct(t, parts...)
	case x == m.ConstBool(true):
		return b.Op(op.Or, f.test(c), y)
	case y == m.ConstBool(false):
		return b.Op(op.And, f.test(c), x)
	case x == m.ConstBool(false):
		return b.Op(op.And, b.Op(op.Not, f.test(c)), y)
	case y == m.ConstBool(true):
		return b.Op(op.Or, b.Op(op.Not, f.test(c)), x)
	}
	return b.Op(op.Select, f.test(c), x, y)
}
