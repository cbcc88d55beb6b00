package ir

import "github.com/gpuc/gpuc/ir/op"

// This file extracts one kernel from a module, by deleting the others or as a copy that holds
// nothing else. So the size of a file's other kernels costs its compilation nothing.

// Isolate removes from a module every function but one kernel and those it calls. It removes every
// variable that they do not use and that its interface does not have, and renumbers what is left.
func Isolate(m *Module, kernel *Func) {
	if m == nil || kernel == nil {
		return
	}
	var s selection
	s.take(m, kernel)
	funcs, globals := m.Funcs[:0:0], m.Globals[:0:0]
	for n, f := range m.Funcs {
		if s.funcs[n] != 0 {
			funcs = append(funcs, f)
		}
	}
	for n, g := range m.Globals {
		if s.globals[n] != 0 {
			globals = append(globals, g)
		}
	}
	m.Funcs, m.Globals = funcs, globals
	s.finish(m)
}

// Extractor copies kernels out of modules. Each copy takes over the memory of
// the one before.
type Extractor struct {
	copy Module
	selection
}

// Extract returns a copy of what Isolate would leave of a module, and the
// kernel's copy. They are valid until the next call; m is not changed.
func (x *Extractor) Extract(m *Module, kernel *Func) (*Module, *Func) {
	if x == nil || m == nil || kernel == nil {
		return nil, nil
	}
	x.take(m, kernel)
	c := &x.copy
	c.live = 0
	m.copyTables(c)
	c.Globals, c.Funcs = c.Globals[:0], c.Funcs[:0]
	for n, g := range m.Globals {
		if x.globals[n] != 0 {
			c.Globals = append(c.Globals, g)
		}
	}
	var copied *Func
	for n, f := range m.Funcs {
		if x.funcs[n] == 0 {
			continue
		}
		to := c.takeFunc()
		f.copyTo(to, c)
		c.Funcs = append(c.Funcs, to)
		if f == kernel {
			copied = to
		}
	}
	x.finish(c)
	return c, copied
}

// selection is what a kernel reaches of a module.
type selection struct {
	m       *Module
	funcs   []uint32 // by function: 0 if it is not reached, else its new number + 1
	globals []Value  // by variable: 0 if it is not used, else its new address
	dropped bool     // something is not reached, so that numbers change
}

// take finds what a kernel reaches and numbers it.
func (s *selection) take(m *Module, kernel *Func) {
	s.m = m
	s.funcs = append(s.funcs[:0], make([]uint32, len(m.Funcs))...)
	s.globals = append(s.globals[:0], make([]Value, len(m.Globals))...)
	for n, f := range m.Funcs {
		if f == kernel {
			s.funcs[n] = 1
		}
	}
	for _, v := range kernel.Interface {
		s.globals[v.Index()] = v
	}
	s.function(kernel)
	funcs, globals := uint32(0), 0
	for n, reached := range s.funcs {
		if reached != 0 {
			funcs++
			s.funcs[n] = funcs
		}
	}
	for n, used := range s.globals {
		if used != 0 {
			s.globals[n] = GlobalValue(globals)
			globals++
		}
	}
	s.dropped = int(funcs) < len(m.Funcs) || globals < len(m.Globals)
}

func (s *selection) function(f *Func) {
	for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
		for _, a := range f.Args(i) {
			if a.IsGlobal() {
				s.globals[a.Index()] = a
			}
		}
		if callee := f.Aux(i); f.Op(i) == op.Call && s.funcs[callee] == 0 {
			s.funcs[callee] = 1
			s.function(s.m.Funcs[callee])
		}
	}
}

// finish gives the functions of a module that holds the selection only the new
// numbers.
func (s *selection) finish(m *Module) {
	if s.dropped {
		for _, f := range m.Funcs {
			for n, v := range f.Interface {
				f.Interface[n] = s.globals[v.Index()]
			}
			f.Within = f.Within[:0] // of another form of the kernel
			s.renumber(f)
		}
	}
	s.m = nil
}

func (s *selection) renumber(f *Func) {
	for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
		args := f.Args(i)
		for n, a := range args {
			if a.IsGlobal() {
				args[n] = s.globals[a.Index()]
			}
		}
		if f.Op(i) == op.Call {
			f.SetAux(i, s.funcs[f.Aux(i)]-1)
		}
	}
}
