package lower

import (
	"slices"

	"github.com/gpuc/gpuc/frontend/wgsl/sem"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
)

// This file finds what belongs to a kernel's interface although no instruction
// uses it: resources and immediates that are only named, in phony assignments,
// behind a return or where a constant condition is false. WGSL counts what is
// named (WGSL §13.3, statically accessed).

// interfaces is what is known of the functions that are lowered, by their place in
// Info.Functions.
type interfaces struct {
	// of lists the variables that a function, or one that it names, names and that
	// no instruction uses which it reaches.
	of [][]ir.Value
	// used and called are by variable and by function: the last function, plus one,
	// that was seen to use or call it.
	used, called []int32
}

// unusedInterfaces gives the kernels their lists. A function follows those that it
// calls.
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

// markUsed notes the variables that function i uses, itself and through the functions
// that it calls.
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
