package launch

import (
	"fmt"
	"go/types"
	"slices"
	"strings"

	"github.com/gpuc/gpuc/frontend/gokernel"
)

// This file writes the type parameters of launchers of generic kernels, whose constraints list the
// instances, and a switch that finds the instance. The switch is over a function type whose
// parameters are the type arguments, so that one comparison decides. A nil function in an interface
// does not allocate.

// merged returns what instances of a kernel have in common, and properties that some have.
func (w *writer) merged(instances []*gokernel.Signature) *gokernel.Signature {
	all := *instances[0]
	all.Parameters = slices.Clone(all.Parameters)
	others := instances[1:]
	for _, i := range instances {
		if len(i.Tuned) > 0 {
			others = slices.Concat(others, w.variants[i.Base])
		}
	}
	for _, i := range others {
		all.Cooperative = all.Cooperative || i.Cooperative
		for n := range i.Parameters {
			all.Parameters[n].Written = all.Parameters[n].Written || i.Parameters[n].Written
		}
	}
	return &all
}

func (l *launcher) isGeneric() bool { return l.k.Declared.TypeParams().Len() > 0 }

// declared is the declared type of a parameter after the item.
func (l *launcher) declared(n int) types.Type { return l.k.Declared.Params().At(n + 1).Type() }

// typeParameters returns the declaration of the launchers' type parameters, or "".
func (l *launcher) typeParameters() string {
	var list []string
	for n := range l.k.Declared.TypeParams().Len() {
		list = append(list, l.k.Declared.TypeParams().At(n).Obj().Name()+" "+l.constraint(n))
	}
	return bracketed(list)
}

// typeArguments returns the type parameters as arguments, or "".
func (l *launcher) typeArguments() string { return bracketed(l.typeNames()) }

func (l *launcher) typeNames() (list []string) {
	for p := range l.k.Declared.TypeParams().TypeParams() {
		list = append(list, p.Obj().Name())
	}
	return list
}

func bracketed(list []string) string {
	if len(list) == 0 {
		return ""
	}
	return "[" + strings.Join(list, ", ") + "]"
}

// constraint returns the constraint of a type parameter: the types of the instances, with the
// kernel's own constraint if it has methods, which a list of types has not.
func (l *launcher) constraint(n int) string {
	own := l.k.Declared.TypeParams().At(n).Constraint()
	if !l.k.IsListed(n) {
		return l.spell(own)
	}
	var listed []string
	for _, i := range l.instances {
		if spelled := l.spell(i.Arguments[n]); !slices.Contains(listed, spelled) {
			listed = append(listed, spelled)
		}
	}
	text := strings.Join(listed, " | ")
	if own.Underlying().(*types.Interface).NumMethods() > 0 {
		return fmt.Sprintf("interface {\n%s\n%s\n}", l.spell(own), text)
	}
	return text
}

// choose writes a switch over the instances, whose cases compare type arguments, and do for each. A
// kernel that is not generic needs no switch. Before is returned in front of the error that there
// is no instance.
func (l *launcher) choose(do func(i *gokernel.Signature), before string) {
	if !l.isGeneric() {
		do(l.instances[0])
		return
	}
	types := strings.Join(l.typeNames(), ", ")
	fmt.Fprintf(&l.body, "\tswitch %s((func(%s))(nil)).(type) {\n", l.any(), types)
	for _, i := range l.instances {
		fmt.Fprintf(&l.body, "\tcase func(%s):\n", strings.Join(l.spelled(i), ", "))
		do(i)
	}
	fmt.Fprintf(&l.body, "\t}\n\treturn %s%s.NoInstance[func(%s)](%q)\n", before, l.gen, types, l.k.Function)
}

// spelled returns the type arguments of an instance as the file writes them.
func (l *launcher) spelled(i *gokernel.Signature) (list []string) {
	for _, t := range i.Arguments {
		list = append(list, l.spell(t))
	}
	return list
}

// any returns the empty interface as the package can write it.
func (w *writer) any() string {
	if w.p.Declared["any"] {
		return "interface{}"
	}
	return "any"
}

// valuesOf lists the parameters that are values, converted to their types in an instance.
func (l *launcher) valuesOf(i *gokernel.Signature) (list []string) {
	for n, p := range i.Parameters {
		text := l.names[n]
		switch p.Kind {
		case gokernel.Value:
		case gokernel.View:
			list = append(list, text+".Layout()")
			continue
		default:
			continue
		}
		if !types.Identical(p.Type, l.declared(n)) {
			text = fmt.Sprintf("%s(%s).(%s)", l.any(), text, l.spell(p.Type))
		}
		list = append(list, text)
	}
	return list
}

// compiledFor returns a comment line that lists the instances, or "".
func (l *launcher) compiledFor() string {
	if !l.isGeneric() {
		return ""
	}
	var list []string
	for _, i := range l.instances {
		list = append(list, strings.Join(l.spelled(i), "/"))
	}
	return fmt.Sprintf(" %s is compiled for %s.", l.k.Function, strings.Join(list, ", "))
}
