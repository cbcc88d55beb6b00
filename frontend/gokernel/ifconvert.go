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
	cond        *cond
	first, then *returned
}

// Bounds of what a branch may have to be computed always, and of how much it may choose.
const (
	maxSpeculated = 6
	maxSelected   = 2
)

// choose makes a choice of the branch that ends block n, if there is one to make. only says of its
// ways that nothing else leads where they do.
func (x *function) ifConvert(n int32, unique [2]bool) bool {
	b := &x.blocks[n]
	arms := [2]*block{&x.blocks[b.succs[0].to], &x.blocks[b.succs[1].to]}
	if unique[0] && unique[1] && returns(arms[0]) && returns(arms[1]) {
		selected := &returned{cond: b.cond, first: arms[0].returned, then: arms[1].returned}
		x.mergeInto(n, arms[0])
		x.mergeInto(n, arms[1])
		b.succs, b.cond, b.returned = nil, nil, selected
		return true
	}
	// By each way the edges that lead on behind an arm, or past it.
	var next [2]successor
	for k := range next {
		next[k] = b.succs[k]
		if unique[k] && len(arms[k].succs) == 1 && areSpeculatable(arms[k].instructions, maxSpeculated) {
			next[k] = arms[k].succs[0]
		}
	}
	switch { // at least one way is an arm that leads where the other does
	case next[0].to == next[1].to:
	case next[0].to == b.succs[1].to:
		next[1] = b.succs[1]
	case next[1].to == b.succs[0].to:
		next[0] = b.succs[0]
	default:
		return false
	}
	if len(next[0].edges) != 1 || len(next[1].edges) != 1 || !canSelect(&next[0].edges[0], &next[1].edges[0]) {
		return false
	}
	joined := successor{next[0].to, []edge{{cond: b.cond, first: &next[0].edges[0], then: &next[1].edges[0]}}}
	for k := range next {
		if next[k].to != b.succs[k].to {
			x.mergeInto(n, arms[k])
		}
	}
	b.succs, b.cond = []successor{joined}, nil
	return true
}

// canChoose reports whether what phis take by two edges are few values that differ, all of them
// numbers, or one bool of && or ||, which is as cheap as a number.
func canSelect(first, then *edge) bool {
	differ := 0
	for _, i := range phis(first.to()) {
		phi := i.(*ssa.Phi)
		n := scalarsOf(phi.Type())
		if n > maxSelected {
			return false
		}
		if first.first != nil || then.first != nil || !isSame(phi.Edges[first.predIndex()], phi.Edges[then.predIndex()]) {
			differ += n
		}
	}
	return differ > 0 && differ <= maxSelected
}

// returns reports whether a block does nothing but to compute a little and return numbers, which it
// notes.
func returns(b *block) bool {
	if len(b.succs) > 0 || b.source == nil || !areSpeculatable(b.instructions, maxSpeculated) {
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
	if scalars > maxSelected {
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
	return maxSelected + 1
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
		r.cond.values(f)
		r.first.values(f)
		r.then.values(f)
	}
}

// result makes the n-th of the values that are returned.
func (f *frame) result(r *returned, n int) ir.Value {
	if r.Return != nil {
		return f.value(r.Results[n])
	}
	return f.selected(r.cond, f.result(r.first, n), f.result(r.then, n))
}

// passed returns what a phi takes by an edge.
func (f *frame) phiOperand(e *edge, phi *ssa.Phi) operand {
	if e.first == nil {
		return f.operand(phi.Edges[e.predIndex()])
	}
	first, then := f.phiOperand(e.first, phi), f.phiOperand(e.then, phi)
	if first.kind != aValue || then.kind != aValue {
		return operand{}
	}
	return made(f.selected(e.cond, first.value, then.value))
}

// chosen makes the value that is one of two by a test; of && and || it is that.
func (f *frame) selected(c *cond, x, y ir.Value) ir.Value {
	b, m := &f.t.b, f.t.m
	switch t := b.F.TypeOf(x); {
	case x == y:
		return x
	case m.KindOf(t) == ir.StructType:
		parts := make([]ir.Value, len(m.Members(t)))
		for n := range parts {
			parts[n] = f.selected(c, b.Extract(x, uint32(n)), b.Extract(y, uint32(n)))
		}
		return b.Construct(t, parts...)
	case x == m.ConstBool(true):
		return b.Op(op.Or, f.cond(c), y)
	case y == m.ConstBool(false):
		return b.Op(op.And, f.cond(c), x)
	case x == m.ConstBool(false):
		return b.Op(op.And, b.Op(op.Not, f.cond(c)), y)
	case y == m.ConstBool(true):
		return b.Op(op.Or, b.Op(op.Not, f.cond(c)), x)
	}
	return b.Op(op.Select, f.cond(c), x, y)
}
