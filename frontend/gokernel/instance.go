package gokernel

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/tools/go/ssa"

	"github.com/gpuc/gpuc/ir/diag"
)

// This file instantiates generic kernels: one instance for each list of type arguments in the
// option types=. Package ssa creates an instance where a function is used. So each has a package of
// its own, whose one function only names the instance. Its syntax is checked in the scope of the
// user's file without becoming part of it. No file, position or variable of the user's package
// changes, so that it works for packages loaded by other tools, too.

// instance is a kernel as it is compiled.
type instance struct {
	*kernel
	// name is its name in modules and files.
	name string
	// arguments are the type arguments of a generic function. use is an expression with it, and
	// info has the types of that.
	arguments []types.Type
	use       ast.Expr
	info      *types.Info
	// signature is the function's, instantiated.
	signature *types.Signature
	// function is set once SSA is built.
	function *ssa.Function
}

// displayName returns the name of an instance in Go syntax, for messages.
func (i *instance) displayName() string {
	text := i.object.Name()
	if len(i.arguments) > 0 {
		text = i.generic()
	}
	if i.base != nil {
		text += " with " + i.shownSetting()
	}
	return text
}

// generic returns the name of an instance of a generic function in Go syntax.
func (i *instance) generic() string {
	texts := make([]string, len(i.arguments))
	for n, t := range i.arguments {
		texts[n] = types.TypeString(t, qualifierOf(i.of.Types))
	}
	return i.object.Name() + "[" + strings.Join(texts, ", ") + "]"
}

// instanceName returns the identifier of an instance in modules and files. It consists of the
// function's name and the types, with an underscore for each run of characters that are no letters
// or digits.
func instanceName(function string, arguments []types.Type, in *types.Package) string {
	name := function
	for _, t := range arguments {
		words := strings.FieldsFunc(types.TypeString(t, qualifierOf(in)), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' })
		name += "_" + strings.Join(words, "_")
	}
	return name
}

// typesForm shows how the types are written for type parameters.
func typesForm(parameters *types.TypeParamList) string {
	var first, second []string
	for p := range parameters.TypeParams() {
		allowed := allowedTypes(p)
		if len(allowed) == 0 {
			return "write types= and the types after it: a comma between instances, a slash between the types of one, and no space"
		}
		first, second = append(first, allowed[0]), append(second, allowed[min(1, len(allowed)-1)])
	}
	text := "write types=" + strings.Join(first, "/")
	if !slices.Equal(first, second) {
		text += "," + strings.Join(second, "/")
	}
	if parameters.Len() > 1 {
		text += ": a slash between the types of one instance,"
	} else {
		text += ":"
	}
	return text + " a comma between instances, and no space"
}

// allowedTypes returns up to two basic types that satisfy a type parameter's constraint.
func allowedTypes(p *types.TypeParam) (names []string) {
	bound, ok := p.Constraint().Underlying().(*types.Interface)
	for _, kind := range []types.BasicKind{types.Float32, types.Int32, types.Uint32, types.Float64, types.Int64, types.Uint64,
		types.Uint8, types.Int8, types.Uint16, types.Int16, types.Int, types.Uint, types.Bool} {
		if t := types.Typ[kind]; ok && types.Satisfies(t, bound) && len(names) < 2 {
			names = append(names, t.Name())
		}
	}
	return names
}

// types reads the option types=A/B,C/D, and adds the instances to a kernel.
func (l *loader) types(k *kernel, o option) bool {
	parameters := k.object.Signature().TypeParams()
	name := k.object.Name()
	if parameters.Len() == 0 {
		l.problem(l.extent(o, 0, o.text), "leave types= away, or give "+name+" a type parameter, [E gpu.Number]",
			"types= is for kernels with type parameters, and %s has none", name)
		return false
	}
	right := true
	for offset, text := range split(o.text, ',') {
		if made := l.instance(k, o, offset, text); made != nil {
			k.instances = append(k.instances, made)
		} else {
			right = false
		}
	}
	return right
}

// instance returns the instance for one list of types in the option types=, or nil after adding an
// error.
func (l *loader) instance(k *kernel, o option, offset int, text string) *instance {
	parameters := k.object.Signature().TypeParams()
	name := k.object.Name()
	all := l.extent(o, offset, text)
	made := &instance{kernel: k}
	var parts []string
	for within, part := range split(text, '/') {
		at := l.extent(o, offset+within, part)
		if part == "" {
			l.problem(at, typesForm(parameters), "there is no type here")
			return nil
		}
		t, why := l.typeOf(k, o, part)
		if why != "" {
			l.problem(at, "a type of the package, of one that the file imports, or of Go", "types= lists types, and %s", why)
			return nil
		}
		if bad, hint := k.noArgument(t); bad != "" {
			l.problem(at, hint, "%s", bad)
			return nil
		}
		parts, made.arguments = append(parts, part), append(made.arguments, t)
	}
	if len(parts) != parameters.Len() {
		l.problem(all, typesForm(parameters), "%s has %s, and %s is %s", name, diag.Plural(parameters.Len(), "type parameter"), text, diag.Plural(len(parts), "type"))
		return nil
	}
	made.info = &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Instances: map[*ast.Ident]types.Instance{},
		Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{}, Selections: map[*ast.SelectorExpr]*types.Selection{}}
	use, err := parser.ParseExprFrom(l.files, "types", "[]interface{}{"+name+"["+strings.Join(parts, ", ")+"]}", 0)
	if err == nil {
		err = types.CheckExpr(l.files, k.of.Types, o.at, use, made.info)
	}
	if err != nil {
		l.problem(all, "list types that satisfy it, or let the constraint have more", "%s cannot be compiled for %s: %s", name, text, messageOf(err))
		return nil
	}
	for id, i := range made.info.Instances {
		if made.info.Uses[id] == k.object {
			made.signature = i.Type.(*types.Signature)
		}
	}
	if made.signature == nil {
		l.problem(all, "rename the kernel", "%s means something else at its directive", name)
		return nil
	}
	made.use, made.name = use, instanceName(name, made.arguments, k.of.Types)
	same := func(other *instance) bool { return slices.EqualFunc(made.arguments, other.arguments, types.Identical) }
	if slices.ContainsFunc(k.instances, same) {
		l.problem(all, "list it once", "%s is listed twice", made.displayName())
		return nil
	}
	return made
}

// split iterates over the parts of a text between separators outside of brackets, with their
// offsets.
func split(text string, separator byte) func(yield func(offset int, part string) bool) {
	return func(yield func(offset int, part string) bool) {
		begin, depth := 0, 0
		for n := range len(text) {
			switch {
			case strings.IndexByte("[({", text[n]) >= 0:
				depth++
			case strings.IndexByte("])}", text[n]) >= 0:
				depth--
			case text[n] == separator && depth == 0:
				if !yield(begin, text[begin:n]) {
					return
				}
				begin = n + 1
			}
		}
		yield(begin, text[begin:])
	}
}

// messageOf returns the type checker's message without its position.
func messageOf(err error) string {
	var wrong types.Error
	if errors.As(err, &wrong) {
		return wrong.Msg
	}
	return err.Error()
}

// typeOf returns the type that a text names in the scope of a directive, or says why there is none.
func (l *loader) typeOf(k *kernel, o option, text string) (t types.Type, why string) {
	if _, err := parser.ParseExpr(text); err != nil {
		return nil, text + " is none"
	}
	v, err := types.Eval(l.files, k.of.Types, o.at, text)
	switch {
	case err != nil && strings.HasPrefix(messageOf(err), "undefined: "):
		return nil, text + " is not known here"
	case err != nil:
		return nil, fmt.Sprintf("%s is none: %s", text, messageOf(err))
	case !v.IsType():
		return nil, text + " is none"
	}
	return v.Type, ""
}

// noArgument says why a type cannot be a type argument of a kernel, with a hint, or returns "".
func (k *kernel) noArgument(t types.Type) (message, hint string) {
	named := func(t types.Type) string { return typeName(t, k.of.Types) }
	bad := unsupportedInMemory(t)
	if bad == nil {
		bad = hasReference(t)
	}
	switch {
	case bad == nil && bytesOf(t) > maxValueBytes:
		return fmt.Sprintf("%s is too large for a type argument of a kernel: the limit is 64 KiB", named(t)), "take a slice"
	case bad == nil:
		return "", ""
	case isReference(bad):
		hint = "the parameters of the kernel are slices and pointers: func " + k.object.Name() + "[E …](it gpu.Item, x []E)"
	default:
		hint = typeHint(bad)
	}
	message = "the type arguments of a kernel are numbers, arrays and structures of them, and " + named(t)
	if types.Identical(bad, t) {
		return message + " is none", hint
	}
	return message + " has values of type " + named(bad), hint
}

// each calls do for the instances of a kernel, each with its own list. Equal errors of several
// instances become one, and those of a generic kernel name the instances.
func (l *loader) each(k *kernel, do func(i *instance)) {
	list := l.list
	var all []diag.Diagnostic
	var in [][]string
	for _, i := range k.instances {
		l.list = new(diag.List)
		do(i)
		for _, d := range l.list.Items() {
			n := slices.IndexFunc(all, func(other diag.Diagnostic) bool {
				return other.Code == d.Code && other.Span == d.Span && other.Message == d.Message
			})
			if n < 0 {
				n = len(all)
				all, in = append(all, d), append(in, nil)
			}
			if shown := i.displayName(); !slices.Contains(in[n], shown) {
				in[n] = append(in[n], shown)
			}
		}
	}
	l.list = list
	for n, d := range all {
		if k.isGeneric() {
			d.Notes = append(slices.Clip(d.Notes), diag.Note{Message: "in " + strings.Join(in[n], ", ")})
		}
		list.Add(d)
	}
}

// isPlain reports whether a kernel is compiled once, under its own name.
func (k *kernel) isPlain() bool { return !k.isGeneric() && k.base == nil }

func (k *kernel) isGeneric() bool { return k.object.Signature().TypeParams().Len() > 0 }

// instantiate builds an SSA program, and sets the functions of instances.
func (l *loader) instantiate(program *ssa.Program, kernels []*kernel) {
	l.program, l.shownInstances = program, map[string]string{}
	users := map[*instance]*ssa.Package{}
	kernels = slices.DeleteFunc(slices.Clone(kernels), func(k *kernel) bool { return k.base != nil && k.loader != l })
	for _, k := range kernels {
		for _, i := range k.instances {
			if k.base != nil {
				l.shownInstances[i.name] = i.displayName()
			}
			if k.isGeneric() {
				users[i] = program.CreatePackage(i.user())
				l.shownInstances[i.name] = i.displayName()
			}
		}
	}
	program.Build()
	for _, k := range kernels {
		for _, i := range k.instances {
			if user := users[i]; user != nil {
				i.function = used(user.Func(userName))
			} else {
				i.function = program.FuncValue(k.object)
			}
		}
	}
}

// userName is the name of the function that uses an instance.
const userName = "use"

// user returns a package with a function that uses an instance.
func (i *instance) user() (p *types.Package, files []*ast.File, info *types.Info, importable bool) {
	p = types.NewPackage("gpuc/instances/"+i.name, "instances")
	name := ast.NewIdent(userName)
	i.info.Defs[name] = types.NewFunc(token.NoPos, p, userName, types.NewSignatureType(nil, nil, nil, nil, nil, false))
	function := &ast.FuncDecl{Name: name, Type: &ast.FuncType{Params: &ast.FieldList{}}, Body: &ast.BlockStmt{List: []ast.Stmt{&ast.ExprStmt{X: i.use}}}}
	return p, []*ast.File{{Name: ast.NewIdent(p.Name()), Decls: []ast.Decl{function}}}, i.info, false
}

// used returns the instance that a function converts to an interface.
func used(user *ssa.Function) *ssa.Function {
	for _, b := range user.Blocks {
		for _, i := range b.Instrs {
			if made, ok := i.(*ssa.MakeInterface); ok {
				return made.X.(*ssa.Function)
			}
		}
	}
	panic(user.Pkg.Pkg.Path() + " uses no instance")
}

// names reports kernels with the same name, and instances whose names cannot be those of files.
func (g *gate) names(kernels []*kernel) {
	named := map[string]*instance{}
	folded := map[string]*instance{} // by package and small letters
	for _, k := range kernels {
		list := k.instances
		if len(list) == 0 { // there are errors; the function has a name still
			list = []*instance{{kernel: k, name: k.object.Name()}}
		}
		for _, i := range list {
			at := g.node(k.declaration.Name)
			own := i.name
			if g.generating { // an archive for each package
				own = k.of.PkgPath + " " + own
			}
			other := named[own]
			named[own] = i
			low := k.of.PkgPath + " " + strings.ToLower(i.name)
			alike := folded[low]
			folded[low] = i
			switch {
			case other != nil && k.isPlain() && other.isPlain():
				g.list.Add(diag.Diagnostic{Code: diag.GoKernel, Span: at, Message: i.name + " is the name of another kernel, too, and they are told apart by their names",
					Notes: g.otherOne(other)})
			case other != nil:
				g.list.Add(diag.Diagnostic{Code: diag.GoKernel, Span: at, Notes: g.otherOne(other),
					Message: fmt.Sprintf("%s and %s would both be called %s, and kernels are told apart by their names; rename one, or a type", other.displayName(), i.displayName(), i.name)})
			case alike != nil && g.generating && !(k.isPlain() && alike.isPlain()):
				g.list.Add(diag.Diagnostic{Code: diag.GoKernel, Span: at, Notes: g.otherOne(alike),
					Message: fmt.Sprintf("the files of kernels %s and %s have names that some systems cannot tell apart; rename one, or a type", alike.name, i.name)})
			}
			if g.generating && !k.isPlain() {
				g.declared(i)
			}
		}
	}
}

func (g *gate) otherOne(other *instance) []diag.Note {
	return []diag.Note{{Span: g.node(other.declaration.Name), Message: "the other one"}}
}

// declared reports declarations of a package with names that are generated for an instance.
func (g *gate) declared(i *instance) {
	names := []string{NamesOf(i.name).Embedded, NamesOf(i.name).Values, NamesOf(i.name).Variants}
	for _, f := range i.of.Syntax {
		if isGenerated(g.files.PositionFor(f.Pos(), false).Filename) {
			continue
		}
		for _, id := range topLevel(f) {
			if slices.Contains(names, id.Name) {
				g.problem(g.node(id), "", "gpuc gen makes a %s for %s, and the package has one; rename this one or the kernel", id.Name, i.displayName())
			}
		}
	}
}
