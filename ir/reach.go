package ir

import (
	"cmp"
	"slices"

	"github.com/gpuc/gpuc/ir/op"
)

// This file finds what a kernel uses, directly and through the functions it calls. That decides
// which resources a launch binds and what a target has to emit.

// Reach is the part of a module that a function uses or has in its interface.
type Reach struct {
	// Funcs are the functions used, callees before callers, the function itself
	// last.
	Funcs []*Func
	// Resources are the variables of storage and uniform memory in the order of
	// CompareBindings; a launch binds a buffer to each.
	Resources []Value
	// Handles are the textures and samplers in the order of group and binding.
	Handles []Value
	// Workgroup, Private, Constant and Immediate are the other variables in the
	// order of declaration.
	Workgroup, Private, Constant, Immediate []Value
}

// ReachOf returns what the function uses.
func ReachOf(m *Module, f *Func) Reach {
	if m == nil || f == nil {
		return Reach{}
	}
	r := reacher{m: m, visited: make([]bool, len(m.Funcs)), used: make([]bool, len(m.Globals))}
	r.function(f)
	out := Reach{Funcs: r.funcs}
	for i, used := range r.used {
		if !used {
			continue
		}
		v := GlobalValue(i)
		switch m.SpaceOf(m.Globals[i].Type) {
		case Storage, Uniform:
			out.Resources = append(out.Resources, v)
		case Handle:
			out.Handles = append(out.Handles, v)
		case Workgroup:
			out.Workgroup = append(out.Workgroup, v)
		case Private:
			out.Private = append(out.Private, v)
		case Constant:
			out.Constant = append(out.Constant, v)
		case Immediate:
			out.Immediate = append(out.Immediate, v)
		}
	}
	slices.SortStableFunc(out.Resources, m.CompareBindings)
	slices.SortStableFunc(out.Handles, m.CompareBindings)
	return out
}

// CompareBindings compares two resources by their positions in a launch: those of the program by
// group and binding, and after them the runtime's by their roles.
func (m *Module) CompareBindings(a, b Value) int {
	x, y := m.Global(a), m.Global(b)
	return cmp.Or(cmp.Compare(x.Role, y.Role), cmp.Compare(x.Group, y.Group), cmp.Compare(x.Binding, y.Binding))
}

type reacher struct {
	m       *Module
	visited []bool // by function; the one asked about need not be marked
	used    []bool // by global
	funcs   []*Func
}

func (r *reacher) function(f *Func) {
	for _, v := range f.Interface {
		r.used[v.Index()] = true
	}
	for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
		for _, v := range f.Args(i) {
			if v.IsGlobal() {
				r.used[v.Index()] = true
			}
		}
		if f.Op(i) == op.Call && !r.visited[f.Aux(i)] {
			r.visited[f.Aux(i)] = true
			r.function(r.m.Funcs[f.Aux(i)])
		}
	}
	r.funcs = append(r.funcs, f)
}
