package rewrite

import (
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
)

// Builtin returns the parameter of a kernel for a builtin, which is added with this name if
// missing.
func Builtin(f *ir.Func, builtin ir.Builtin, name string) ir.Value {
	for n, b := range f.Builtins {
		if b == builtin {
			return f.Params(f.Entry)[n]
		}
	}
	f.Builtins = append(f.Builtins, builtin)
	v := f.AddParam(f.Entry, f.Module.BuiltinType(builtin))
	f.SetName(v, name)
	return v
}

// CopiedBuiltin adds a private variable with this name that kernels set to a builtin at their
// start, for the functions that they call.
func CopiedBuiltin(m *ir.Module, builtin ir.Builtin, name string) ir.Value {
	v := m.AddGlobal(ir.Global{Name: name, Type: m.PointerTo(ir.Private, m.BuiltinType(builtin), ir.ReadWrite)})
	for _, f := range m.Funcs {
		if f.Kernel {
			b := ir.Builder{F: f, Span: f.Span}
			b.SetBefore(AfterVars(f))
			b.Store(v, Builtin(f, builtin, name))
		}
	}
	return v
}

// AfterVars returns the first instruction of a function after its variables.
func AfterVars(f *ir.Func) ir.Inst {
	i := f.First(f.Entry)
	for f.Op(i) == op.Var {
		i = f.Next(i)
	}
	return i
}
