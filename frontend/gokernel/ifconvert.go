// This file is if-conversion: it turns branches that only select between values into selections. Go
// has no operation like WGSL's select, so that kernels write an if around an assignment or a
// return:
//
//	if x > most {
//		most = x                    ─►     most = select(x > most, x, most)
//	}
//
// A branch is converted only if little is computed speculatively, and nothing with side effects.

package gokernel

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
)

// returned is what a block returns: the results of the instruction or, if there is a condition, of
// one of two.
type returned struct {
	*ssa.Return
	cond        *cond
	first, then *returned
}

// Bounds of if-conversion: the instructions of an arm, and the scalars that are selected.
const (
	maxSpeculated = 6
	maxSelected   = 2
)

// ifConvert converts the branch that ends block n, and reports whether it could. unique says of
// each successor that it has no other predecessor.
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
	// For each successor, the edges that continue after the arm, or past it.
	var next [2]successor
	for k := range next {
		next[k] = b.succs[k]
		if unique[k] && len(arms[k].succs) == 1 && areSpeculatable(arms[k].instructions, maxSpeculated) {
			next[k] = arms[k].succs[0]
		}
	}
	switch { // at least one successor is an arm that continues at the other's target
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

// canSelect reports whether few scalars differ between the operands that phis take by two edges.
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

// returns reports whether a block only computes a little and returns scalars. It then sets
// returned.
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

// scalarsOf returns the number of scalars in values of a type, or a number above the limit if they
// hold anything else.
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

// values calls f with each value of SSA that a return uses.
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

// result returns the value of the n-th result.
func (f *frame) result(r *returned, n int) ir.Value {
	if r.Return != nil {
		return f.value(r.Results[n])
	}
	return f.selected(r.cond, f.result(r.first, n), f.result(r.then, n))
}

// phiOperand returns the operand that a phi takes by an edge.
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

// selected emits the selection between two values by a condition; between bool constants it is an
// And or Or.
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
