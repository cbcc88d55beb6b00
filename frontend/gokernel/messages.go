package gokernel

import (
	"go/ast"
	"go/constant"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/printf"
	"github.com/gpuc/gpuc/ir/scalar"
)

// This file translates Item.Printf and Item.Assert, calls with a constant format and any number of
// values. The gate checks the values against the format. SSA packs them into a slice of interfaces,
// the only interfaces in kernels. The instructions that pack are ignored (isPacked), and the call
// uses the values themselves.

// messageCalls are the two methods, indexed by the position of the format among the arguments.
var messageCalls = [...]string{"(" + gpuPath + ".Item).Printf", "(" + gpuPath + ".Item).Assert"}

// messageCall returns the position of the format among the arguments of a call of one of them.
func messageCall(f *types.Func) (format int, ok bool) {
	if f == nil {
		return 0, false
	}
	format = slices.Index(messageCalls[:], f.Origin().FullName())
	return format, format >= 0
}

// message checks a call of one of them.
func (g *gate) message(n *ast.CallExpr, f *types.Func, format int) {
	name := "it." + f.Name()
	if s, ok := ast.Unparen(n.Fun).(*ast.SelectorExpr); ok {
		if t := g.info.TypeOf(s.X); !isItem(t) { // a method expression
			g.refuse(n.Fun, "call the method of the item", "%s is called of no item", name)
			return
		}
		g.inspect(s.X)
	}
	if n.Ellipsis.IsValid() {
		g.refuse(n.Args[len(n.Args)-1], "write each value where the call is", "the values of %s are arguments of the call, and this is a slice of them", name)
		return
	}
	for _, x := range n.Args[:format] {
		g.inspect(x)
	}
	text := g.info.Types[n.Args[format]].Value
	if text == nil {
		g.refuse(n.Args[format], "it.Printf(\"%v\", x): text stays with the host, where the values are put into it", "the format of %s is a constant, and this is none", name)
		return
	}
	values := n.Args[format+1:]
	kinds := make([]printf.Argument, len(values))
	for k, x := range values {
		before := g.refusals
		t := g.info.TypeOf(x)
		if isString(t) {
			g.refuse(x, "put it into the format", "kernels have no values of type string")
			return
		}
		g.inspect(x)
		if g.refusals > before || g.unusable(t) != nil {
			return
		}
		var ok bool
		if kinds[k], ok = messageArgument(t); !ok && !hasTypeParameter(t) {
			g.refuse(x, "print its elements or fields, one verb for each", "%s shows numbers, bools and vectors of package gpu, and this is of type %s", name, typeName(t, g.of.Types))
			return
		}
	}
	if p := printf.Check(constant.StringVal(text), kinds); p != nil {
		at := n.Args[format]
		if p.Argument >= 0 {
			at = values[p.Argument]
		}
		g.refuse(at, p.Hint, "%s", p.Text)
	}
}

// messageArgument returns the description of a type for package printf, or false if messages cannot
// show it.
func messageArgument(t types.Type) (printf.Argument, bool) {
	if hasTypeParameter(t) {
		return printf.Argument{}, false
	}
	if kind := scalarOf(t); kind != ir.Void {
		return printf.Argument{Kind: scalar.Kind(kind)}, true
	}
	u, ok := t.Underlying().(*types.Struct)
	if named, is := types.Unalias(t).(*types.Named); !ok || !is || named.Obj().Pkg() == nil || named.Obj().Pkg().Path() != gpuPath || u.NumFields() < 2 || u.NumFields() > 4 {
		return printf.Argument{}, false
	}
	var a printf.Argument
	for f := range u.Fields() {
		one, ok := messageArgument(f.Type())
		if !ok || one.Count > 0 || a.Count > 0 && one.Kind != a.Kind {
			return printf.Argument{}, false
		}
		a = printf.Argument{Kind: one.Kind, Count: a.Count + 1}
	}
	return a, true
}

// isPacked reports whether a type is only used to pack the values of a message: interfaces, and
// pointers to, slices and arrays of them.
func isPacked(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Interface:
		return true
	case *types.Pointer:
		return isPacked(u.Elem())
	case *types.Slice:
		return isPacked(u.Elem())
	case *types.Array:
		return isPacked(u.Elem())
	}
	return false
}

// print translates a call of one of them.
func (f *frame) print(v *ssa.Call, format int) operand {
	t := f.t
	b := &t.b
	args := v.Common().Args[1:] // after the receiver
	var values []ir.Value
	if format == 1 {
		values = append(values, f.value(args[0]))
	}
	c, ok := args[format].(*ssa.Const)
	if !ok {
		f.refuse(diag.GoSubset, v.Pos(), "write the format where the call is", "the format of a message is a constant, and this is none")
		return operand{}
	}
	var kinds []printf.Argument
	for _, x := range packed(args[format+1]) {
		kind, ok := messageArgument(x.Type())
		if !ok {
			f.refuse(diag.GoSubset, v.Pos(), "print its elements or fields, one verb for each", "messages show numbers, bools and vectors of package gpu, and this is of type %s", x.Type())
			return operand{}
		}
		kinds = append(kinds, kind)
		value := f.value(x)
		if kind.Count > 0 {
			parts := make([]ir.Value, kind.Count)
			for n := range parts {
				parts[n] = b.Extract(value, uint32(n))
			}
			value = b.Construct(t.m.VectorOf(ir.Type(kind.Kind), kind.Count), parts...)
		}
		values = append(values, value)
	}
	text := constant.StringVal(c.Value)
	// The gate cannot check values whose types are type parameters.
	if p := printf.Check(text, kinds); p != nil {
		f.refuse(diag.GoSubset, v.Pos(), p.Hint, "%s", p.Text)
		return operand{}
	}
	b.Print(text, format == 1, values...)
	return operand{}
}

// packed returns the values that SSA has packed into a slice of interfaces, or nil for a nil slice.
func packed(list ssa.Value) []ssa.Value {
	s, ok := list.(*ssa.Slice)
	if !ok {
		return nil
	}
	array := s.X.(*ssa.Alloc)
	values := make([]ssa.Value, array.Type().Underlying().(*types.Pointer).Elem().Underlying().(*types.Array).Len())
	for _, use := range *array.Referrers() {
		at, ok := use.(*ssa.IndexAddr)
		if !ok {
			continue
		}
		n, _ := constant.Int64Val(at.Index.(*ssa.Const).Value)
		for _, use := range *at.Referrers() {
			if store, ok := use.(*ssa.Store); ok {
				values[n] = store.Val.(*ssa.MakeInterface).X
			}
		}
	}
	return values
}
