// This file excludes the items beyond the extent of a launch, which exist because workgroups are
// complete. Most kernels begin by comparing the item's index with a limit. That comparison then
// uses the minimum of the limit and the extent, which still implies that accesses are in bounds.

package gokernel

import (
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
)

// guard ends the items beyond the extent of the launch, by a separate branch or by the kernel's
// first condition. Cooperative kernels need all items of a workgroup, and their launches have
// complete workgroups.
func (f *frame) guard() {
	t := f.t
	for n, size := range t.k.workgroup {
		f.unguarded[n] = size != 1 // an extent is a multiple of 1
	}
	if f.unguarded == [3]bool{} || f.guardsItself() {
		return
	}
	if p := t.k.function.Params; len(p) > 0 {
		t.b.Span = t.span(p[0].Pos(), token.NoPos) // of the item
	}
	i := t.b.If(f.comparedWithExtent(op.Lt, op.And, ir.NoValue))
	t.b.SetBlock(t.b.F.Region(i, 0))
	t.b.Exit(i)
	t.b.SetBlock(t.b.F.Region(i, 1))
	t.b.Return(ir.NoValue)
	t.b.SetBlock(t.b.F.Entry)
}

// comparedWithExtent compares the item's index with the extent of the launch in each dimension that
// is unguarded, and combines the results with a condition, if there is one.
func (f *frame) comparedWithExtent(comparison, combination op.Op, condition ir.Value) ir.Value {
	b := &f.t.b
	for n := range f.unguarded {
		if !f.unguarded[n] {
			continue
		}
		f.unguarded[n] = false
		is := b.Op(comparison, f.coordinate(ir.GlobalInvocationID, "global", n), f.coordinate(ir.LaunchExtent, "extent", n))
		if condition == ir.NoValue {
			condition = is
		} else {
			condition = b.Op(combination, condition, is)
		}
	}
	return condition
}

// guardsItself reports whether a kernel begins with a condition that ends items, without side
// effects before it.
func (f *frame) guardsItself() bool {
	b := &f.blocks[0]
	f.guards = len(b.succs) == 2 && f.returningSucc() >= 0 && !slices.ContainsFunc(b.instructions, func(i ssa.Instruction) bool { return !f.isPrivate(i) })
	return f.guards
}

// returningSucc returns which successor of the first block only returns, or -1.
func (f *frame) returningSucc() int {
	return slices.IndexFunc(f.blocks[0].succs, func(w successor) bool {
		to := &f.blocks[w.to]
		if len(to.succs) > 0 || len(to.instructions) > 0 || to.source == nil {
			return false
		}
		_, ok := to.source.Instrs[0].(*ssa.Return)
		return ok
	})
}

// isPrivate reports whether only the item itself can observe that an instruction ran. A read of the
// first element of a buffer, which always exists, is private if the kernel does not write the
// buffer. Otherwise an item beyond the extent would race with the others.
func (f *frame) isPrivate(i ssa.Instruction) bool {
	switch i := i.(type) {
	case *ssa.Alloc, *ssa.BinOp:
		return true
	case *ssa.Store:
		return isLocalAddress(i.Addr)
	case *ssa.IndexAddr:
		return isLocalAddress(i) || firstOf(i) != nil
	case *ssa.FieldAddr:
		return isLocalAddress(i) || firstOf(i) != nil
	case *ssa.UnOp:
		p := firstOf(i.X)
		return isSpeculatable(i) || p != nil && f.t.second && !f.t.facts.written[p.Name()]
	case *ssa.Call:
		callee := i.Call.StaticCallee()
		// no atomic races with another
		return isSpeculatable(i) || callee != nil && isAtomicLoad(callee) && firstOf(i.Call.Args[0]) != nil
	}
	return isSpeculatable(i)
}

// firstOf returns the parameter to whose first element, or a field of it, a pointer leads, or nil.
func firstOf(pointer ssa.Value) *ssa.Parameter {
	for {
		switch p := pointer.(type) {
		case *ssa.FieldAddr:
			pointer = p.X
		case *ssa.IndexAddr:
			parameter, ok := p.X.(*ssa.Parameter)
			if !ok || !isZero(p.Index) {
				return nil
			}
			return parameter
		default:
			return nil
		}
	}
}

// isAtomicLoad reports whether a function only reads memory atomically.
func isAtomicLoad(callee *ssa.Function) bool {
	f, ok := callee.Object().(*types.Func)
	return ok && strings.HasPrefix(f.FullName(), "sync/atomic.Load")
}

// guarded emits the kernel's first condition, which also holds only within the extent of the
// launch. If the first successor returns, it also holds beyond the extent.
func (f *frame) guarded(c *cond) ir.Value {
	if f.returningSucc() == 0 {
		return f.comparedWithExtent(op.Ge, op.Or, f.limited(c, token.GEQ, op.Or))
	}
	return f.comparedWithExtent(op.Lt, op.And, f.limited(c, token.LSS, op.And))
}

// limited emits a condition in which comparisons of the item's index use the extent, too. These are
// the comparisons whose result alone decides the combination.
func (f *frame) limited(c *cond, comparison token.Token, combination op.Op) ir.Value {
	t := f.t
	if c.left != nil && c.operation == combination {
		left := f.limited(c.left, comparison, combination)
		return t.b.Op(combination, left, f.limited(c.right, comparison, combination))
	}
	compared, ok := c.value.(*ssa.BinOp)
	if !ok || compared.Op != comparison {
		return f.cond(c)
	}
	position := compared.X
	if converted, ok := position.(*ssa.Convert); ok && isWord(converted.Type()) {
		position = converted.X // the same number, as it is not negative
	}
	n := f.dimensionOf(position)
	if n < 0 || !f.unguarded[n] {
		return f.cond(c)
	}
	f.unguarded[n] = false
	x, limit := f.value(compared.X), f.value(compared.Y)
	extent := t.b.Convert(t.m.ScalarOf(t.b.F.TypeOf(limit)), f.coordinate(ir.LaunchExtent, "extent", n))
	return t.b.Op(operations[comparison], x, t.b.Op(op.Min, limit, extent))
}

// isWord reports whether a type is an integer of 32 bits on devices.
func isWord(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && (basics[b.Kind()] == ir.I32 || basics[b.Kind()] == ir.U32)
}

// dimensionOf returns in which dimension a value is the item's index, or -1. A variable holds it if
// the first block stores it there, and nothing else writes the variable.
func (f *frame) dimensionOf(v ssa.Value) int {
	switch v := v.(type) {
	case *ssa.Call:
		if isMethod(v, "Index") {
			return 0
		}
	case *ssa.Field:
		if call, ok := v.X.(*ssa.Call); ok && isMethod(call, "Global") {
			return v.Field
		}
	case *ssa.UnOp:
		if v.Op != token.MUL {
			break
		}
		switch from := v.X.(type) {
		case *ssa.Alloc:
			return f.dimensionOf(f.onlyStored(from, v))
		case *ssa.FieldAddr:
			if variable, ok := from.X.(*ssa.Alloc); ok {
				if call, ok := f.onlyStored(variable, v).(*ssa.Call); ok && isMethod(call, "Global") {
					return from.Field
				}
			}
		}
	}
	return -1
}

// isMethod reports whether a call is of a given method of gpu.Item.
func isMethod(call *ssa.Call, name string) bool {
	callee := call.Call.StaticCallee()
	if callee == nil {
		return false
	}
	o, ok := callee.Object().(*types.Func)
	return ok && o.FullName() == itemMethod+name
}

// onlyStored returns the value that a variable has when the first block loads it, or nil. That
// block must store it, and nothing else may write the variable.
func (f *frame) onlyStored(variable *ssa.Alloc, load *ssa.UnOp) ssa.Value {
	var store *ssa.Store
	for _, use := range *variable.Referrers() {
		switch use := use.(type) {
		case *ssa.Store:
			if use.Addr != variable || store != nil {
				return nil
			}
			store = use
		case *ssa.FieldAddr:
			for _, use := range *use.Referrers() {
				if read, ok := use.(*ssa.UnOp); !ok || read.Op != token.MUL {
					return nil
				}
			}
		case *ssa.UnOp, *ssa.DebugRef:
		default:
			return nil
		}
	}
	list := f.blocks[0].instructions
	if at := slices.Index(list, ssa.Instruction(load)); store == nil || !slices.Contains(list[:max(at, 0)], ssa.Instruction(store)) {
		return nil
	}
	return store.Val
}
