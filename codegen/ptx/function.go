package ptx

import (
	"slices"
	"strconv"

	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/runtime/abi"
)

// This file writes functions: parameters, declarations, calls. The body comes
// first, into a buffer of its own, since only then is it known which registers,
// parameters and local variables there are.

// parameterPrefixes name the parameters that code reads, followed by the binding's
// index.
var parameterPrefixes = map[abi.ParameterKind]string{abi.AddressParameter: "binding_", abi.LengthParameter: "length_"}

// parameter emits the load of a kernel's parameter.
func (e *emitter) parameter(r operand, kind abi.ParameterKind, binding int) {
	e.text("\tld.param.", kinds[classKind[r.class()]].bits, " ")
	e.name(r)
	e.text(", [", parameterPrefixes[kind])
	e.number(int64(binding))
	e.text("];\n")
}

// write appends text to the module.
func (e *emitter) write(parts ...string) {
	for _, s := range parts {
		e.out = append(e.out, s...)
	}
}

func (e *emitter) writeNumber(n uint64) { e.out = strconv.AppendUint(e.out, n, 10) }

// function writes a function or kernel.
func (e *emitter) function(f *ir.Func, kernel bool) {
	e.begin(f)
	if kernel {
		e.builtinParams()
		e.privates()
	} else {
		e.formalParams()
	}
	e.survey(f.Entry)
	e.analyse()
	e.block(f.Entry, 0)
	if kernel {
		e.kernelHead()
	} else {
		e.functionHead()
	}
	e.write("{\n")
	for c := predicate; c <= long; c++ {
		if e.count[c] > 1 {
			e.write("\t.reg .", registers[c].typ, " %")
			e.out = append(e.out, registers[c].letter)
			e.write("<")
			e.writeNumber(uint64(e.count[c]))
			e.write(">;\n")
		}
	}
	for _, v := range e.locals {
		e.write("\t")
		e.declare(".local", v)
		e.write(";\n")
	}
	if e.copied != noOperand {
		e.write("\t.local .align 16 .b8 ", immediateCopyName, "[")
		e.writeNumber(uint64(e.Info.ImmediateBytes()))
		e.write("];\n")
	}
	e.out = append(e.out, e.prologue...)
	e.out = append(e.out, e.body...)
	e.write("}\n")
}

// privates gives the kernel's private variables a place in local memory and
// their initial values.
func (e *emitter) privates() {
	for n := range e.m.Globals {
		g := &e.m.Globals[n]
		if e.m.SpaceOf(g.Type) != ir.Private {
			continue
		}
		v := ir.GlobalValue(n)
		e.locals = append(e.locals, v)
		e.swap()
		init := g.Init
		if init == 0 {
			init = e.m.Zero(e.m.Element(g.Type))
		}
		if bytes := e.m.Size(e.m.Element(g.Type)); bytes > maxPlainZero && e.m.IsZero(init) {
			e.clear(v, bytes)
		} else {
			e.storeSlots(v, init, e.m.Align(e.m.Element(g.Type)))
		}
		e.swap()
	}
}

// maxPlainZero is the size of private variables up to which zeros are stored
// without a loop.
const maxPlainZero = 1024

// clear zeroes a large variable in local memory by a loop. Variables of such a
// size are aligned for it (legalize.VariableAlign).
func (e *emitter) clear(v ir.Value, bytes uint32) {
	const step = 16
	at, end, more, loop := e.fresh(word), e.fresh(word), e.fresh(predicate), e.newLabel()
	e.text("\tmov.b32 ")
	e.name(at)
	e.text(", ")
	e.symbol(v)
	e.text(";\n\tadd.u32 ")
	e.name(end)
	e.text(", ")
	e.name(at)
	e.text(", ")
	e.number(int64(bytes &^ (step - 1)))
	e.text(";\n")
	e.jumped[loop] = true
	e.mark(loop)
	e.text("\tst.local.v4.b32 [")
	e.name(at)
	e.text("], {0, 0, 0, 0};\n\tadd.u32 ")
	e.name(at)
	e.text(", ")
	e.name(at)
	e.text(", 16;\n\tsetp.lt.u32 ")
	e.name(more)
	e.text(", ")
	e.name(at)
	e.text(", ")
	e.name(end)
	e.text(";\n")
	e.branch(more, true, loop)
	for n := bytes &^ (step - 1); n < bytes; n += 2 { // f16 is the smallest that memory holds
		e.text("\tst.local.b16 [")
		e.symbol(v)
		e.text("+")
		e.number(int64(n))
		e.text("], 0;\n")
	}
}

// reads reports whether the kernel's body, which is complete, reads a parameter.
func (e *emitter) reads(p abi.Parameter) bool {
	switch p.Kind {
	case abi.AddressParameter:
		return e.globals[e.Bindings[p.Binding].Index()].known
	case abi.LengthParameter:
		return e.lengths[p.Binding] != noOperand
	case abi.ImmediatesParameter:
		return e.globals[e.immediates().Index()].known || e.copied != noOperand
	}
	return false
}

// immediates returns the variable of immediates, or 0.
func (e *emitter) immediates() ir.Value {
	for n := range e.m.Globals {
		if e.m.SpaceOf(e.m.Globals[n].Type) == ir.Immediate {
			return ir.GlobalValue(n)
		}
	}
	return ir.NoValue
}

// kernelHead writes a kernel's name and parameters: those that its body reads, which
// the description lists from now on.
func (e *emitter) kernelHead() {
	e.Info.Parameters = slices.DeleteFunc(e.Info.AllParameters(), func(p abi.Parameter) bool { return !e.reads(p) })
	e.write("\n.visible .entry ", e.Info.Name, "(")
	separator := "\n\t"
	for _, p := range e.Info.Parameters {
		e.write(separator, ".param ")
		separator = ",\n\t"
		switch p.Kind {
		case abi.ImmediatesParameter:
			e.write(".align 16 .b8 ")
			e.out = e.appendSymbol(e.out, e.immediates())
			e.write("[")
			e.writeNumber(uint64(e.Info.ImmediateBytes()))
			e.write("]")
			continue
		case abi.AddressParameter:
			e.write(".u64 .ptr .global .align 16 ")
		default:
			e.write(".u32 ")
		}
		e.write(parameterPrefixes[p.Kind])
		e.writeNumber(uint64(p.Binding))
	}
	e.write("\n)\n.reqntid ")
	for n, w := range e.Info.Workgroup {
		if n > 0 {
			e.write(", ")
		}
		e.writeNumber(uint64(w))
	}
	e.write("\n")
}

// A function takes its parameters, of which pointers are addresses of the caller's
// variables in local memory, and besides them what it and its callees need of the
// kernel: the addresses and element counts of bindings, and the places of
// private variables. All are scalars in the parameter space, in one order.

// inherited is a value that a function takes from its kernel: a resource's address
// or its element count, or the place of a private variable or of the immediates' copy.
type inherited struct {
	v      ir.Value
	length bool
}

// inheritedClass is the class of such a value.
func (e *emitter) inheritedClass(x inherited) class {
	if s := e.m.SpaceOf(e.m.TypeOf(x.v)); x.length || s == ir.Private || s == ir.Immediate {
		return word
	}
	return long
}

// inheritance notes for each function which variables it and its callees use:
// resources in the order of the bindings, then private variables and immediates. A function
// comes behind those it calls, so one walk over each is enough, however long
// the chains of calls are.
func (e *emitter) inheritance(reach ir.Reach) {
	e.inherits = make(map[*ir.Func][]inherited, len(reach.Funcs))
	for _, f := range reach.Funcs {
		e.used = grown(e.used, len(e.m.Globals))
		e.markUsed(f, f.Entry)
		var list []inherited
		for _, variables := range [][]ir.Value{reach.Resources, reach.Private, reach.Immediate} {
			for _, v := range variables {
				if e.used[v.Index()].address {
					list = append(list, inherited{v: v})
				}
				if e.used[v.Index()].length {
					list = append(list, inherited{v: v, length: true})
				}
			}
		}
		e.inherits[f] = list
	}
}

// usage says what is used of a variable.
type usage struct{ address, length bool }

func (e *emitter) markUsed(f *ir.Func, b ir.Block) {
	for i := f.First(b); i != 0; i = f.Next(i) {
		o := f.Op(i)
		if o == op.ArrayLength {
			e.used[variableOf(f, f.Arg(i, 0)).Index()].length = true
			continue
		}
		for _, v := range f.Args(i) {
			if v.IsGlobal() {
				e.used[v.Index()].address = true
			}
		}
		switch {
		case o.Is(op.Control):
			for _, nested := range f.Blocks(i) {
				e.markUsed(f, ir.Block(nested))
			}
		case o == op.Call:
			for _, x := range e.inherits[e.m.Funcs[f.Aux(i)]] {
				u := &e.used[x.v.Index()]
				u.address, u.length = u.address || !x.length, u.length || x.length
			}
		}
	}
}

// variableOf returns the variable that a pointer to a part of it leads back to.
func variableOf(f *ir.Func, pointer ir.Value) ir.Value {
	for pointer.IsLocal() {
		i, ok := f.Def(pointer)
		if !ok {
			break
		}
		pointer = f.Arg(i, 0)
	}
	return pointer
}

// formalParams loads a function's parameters into registers.
func (e *emitter) formalParams() {
	n := 0
	receive := func(r operand) {
		t := r
		if r.class() == predicate {
			t = e.fresh(word)
		}
		e.text("\tld.param.", kinds[classKind[t.class()]].bits, " ")
		e.name(t)
		e.text(", [param_")
		e.number(int64(n))
		e.text("];\n")
		if t != r {
			e.text("\tsetp.ne.u32 ")
			e.name(r)
			e.text(", ")
			e.name(t)
			e.text(", 0;\n")
		}
		n++
	}
	e.swap()
	for _, p := range e.f.Params(e.f.Entry) {
		if e.m.IsPointer(e.f.TypeOf(p)) {
			r := e.fresh(spaces[e.spaceOf(p)].class)
			receive(r)
			e.pointers[p] = pointer{root: p, base: r, known: true}
			continue
		}
		for _, r := range e.define(p) {
			receive(r)
		}
	}
	for _, x := range e.inherits[e.f] {
		r := e.fresh(e.inheritedClass(x))
		receive(r)
		if x.length {
			e.lengths[e.bindingOf(x.v)] = r
		} else {
			e.globals[x.v.Index()] = pointer{root: x.v, base: r, known: true}
		}
	}
	e.swap()
}

// functionHead writes a function's name and parameters.
func (e *emitter) functionHead() {
	f := e.f
	e.write("\n.func ")
	if f.ResultType != ir.Void {
		e.write("(.param .align 8 .b8 result[")
		e.writeNumber(uint64(e.resultBytes(f)))
		e.write("]) ")
	}
	e.out = e.appendFunctionName(e.out, f)
	e.write("(")
	n := 0
	formal := func(c class) {
		if n > 0 {
			e.write(", ")
		}
		e.write(".param .", kinds[classKind[stored(c)]].bits, " param_")
		e.writeNumber(uint64(n))
		n++
	}
	for _, p := range f.Params(f.Entry) {
		if e.m.IsPointer(f.TypeOf(p)) {
			formal(spaces[e.spaceOf(p)].class)
			continue
		}
		for _, r := range e.slotsOf(p) {
			formal(r.class())
		}
	}
	for _, x := range e.inherits[f] {
		formal(e.inheritedClass(x))
	}
	e.write(")\n")
}

// stored is the class in which a scalar is passed: a bool is a word.
func stored(c class) class {
	if c == predicate {
		return word
	}
	return c
}

// resultSlot is the room of each scalar of a function's result.
const resultSlot = 8

func (e *emitter) resultBytes(f *ir.Func) uint32 {
	n, _ := e.m.Slots(f.ResultType)
	return n * resultSlot
}

// leaveFunction emits a return.
func (e *emitter) leaveFunction(i ir.Inst) {
	for _, v := range e.f.Args(i) {
		for n, s := range e.slotsOf(v) {
			s = e.storable(s)
			e.text("\tst.param.", kinds[e.kindOf(s)].bits, " [result+")
			e.number(int64(n) * resultSlot)
			e.text("], ")
			e.bits(s)
			e.text(";\n")
		}
	}
	e.text("\tret;\n")
}

// call emits a call: its parameters live in a block of their own.
func (e *emitter) call(i ir.Inst) {
	f := e.m.Funcs[e.f.Aux(i)]
	e.text("\t{\n")
	n := 0
	pass := func(s operand) {
		s = e.storable(s)
		typ := kinds[e.kindOf(s)].bits
		e.text("\t.param .", typ, " argument_")
		e.number(int64(n))
		e.text(";\n\tst.param.", typ, " [argument_")
		e.number(int64(n))
		e.text("], ")
		e.bits(s)
		e.text(";\n")
		n++
	}
	for _, a := range e.f.Args(i) {
		if e.m.IsPointer(e.f.TypeOf(a)) {
			pass(e.base(e.pointer(a)))
			continue
		}
		for _, s := range e.slotsOf(a) {
			pass(s)
		}
	}
	for _, x := range e.inherits[f] {
		switch {
		case x.length:
			pass(e.length(e.bindingOf(x.v)))
		case e.spaceOf(x.v) == ir.Immediate:
			pass(e.immediateCopy(x.v))
		default:
			pass(e.base(e.pointer(x.v)))
		}
	}
	r := e.f.Result(i)
	if r != 0 {
		e.text("\t.param .align 8 .b8 answer[")
		e.number(int64(e.resultBytes(f)))
		e.text("];\n")
	}
	e.text("\tcall ")
	if r != 0 {
		e.text("(answer), ")
	}
	e.body = e.appendFunctionName(e.body, f)
	e.text(", (")
	for k := range n {
		if k > 0 {
			e.text(", ")
		}
		e.text("argument_")
		e.number(int64(k))
	}
	e.text(");\n")
	if r != 0 {
		for k, s := range e.define(r) {
			t := s
			if s.class() == predicate {
				t = e.fresh(word)
			}
			e.text("\tld.param.", kinds[classKind[t.class()]].bits, " ")
			e.name(t)
			e.text(", [answer+")
			e.number(int64(k) * resultSlot)
			e.text("];\n")
			if t != s {
				e.text("\tsetp.ne.u32 ")
				e.name(s)
				e.text(", ")
				e.name(t)
				e.text(", 0;\n")
			}
		}
	}
	e.text("\t}\n")
}
