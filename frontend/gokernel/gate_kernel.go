package gokernel

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"github.com/gpuc/gpuc/ir/scalar"
)

// This file checks the declarations of kernels.

// kernel checks the name and the parameters of a kernel.
func (g *gate) kernel(k *kernel) {
	s := k.object.Signature()
	name := g.node(k.declaration.Name)
	if s.Results().Len() > 0 {
		g.problem(g.node(k.declaration.Type.Results), "add a slice parameter and write the result to it", "a kernel returns nothing, and %s has a result", k.object.Name())
	}
	switch {
	case k.object.Name() == "_":
		g.problem(name, "", "a kernel needs a name, by which it is launched")
	case s.Recv() != nil:
		g.problem(name, "make the receiver a parameter", "a kernel is a function, and %s is a method", k.object.Name())
	case s.Variadic():
		fields := k.declaration.Type.Params.List
		g.problem(g.node(fields[len(fields)-1].Type), "take a slice, []T", "a kernel has a fixed number of parameters")
	case s.Params().Len() == 0 || !isItem(s.Params().At(0).Type()):
		g.problem(name, "write func "+k.object.Name()+"(it gpu.Item, …): it says which item of the launch this is", "the first parameter of a kernel is a gpu.Item")
	default:
		g.parameters(k)
	}
	g.typeParameters(k)
}

// typeParameters checks the names of a kernel's type parameters, which its launchers share, and the
// methods that its instances call of the type arguments.
func (g *gate) typeParameters(k *kernel) {
	parameters := k.object.Signature().TypeParams()
	for p := range parameters.TypeParams() {
		name := p.Obj().Name()
		if name == "_" || types.Universe.Lookup(name) != nil || k.of.Types.Scope().Lookup(name) != nil {
			g.problem(g.span(p.Obj().Pos(), p.Obj().Pos()+token.Pos(len(name))), "rename it", "a type parameter of a kernel has a name of its own, which %s is not", name)
		}
	}
	id := k.declaration.Name
	at := &ast.CallExpr{Fun: id, Rparen: id.End() - 1}
	g.each(k, func(i *instance) {
		for n, t := range i.arguments {
			g.methods(at, t, parameters.At(n).Constraint())
		}
	})
}

// parameters checks the parameters of a kernel after the item.
func (g *gate) parameters(k *kernel) {
	n, plain := 0, 0
	var clash ast.Node
	for _, field := range k.declaration.Type.Params.List {
		for m := range max(1, len(field.Names)) {
			p := k.object.Signature().Params().At(n)
			if n++; n == 1 {
				continue
			}
			at := n - 1
			switch {
			case len(field.Names) == 0 || p.Name() == "_":
				g.problem(g.node(field), "", "a parameter of a kernel needs a name, by which the host says what it is")
			default:
				if k.isGeneric() && !hasTypeParameter(p.Type()) {
					g.parameter(k, field, p)
				} else {
					g.each(k, func(i *instance) { g.parameter(k, field, i.signature.Params().At(at)) })
				}
				if isView(p.Type()) {
					plain++
				}
				if !isReference(p.Type()) && !isView(p.Type()) {
					plain++
				} else if p.Name() == valuesName {
					clash = field.Names[m]
				}
			}
		}
	}
	if clash != nil && plain > 1 {
		g.problem(g.node(clash), "", "%s is the name of the structure of all values of a kernel: this parameter needs another name", valuesName)
	}
}

// parameter checks a parameter of a kernel.
func (g *gate) parameter(k *kernel, field *ast.Field, p *types.Var) {
	location := g.node(field.Type)
	named := func(t types.Type) string { return typeName(t, k.of.Types) }
	if isItem(p.Type()) {
		g.problem(location, "", "a kernel has one gpu.Item, its first parameter")
		return
	}
	if holdsTile(p.Type()) {
		g.problem(location, "take a gpu.Matrix, of which gpu.LoadTile loads tiles", "a tile is a value of the kernel, and %s is a parameter", p.Name())
		return
	}
	if isNamed(p.Type(), "Windows") {
		g.problem(location, "take a gpu.Tensor, whose method Windows returns them", "the windows of a tensor are a value of the kernel, and %s is a parameter", p.Name())
		return
	}
	if isView(p.Type()) {
		if element := ViewElement(p.Type()); tileElement(element) == scalar.None {
			g.problem(location, tileElementsHint,
				"the %s %s has elements of type %s", viewKind(p.Type()), p.Name(), named(element))
		}
		return
	}
	if bad := unsupported(p.Type()); bad != nil {
		const takes = "a kernel takes slices, pointers to workgroup memory, numbers and structures of numbers, and "
		if hint := hostHint(p.Type()); hint != "" {
			g.problem(location, hint, takes+"%s is of type %s", p.Name(), named(p.Type()))
		} else if all := unsupportedFields(p.Type(), true); len(all) > 0 {
			g.problem(location, all.hints(), takes+"%s of %s", all.names("its field", "is", "are"), all.types(named))
		} else {
			g.problem(location, typeHint(bad), takes+"%s is of type %s", p.Name(), named(bad))
		}
		return
	}
	const own = "slices and pointers are parameters of their own"
	if isSizeless(pointedAt(p.Type())) {
		g.problem(location, "leave it out", "there is nothing in what %s gives a kernel, as the type %s has no size", p.Name(), named(pointedAt(p.Type())))
		return
	}
	switch u := p.Type().Underlying().(type) {
	case *types.Pointer:
		if r := hasReference(u.Elem()); r != nil {
			g.problem(location, own, "workgroup memory holds numbers, arrays and structures of them, and that of %s has values of type %s", p.Name(), named(r))
		} else if bytesOf(u.Elem()) > maxWorkgroupBytes {
			g.problem(location, "the limit is 1 MiB, and few devices have more than 64 KiB", "the workgroup memory of %s is too large", p.Name())
		}
	case *types.Slice:
		element := u.Elem()
		if r := hasReference(element); r != nil {
			hint := own
			if isSlice(element) {
				hint = "take one slice of all rows and their length: x[row*width+column]"
			}
			g.problem(location, hint, "a buffer holds numbers, arrays and structures of them, and the elements of %s have values of type %s", p.Name(), named(r))
		} else if bad := platformDependent(element); bad != nil {
			g.problem(location, platformHint(bad), "the elements of %s hold values of type %s, %s", p.Name(), named(bad), platformReason(bad))
		} else if bytesOf(element) > maxWorkgroupBytes {
			g.problem(location, "the limit is 1 MiB; take a slice of what the array holds", "an element of %s is too large", p.Name())
		}
	default:
		if r := hasReference(p.Type()); r != nil {
			g.problem(location, own, "%s has values of type %s inside, which the host cannot fill in", p.Name(), named(r))
		} else if bytesOf(p.Type()) > maxValueBytes {
			g.problem(location, "take a slice", "%s is too large for a parameter that is copied: the limit is 64 KiB", p.Name())
		} else if narrow := smallFloat(p.Type()); narrow != nil {
			g.problem(location, "take a float32, and convert it in the kernel", "%s has a value of type %s, which a launch does not pass", p.Name(), named(narrow))
		} else if _, basic := p.Type().Underlying().(*types.Basic); !basic && hasNarrow(p.Type()) {
			g.problem(location, "take a slice of them, or write int32 and uint32 in what is passed by value", "%s holds integers of 8 or 16 bits, which a launch passes one by one only", p.Name())
		}
	}
}

// hostHint says what to write instead of a type of package gpu or of the standard library that only
// the host can use, or returns "".
func hostHint(t types.Type) string {
	switch u := types.Unalias(t).(type) {
	case *types.Pointer:
		t = u.Elem()
	case *types.Slice:
		t = u.Elem()
	}
	n, ok := types.Unalias(t).(*types.Named)
	if !ok || n.Obj().Pkg() == nil || isItem(t) {
		return ""
	}
	if _, isStruct := n.Underlying().(*types.Struct); !isStruct {
		return ""
	}
	switch path := n.Obj().Pkg().Path(); {
	case path == gpuPath && strings.Contains(n.Obj().Name(), "Texture"):
		return "kernels in Go have no textures, kernels in WGSL do; use a slice of texels instead"
	case path == gpuPath && n.Obj().Name() == "Buffer":
		return "take a slice, []T; a launch binds a buffer to it"
	case path == gpuPath || isStandard(path):
		return hostOnly
	}
	return ""
}

// platformReason says why a type cannot be in buffers, and platformHint what to write instead.
func platformReason(t types.Type) string {
	if b, ok := t.Underlying().(*types.Basic); ok && b.Kind() == types.Bool {
		return "whose size devices do not agree on"
	}
	return "which has 64 bits on most hosts and 32 on devices"
}

func platformHint(t types.Type) string {
	switch b, _ := t.Underlying().(*types.Basic); b.Kind() {
	case types.Bool:
		return "write uint32, and 1 and 0"
	case types.Uint:
		return "write uint32; int(x[i]) computes with it, and uint32(n) goes back"
	}
	return "write int32; int(x[i]) computes with it, and int32(n) goes back"
}
