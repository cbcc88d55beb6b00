package wgsl

import (
	"strings"

	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
)

// This file writes what instructions do to memory. A pointer has no text of its own: it is
// written as the place it points to, wherever it is used.

// root returns the variable that a pointer leads into.
func (w *emitter) root(v ir.Value) ir.Value {
	for {
		d, ok := w.f.Def(v)
		if !ok || w.f.Op(d) != op.Access {
			return v
		}
		v = w.f.Arg(d, 0)
	}
}

// address writes a pointer to a place.
func address(place expr) expr {
	if strings.HasPrefix(place.text, "(*") && strings.IndexByte(place.text, ')') == len(place.text)-1 {
		place.text = place.text[2 : len(place.text)-1]
		return place
	}
	place.text, place.level = "&"+place.text, unary
	return place
}

func (w *emitter) access(i ir.Inst) {
	f := w.f
	args := f.Args(i)
	x, t := w.take(args[0]), w.m.Element(f.TypeOf(args[0]))
	quiet := w.quiet(i)
	for _, index := range args[1:] {
		if !index.IsConst() {
			if e := w.exprs[index]; e.reads != ir.NoValue && !quiet {
				w.exprs[index] = w.let(index, w.take(index))
			} else if w.uses.count[index] > 1 && e.level != primary {
				w.exprs[index] = w.let(index, w.take(index))
			}
		}
		x = w.part(x, t, index, false)
		k, _ := w.m.ConstUint(index)
		t = w.m.PartType(t, uint32(k))
	}
	w.exprs[f.Result(i)] = x
}

// quiet reports whether nothing is written, and no block entered, between an instruction
// and its only use.
func (w *emitter) quiet(i ir.Inst) bool {
	f, v := w.f, w.f.Result(i)
	if w.uses.count[v] != 1 {
		return false
	}
	user := w.uses.user[v]
	for at := f.Next(i); at != 0; at = f.Next(at) {
		if at == user {
			return true
		}
		if o := f.Op(at); o.Writes() || o.Is(op.Control|op.Convergent) {
			return false
		}
	}
	return false
}

func (w *emitter) load(i ir.Inst) {
	f := w.f
	pointer := f.Arg(i, 0)
	place := w.take(pointer)
	t := f.TypeOf(pointer)
	if f.Flags(i)&ir.UniformResult != 0 {
		w.flush(anything)
		w.exprs[f.Result(i)] = w.let(f.Result(i), call("workgroupUniformLoad", []expr{address(place)}))
		return
	}
	if space := w.m.SpaceOf(t); !space.ReadOnly() && w.m.AccessOf(t) != ir.Read {
		place = place.with(expr{reads: w.root(pointer)})
	}
	if w.m.SpaceOf(t) == ir.Handle || place.reads == ir.NoValue && w.path(f.Result(i), place) {
		w.exprs[f.Result(i)] = place
		return
	}
	w.define(i, place)
}

// path reports whether an expression is a variable that nothing changes, or a member of one, to
// which the source gives no other name: it is written wherever it is used.
func (w *emitter) path(v ir.Value, x expr) bool {
	hint := w.f.ValueName(v)
	return len(x.text) < maxWidth/2 && !strings.ContainsAny(x.text, "[( ") && (hint == "" || hint == strings.ReplaceAll(x.text, ".", "_"))
}

func (w *emitter) store(i ir.Inst) {
	f := w.f
	value, place := w.take(f.Arg(i, 1)), w.take(f.Arg(i, 0))
	w.flush(w.root(f.Arg(i, 0)))
	if w.declares(i) {
		w.line("var ", place.text, " = ", value.text, ";")
		return
	}
	w.assign(place.text, value)
}

// declares reports whether a store is the first use of a variable, which is declared there.
func (w *emitter) declares(i ir.Inst) bool {
	d, ok := w.f.Def(w.f.Arg(i, 0))
	return ok && w.f.Op(d) == op.Var && w.uses.user[w.f.Arg(i, 0)] == i && w.f.BlockOf(i) == w.f.Entry && w.f.Arg(i, 1) != w.f.Arg(i, 0)
}

// variable declares a variable of the function, unless its first store does.
func (w *emitter) variable(i ir.Inst) {
	f, v := w.f, w.f.Result(i)
	hint := f.ValueName(v)
	if hint == "" {
		hint = "x"
	}
	name := w.names.name(hint)
	w.exprs[v] = atom(name)
	if first := w.uses.user[v]; first != 0 && f.Op(first) == op.Store && f.Arg(first, 0) == v && f.BlockOf(first) == f.Entry {
		return
	}
	if w.uses.count[v] > 0 {
		w.line("var ", name, ": ", w.typeName(w.m.Element(f.Type(i))), ";")
	}
}

func (w *emitter) copy(i ir.Inst) {
	to, from := w.take(w.f.Arg(i, 0)), w.take(w.f.Arg(i, 1))
	w.flush(w.root(w.f.Arg(i, 0)))
	w.line(to.text, " = ", from.text, ";")
}

// atomicNames are the builtin functions, by operation.
var atomicNames = [op.AtomicOperations]string{
	op.AtomicAdd: "atomicAdd", op.AtomicSub: "atomicSub", op.AtomicMax: "atomicMax", op.AtomicMin: "atomicMin",
	op.AtomicAnd: "atomicAnd", op.AtomicOr: "atomicOr", op.AtomicXor: "atomicXor", op.AtomicExchange: "atomicExchange",
}

func (w *emitter) atomic(i ir.Inst) {
	f := w.f
	args := make([]expr, 0, 3)
	for n, a := range f.Args(i) {
		x := w.take(a)
		if n == 0 {
			x = address(x)
		}
		args = append(args, x)
	}
	r := f.Result(i)
	w.flush(anything)
	switch f.Op(i) {
	case op.AtomicLoad:
		name := "atomicLoad"
		if f.Flags(i)&ir.UniformResult != 0 {
			name = "workgroupUniformLoad"
		}
		w.exprs[r] = w.let(r, call(name, args))
		return
	case op.AtomicStore:
		w.line(call("atomicStore", args).text, ";")
		return
	case op.AtomicCompareExchange:
		w.exchange(i, args)
		return
	}
	x := call(atomicNames[f.Aux(i)], args)
	if w.uses.count[r] == 0 {
		w.line(x.text, ";")
		return
	}
	w.exprs[r] = w.let(r, x)
}

// exchange writes a compare-and-exchange that does not fail spuriously, as the IR's: WGSL's
// may, and says so. Where it does not, the loop's condition is that something equals itself.
func (w *emitter) exchange(i ir.Inst, args []expr) {
	r := w.f.Result(i)
	hint := w.f.ValueName(r)
	if hint == "" {
		hint = "old"
	}
	compare := args[1]
	if compare.level != primary || len(compare.vars) > 0 {
		compare = w.let(ir.NoValue, compare)
		args[1] = compare
	}
	name, result := w.names.name(hint), w.names.name("exchange")
	w.line("var ", name, ": ", w.typeName(w.f.Type(i)), ";")
	w.line("loop {")
	w.indent++
	w.line("let ", result, " = ", call("atomicCompareExchangeWeak", args).text, ";")
	w.line(name, " = ", result, ".old_value;")
	w.line("if ", result, ".exchanged == (", name, " == ", compare.text, ") {")
	w.line("  break;")
	w.line("}")
	w.indent--
	w.line("}")
	w.exprs[r] = atom(name)
}

// barriers are the builtin functions, by memory.
var barriers = [op.MemoryBits]string{"workgroupBarrier", "storageBarrier", "textureBarrier"}

// barrier writes a barrier, and returns the last instruction that it has written:
// workgroupUniformLoad is a load between two barriers.
func (w *emitter) barrier(i ir.Inst) ir.Inst {
	f := w.f
	memory := op.Memory(f.Aux(i))
	w.flush(anything)
	if load := f.Next(i); memory == op.WorkgroupMemory && load != 0 && (f.Op(load) == op.Load || f.Op(load) == op.AtomicLoad) &&
		f.Flags(load)&ir.UniformResult != 0 && f.Op(f.Next(load)) == op.ControlBarrier && op.Memory(f.Aux(f.Next(load))) == memory &&
		!w.uses.dead[load] {
		w.instruction(load)
		return f.Next(load)
	}
	if memory&op.SubgroupScope != 0 {
		w.refuseAt(i, "WGSL has no barrier of a subgroup")
	}
	for n, name := range barriers {
		if memory>>n&1 == 1 {
			w.line(name, "();")
		}
	}
	if memory == 0 {
		w.line("workgroupBarrier();")
	}
	return i
}
