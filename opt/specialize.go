package opt

import (
	"slices"
	"strconv"

	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
)

// This file specialises the functions that inlining left: for each set of module
// variables that a function gets pointers into, or textures and samplers from,
// a copy is made that names them. What selects the part, the dynamic indices of
// the access, becomes parameters.
//
//	call @f, %p              where %p = access @data, %i, 2u
//	call @f.data, %i         where @f.data begins: %p = access @data, %i.0, 2u
//
// Pointers to function variables stay parameters: such a variable is in the
// caller's frame.

// specialization is a function made for the arguments in chains[first:first+count].
type specialization struct {
	callee       uint32
	first, count int
	number       uint32
}

// specialize changes the calls from the kernels downwards, so that a caller's
// pointers lead back to module variables when its calls are looked at. It
// reports whether it changed any.
func (n *inliner) specialize(m *ir.Module) bool {
	n.special, n.chains = n.special[:0], n.chains[:0]
	done := ir.Zeroed([]bool(nil), len(m.Funcs))
	var work []uint32
	for k, f := range m.Funcs {
		if f.Kernel {
			work = append(work, uint32(k))
		}
	}
	for len(work) > 0 {
		k := work[0]
		work = work[1:]
		for len(done) < len(m.Funcs) {
			done = append(done, false)
		}
		if done[k] {
			continue
		}
		done[k] = true
		n.specializeCalls(m.Funcs[k], m.Funcs[k].Entry, &work)
	}
	return len(n.special) > 0
}

func (n *inliner) specializeCalls(f *ir.Func, b ir.Block, work *[]uint32) {
	for i := f.First(b); i != 0; i = f.Next(i) {
		o := f.Op(i)
		if o == op.Call {
			n.specializeCall(f, i)
			*work = append(*work, f.Aux(i))
		} else if o.Is(op.Control) {
			for _, inner := range f.Blocks(i) {
				n.specializeCalls(f, ir.Block(inner), work)
			}
		}
	}
}

// needsRoot reports whether a parameter of this type is specialised.
func needsRoot(m *ir.Module, t ir.Type) bool {
	switch m.KindOf(t) {
	case ir.PointerType:
		return m.SpaceOf(t) != ir.Function
	case ir.TextureType, ir.SamplerType:
		return true
	}
	return false
}

func (n *inliner) specializeCall(f *ir.Func, call ir.Inst) {
	m := f.Module
	callee := m.Funcs[f.Aux(call)]
	start := len(n.chains)
	n.roots = n.roots[:0] // the arguments of the specialised function
	wanted := false
	for k, p := range callee.Params(callee.Entry) {
		a := f.Arg(call, k)
		if !needsRoot(m, callee.TypeOf(p)) {
			n.roots = append(n.roots, a)
			continue
		}
		if !n.chain(f, a) {
			n.chains = n.chains[:start]
			return
		}
		wanted = true
	}
	if !wanted {
		return
	}
	key := n.chains[start:]
	for _, s := range n.special {
		if s.callee == f.Aux(call) && slices.Equal(n.chains[s.first:s.first+s.count], key) {
			n.chains = n.chains[:start]
			f.SetAux(call, s.number)
			f.SetArgs(call, n.roots...)
			return
		}
	}
	s := specialization{callee: f.Aux(call), first: start, count: len(key), number: uint32(len(m.Funcs))}
	n.special = append(n.special, s)
	n.makeSpecial(m, callee, key)
	f.SetAux(call, s.number)
	f.SetArgs(call, n.roots...)
}

// chain appends to chains how a pointer or handle is reached: the module
// variable, its indices where constant and 0 where not, and a closing 0 with the
// number of indices before it. The dynamic indices are appended to roots.
func (n *inliner) chain(f *ir.Func, a ir.Value) bool {
	if d, ok := f.Def(a); ok && f.Op(d) == op.Load {
		a = f.Arg(d, 0)
	}
	var path []ir.Inst
	for !a.IsGlobal() {
		d, ok := f.Def(a)
		if !ok || f.Op(d) != op.Access {
			return false
		}
		path = append(path, d)
		a = f.Arg(d, 0)
	}
	n.chains = append(n.chains, a)
	for _, access := range slices.Backward(path) {
		for _, index := range f.Args(access)[1:] {
			if index.IsConst() {
				n.chains = append(n.chains, index)
				continue
			}
			// the type of the index is part of the key: it becomes a parameter
			n.chains = append(n.chains, ir.NoValue, ir.Value(f.TypeOf(index)))
			n.roots = append(n.roots, index)
		}
	}
	n.chains = append(n.chains, ir.NoValue, ir.NoValue)
	return true
}

// makeSpecial appends the function for a key to the module.
func (n *inliner) makeSpecial(m *ir.Module, callee *ir.Func, key []ir.Value) {
	made := m.NewFunc(callee.Name+"."+strconv.Itoa(len(m.Funcs)), callee.ResultType)
	made.Span = callee.Span
	made.Checks = slices.Clone(callee.Checks)
	n.caller, n.callee, n.scope = made, callee, 0
	n.values = ir.Zeroed(n.values, callee.ValueCount())
	n.insts = ir.Zeroed(n.insts, callee.InstCount())
	b := ir.NewBuilder(made)
	b.Span = callee.Span
	for _, p := range callee.Params(callee.Entry) {
		t := callee.TypeOf(p)
		if !needsRoot(m, t) {
			v := made.AddParam(made.Entry, t)
			made.SetName(v, callee.ValueName(p))
			n.values[p] = v
			continue
		}
		v := key[0]
		var indices []ir.Value
		for key = key[1:]; ; key = key[1:] {
			if key[0] != ir.NoValue {
				indices = append(indices, key[0])
				continue
			}
			if key = key[1:]; key[0] == ir.NoValue {
				break
			}
			indices = append(indices, made.AddParam(made.Entry, ir.Type(key[0])))
		}
		key = key[1:]
		if len(indices) > 0 {
			v = b.Access(v, indices...)
		}
		if m.KindOf(t) != ir.PointerType {
			v = b.Load(v)
		}
		n.values[p] = v
	}
	// variables of the callee go to the start, behind which copyBlock appends
	n.firstInst = made.First(made.Entry)
	if n.firstInst == 0 {
		n.firstInst = made.NewInst(op.Unreachable, ir.Void, 0, callee.Span)
		made.Append(made.Entry, n.firstInst)
		n.copyBlock(callee.Entry, made.Entry, 0)
		made.Remove(n.firstInst)
		return
	}
	n.copyBlock(callee.Entry, made.Entry, 0)
}
