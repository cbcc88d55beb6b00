package gokernel

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strconv"

	"golang.org/x/tools/go/packages"

	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
)

// This file compiles variants of the kernels that depend on tuned constants. For each combination
// of values, the package is type-checked again over the same syntax with the constants replaced,
// which takes a millisecond. So the sizes of arrays and workgroups change, and positions do not.
// The result is a package in its own loader, which shares the imports. Only kernels in the
// constants' package vary: another package always uses the package's own value.

// vary returns the kernels and their variants, and the packages whose functions these call and
// whose source has not been loaded. It requires that there are no errors so far.
func (l *loader) vary(kernels []*kernel) (all []*kernel, missing []string) {
	made := map[string]*loader{} // by package and values
	used := map[*tuned]bool{}
	var order []*loader
	for _, k := range kernels {
		all = append(all, k)
		constants := l.constants[k.of]
		if len(constants) == 0 {
			continue
		}
		if k.tuned = newReach(k.of, constants).kernel(k, constants); len(k.tuned) == 0 {
			continue
		}
		count := 1
		for _, c := range k.tuned {
			used[c] = true
			k.setting = append(k.setting, c.declared)
			count = min(count*len(c.values), 1<<20)
		}
		if count > maxVariants {
			l.problem(l.node(k.declaration.Name), "list fewer values, or let the kernel depend on fewer tuned constants",
				"%s would have %d variants, one for each combination of its tuned constants, and the limit is %d", k.object.Name(), count, maxVariants)
			continue
		}
		for setting := range combinations(k.tuned) {
			if slices.Equal(setting, k.setting) {
				continue
			}
			v := &kernel{declaration: k.declaration, base: k, tuned: k.tuned, setting: setting, object: k.object}
			key := k.of.ID
			replaced := map[*tuned]int64{}
			for n, c := range k.tuned {
				if setting[n] != c.declared {
					key += fmt.Sprintf(" %s=%d", c.object.Name(), setting[n])
					replaced[c] = setting[n]
				}
			}
			inner := made[key]
			if inner == nil {
				var bad []diag.Diagnostic
				inner, bad = l.with(k.of, replaced)
				if made[key] = inner; len(bad) > 0 {
					// The other errors follow from it, or are found when it is fixed.
					l.list.Add(v.atValue(bad[0]))
					continue
				}
				order = append(order, inner)
			} else if inner.packages == nil {
				continue // reported for another kernel
			}
			v.loader, v.of = inner, inner.packages[0]
			v.object = v.of.TypesInfo.Defs[k.declaration.Name].(*types.Func)
			inner.variants = append(inner.variants, v)
			all = append(all, v)
		}
	}
	for _, p := range l.packages {
		for _, c := range l.constants[p] {
			if !used[c] {
				l.problem(c.at, "leave the directive away", "no kernel of the package depends on %s", c.object.Name())
			}
		}
	}
	if l.list.Errors() > 0 {
		return kernels, nil
	}
	for _, inner := range order {
		missing = append(missing, l.check(inner.variants)...)
	}
	if l.list.Errors() == 0 {
		l.newGate().names(all)
	}
	slices.Sort(missing)
	return all, slices.Compact(missing)
}

// combinations iterates over all combinations of the constants' values.
func combinations(constants []*tuned) func(yield func(setting []int64) bool) {
	return func(yield func([]int64) bool) {
		at := make([]int, len(constants))
		for {
			setting := make([]int64, len(constants))
			for n, c := range constants {
				setting[n] = c.values[at[n]].value
			}
			if !yield(setting) {
				return
			}
			n := len(at) - 1
			for ; n >= 0; n-- {
				if at[n]++; at[n] < len(constants[n].values) {
					break
				}
				at[n] = 0
			}
			if n < 0 {
				return
			}
		}
	}
}

// check reads the directives of the variants of one combination, and checks them by the gate.
func (l *loader) check(variants []*kernel) (missing []string) {
	inner := variants[0].loader
	for _, v := range variants {
		l.redirect(v, func() {
			s := v.object.Signature()
			if s.TypeParams().Len() == 0 {
				v.instances = []*instance{{kernel: v, name: v.object.Name(), signature: s}}
			}
			inner.readOptions(v, directiveOf(v.declaration))
			if len(v.instances) != len(v.base.instances) {
				return // errors were reported
			}
			for n, i := range v.instances {
				i.name, i.of = v.base.instances[n].name+v.suffix(), v.of
				inner.sameParameters(v.base.instances[n].signature, i.signature)
			}
			if inner.list.Errors() == 0 {
				missing = append(missing, inner.gate([]*kernel{v})...)
			}
		})
	}
	return missing
}

// suffix is what a variant's name adds to the kernel's.
func (k *kernel) suffix() (text string) {
	for n, c := range k.tuned {
		text += fmt.Sprintf("_%s%d", c.object.Name(), k.setting[n])
	}
	return text
}

// sameParameters reports parameters that the host passes whose types differ between a kernel and a
// variant. A launcher has one type for them.
func (l *loader) sameParameters(base, variant *types.Signature) {
	for n := range base.Params().Len() {
		p := variant.Params().At(n)
		if isPointer(p.Type()) || isItem(p.Type()) {
			continue
		}
		if shapeOf(base.Params().At(n).Type()) != shapeOf(p.Type()) {
			l.problem(l.span(p.Pos(), p.Pos()+token.Pos(len(p.Name()))), "let only workgroup memory and variables of the kernel depend on it",
				"the type of %s depends on a tuned constant, and the host gives all variants the same", p.Name())
		}
	}
}

// shapeOf returns a text for a type with its layout, by which types of two checks of a package can
// be compared.
func shapeOf(t types.Type) string {
	switch u := t.Underlying().(type) {
	case *types.Slice:
		return "[]" + shapeOf(u.Elem())
	case *types.Array:
		return "[" + strconv.FormatInt(u.Len(), 10) + "]" + shapeOf(u.Elem())
	case *types.Struct:
		text := "{"
		for f := range u.Fields() {
			text += f.Name() + " " + shapeOf(f.Type()) + ";"
		}
		return text + "}"
	}
	return t.Underlying().String()
}

// redirect calls do, and reports the errors of a variant's loader at the value that causes them.
// Each is reported once, since several combinations may cause it. Warnings are dropped, as they are
// reported for the package's own values. For kernels that are no variants it just calls do.
func (l *loader) redirect(k *kernel, do func()) {
	if k.base == nil {
		do()
		return
	}
	k.loader.list = new(diag.List)
	do()
	for _, d := range k.loader.list.Items() {
		key := fmt.Sprint(d.Code, d.Span, d.Message)
		if d.Severity == diag.Error && !l.variantErrors[key] {
			l.variantErrors[key] = true
			l.list.Add(k.atValue(d))
		}
	}
}

// with returns a loader of a package with other values of its tuned constants, and the type errors.
func (l *loader) with(p *packages.Package, values map[*tuned]int64) (*loader, []diag.Diagnostic) {
	inner := *l
	inner.constants, inner.packages, inner.program = nil, nil, nil
	again := *p
	again.TypesInfo = &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Instances: map[*ast.Ident]types.Instance{},
		Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{}, Implicits: map[ast.Node]types.Object{},
		Selections: map[*ast.SelectorExpr]*types.Selection{}, Scopes: map[ast.Node]*types.Scope{}, FileVersions: map[*ast.File]string{}}
	var bad []diag.Diagnostic
	config := types.Config{Importer: importsOf(p), Sizes: p.TypesSizes, Error: func(err error) {
		if e, ok := err.(types.Error); ok && !e.Soft {
			bad = append(bad, diag.Diagnostic{Code: diag.GoError, Span: l.span(e.Pos, token.NoPos), Message: e.Msg})
		}
	}}
	if p.Module != nil && p.Module.GoVersion != "" {
		config.GoVersion = "go" + p.Module.GoVersion
	}
	for c, value := range values {
		was := c.spec.Values[0]
		c.spec.Values[0] = &ast.BasicLit{ValuePos: was.Pos(), Kind: token.INT, Value: strconv.FormatInt(value, 10)}
		defer func() { c.spec.Values[0] = was }()
	}
	again.Types, _ = config.Check(p.Types.Path(), l.files, p.Syntax, again.TypesInfo)
	if len(bad) > 0 {
		return &inner, bad
	}
	// Packages that import the package use types of the one with its own values, and cannot be used
	// here.
	needed := map[*packages.Package]bool{}
	var need func(p *packages.Package)
	need = func(p *packages.Package) {
		if !needed[p] {
			needed[p] = true
			for _, i := range p.Imports {
				need(i)
			}
		}
	}
	need(p)
	inner.packages, inner.requested = []*packages.Package{&again}, 1
	for _, other := range l.packages {
		if other != p && needed[other] {
			inner.packages = append(inner.packages, other)
		}
	}
	return &inner, nil
}

// imported is an importer of the packages that another one imports.
type imported map[string]*types.Package

func (i imported) Import(path string) (*types.Package, error) {
	if p := i[path]; p != nil {
		return p, nil
	}
	return nil, fmt.Errorf("nothing imported %s before", path)
}

func importsOf(p *packages.Package) imported {
	all := imported{"unsafe": types.Unsafe}
	for _, f := range p.Syntax {
		for _, s := range f.Imports {
			if path, err := strconv.Unquote(s.Path.Value); err == nil {
				if name := p.TypesInfo.PkgNameOf(s); name != nil {
					all[path] = name.Imported()
				}
			}
		}
	}
	return all
}

// translateVariant calls do with each valid instance of a variant and a module of it alone. Its
// barriers are checked in that module, so that errors are reported at the value.
func (l *loader) translateVariants(m *ir.Module, kernels []*kernel) {
	for _, k := range kernels {
		if k.base != nil {
			l.translateVariant(k, func(i *instance, _ *ir.Module) { k.loader.translate(m, i) })
		}
	}
}

// translateVariant calls do with what a variant's instances are and a module of each alone, if
// nothing is wrong with them. That is looked for in this module, so that what is said of barriers
// is said at the value.
func (l *loader) translateVariant(k *kernel, do func(i *instance, separate *ir.Module)) {
	l.redirect(k, func() {
		v := k.loader
		if v.program == nil {
			v.build(v.variants)
		}
		v.each(k, func(i *instance) {
			separate := ir.NewModule(l.set)
			v.unseen = false
			v.translate(separate, i)
			switch {
			case v.unseen:
				v.list = new(diag.List) // some source is missing in an analysis pass
			case v.list.Errors() == 0:
				v.divergent(separate)
			}
			if v.list.Errors() == 0 && !v.unseen {
				do(i, separate)
			}
		})
	})
}

// Tuned is a tuned constant with its value in a variant.
type Tuned struct {
	Name  string
	Value int64
}

func (k *kernel) variant() (list []Tuned) {
	for n, c := range k.tuned {
		list = append(list, Tuned{c.object.Name(), k.setting[n]})
	}
	return list
}
