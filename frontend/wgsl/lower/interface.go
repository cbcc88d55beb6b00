package lower

import (
	"slices"

	"github.com/gpuc/gpuc/frontend/wgsl/sem"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
)

// This file finds the resources and immediates of a kernel's interface that no instruction uses.
// They are named in phony assignments, after a return, or in a branch that is not taken (WGSL
// §13.3, statically accessed).

// interfaces is the state of the search, by index in Info.Functions.
type interfaces struct {
	// of are the variables that a function or its callees access statically, and no reachable
	// instruction uses.
	of [][]ir.Value
	// used and called are by variable and by function: 1 + the last function that uses or calls it.
	used, called []int32
}

// unusedInterfaces completes the interfaces of kernels. Callees come before callers.
func (l *Lowerer) unusedInterfaces() {
	u := &l.unused
	u.of = ir.Zeroed(u.of, len(l.info.Functions))
	u.used, u.called = ir.Zeroed(u.used, len(l.m.Globals)), ir.Zeroed(u.called, len(l.info.Functions))
	first := len(l.m.Funcs) - len(l.order)
	for n, i := range l.order {
		f, x := l.m.Funcs[first+n], &l.info.Functions[i]
		if !slices.ContainsFunc(x.Globals, l.isInterface) {
			continue
		}
		l.markUsed(i, f)
		for _, g := range x.Globals {
			if l.isInterface(g) && u.used[g] != i+1 {
				u.of[i] = append(u.of[i], ir.GlobalValue(int(g)))
			}
		}
		if x.Stage == sem.Compute {
			f.Interface = append(f.Interface, u.of[i]...)
		}
	}
}

// isInterface reports whether a variable can be part of a kernel's interface.
func (l *Lowerer) isInterface(g int32) bool {
	return l.m.Globals[g].Bound || l.m.SpaceOf(l.m.Globals[g].Type) == ir.Immediate
}

// markUsed marks the variables that function i uses, callees included.
func (l *Lowerer) markUsed(i int32, f *ir.Func) {
	u := &l.unused
	for at := f.First(f.Entry); at != 0; at = f.After(at, f.Entry) {
		for _, a := range f.Args(at) {
			if a.IsGlobal() {
				u.used[a.Index()] = i + 1
			}
		}
		if f.Op(at) != op.Call {
			continue
		}
		callee := l.order[int(f.Aux(at))-len(l.m.Funcs)+len(l.order)]
		if u.called[callee] == i+1 {
			continue
		}
		u.called[callee] = i + 1
		for _, g := range l.info.Functions[callee].Globals {
			if !slices.Contains(u.of[callee], ir.GlobalValue(int(g))) {
				u.used[g] = i + 1
			}
		}
	}
}
