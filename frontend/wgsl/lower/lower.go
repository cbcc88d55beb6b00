// Package lower translates checked WGSL programs to IR. The checker has resolved every name, type,
// conversion and constant (sem.Info). Lowering is plain: variables stay in memory, calls stay
// calls, nothing is simplified. That is left to the passes of package opt.
//
// Only the functions that compute entry points reach are lowered. Constructs without an IR
// operation are expanded: matrices to their columns, and builtin functions by their formulas
// (package expand).
package lower

import (
	"github.com/gpuc/gpuc/frontend/wgsl/expand"
	"github.com/gpuc/gpuc/frontend/wgsl/sem"
	"github.com/gpuc/gpuc/frontend/wgsl/syntax"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/source"
)

// Options are the options of lowering.
type Options struct {
	Math ir.Math
}

// Lowerer lowers programs one after the other, and reuses its memory. The zero Lowerer is ready to
// use.
type Lowerer struct {
	info *sem.Info
	tree *syntax.Tree
	m    *ir.Module
	list *diag.List
	// expander emits operations with b.
	expander expand.Builder

	functions []int32 // by function of Info: 1 + its index in the module, or 0
	order     []int32 // the reached functions, callees before callers

	// of the current function
	f      *ir.Func
	b      ir.Builder
	values []ir.Value // by Object: a let's or parameter's value, a variable's address
	frames []frame
	// continuing are the bodies of the loops whose continuing blocks are being lowered, and spills
	// the values that these use.
	continuing []ir.Block
	spills     []spill

	unused interfaces

	// Stacks for lists of operands: an operand may need another list.
	indices []ir.Value
	args    []ir.Value
}

// Lower adds the functions that compute entry points reach to the program's module. The program
// must be without errors. Constructs that cannot be compiled are added to list as errors.
func (l *Lowerer) Lower(info *sem.Info, options Options, list *diag.List) {
	l.info, l.tree, l.m, l.list = info, info.Tree, info.Module, list
	l.expander = expand.New(l.m, &l.b)
	l.b.Flags = options.Math.Flags()
	l.functions = ir.Zeroed(l.functions, len(info.Functions))
	l.values = ir.Zeroed(l.values, len(info.Objects))
	l.order = l.order[:0]
	for i := range info.Functions {
		switch stage := info.Functions[i].Stage; stage {
		case sem.Compute:
			l.reach(int32(i))
		case sem.Vertex, sem.Fragment:
			object := &info.Objects[info.Functions[i].Object]
			l.m.Graphics = append(l.m.Graphics, ir.GraphicsEntry{
				Name: l.tree.Text(object.Name), Stage: stage.String(), Span: object.Span})
		}
	}
	for _, i := range l.order {
		l.declare(&info.Functions[i])
		l.functions[i] = int32(len(l.m.Funcs))
	}
	for n, i := range l.order {
		l.function(l.m.Funcs[len(l.m.Funcs)-len(l.order)+n], &info.Functions[i])
	}
	l.unusedInterfaces()
	l.info, l.tree, l.m, l.list, l.f, l.b = nil, nil, nil, nil, nil, ir.Builder{}
	l.expander = expand.Builder{}
}

// reach adds a function to the order, after its callees.
func (l *Lowerer) reach(i int32) {
	const visited = -1
	if l.functions[i] == visited {
		return
	}
	l.functions[i] = visited
	for _, callee := range l.info.Functions[i].Calls {
		l.reach(callee)
	}
	l.order = append(l.order, i)
}

// object returns an object and its name.
func (l *Lowerer) object(o sem.Object) (*sem.ObjectInfo, string) {
	x := &l.info.Objects[o]
	return x, l.tree.Text(x.Name)
}

// declare adds a function without its body. The parameters of a kernel are the builtin values of
// the entry point, be they parameters or members of structures.
func (l *Lowerer) declare(x *sem.FunctionInfo) {
	o, name := l.object(x.Object)
	f := l.m.NewFunc(name, x.Result)
	f.Span, f.Checks = o.Span, append(f.Checks, x.Checks...)
	if x.Stage != sem.Compute {
		for _, p := range x.Parameters {
			parameter, name := l.object(p)
			f.SetName(f.AddParam(f.Entry, parameter.Type), name)
		}
		return
	}
	f.Kernel, f.Workgroup = true, x.Workgroup
	f.SubgroupSize, f.SubgroupSpan = x.SubgroupSize, x.SubgroupSpan
	for _, p := range x.Builtins {
		parameter, name := l.object(x.Parameters[p.Parameter])
		if p.Member >= 0 {
			name = l.m.Members(parameter.Type)[p.Member].Name
		}
		f.SetName(f.AddParam(f.Entry, l.m.BuiltinType(p.Builtin)), name)
		f.Builtins = append(f.Builtins, p.Builtin)
	}
}

// function lowers the body of a function.
func (l *Lowerer) function(f *ir.Func, x *sem.FunctionInfo) {
	l.f, l.b.F, l.b.Span = f, f, f.Span
	l.b.SetBlock(f.Entry)
	l.frames, l.continuing, l.spills = l.frames[:0], l.continuing[:0], l.spills[:0]
	if x.Stage == sem.Compute {
		l.kernelParameters(x)
	} else {
		for n, p := range x.Parameters {
			l.values[p] = f.Params(f.Entry)[n]
		}
	}
	body := l.tree.Decl(x.Decl).Body
	l.statement(body)
	if !l.b.Terminated() {
		end := l.tree.Stmt(body).Span.End
		l.b.Span = source.Span{Start: end - 1, End: end}
		if x.Result == ir.Void || f.Kernel {
			l.b.Return(0)
		} else {
			l.b.Unreachable()
		}
	}
}

// kernelParameters gives the parameters of an entry point their values. Structures are constructed
// from builtin values.
func (l *Lowerer) kernelParameters(x *sem.FunctionInfo) {
	f := l.f
	for n, o := range x.Parameters {
		parameter, name := l.object(o)
		l.b.Span = parameter.Span
		if l.m.KindOf(parameter.Type) != ir.StructType {
			for k, p := range x.Builtins {
				if p.Parameter == n {
					l.values[o] = f.Params(f.Entry)[k]
				}
			}
			continue
		}
		mark := len(l.args)
		for member := range l.m.Members(parameter.Type) {
			for k, p := range x.Builtins {
				if p.Parameter == n && p.Member == member {
					l.args = append(l.args, f.Params(f.Entry)[k])
				}
			}
		}
		l.values[o] = l.b.Construct(parameter.Type, l.args[mark:]...)
		l.args = l.args[:mark]
		f.SetName(l.values[o], name)
	}
}
