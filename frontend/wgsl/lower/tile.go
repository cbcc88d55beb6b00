package lower

import (
	"github.com/gpuc/gpuc/frontend/wgsl/sem"
	"github.com/gpuc/gpuc/frontend/wgsl/syntax"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
)

// This file lowers the builtin functions on tiles that are more than one operation.

// tileViewOrder are the members of tile_view in the order of the operands of tile_load.
var tileViewOrder = [...]uint32{0, 3, 4, 1, 2}

// tileMemory lowers tileLoad and tileStore. They order accesses to the memory of the array, unless
// nothing writes it.
func tileMemory(l *Lowerer, row *sem.Builtin, t ir.Type, args []ir.Value) ir.Value {
	pointer := l.f.TypeOf(args[0])
	memory := op.Memory(0)
	switch space := l.m.SpaceOf(pointer); {
	case space == ir.Workgroup:
		memory = op.WorkgroupMemory
	case space == ir.Storage && l.m.AccessOf(pointer) != ir.Read:
		memory = op.StorageMemory
	}
	operands := make([]ir.Value, 0, ir.TileValue+1)
	operands = append(operands, args[0])
	for _, member := range tileViewOrder {
		operands = append(operands, l.signed(l.b.Extract(args[1], member)))
	}
	operands = append(operands, l.signed(args[2]), l.signed(args[3]))
	return l.b.Emit(row.Op, t, uint32(memory), append(operands, args[4:]...)...)
}

// signed converts an i32 or u32 to i32. Constants stay such, since targets look at strides.
func (l *Lowerer) signed(v ir.Value) ir.Value {
	if v.IsConst() && l.m.TypeOf(v) == ir.U32 {
		return l.m.ConstI32(int32(uint32(l.m.ConstBits(v))))
	}
	return l.b.Convert(scalar.I32, v)
}

// tileMap lowers a call of tileMap: each invocation calls the function for the elements that it
// holds and that are within the shape.
func (l *Lowerer) tileMap(n *syntax.ExprNode, x *sem.ExprInfo) ir.Value {
	f, b, m := l.f, &l.b, l.m
	mark := len(l.args)
	for _, a := range l.tree.ExprList(n.List)[1:] {
		v := l.value(a)
		l.args = append(l.args, v)
	}
	args := l.args[mark:]
	b.Span = n.Span
	loop := b.Loop()
	behind := *b
	e, result := f.AddLoopParam(loop, m.ConstI32(0)), f.AddLoopParam(loop, m.Zero(x.Type))
	body, continuing := f.Region(loop, 0), f.Region(loop, 1)
	b.SetBlock(body)
	row := b.Convert(scalar.U32, b.Emit(op.TileRow, ir.I32, 0, args[0], e))
	column := b.Convert(scalar.U32, b.Emit(op.TileColumn, ir.I32, 0, args[0], e))
	_, rows, columns := m.TileShape(x.Type)
	within := b.Op(op.And, b.Op(op.Lt, row, m.ConstU32(uint32(rows))), b.Op(op.Lt, column, m.ConstU32(uint32(columns))))
	branch := b.If(within)
	element := f.AddResult(branch, m.HeldType(x.Type))
	b.SetBlock(f.Region(branch, 0))
	passed := append(make([]ir.Value, 0, len(args)+2), row, column)
	for _, v := range args {
		if t := f.TypeOf(v); m.IsTile(t) {
			v = b.Emit(op.TileGet, m.HeldType(t), 0, v, e)
		}
		passed = append(passed, v)
	}
	callee := l.info.Objects[x.Object].Function
	b.Exit(branch, b.Emit(op.Call, m.HeldType(x.Type), uint32(l.functions[callee]-1), passed...))
	b.SetBlock(f.Region(branch, 1))
	b.Exit(branch, m.Zero(m.HeldType(x.Type)))
	b.SetBlock(body)
	b.Continue(loop, b.Emit(op.TileSet, x.Type, 0, result, e, element))
	next := f.AddParam(continuing, x.Type)
	final := f.AddResult(loop, x.Type)
	b.SetBlock(continuing)
	following := b.Op(op.Add, e, m.ConstI32(1))
	done := b.Op(op.Ge, following, b.Emit(op.TileCount, ir.I32, 0, args[0]))
	b.Next(loop, []ir.Value{following, next}, done, []ir.Value{next})
	*b = behind
	l.args = l.args[:mark]
	return final
}
