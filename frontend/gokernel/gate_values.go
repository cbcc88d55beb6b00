package gokernel

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/types"
	"slices"
	"strings"
)

// This file checks the values that kernels compute with.

// maxValueBytes is the maximum size of a value, and maxWorkgroupBytes that of workgroup memory.
// Both exceed every device's fast memory, and keep sizes far below 2^32.
const (
	maxValueBytes     = 1 << 16
	maxWorkgroupBytes = 1 << 20
)

// typeProblem is what is wrong with a type, and a hint.
type typeProblem struct{ message, hint string }

// unusable says why values of a kernel cannot have a type; nil means that they can.
func (g *gate) unusable(t types.Type) *typeProblem {
	if t == nil || hasTypeParameter(t) { // type arguments are checked at the call
		return nil
	}
	named := func(t types.Type) string { return typeName(t, g.of.Types) }
	if isTile(t) {
		return tileProblem(t, named)
	}
	if holdsTile(t) {
		return &typeProblem{"tiles are values of a kernel, and in no memory as " + named(t) + " has them", "a variable, a parameter or a result has the type of a tile itself"}
	}
	if bad := unsupported(t); bad != nil {
		if all := unsupportedFields(t, false); len(all) > 0 {
			return &typeProblem{"kernels have no values of " + all.types(named) + ", which " + all.names("the field", "has", "have"), all.hints()}
		}
		return &typeProblem{"kernels have no values of type " + named(bad), typeHint(bad)}
	}
	element, what := t, "values"
	switch u := t.Underlying().(type) {
	case *types.Slice:
		element, what = u.Elem(), "slices"
	case *types.Pointer:
		element, what = u.Elem(), "pointers"
	}
	if isItem(element) {
		return nil
	}
	r := hasReference(element)
	if _, structure := element.Underlying().(*types.Struct); structure && what != "slices" {
		r = nestedReference(element)
	}
	if r != nil {
		message := fmt.Sprintf("kernels have no %s of type %s, which hold %s of type %s", what, named(t), referenceWord(r), named(r))
		if what == "pointers" && types.Identical(element, r) {
			message = fmt.Sprintf("kernels do not point to a variable that is a %s itself, as %s does", referenceWord(r)[:len(referenceWord(r))-1], named(t))
		}
		return &typeProblem{message, "a slice or a pointer is a variable, a parameter or a field of a structure that is a variable: the compiler has to know what memory it names"}
	}
	if what == "values" && bytesOf(t) > maxValueBytes {
		return &typeProblem{fmt.Sprintf("a value of type %s is too large: each item would have its own", named(t)),
			fmt.Sprintf("the limit is %d KiB; a slice, or a pointer to workgroup memory, is shared by many items", maxValueBytes>>10)}
	}
	return nil
}

// nestedReference returns a slice or pointer within the target of a structure's reference, or
// within an array, where its variable would not be known. It returns nil if there is none.
func nestedReference(t types.Type) types.Type {
	if isItem(t) {
		return nil
	}
	switch u := t.Underlying().(type) {
	case *types.Struct:
		for f := range u.Fields() {
			if r := nestedReference(f.Type()); r != nil {
				return r
			}
		}
	case *types.Slice:
		return hasReference(u.Elem())
	case *types.Pointer:
		if hasReference(u.Elem()) != nil {
			return t
		}
	case *types.Array:
		return hasReference(u.Elem())
	}
	return nil
}

// typeName names a type as a package does, with the basic type that it is defined as.
func typeName(t types.Type, in *types.Package) string {
	text := types.TypeString(t, qualifierOf(in))
	if b, ok := t.Underlying().(*types.Basic); ok {
		if _, named := types.Unalias(t).(*types.Named); named {
			text += " (" + b.Name() + ")"
		}
	}
	return text
}

// qualifierOf qualifies types by the names of packages instead of their paths.
func qualifierOf(in *types.Package) types.Qualifier {
	return func(p *types.Package) string {
		if p == in {
			return ""
		}
		return p.Name()
	}
}

func referenceWord(t types.Type) string {
	if isSlice(t) {
		return "slices"
	}
	return "pointers"
}

// fields are fields of structures whose types kernels do not have.
type fields []*types.Var

// unsupportedFields returns the innermost fields in a type, or in its element type, whose types
// kernels do not have. If references is set, slices and pointers are among those.
func unsupportedFields(t types.Type, references bool) (list fields) {
	for t = pointedAt(t); ; {
		array, ok := t.Underlying().(*types.Array)
		if !ok {
			break
		}
		t = array.Elem()
	}
	s, ok := t.Underlying().(*types.Struct)
	if !ok || isItem(t) {
		return nil
	}
	for f := range s.Fields() {
		isUnsupported := unsupportedVariable(f.Type()) != nil || references && hasReference(f.Type()) != nil
		if !isUnsupported {
			continue
		}
		if inner := fields(nil); !isReference(f.Type()) {
			if inner = unsupportedFields(f.Type(), references); len(inner) > 0 {
				list = append(list, inner...)
				continue
			}
		}
		list = append(list, f)
	}
	return list
}

// names lists the fields in words: the field a has, the fields a and b have.
func (l fields) names(what, one, several string) string {
	words := make([]string, len(l))
	for n, f := range l {
		words[n] = f.Name()
	}
	if len(l) == 1 {
		return what + " " + words[0] + " " + one
	}
	return what + "s " + listed(words) + " " + several
}

// types lists the types of the fields, each once.
func (l fields) types(named func(types.Type) string) string {
	var words []string
	for _, f := range l {
		t := f.Type()
		if bad := unsupportedVariable(t); bad != nil {
			t = bad
		}
		if word := named(t); !slices.Contains(words, word) {
			words = append(words, word)
		}
	}
	if len(words) == 1 {
		return "type " + words[0]
	}
	return "types " + listed(words)
}

// hints says what to write instead, each hint once.
func (l fields) hints() string {
	var hints []string
	for _, f := range l {
		hint := "slices and pointers are parameters of their own"
		if bad := unsupportedVariable(f.Type()); bad != nil {
			hint = typeHint(bad)
		}
		if hint != "" && !slices.Contains(hints, hint) {
			hints = append(hints, hint)
		}
	}
	return strings.Join(hints, "; ")
}

// listed joins words: a, b and c.
func listed(words []string) string {
	last := len(words) - 1
	if last <= 0 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:last], ", ") + " and " + words[last]
}

// bytesOf returns the size of a type on devices, or a number above all limits.
func bytesOf(t types.Type) int64 {
	size, _ := Layout(t)
	return size
}

// value checks a value, and reports whether to check its operands.
func (g *gate) value(x ast.Expr) bool {
	t, ok := g.info.Types[x]
	if !ok || t.IsBuiltin() || !t.IsValue() && !t.IsNil() {
		return true
	}
	switch {
	case t.IsNil() && !g.nilSlices[x]:
		g.refuse(x, "pointers of kernels always name memory", "kernels have no nil but that of slices")
		return false
	case t.IsNil():
		return true
	case t.Value != nil:
		g.fits(x, t)
		return false
	}
	if _, isFunction := t.Type.Underlying().(*types.Signature); isFunction {
		if _, inside := x.(*ast.ParenExpr); inside {
			return true
		}
		if !g.isReported(x) {
			g.refuse(x, "call it where it is needed; instead of passing a function, use a method of a type parameter", "%s is used as a value, and kernels have no function values", types.ExprString(x))
		}
		return false
	}
	p := g.unusable(t.Type)
	if p == nil || g.isReported(x) {
		return true
	}
	at := g.files.PositionFor(x.Pos(), false)
	if where := (line{at.Filename, at.Line}); !g.typed[where] {
		g.typed[where] = true
		g.refuse(x, p.hint, "%s", p.message)
	}
	return false
}

// fits reports a constant that does not fit in int or uint of a device. Constants of other types
// fit after their conversion.
func (g *gate) fits(x ast.Expr, t types.TypeAndValue) {
	b, ok := t.Type.Underlying().(*types.Basic)
	if !ok {
		return
	}
	whole, text := constant.ToInt(t.Value), types.ExprString(x)
	if value := t.Value.ExactString(); text != value {
		text += " is " + value + ", which"
	}
	switch n, exact := constant.Int64Val(whole); {
	case b.Kind() == types.Int && (!exact || n != int64(int32(n))):
		g.refuse(x, "int has 32 bits on devices: the largest is math.MaxInt32, and that of uint32 math.MaxUint32", "%s does not fit into the int of devices", text)
	case b.Kind() == types.Uint && (!exact || n != int64(uint32(n))):
		g.refuse(x, "uint has 32 bits on devices: the largest is math.MaxUint32", "%s does not fit into the uint of devices", text)
	}
}

// isReported reports whether a value's type follows from something reported at its declaration: a
// variable, or the result of a function whose source is checked.
func (g *gate) isReported(x ast.Expr) bool {
	isReported := false
	ast.Inspect(x, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.Ident:
			if v, ok := g.info.ObjectOf(n).(*types.Var); ok && !isGlobal(v) && !v.IsField() {
				_, isFunction := v.Type().Underlying().(*types.Signature)
				isReported = isReported || isFunction || g.unusable(v.Type()) != nil
			}
		case *ast.CallExpr:
			if f := g.callee(n); f != nil && g.hasSource(f) {
				for r := range f.Signature().Results().Variables() {
					isReported = isReported || g.unusable(r.Type()) != nil
				}
			}
		}
		return !isReported
	})
	return isReported
}

func hasTypeParameter(t types.Type) bool {
	switch u := t.(type) {
	case *types.TypeParam:
		return true
	case *types.Alias:
		return hasTypeParameter(types.Unalias(u))
	case *types.Pointer:
		return hasTypeParameter(u.Elem())
	case *types.Slice:
		return hasTypeParameter(u.Elem())
	case *types.Array:
		return hasTypeParameter(u.Elem())
	case *types.Named:
		for a := range u.TypeArgs().Types() {
			if hasTypeParameter(a) {
				return true
			}
		}
	case *types.Struct:
		for f := range u.Fields() {
			if hasTypeParameter(f.Type()) {
				return true
			}
		}
	case *types.Tuple:
		for v := range u.Variables() {
			if hasTypeParameter(v.Type()) {
				return true
			}
		}
	}
	return false
}
