package ir

import "github.com/gpuc/gpuc/ir/op"

// Isolate removes from a module every function but one kernel and those it
// calls, and every variable that they do not use, and renumbers what is left.
func Isolate(m *Module, kernel *Func) {
	keep := make([]bool, len(m.Funcs))
	var visit func(f *Func)
	visit = func(f *Func) {
		for n, g := range m.Funcs {
			if g == f {
				if keep[n] {
					return
				}
				keep[n] = true
			}
		}
		f.eachInst(f.Entry, func(i Inst) {
			if f.Op(i) == op.Call {
				visit(m.Funcs[f.Aux(i)])
			}
		})
	}
	visit(kernel)

	number := make([]uint32, len(m.Funcs))
	funcs := m.Funcs[:0:0]
	for n, f := range m.Funcs {
		if keep[n] {
			number[n] = uint32(len(funcs))
			funcs = append(funcs, f)
		}
	}
	m.Funcs = funcs

	used := make([]bool, len(m.Globals))
	for _, f := range m.Funcs {
		f.eachInst(f.Entry, func(i Inst) {
			if f.Op(i) == op.Call {
				f.SetAux(i, number[f.Aux(i)])
			}
			for _, a := range f.Args(i) {
				if a.IsGlobal() {
					used[a.Index()] = true
				}
			}
		})
	}
	place := make([]Value, len(m.Globals))
	globals := m.Globals[:0:0]
	for n, g := range m.Globals {
		if used[n] {
			place[n] = GlobalValue(len(globals))
			globals = append(globals, g)
		}
	}
	if len(globals) == len(m.Globals) {
		return
	}
	m.Globals = globals
	for _, f := range m.Funcs {
		f.eachInst(f.Entry, func(i Inst) {
			for n, a := range f.Args(i) {
				if a.IsGlobal() {
					f.SetArg(i, n, place[a.Index()])
				}
			}
		})
	}
}

// eachInst calls visit for every instruction of a block and those nested in it.
func (f *Func) eachInst(b Block, visit func(Inst)) {
	for i := f.First(b); i != 0; i = f.Next(i) {
		visit(i)
		if f.Op(i).Is(op.Control) {
			for _, inner := range f.Blocks(i) {
				f.eachInst(Block(inner), visit)
			}
		}
	}
}
