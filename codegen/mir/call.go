package mir

import (
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
)

// This file lowers calls. A function takes its parameters, of which pointers are addresses of the
// caller's variables. It also takes what it and its callees need of the kernel: addresses and
// element counts of bindings, and addresses of private variables and immediates. All are scalars,
// in one order.

// inherited is a value that a function takes from its kernel. It is a resource's address or element
// count, or the address of a private variable or of the copy of the immediates.
type inherited struct {
	v      ir.Value
	length bool
}

// usage says what is used of a variable.
type usage struct{ address, length bool }

// inheritance notes for each function which variables it and its callees use:
// resources in the order of the bindings, then private variables and immediates. A function
// comes after those it calls, so one walk over each is enough, however long
// the chains of calls are.
func (b *Builder) inheritance(reach *ir.Reach) {
	b.inherits = make(map[*ir.Func][]inherited, len(reach.Funcs))
	for _, f := range reach.Funcs {
		b.used = ir.Zeroed(b.used, len(b.M.Globals))
		b.markUsed(f)
		var list []inherited
		for _, variables := range [][]ir.Value{reach.Resources, reach.Private, reach.Immediate} {
			for _, v := range variables {
				if b.used[v.Index()].address {
					list = append(list, inherited{v: v})
				}
				if b.used[v.Index()].length {
					list = append(list, inherited{v: v, length: true})
				}
			}
		}
		b.inherits[f] = list
	}
}

func (b *Builder) markUsed(f *ir.Func) {
	for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
		o := f.Op(i)
		if o == op.ArrayLength {
			b.used[variableOf(f, f.Arg(i, 0)).Index()].length = true
			continue
		}
		for _, v := range f.Args(i) {
			if v.IsGlobal() {
				b.used[v.Index()].address = true
			}
		}
		if o == op.Call {
			for _, x := range b.inherits[b.M.Funcs[f.Aux(i)]] {
				u := &b.used[x.v.Index()]
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

// formalParams gives a function's parameters their registers.
func (b *Builder) formalParams() {
	f := b.F
	for _, p := range f.Params(f.Entry) {
		if b.M.IsPointer(f.TypeOf(p)) {
			space := b.SpaceOf(p)
			r := b.addressParam(space)
			b.pointers[p] = pointer{space: space, base: r, known: true}
			continue
		}
		for _, r := range b.Define(p) {
			b.param(r, ir.Handle)
		}
	}
	for _, x := range b.inherits[f] {
		if x.length {
			r := b.Fresh(Word)
			b.param(r, ir.Handle)
			b.lengths[b.bindingOf(x.v)] = r
			continue
		}
		space := b.SpaceOf(x.v)
		r := b.addressParam(space)
		b.globals[x.v.Index()] = pointer{space: space, base: r, known: true}
	}
}

// param appends a register to the function's parameters, an address in a space or a value.
func (b *Builder) param(r Operand, space ir.Space) {
	b.Out.Params, b.Out.ParamSpaces = append(b.Out.Params, r), append(b.Out.ParamSpaces, space)
}

// addressParam appends an address to the function's parameters.
func (b *Builder) addressParam(space ir.Space) Operand {
	r := b.Fresh(addresses[space])
	b.param(r, space)
	return r
}

// noteReturned notes which results of the function are the same constant wherever it returns.
// Callers use the constants. See also the row of workaround.Choices for such functions.
func (b *Builder) noteReturned() {
	f := b.Out
	var constants []Operand
	first := true
	for _, block := range f.Order {
		last := f.Last(block)
		if f.Op(last) != Return {
			continue
		}
		for n, o := range f.Args(last) {
			if !o.IsConst() {
				o = NoOperand
			}
			switch {
			case first:
				constants = append(constants, o)
			case constants[n] != o:
				constants[n] = NoOperand
			}
		}
		first = false
	}
	b.returned[b.F] = constants
}

// call lowers a call.
func (b *Builder) call(i ir.Inst) {
	callee := b.M.Funcs[b.F.Aux(i)]
	var args []Operand
	for _, a := range b.F.Args(i) {
		if b.M.IsPointer(b.F.TypeOf(a)) {
			args = append(args, b.Register(b.pointer(a)))
			continue
		}
		args = append(args, b.Slots(a)...)
	}
	for _, x := range b.inherits[callee] {
		switch {
		case x.length:
			args = append(args, b.length(b.bindingOf(x.v)))
		case b.SpaceOf(x.v) == ir.Immediate:
			args = append(args, b.immediateCopy(x.v))
		default:
			args = append(args, b.Register(b.pointer(x.v)))
		}
	}
	var results []Operand
	if r := b.F.Result(i); r != 0 {
		results = b.Define(r)
	}
	at := b.Emit(Op(op.Call), scalar.None, results, args...)
	b.Out.insts[at].aux = b.F.Aux(i)
	if len(results) == 0 {
		return
	}
	b.leaves = b.leaves[:0]
	b.appendLeaves(callee.ResultType, 0)
	known := append([]Operand(nil), results...)
	for n, c := range b.returned[callee] {
		if c != NoOperand {
			known[n] = b.Out.as(b.leaves[n].kind, c)
		}
	}
	b.Alias(b.F.Result(i), known...)
}

// immediateCopy returns the address of a copy of the immediates in the invocation's memory. A
// kernel's parameters have no address that its functions could use.
func (b *Builder) immediateCopy(v ir.Value) Operand {
	from := b.pointer(v)
	if b.copied == 0 {
		b.Out.Symbols = append(b.Out.Symbols, Symbol{Space: ir.Private, Bytes: b.immediateBytes, Align: 16})
		b.copied = uint32(len(b.Out.Symbols) - 1)
		to := pointer{space: ir.Private, symbol: b.copied}
		b.EnterPrologue()
		for offset := int64(0); offset < int64(b.immediateBytes); offset += 4 {
			r := b.Fresh(Word)
			m := b.memory(b.advance(from, offset), ir.Immediate)
			m.Kind, m.Align, m.Unchanged = scalar.U32, 4, true
			b.access(Op(op.Load), m, []Operand{r})
			m = b.memory(b.advance(to, offset), ir.Private)
			m.Kind, m.Align = scalar.U32, 4
			b.access(Op(op.Store), m, nil, r)
		}
		b.LeavePrologue()
	}
	return b.Base(pointer{space: ir.Private, symbol: b.copied})
}
