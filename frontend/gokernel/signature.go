package gokernel

import (
	"go/types"
	"strings"

	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/source"
)

// This file describes kernels as Go functions. The module and its abi.Kernel describe bindings and
// values; a signature says which parameter is which.

// Signature is a kernel as a Go function.
type Signature struct {
	// Name is the kernel's name in its module.
	Name string
	// Function is the Go function. Declared is its declared type, and Arguments its type arguments.
	Function string
	// Doc is the function's doc comment as text, without directives.
	Doc string
	// Base is the name of the kernel that has the package's own values of its tuned constants, and
	// Tuned are the values that this one has. Without tuned constants Base is Name.
	Base      string
	Tuned     []Tuned
	Declared  *types.Signature
	Arguments []types.Type
	Span      source.Span
	// Workgroup is the workgroup size, in items, by dimension.
	Workgroup [3]uint32
	// Parameters are those after the item.
	Parameters []Parameter
	// Cooperative says that its items share workgroup memory, or use barriers or subgroup
	// operations.
	Cooperative bool
	// ValueBytes is the size in bytes of all values, which are the kernel's immediates or its last
	// binding.
	ValueBytes uint32
}

// IsListed reports whether a type parameter's constraint in launchers can be the list of type
// arguments that the kernel is compiled for. It cannot if the types of its own constraint depend on
// other type parameters.
func (s *Signature) IsListed(parameter int) bool {
	if s == nil || s.Declared == nil || parameter < 0 || parameter >= s.Declared.TypeParams().Len() {
		return false
	}
	var depends func(t types.Type) bool
	depends = func(t types.Type) bool {
		switch u := t.(type) {
		case *types.Union:
			for term := range u.Terms() {
				if depends(term.Type()) {
					return true
				}
			}
			return false
		}
		bound, ok := t.Underlying().(*types.Interface)
		if !ok {
			return hasTypeParameter(t)
		}
		for embedded := range bound.EmbeddedTypes() {
			if depends(embedded) {
				return true
			}
		}
		return false
	}
	return !depends(s.Declared.TypeParams().At(parameter).Constraint())
}

// ParameterKind is what a parameter is on a device.
type ParameterKind uint8

// The kinds of parameters.
const (
	Value     ParameterKind = iota // part of the immediates or of the uniform buffer
	Buffer                         // a slice
	Workgroup                      // a pointer
	View                           // a gpu.Matrix or gpu.Tensor: a buffer, and a layout as a value
)

// Parameter is a parameter of a kernel.
type Parameter struct {
	Name string
	Type types.Type
	Kind ParameterKind
	// Binding is the binding number of a buffer or of a view's, and Written says that the kernel
	// may write it.
	Binding int
	Written bool
	// Offset is the offset of a value, or of a view's layout, among the values, in bytes. Its
	// layout is Go's, except that int, uint and bool have 32 bits.
	Offset uint32
}

// location is where a parameter is in the module: a variable, or a member of one if member is not
// -1.
type location struct {
	variable ir.Value
	member   int
	// buffer is the variable of a view's elements.
	buffer ir.Value
}

// signature describes the kernel that was translated last, into m.
func (l *loader) signature(m *ir.Module, k *instance) Signature {
	f := m.Func(k.name)
	s := Signature{Name: f.Name, Function: k.object.Name(), Doc: k.declaration.Doc.Text(), Declared: k.object.Signature(), Arguments: k.arguments, Span: f.Span, Cooperative: synchronises(f), Base: f.Name, Tuned: k.variant()}
	if k.base != nil {
		s.Base = strings.TrimSuffix(s.Name, k.suffix())
	}
	for n, size := range k.workgroup {
		s.Workgroup[n] = uint32(size)
	}
	for n, at := range l.parameterLocations[1:] { // after the item
		v := k.signature.Params().At(n + 1)
		p := Parameter{Name: v.Name(), Type: v.Type()}
		g := m.Global(at.variable)
		switch space := m.SpaceOf(g.Type); space {
		case ir.Storage:
			p.Kind, p.Binding, p.Written = Buffer, int(g.Binding), m.AccessOf(g.Type) != ir.Read
		case ir.Workgroup:
			p.Kind, s.Cooperative = Workgroup, true
		default:
			whole := m.Element(g.Type)
			if s.ValueBytes = m.Size(whole); at.member >= 0 {
				p.Offset = m.Members(whole)[at.member].Offset
			}
			if at.buffer != ir.NoValue {
				b := m.Global(at.buffer)
				p.Kind, p.Binding, p.Written = View, int(b.Binding), m.AccessOf(b.Type) != ir.Read
			}
		}
		s.Parameters = append(s.Parameters, p)
	}
	return s
}

// synchronises reports whether a function has convergent operations: barriers or subgroup
// operations.
func synchronises(f *ir.Func) bool {
	var convergent op.Set
	for o := op.Invalid + 1; o < op.Count; o++ {
		if isConvergent(o) {
			convergent.Add(o)
		}
	}
	return f.Had(&convergent)
}
