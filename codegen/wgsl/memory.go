package wgsl

import (
	"strings"

	"github.com/gpuc/gpuc/codegen/printer"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
)

// This file writes accesses to memory. A pointer has no text: its reference is written at each use.

// address writes a pointer to a reference.
func address(ref printer.Expr) printer.Expr {
	if strings.HasPrefix(ref.Text, "(*") && strings.IndexByte(ref.Text, ')') == len(ref.Text)-1 {
		ref.Text = ref.Text[2 : len(ref.Text)-1]
		return ref
	}
	ref.Text, ref.Level = "&"+ref.Text, printer.Unary
	return ref
}

func (w *emitter) access(i ir.Inst) {
	f := w.F
	args := f.Args(i)
	x, t := w.Take(args[0]), w.M.Element(f.TypeOf(args[0]))
	quiet := w.Quiet(i)
	for _, index := range args[1:] {
		w.Index(index, quiet)
		x = w.part(x, t, index, false)
		k, _ := w.M.ConstUint(index)
		t = w.M.PartType(t, uint32(k))
	}
	w.Exprs[f.Result(i)] = x
}

func (w *emitter) load(i ir.Inst) {
	f := w.F
	pointer := f.Arg(i, 0)
	ref := w.Take(pointer)
	t := f.TypeOf(pointer)
	if f.Flags(i)&ir.UniformResult != 0 {
		w.Flush(printer.Anything)
		w.Exprs[f.Result(i)] = w.Let(f.Result(i), f.Type(i), printer.Call("workgroupUniformLoad", []printer.Expr{address(ref)}))
		return
	}
	if space := w.M.SpaceOf(t); !space.ReadOnly() && w.M.AccessOf(t) != ir.Read {
		ref = ref.With(printer.Expr{Reads: w.Root(pointer)})
	}
	if w.M.SpaceOf(t) == ir.Handle || ref.Reads == ir.NoValue && w.Path(f.Result(i), ref) {
		w.Exprs[f.Result(i)] = ref
		return
	}
	w.Define(i, ref)
}

func (w *emitter) store(i ir.Inst) {
	f := w.F
	value, ref := w.Take(f.Arg(i, 1)), w.Take(f.Arg(i, 0))
	w.Flush(w.Root(f.Arg(i, 0)))
	if w.Declares(i) {
		w.Line("var ", ref.Text, " = ", value.Text, ";")
		return
	}
	w.Assign(ref.Text, value)
}

// variable declares a variable of the function, unless its first store does.
func (w *emitter) variable(i ir.Inst) {
	f, v := w.F, w.F.Result(i)
	hint := f.ValueName(v)
	if hint == "" {
		hint = "x"
	}
	name := w.Names.Name(hint)
	w.Exprs[v] = printer.Atom(name)
	if w.DeclaredByStore(v) {
		return
	}
	if w.Uses.Count[v] > 0 {
		w.Line("var ", name, ": ", w.typeName(w.M.Element(f.Type(i))), ";")
	}
}

func (w *emitter) copy(i ir.Inst) {
	to, from := w.Take(w.F.Arg(i, 0)), w.Take(w.F.Arg(i, 1))
	w.Flush(w.Root(w.F.Arg(i, 0)))
	w.Line(to.Text, " = ", from.Text, ";")
}

// atomicNames are the builtin functions, by operation.
var atomicNames = [op.AtomicOperations]string{
	op.AtomicAdd: "atomicAdd", op.AtomicSub: "atomicSub", op.AtomicMax: "atomicMax", op.AtomicMin: "atomicMin",
	op.AtomicAnd: "atomicAnd", op.AtomicOr: "atomicOr", op.AtomicXor: "atomicXor", op.AtomicExchange: "atomicExchange",
}

func (w *emitter) atomic(i ir.Inst) {
	f := w.F
	args := make([]printer.Expr, 0, 3)
	for n, a := range f.Args(i) {
		x := w.Take(a)
		if n == 0 {
			x = address(x)
		}
		args = append(args, x)
	}
	r := f.Result(i)
	w.Flush(printer.Anything)
	switch f.Op(i) {
	case op.AtomicLoad:
		name := "atomicLoad"
		if f.Flags(i)&ir.UniformResult != 0 {
			name = "workgroupUniformLoad"
		}
		w.Exprs[r] = w.Let(r, f.Type(i), printer.Call(name, args))
		return
	case op.AtomicStore:
		w.Line(printer.Call("atomicStore", args).Text, ";")
		return
	case op.AtomicCompareExchange:
		w.exchange(i, args)
		return
	}
	x := printer.Call(atomicNames[f.Aux(i)], args)
	if w.Uses.Count[r] == 0 {
		w.Line(x.Text, ";")
		return
	}
	w.Exprs[r] = w.Let(r, f.Type(i), x)
}

// exchange writes a compare-and-exchange without spurious failures, which WGSL's may have: a loop
// repeats those.
func (w *emitter) exchange(i ir.Inst, args []printer.Expr) {
	r := w.F.Result(i)
	hint := w.F.ValueName(r)
	if hint == "" {
		hint = "old"
	}
	compare := args[1]
	if compare.Level != printer.Primary || len(compare.Vars) > 0 {
		compare = w.Let(ir.NoValue, w.F.Type(i), compare)
		args[1] = compare
	}
	name, result := w.Names.Name(hint), w.Names.Name("exchange")
	w.Line("var ", name, ": ", w.typeName(w.F.Type(i)), ";")
	w.Line("loop {")
	w.Indent++
	w.Line("let ", result, " = ", printer.Call("atomicCompareExchangeWeak", args).Text, ";")
	w.Line(name, " = ", result, ".old_value;")
	w.Line("if ", result, ".exchanged == (", name, " == ", compare.Text, ") {")
	w.Line("  break;")
	w.Line("}")
	w.Indent--
	w.Line("}")
	w.Exprs[r] = printer.Atom(name)
}

// barriers are the builtin functions, by memory.
var barriers = [op.MemoryBits]string{"workgroupBarrier", "storageBarrier", "textureBarrier"}

// Barrier writes a barrier, and returns the last instruction that it has written. A load between
// two barriers is a workgroupUniformLoad.
func (w *emitter) Barrier(i ir.Inst) ir.Inst {
	f := w.F
	memory := op.Memory(f.Aux(i))
	w.Flush(printer.Anything)
	if load := f.Next(i); memory == op.WorkgroupMemory && load != 0 && (f.Op(load) == op.Load || f.Op(load) == op.AtomicLoad) &&
		f.Flags(load)&ir.UniformResult != 0 && f.Op(f.Next(load)) == op.ControlBarrier && op.Memory(f.Aux(f.Next(load))) == memory &&
		!w.Uses.Dead[load] {
		w.Instruction(load)
		return f.Next(load)
	}
	if memory&op.SubgroupScope != 0 {
		w.refuseAt(i, "WGSL has no barrier of a subgroup")
	}
	for n, name := range barriers {
		if memory>>n&1 == 1 {
			w.Line(name, "();")
		}
	}
	if memory == 0 {
		w.Line("workgroupBarrier();")
	}
	return i
}
