package msl

import (
	"github.com/gpuc/gpuc/codegen/printer"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
)

// This file writes accesses to memory.

func isAccess(f *ir.Func, i ir.Inst) bool { return f.Op(i) == op.Access }

func (w *emitter) access(i ir.Inst) {
	f := w.F
	args := f.Args(i)
	x, t, in := w.Take(args[0]), w.M.Element(f.TypeOf(args[0])), w.formOf(args[0])
	quiet := w.Quiet(i)
	for _, index := range args[1:] {
		w.Index(index, quiet)
		x = w.part(x, t, in, index)
		k, _ := w.M.ConstUint(index)
		in = w.within(in, t, uint32(k))
		t = w.M.PartType(t, uint32(k))
	}
	w.Exprs[f.Result(i)] = x
}

// space returns the space that a pointer leads into.
func (w *emitter) space(pointer ir.Value) ir.Space { return w.M.SpaceOf(w.F.TypeOf(pointer)) }

func (w *emitter) load(i ir.Inst) {
	f := w.F
	pointer := f.Arg(i, 0)
	x, t := w.Take(pointer), f.Type(i)
	space := w.space(pointer)
	if space == ir.Handle { // textures and samplers have no values but their parameters
		w.Exprs[f.Result(i)] = x
		return
	}
	if !space.ReadOnly() && w.M.AccessOf(f.TypeOf(pointer)) != ir.Read {
		x = x.With(printer.Expr{Reads: w.Root(pointer)})
	}
	if in := w.formOf(pointer); w.isLeaf(t) {
		x = w.asValue(x, t, in)
	} else if spaces[space].name != "thread" {
		reads, vars := x.Reads, x.Vars
		x = printer.Call(w.loadHelper(t, space), []printer.Expr{x})
		x.Reads, x.Vars = reads, vars
	}
	if x.Reads == ir.NoValue && w.Path(f.Result(i), x) {
		w.Exprs[f.Result(i)] = x
		return
	}
	w.Define(i, x)
}

func (w *emitter) store(i ir.Inst) {
	f := w.F
	pointer := f.Arg(i, 0)
	value, to := w.Take(f.Arg(i, 1)), w.Take(pointer)
	w.Flush(w.Root(pointer))
	t := f.TypeOf(f.Arg(i, 1))
	if w.Declares(i) {
		w.Line(w.Variable(to.Text, t, value.Text))
		return
	}
	w.put(to, value, t, w.formOf(pointer), w.space(pointer))
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
		w.Line(w.Variable(name, w.M.Element(f.Type(i)), ""))
	}
}

func (w *emitter) copy(i ir.Inst) {
	f := w.F
	to, from := f.Arg(i, 0), f.Arg(i, 1)
	target, source := w.Take(to), w.Take(from)
	w.Flush(w.Root(to))
	t := w.M.Element(f.TypeOf(to))
	if spaces[w.space(to)].name == "thread" && spaces[w.space(from)].name == "thread" {
		w.Line(target.Text, " = ", source.Text, ";")
		return
	}
	w.Line(w.copyHelper(t, w.space(to), w.space(from)), "(", target.Text, ", ", source.Text, ");")
}

// atomicNames are the functions of the library, by operation (MSL 6.15).
var atomicNames = [op.AtomicOperations]string{
	op.AtomicAdd: "atomic_fetch_add_explicit", op.AtomicSub: "atomic_fetch_sub_explicit",
	op.AtomicMax: "atomic_fetch_max_explicit", op.AtomicMin: "atomic_fetch_min_explicit",
	op.AtomicAnd: "atomic_fetch_and_explicit", op.AtomicOr: "atomic_fetch_or_explicit",
	op.AtomicXor: "atomic_fetch_xor_explicit", op.AtomicExchange: "atomic_exchange_explicit",
}

// relaxed is the only order of memory that Metal's atomics have (MSL 6.15.1).
var relaxed = printer.Atom("memory_order_relaxed")

func (w *emitter) atomic(i ir.Inst) {
	f := w.F
	pointer := f.Arg(i, 0)
	args := make([]printer.Expr, 0, 4)
	for n, a := range f.Args(i) {
		x := w.Take(a)
		if n == 0 {
			x.Text, x.Level = "&"+x.Text, printer.Unary
		}
		args = append(args, x)
	}
	r := f.Result(i)
	w.Flush(printer.Anything)
	var x printer.Expr
	switch f.Op(i) {
	case op.AtomicLoad:
		x = printer.Call("atomic_load_explicit", append(args, relaxed))
	case op.AtomicStore:
		w.Line(printer.Call("atomic_store_explicit", append(args, relaxed)).Text, ";")
		return
	case op.AtomicCompareExchange:
		x = printer.Call(w.exchangeHelper(f.Type(i), w.space(pointer)), args)
	default:
		x = printer.Call(atomicNames[f.Aux(i)], append(args, relaxed))
	}
	if w.Uses.Count[r] == 0 {
		w.Line(x.Text, ";")
		return
	}
	w.Exprs[r] = w.Let(r, f.Type(i), x)
}

// arrayLength reads an element count from the table that the runtime fills.
func (w *emitter) arrayLength(i ir.Inst) {
	w.Define(i, printer.Atom(w.length(w.Root(w.F.Arg(i, 0)))))
}

// fences are the memories of a barrier (MSL 6.9.1), by that of the IR.
var fences = [op.MemoryBits]string{"mem_flags::mem_threadgroup", "mem_flags::mem_device", "mem_flags::mem_texture", ""}

// Barrier writes a barrier.
func (w *emitter) Barrier(i ir.Inst) ir.Inst {
	memory := op.Memory(w.F.Aux(i))
	w.Flush(printer.Anything)
	name, flags := "threadgroup_barrier", ""
	if memory&op.SubgroupScope != 0 {
		name = "simdgroup_barrier"
	}
	for n, fence := range fences {
		if memory>>n&1 == 1 && fence != "" {
			if flags != "" {
				flags += " | "
			}
			flags += fence
		}
	}
	if flags == "" {
		flags = "mem_flags::mem_none"
	}
	w.Line(name, "(", flags, ");")
	return i
}

// holdsBool reports whether a scalar or vector has bools.
func (w *emitter) holdsBool(t ir.Type) bool { return w.M.ScalarOf(t) == scalar.Bool }
